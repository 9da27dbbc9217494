// Starts the planner: program and words come side by side. A page that is only looked at needs neither.
// From its bytes it is compiled beside this thread; from a response of which all is there, on it.
const program = fetch('./{{program}}', { integrity: '{{program integrity}}' }).then((response) => response.arrayBuffer()).then((bytes) => WebAssembly.compile(bytes));
// Whether it came is asked where it is started.
program.catch(() => {});
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
} finally {
  unpack();
}
// What reads a `config.json` comes when one is handed over, or when plans may have one already.
const { farFile, farIntegrity } = document.querySelector('[data-far-file]')?.dataset ?? {};
let coming;
const bring = () => (coming ??= glue.far(fetch(farFile, { integrity: farIntegrity })).catch(() => (coming = undefined)));
if (farFile) {
  document.documentElement.dataset.far = '';
  let kept;
  try {
    kept = localStorage.getItem('memory-wall.v1.plans');
  } catch {
    // Where nothing may be kept, nothing was.
  }
  if (location.search.length > 1 || kept?.includes('config')) await bring();
}
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
    return [];
  }
  exchange ??= fetched();
  exchange.catch(() => (exchange = undefined));
  return (await exchange)[name](...texts);
});
