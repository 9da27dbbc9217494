// Keeps browsers from laying out sections that nobody has come near. They look at every field of a page for what they could fill
// in, once the document is whole and again soon after fields were added, and lay out whatever has fields for it, however far down.
// What sections hold is therefore not displayed while the page arrives, and for a moment when more is added.
//
// Nor has the first paint to wait for their styles: the page has those of its head in it, and asks for the rest once that has been
// painted. Where no script runs, the browser finds the link to them by itself.
(function () {
  var root = document.documentElement;
  var ways = ['wheel', 'touchmove', 'keydown', 'pointerdown', 'click', 'hashchange', 'beforeprint', 'memory-wall:live'];
  /** Browsers look at added fields a tenth of a second later. */
  var LOOKED = 300;
  var timer;
  /** The link to the rest of the styles, taken from where it is for browsers without scripts; nothing the second time. */
  function rest() {
    var still = document.querySelector('head > noscript');
    if (!still) return '';
    still.remove();
    return still.textContent;
  }
  function dress() {
    document.head.insertAdjacentHTML('beforeend', rest());
  }
  function show() {
    clearTimeout(timer);
    dress();
    root.removeAttribute('data-arriving');
    ways.forEach(function (way) {
      window.removeEventListener(way, show, true);
    });
  }
  function hold() {
    root.setAttribute('data-arriving', '');
    ways.forEach(function (way) {
      window.addEventListener(way, show, { capture: true, passive: true });
    });
  }
  document.addEventListener('memory-wall:more', function () {
    var second = document.querySelector('.section ~ .section');
    var focused = document.activeElement;
    // Only while the reader is at the opening, with the keyboard too.
    if (!second || second.getBoundingClientRect().top < 2 * window.innerHeight || (focused && focused.closest('.section ~ .section'))) return;
    hold();
    timer = setTimeout(show, LOOKED);
  });
  var visit = window.performance && performance.getEntriesByType && performance.getEntriesByType('navigation')[0];
  // A place of its own, or that of an earlier visit, has to be there when the browser goes to it.
  if (location.hash || !visit || visit.type !== 'navigate') {
    // Its styles too, before anything is painted: what is written here is parsed as part of the page.
    document.write(rest());
    return;
  }
  hold();
  if (window.PerformanceObserver) new PerformanceObserver(dress).observe({ type: 'paint', buffered: true });
  window.addEventListener('load', function () {
    dress();
    var sheet = document.querySelector('head > link[rel="stylesheet"]');
    // What waits for the page to have loaded waits for them too, unless they were asked for just now.
    if (!sheet || sheet.sheet) timer = setTimeout(show);
    else
      ['load', 'error'].forEach(function (end) {
        sheet.addEventListener(end, show);
      });
  });
  // A file that never comes does not keep the page from being read.
  document.addEventListener('DOMContentLoaded', function () {
    timer = setTimeout(show, 2000);
  });
})();
