// How a page is built with each host. Programs come from npm (`node`), from PyPI (`python`), or have to be on this machine
// (`own`); a page that has to be asked for by a running program names the words that start it (`run`).

/** What a text of 32,768 tokens is shown in. */
const page = 'figure/';

export const PROJECTS = [
  { id: 'hugo', build: ['python', 'hugo', '--quiet'], out: 'public', page },
  { id: 'jekyll', build: ['own', 'jekyll', 'build', '--quiet'], out: '_site', page: 'figure.html' },
  { id: 'vitepress', build: ['node', 'vitepress', 'build'], out: '.vitepress/dist', page: 'figure.html', from: 'index.html' },
  { id: 'starlight', build: ['node', 'astro', 'build', '--silent'], out: 'dist', page },
  { id: 'docusaurus', build: ['node', 'docusaurus', 'build'], out: 'build', page, from: '' },
  { id: 'mkdocs', build: ['python', 'mkdocs', 'build', '--quiet'], out: 'site', page },
  { id: 'sphinx', build: ['python', 'sphinx-build', '-q', '-W', '.', 'built'], out: 'built', page: 'figure.html' },
  { id: 'mdbook', build: ['own', 'mdbook', 'build'], out: 'book', page: 'figure.html' },
  { id: 'jupyter', build: ['python', 'jupyter-nbconvert', '--execute', '--to', 'html', '--output-dir', 'built', 'figure.ipynb'], out: 'built', page: 'figure.html' },
  { id: 'marimo', run: ['python', 'marimo', 'run', 'figure.py', '--headless', '--no-token', '--port'], page: '' },
  { id: 'observable', build: ['node', 'observable', 'build'], out: 'dist', page: 'figure.html' },
  { id: 'jupyterbook', build: ['python', 'jupyter-book', 'build', '-q', '.'], out: '_build/html', page: 'figure.html' },
  // A slide has a height of its own, and what is higher scrolls in it.
  { id: 'reveal', copy: ['reveal.js/dist/reveal.css', 'reveal.js/dist/reveal.js', 'reveal.js/dist/theme/white.css'], out: '.', page: 'index.html#/1', slide: true },
  { id: 'marp', build: ['node', 'marp', '--html', '--no-stdin', 'figure.md', '-o', 'built/index.html'], out: 'built', page: 'index.html', slide: true },
  { id: 'slidev', build: ['node', 'slidev', 'build', '--out', 'built'], out: 'built', page: '', slide: true },
];

/** What the page for teachers has words for and no project builds, and why. */
export const MISSING = {
  quarto: 'its package of PyPI fetches the program from elsewhere',
  myst: 'it fetches its template from elsewhere when it builds',
  obsidian: 'it is a desktop program, in no registry',
  colab: 'it is a service',
  wordpress: 'it needs PHP and a database',
};
