// Says that the interactive parts could not start: their files did not come, were kept back, or ask too much of the browser.
// It is written for browsers that are too old for them. What fails later is another matter.
(function () {
  // From a disk a browser loads neither module nor style sheet; the edition in one file, which the page offers, lies beside it.
  function whole() {
    var one = document.querySelector('a[download]');
    if (one && document.getElementById('later')) location.replace(one.getAttribute('href') + location.search + location.hash);
  }
  if (location.protocol === 'file:') document.addEventListener('DOMContentLoaded', whole);
  function tell() {
    if (!document.documentElement.hasAttribute('data-live')) document.getElementById('stuck').hidden = false;
  }
  function ofScript(event) {
    if (event.target === window || (event.target.tagName === 'SCRIPT' && event.target.type === 'module')) tell();
  }
  // A script that does not come says so to itself alone, which is heard on the way down.
  window.addEventListener('error', ofScript, true);
  window.addEventListener('unhandledrejection', tell);
  if (!('noModule' in HTMLScriptElement.prototype)) window.addEventListener('load', tell);
})();
