// Starts the planner: program and words come side by side. A page that is only looked at needs neither.
const program = fetch('./{{program}}', { integrity: '{{program integrity}}' });
// Whether it came is asked where it is started.
program.catch(() => {});
const [glue, { words }] = await Promise.all([import('./{{glue}}'), import('./{{words}}')]);
document.body.append(Object.assign(document.createElement('script'), { type: 'text/plain', id: 'words', textContent: words }));
await glue.default({ module_or_path: program });
glue.start();
