// Starts the program of the page: its parts come side by side, and the words that it says are put where it looks for them.
const program = fetch('./{{program}}', { integrity: '{{program integrity}}' });
// Whether it came is asked where it is started.
program.catch(() => {});
const [glue, { words }] = await Promise.all([import('./{{glue}}'), import('./{{words}}')]);
document.body.append(Object.assign(document.createElement('script'), { type: 'text/plain', id: 'words', textContent: words }));
window.wasmBindings = glue;
glue.awaitFar?.();
await glue.default({ module_or_path: program });
