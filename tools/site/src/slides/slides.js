// Slides: one at a time with its answers hidden, or all of them below each other.
(() => {
  'use strict';
  const root = document.documentElement;
  const all = [...document.querySelectorAll('.slide')];
  // The link may ask for the slides of one lesson; one that is unknown shows all of them.
  const lesson = new URLSearchParams(location.search).get('lesson');
  const own = all.filter(({ dataset }) => dataset.lessons.split(' ').includes(lesson));
  const slides = own.length > 0 ? own : all;
  for (const slide of all) slide.hidden = !slides.includes(slide);
  const deck = document.querySelector(own.length > 0 ? `#decks [data-lesson="${lesson}"]` : '#decks a');
  deck.setAttribute('aria-current', 'page');
  if (own.length > 0) document.title = `${document.title}: ${deck.textContent}`;
  const bar = document.getElementById('bar');
  const at = document.getElementById('at');
  const start = document.getElementById('present');
  let shown = 0;

  /** The answers of a slide that are still hidden. */
  const hidden = (slide) => [...slide.querySelectorAll('.answer:not([data-shown])')];
  const isPresenting = () => 'presenting' in root.dataset;

  const show = (next) => {
    shown = Math.max(0, Math.min(slides.length - 1, next));
    for (const [place, slide] of slides.entries()) slide.toggleAttribute('data-current', place === shown);
    const title = slides[shown].querySelector('h2').textContent;
    const values = { n: shown + 1, all: slides.length, title };
    at.textContent = at.dataset.said.replace(/\{(\w+)\}/g, (_, name) => values[name]);
    history.replaceState(null, '', `#${slides[shown].id}`);
  };
  const reveal = (answers) => answers.forEach((answer) => answer.setAttribute('data-shown', ''));

  /** Drawings fill the room that the words of their slide leave. A slide has one size in its own units, so this holds at any size. */
  const fit = () => {
    for (const slide of slides) {
      const figure = slide.querySelector('.figure');
      if (!figure) continue;
      figure.style.setProperty('--fit', 1);
      const stage = slide.querySelector('.stage');
      const box = figure.getBoundingClientRect();
      const room = stage.getBoundingClientRect();
      const words = stage.lastElementChild.getBoundingClientRect().bottom - room.top - box.height;
      const share = Math.min(room.width / box.width, (room.height - words) / box.height);
      figure.style.setProperty('--fit', Math.floor(Math.max(0.3, share) * 98) / 100);
    }
  };
  const measure = () => {
    root.dataset.measuring = '';
    fit();
    delete root.dataset.measuring;
  };

  const ACTS = {
    next: () => {
      const answers = hidden(slides[shown]);
      if (answers.length > 0) reveal(answers.slice(0, 1));
      else show(shown + 1);
    },
    back: () => show(shown - 1),
    first: () => show(0),
    last: () => show(slides.length - 1),
    answers: () => reveal(hidden(slides[shown])),
    notes: () => {
      const isOn = root.toggleAttribute('data-notes');
      bar.querySelector('[data-act="notes"]').setAttribute('aria-pressed', isOn);
    },
    end: () => {
      delete root.dataset.presenting;
      bar.hidden = true;
      if (document.fullscreenElement) document.exitFullscreen();
      slides[shown].scrollIntoView();
      start.focus({ preventScroll: true });
    },
  };
  const KEYS = {
    ArrowRight: 'next',
    ArrowDown: 'next',
    PageDown: 'next',
    ' ': 'next',
    Enter: 'next',
    ArrowLeft: 'back',
    ArrowUp: 'back',
    PageUp: 'back',
    Home: 'first',
    End: 'last',
    n: 'notes',
    a: 'answers',
    Escape: 'end',
  };

  start.addEventListener('click', () => {
    root.dataset.presenting = '';
    bar.hidden = false;
    for (const answer of document.querySelectorAll('.answer')) answer.removeAttribute('data-shown');
    // Where it is not allowed the slides fill the window.
    root.requestFullscreen?.().catch(() => {});
    const place = slides.findIndex(({ id }) => location.hash === `#${id}`);
    show(Math.max(0, place));
    start.blur();
  });
  bar.addEventListener('click', ({ target }) => ACTS[target.dataset.act]?.());
  addEventListener('keydown', (event) => {
    const { key, target, altKey, ctrlKey, metaKey } = event;
    if (!isPresenting() || altKey || ctrlKey || metaKey) return;
    // A button that is focused is pressed by these two.
    if ((key === ' ' || key === 'Enter') && target.closest('button')) return;
    const act = KEYS[key.length === 1 ? key.toLowerCase() : key];
    if (!act) return;
    event.preventDefault();
    ACTS[act]();
  });
  // A copy on a disk has no pages beside it.
  document.getElementById('home').hidden = location.protocol === 'file:';
  start.hidden = false;
  measure();
})();
