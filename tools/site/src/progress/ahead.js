// Lays out the sections that nobody has come near, one in each idle moment, once the reader has pressed something: from then on
// Chromium looks at all fields of the page for what it could fill in when a list changes, and would lay all of them out in one go.
(() => {
  if (!window.requestIdleCallback) return;
  const ways = ['pointerdown', 'keydown'];
  const begin = () => {
    for (const way of ways) removeEventListener(way, begin, true);
    const sections = [...document.querySelectorAll('.section')];
    const next = (deadline) => {
      // What is not displayed yet can't be laid out, and a short moment is the reader's.
      if ('arriving' in document.documentElement.dataset || deadline.timeRemaining() < 10) return void requestIdleCallback(next);
      // Asking where something is has its section laid out, far from the screen or not.
      sections.shift()?.lastElementChild?.getBoundingClientRect();
      if (sections.length) requestIdleCallback(next);
    };
    requestIdleCallback(next);
  };
  for (const way of ways) addEventListener(way, begin, { capture: true, passive: true });
})();
