// Reads what the page hands over, piece by piece: a file of any size takes no more memory than its header or a piece of it, but for
// snapshots and JSON, which are read as a whole. The second program reads texts. Snapshots have a program of their own, which stays to
// answer what their pictures ask. The third program reads all other files, and then says what follows from everything.
const PIECE = 1 << 20;
const HEAD = 1 << 16;
let second;
let third;
let views;
const start = () => (second ??= wasm_bindgen({ module_or_path: fetch('./{{wasm}}', { integrity: '{{wasm integrity}}' }) }));
const estimate = () => (third ??= wasm_estimate({ module_or_path: fetch('./{{third}}', { integrity: '{{third integrity}}' }) }));
const open = () => (views ??= wasm_views({ module_or_path: fetch('./{{views}}', { integrity: '{{views integrity}}' }) }));
const bytes = async (file, from, to) => new Uint8Array(await file.slice(from, to).arrayBuffer());
/** What was read of files ahead of their turn. */
const ahead = new Map();
/** Whether a file begins as the pickle of a snapshot does: then it is read while the programs come. */
const pickled = async (file) => {
  const [mark, protocol] = await bytes(file, 0, 2);
  if (mark !== 0x80 || protocol > 5) return false;
  if (file.size < 1 << 26 && !ahead.size) ahead.set(file, bytes(file, 0, file.size));
  return true;
};
/** The snapshots of the last files, by their number, and what they hold as tables. */
const snapshots = new Map();
let held;
/** What the third program knows of the last files. */
let run;
const opened = async () => {
  await estimate();
  return (run ??= new wasm_estimate.Run());
};
/** Reads a file that is neither a text nor a snapshot; whether it is JSON of no kind that is known: then it is a text. */
const other = async (pile, source, gibibytes, give) => {
  await opened();
  run.at(source);
  await give();
  const said = JSON.parse(run.end(gibibytes));
  if (said?.refused) pile.refuse(said.refused);
  if (!said?.tables) return true;
  pile.handed(run.report());
  held.push(said);
};
const whole = async (pile, content, source, gibibytes) => {
  if (await other(pile, source, gibibytes, () => run.whole(content))) pile.text(content);
};
const header = (pile, file, head, source, gibibytes) =>
  other(pile, source, gibibytes, async () => {
    run.header(head, file.size);
    for (let range; (range = run.wants()).length; ) run.give(await bytes(file, ...range));
  });
/** Reads a snapshot; JSON that is none after all may be another file. */
const snapshot = async (pile, content, source, gibibytes) => {
  await open();
  const read = new wasm_views.Views(gibibytes);
  const said = JSON.parse(read.open(content, source));
  if (said?.tables) {
    pile.handed(read.report());
    snapshots.set(source, read);
    return held.push(said);
  }
  read.free();
  if (said) pile.refuse(said.refused);
  else await whole(pile, content, source, gibibytes);
};
/** Reads one file, and says how. */
const read = async (pile, file, source, gibibytes) => {
  const head = await bytes(file, 0, HEAD);
  const how = pile.begin(head, file.size);
  if (how === 'text') for (let at = 0; at < file.size; at += PIECE) pile.text(await bytes(file, at, at + PIECE));
  else if (how === 'whole') await whole(pile, await bytes(file, 0, file.size), source, gibibytes);
  else if (how === 'snapshot') await snapshot(pile, await (ahead.get(file) ?? bytes(file, 0, file.size)), source, gibibytes);
  else if (how === 'header') await header(pile, file, head, source, gibibytes);
  pile.end();
  return how;
};
/** What follows from the reports, with what a reader chooses: a model, a batch and a length. */
const explain = async (last, [model, batch, length] = ['', 0, 0]) => {
  const { job, reports, gibibytes } = last;
  await opened();
  if (!last.peaks)
    for (const [source, drawn] of snapshots) {
      run.at(source);
      run.peak(drawn.peak());
    }
  last.peaks = true;
  run.state(model, batch, length);
  const explained = JSON.parse(run.answer(reports, gibibytes));
  postMessage({ job, explained });
  return explained;
};
/** The last files, with what follows from them. */
let last;
const asked = {
  models: async () => (await last.explained) && wasm_estimate.model_names(),
  beside: async (source, ...chosen) => {
    if (chosen.length) last.explained = explain(last, chosen);
    return (await last.explained).beside.find((one) => one.source === source);
  },
};
/** Ends once pictures have what they ask at first: what follows from the files doesn't stand in front of them. */
let rest;
let drawn;
const wait = (time) => {
  clearTimeout(rest);
  rest = setTimeout(() => drawn?.(), time);
};
const asking = () => new Promise((resolve) => {
  drawn = resolve;
  wait(400);
});
/** What a picture asks. */
const answer = async ({ ask, source, number, values }) => {
  wait(50);
  const said = asked[ask] ? await asked[ask](source, ...values).catch(() => null) : snapshots.get(source)?.[ask](...values);
  postMessage({ source, number, answer: said }, said?.buffer ? [said.buffer] : []);
};
/** What could not be fetched is asked for again the next time. */
const forget = () => ([second, third, views] = []);
const drawing = ['./{{drawing}}', '{{drawing integrity}}'];
onmessage = async ({ data }) => {
  if (data.ask) return answer(data);
  const { job, files, gibibytes } = data;
  // Nothing to read yet: what reads and draws comes ahead of it.
  if (!job) return Promise.all([start(), open(), estimate(), fetch(drawing[0])]).catch(forget);
  try {
    start().catch(() => {});
    ahead.clear();
    // What reads a snapshot and what draws it come beside the second program, not behind it.
    if ((await Promise.all(files.map(pickled))).includes(true)) {
      open().catch(() => (views = undefined));
      postMessage({ job, coming: drawing });
    }
    await start();
    for (const old of snapshots.values()) old.free();
    snapshots.clear();
    run?.free();
    run = undefined;
    held = [];
    const pile = new wasm_bindgen.Pile();
    const kinds = [];
    for (const [source, file] of files.entries()) kinds.push(await read(pile, file, source, gibibytes));
    const said = JSON.parse(pile.answer(gibibytes));
    const reports = pile.reports();
    pile.free();
    const tables = held.flatMap((one) => one.tables);
    const notes = [...said.notes, ...held.flatMap((one) => one.notes)];
    postMessage({ job, kinds, ...said, tables, notes, snapshots: [...snapshots.keys()], drawing });
    last = { job, reports, gibibytes };
    if (said.reports.length) await (last.explained = held.length ? asking().then(() => explain(last)) : explain(last));
    postMessage({ job, done: true });
  } catch {
    forget();
    postMessage({ job, failed: true });
  }
};
