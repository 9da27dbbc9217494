// New numbers for problems: which set each of them shows follows from the number in the link, so that everyone who has the link has
// the same numbers. All sets and all answers stand in the page.
(() => {
  'use strict';
  const sets = JSON.parse(document.getElementById('sets').textContent);
  const bar = document.getElementById('numbers');
  const said = bar.querySelector('[role="status"]');
  const KEY = 'seed';

  /** Which of so many sets a problem shows: FNV-1a of the number and the problem's name, its bits mixed. */
  const nth = (seed, id, count) => {
    let hash = 0x811c9dc5;
    for (const letter of `${seed} ${id}`) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193);
    return ((hash ^ (hash >>> 15)) >>> 0) % count;
  };

  const show = () => {
    const asked = new URLSearchParams(location.search).get(KEY);
    const seed = /^\d{1,9}$/.test(asked ?? '') ? asked : undefined;
    for (const [id, all] of Object.entries(sets)) {
      const set = all[seed === undefined ? 0 : nth(seed, id, all.length)];
      for (const place of document.querySelectorAll(`[data-problem="${id}"] [data-n]`)) place.textContent = set[place.dataset.n];
    }
    const key = seed === undefined ? (asked === null ? 'first' : 'wrong') : 'seed';
    said.textContent = bar.dataset[key].replace('{seed}', () => (seed ?? asked.slice(0, 40)));
    // A link from here to another page with problems keeps the numbers.
    for (const link of document.querySelectorAll('a[data-seeded]')) link.search = seed === undefined ? '' : `?${KEY}=${seed}`;
  };

  bar.querySelector('button').addEventListener('click', () => {
    const next = new URL(location.href);
    next.searchParams.set(KEY, String(1 + Math.floor(Math.random() * 9_999)));
    history.pushState(null, '', next);
    show();
  });
  addEventListener('popstate', show);
  bar.hidden = false;
  show();
})();
