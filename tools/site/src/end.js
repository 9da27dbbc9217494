// Who asks for the end of the page gets there, though what is far down is laid out, and the self-check comes, only on the way.
(() => {
  let goes = false;
  const asks = ({ defaultPrevented, key, metaKey, target }) =>
    (key === 'End' || (metaKey && key === 'ArrowDown')) && !defaultPrevented && !target.closest('input, select, textarea');
  for (const event of ['wheel', 'touchmove', 'pointerdown', 'keydown']) addEventListener(event, (what) => (goes = asks(what)), { passive: true });
  const root = document.documentElement;
  new ResizeObserver(() => goes && scrollTo({ top: root.scrollHeight, behavior: 'instant' })).observe(root);
})();
