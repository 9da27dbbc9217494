// Starts the planner: program and words come side by side. A page that is only looked at needs neither.
// From its bytes it is compiled beside this thread; from a response of which all is there, on it.
const program = fetch('./{{program}}', { integrity: '{{program integrity}}' }).then((response) => response.arrayBuffer()).then((bytes) => WebAssembly.compile(bytes));
// Whether it came is asked where it is started.
program.catch(() => {});
// What reads a `config.json` comes when one is handed over, or at once where plans may have one.
const root = document.documentElement;
const { farFile, farIntegrity } = document.querySelector('[data-far-file]')?.dataset ?? {};
const part = () => fetch(farFile, { integrity: farIntegrity });
const plans = () => {
  try {
    return location.search + localStorage.getItem('memory-wall.v1.plans');
  } catch {
    // Where nothing may be kept, nothing was.
    return location.search;
  }
};
let first = farFile && /config|from=tutorial/.test(plans()) ? part() : undefined;
first?.catch(() => {});
// What is folded is in templates until it can be used, or somebody looks.
const unpack = () => {
  for (const folded of document.querySelectorAll('#planner template')) folded.replaceWith(folded.content);
};
addEventListener('toggle', ({ target }) => target.querySelector('template') && unpack(), true);
let glue;
try {
  let words;
  [glue, { words }] = await Promise.all([import('./{{glue}}'), import('./{{words}}')]);
  document.body.append(Object.assign(document.createElement('script'), { type: 'text/plain', id: 'words', textContent: words }));
  await glue.default({ module_or_path: await program });
  if (farFile) root.dataset.far = '';
  // Without it such plans would be lost.
  if (first) await glue.far(first);
} finally {
  unpack();
}
let coming;
const bring = () => (coming ??= glue.far(part()).catch(() => (coming = undefined)));
let exchange;
let tries = 0;
const fetched = async () => {
  // A module that did not come is never asked for again by the same name.
  const again = tries++ ? `?${tries}` : '';
  const [program, other] = await Promise.all([fetch('./{{exchange}}', { integrity: '{{exchange integrity}}' }), import('./{{exchange glue}}' + again)]);
  await other.default({ module_or_path: program });
  return other;
};
// What other programs take is written and read by a program of its own, once somebody asks; one that did not come is asked for again.
glue.start(async (name, ...texts) => {
  if (name === 'configs') {
    await bring();
    if ('far' in root.dataset) throw new Error(farFile);
    return [];
  }
  exchange ??= fetched();
  exchange.catch(() => (exchange = undefined));
  return (await exchange)[name](...texts);
});
