// Reads with the second program what the page hands over, piece by piece: a file of any size takes no more memory than its header
// or a piece of it, but for snapshots and JSON, which are read as a whole.
const PIECE = 1 << 20;
let ready;
const start = () => (ready ??= wasm_bindgen({ module_or_path: fetch('./{{wasm}}', { integrity: '{{wasm integrity}}' }) }));
const bytes = async (file, from, to) => new Uint8Array(await file.slice(from, to).arrayBuffer());
/** Reads one file, and says how. */
const read = async (pile, file) => {
  const how = pile.begin(await bytes(file, 0, 64), file.size);
  if (how === 'text') for (let at = 0; at < file.size; at += PIECE) pile.text(await bytes(file, at, at + PIECE));
  else if (how === 'whole') pile.whole(await bytes(file, 0, file.size));
  else if (how === 'header') for (let range; (range = pile.wants()).length; ) pile.give(await bytes(file, ...range));
  pile.end();
  return how;
};
onmessage = async ({ data: { job, files, gibibytes } }) => {
  try {
    await start();
    const pile = new wasm_bindgen.Pile();
    const kinds = [];
    for (const file of files) kinds.push(await read(pile, file));
    postMessage({ job, kinds, ...JSON.parse(pile.answer(gibibytes)) });
  } catch {
    postMessage({ job, failed: true });
  }
};
