// Says that the interactive parts could not start. It is written for browsers that are too old for them.
(function () {
  function tell() {
    if (!document.documentElement.hasAttribute('data-live')) document.getElementById('too-old').hidden = false;
  }
  window.addEventListener('error', tell);
  if (!('noModule' in HTMLScriptElement.prototype)) window.addEventListener('load', tell);
})();
