// Reads with the second program what the page hands over, piece by piece: a file of any size takes no more memory than its header
// or a piece of it, but for snapshots and JSON, which are read as a whole. Then the third program says what follows from it.
const PIECE = 1 << 20;
let second;
let third;
const start = () => (second ??= wasm_bindgen({ module_or_path: fetch('./{{wasm}}', { integrity: '{{wasm integrity}}' }) }));
const estimate = () => (third ??= wasm_estimate({ module_or_path: fetch('./{{third}}', { integrity: '{{third integrity}}' }) }));
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
/** What follows from the reports. */
const explain = async (reports, files, gibibytes) => {
  await estimate();
  const run = new wasm_estimate.Run();
  for (const file of files) await read(run, file);
  return JSON.parse(run.answer(reports, gibibytes));
};
onmessage = async ({ data: { job, files, gibibytes } }) => {
  try {
    await start();
    const pile = new wasm_bindgen.Pile();
    const kinds = [];
    for (const file of files) kinds.push(await read(pile, file));
    const answer = JSON.parse(pile.answer(gibibytes));
    const reports = pile.reports();
    pile.free();
    postMessage({ job, kinds, ...answer });
    if (answer.reports.length) postMessage({ job, explained: await explain(reports, files, gibibytes) });
    postMessage({ job, done: true });
  } catch {
    // What could not be fetched is asked for again the next time.
    [second, third] = [];
    postMessage({ job, failed: true });
  }
};
