// How the far parts of the program come: behind the glue, whose exports they work with.

/** Takes the answers with them, and tells the program when all are there. */
export async function far(...answers) {
  const parts = await Promise.all(answers.map(async (answer) => (await answer).arrayBuffer()));
  await Promise.all(parts.map((part) => WebAssembly.instantiate(part, { p: wasm })));
  document.documentElement.removeAttribute('data-far');
  document.dispatchEvent(new Event('memory-wall:far'));
}
