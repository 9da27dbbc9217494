// Which sections were read: kept on this device, marked in the contents, and forgotten with the answers when asked to.
(() => {
  'use strict';
  const READ = 'memory-wall.v1.read';
  const ANSWERED = 'memory-wall.v1.progress';
  /** Read is what was before the reader for so many seconds, to its end: who leaps past a section has not read it. */
  const ENOUGH = 30;
  const list = document.querySelector('.contents');
  const line = list.querySelector('.forget');
  const links = new Map([...list.querySelectorAll('ol a')].map((link) => [link.hash.slice(1), link]));
  const stored = (key) => {
    try {
      return localStorage.getItem(key) ?? '';
    } catch {
      // Where storage is blocked, nothing is kept and nothing breaks.
      return '';
    }
  };
  const keep = (read) => {
    try {
      localStorage.setItem(READ, [...read].join(' '));
    } catch {
      // As above, or it is full.
    }
  };
  let read = new Set();
  const show = () => {
    for (const [id, link] of links) {
      const mark = link.parentElement.querySelector('.read');
      if (!read.has(id)) mark?.remove();
      else if (!mark) link.parentElement.append(Object.assign(document.createElement('span'), { className: 'done read', textContent: list.dataset.read }));
    }
    line.hidden = read.size === 0 && !stored(ANSWERED);
  };
  /** What other tabs have read counts too. */
  const load = () => {
    read = new Set(stored(READ).split(' ').filter((id) => links.has(id)));
    show();
  };
  const spent = new Map();
  setInterval(() => {
    const section = !document.hidden && document.elementFromPoint(innerWidth / 2, innerHeight / 2)?.closest('.section');
    if (!section || !links.has(section.id) || read.has(section.id)) return;
    const seconds = (spent.get(section.id) ?? 0) + 1;
    spent.set(section.id, seconds);
    if (seconds < ENOUGH || section.getBoundingClientRect().bottom > innerHeight) return;
    keep(read.add(section.id));
    show();
  }, 1_000);
  line.querySelector('button').addEventListener('click', () => {
    if (!confirm(list.dataset.sure)) return;
    read.clear();
    spent.clear();
    keep(read);
    document.dispatchEvent(new CustomEvent('memory-wall:bring', { detail: '' }));
    show();
    // The button goes; whoever pressed it is still at the contents.
    list.tabIndex = -1;
    list.focus();
  });
  addEventListener('storage', load);
  document.addEventListener('memory-wall:progress', () => setTimeout(show));
  load();
})();
