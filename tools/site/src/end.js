// Who asks for the end of the page gets there, though what is far down is laid out, and the self-check comes, only on the way.
(() => {
  let goes = false;
  // What scrolls by itself has an end of its own.
  const asks = ({ altKey, defaultPrevented, key, metaKey, shiftKey, target }) =>
    (key === 'End' || (metaKey && key === 'ArrowDown')) &&
    !(altKey || shiftKey || defaultPrevented || target.closest('input, select, textarea, [tabindex="0"]'));
  for (const event of ['wheel', 'touchmove', 'pointerdown', 'keydown', 'click', 'hashchange', 'popstate'])
    addEventListener(event, (what) => (goes = asks(what)), { passive: true });
  const root = document.documentElement;
  const end = () => goes && scrollTo({ top: root.scrollHeight, behavior: 'instant' });
  new ResizeObserver(end).observe(root);
  // The browser's own way there goes on to where the end was.
  addEventListener('scrollend', end);
})();
