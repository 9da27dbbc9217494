// How the far part of the program comes: behind the glue, whose exports it works with.

/** Takes the answer with it, and tells the program when it is there. */
export async function far(answer) {
  await WebAssembly.instantiate(await (await answer).arrayBuffer(), { p: wasm });
  document.documentElement.removeAttribute('data-far');
  document.dispatchEvent(new Event('memory-wall:far'));
}
