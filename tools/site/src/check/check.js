// Takes the self-check, a page of its own, into the tutorial: once it is kept on the device, which costs nothing, or before that
// when the reader comes near, follows a link to a place in it, goes to the end of the page, or is about to search or print it.
(() => {
  'use strict';
  const { of, page: from, coming, failed, older } = document.currentScript.dataset;
  const AT = 'memory-wall.at';
  const place = document.getElementById('self-check');
  const section = place.closest('section');
  const said = Object.assign(document.createElement('span'), { role: 'status' });
  place.append(' ', said);

  /** What the address points at, if it points at something. */
  const target = () => {
    try {
      return decodeURIComponent(location.hash.slice(1));
    } catch {
      return '';
    }
  };
  /** Whether it points at what is still to come, or at the mark that stands for it here. */
  const isLost = () => {
    const name = target();
    const found = name && document.getElementById(name);
    return name !== '' && (!found || place.contains(found));
  };
  const isBack = ['reload', 'back_forward'].includes(performance.getEntriesByType('navigation')[0]?.type);
  /** Whether the reader waits for a place that the address points at, and has not gone on meanwhile. */
  let waits = isLost() && !isBack;
  /** Where the reader was in it, if this is the same page once more: a question, and how far from the top of the window. */
  let at;
  try {
    at = isBack ? JSON.parse(sessionStorage.getItem(AT)) : undefined;
    sessionStorage.removeItem(AT);
  } catch {
    // Where nothing is kept, nothing is known.
  }
  const goOn = ({ ctrlKey, key, metaKey }) => {
    // Whoever reloads waits on.
    if (ctrlKey || metaKey || key === 'F5') return;
    waits = false;
    at = undefined;
  };
  for (const event of ['wheel', 'touchmove', 'pointerdown', 'keydown']) addEventListener(event, goOn, { passive: true });
  addEventListener('pagehide', () => {
    const top = (question) => question.getBoundingClientRect().top;
    const seen = () => [...section.querySelectorAll('.question')].find((one) => top(one) > -one.offsetHeight && top(one) < innerHeight);
    const question = waits ? document.getElementById(target()) : seen();
    try {
      if (question) sessionStorage.setItem(AT, JSON.stringify([question.id, top(question)]));
      else sessionStorage.removeItem(AT);
    } catch {
      // As above.
    }
  });

  /** Characters that are parsed in a task of some milliseconds. */
  const PIECE = 32_000;
  /** The questions that an answer brings, if they are those of this version. */
  const read = async (answer) => {
    const text = await answer.text();
    const whole = document.implementation.createHTMLDocument('');
    for (let at = 0; at < text.length; at += PIECE) {
      whole.write(text.slice(at, at + PIECE));
      // The reader comes first.
      await new Promise((done) => setTimeout(done));
    }
    whole.close();
    const page = whole.getElementById(section.id);
    return page && { page, isOwn: page.dataset.of === of };
  };
  const url = new URL(from, document.baseURI).href;
  /** What is kept on the device, where every version has its own. */
  const kept = async () => {
    try {
      for (const cacheName of await caches.keys()) {
        const answer = await caches.match(url, { cacheName });
        const found = answer && (await read(answer));
        if (found?.isOwn) return found;
      }
    } catch {
      // Where nothing may be kept, nothing is.
    }
    return undefined;
  };
  const find = async () => {
    const own = await kept();
    if (own) return own;
    const found = await read(await fetch(url, { cache: 'no-cache' }));
    // A network that asks to be logged in to answers everything.
    if (!found) throw new Error(`${url} is something else`);
    return found;
  };

  let asked = false;
  const bring = async (isAwaited = waits || at) => {
    const word = isAwaited ? coming : '';
    if (asked) {
      said.textContent ||= word;
      return;
    }
    asked = true;
    said.textContent = word;
    let found;
    try {
      found = await find();
    } catch {
      said.textContent = failed;
      asked = false;
      return;
    }
    watch.disconnect();
    if (!found.isOwn) {
      said.textContent = older;
      return;
    }
    const { page } = found;
    for (const link of page.querySelectorAll('a[href^="./#"]')) link.setAttribute('href', link.getAttribute('href').slice(2));
    const first = page.querySelector('.figure');
    const parts = [...page.childNodes];
    const isHere = place.contains(document.activeElement);
    place.replaceWith(...parts.slice(parts.indexOf(first)));
    if (isHere) {
      first.tabIndex = -1;
      first.focus({ preventScroll: true });
    }
    if (waits) document.getElementById(target())?.scrollIntoView();
    const question = at && document.getElementById(at[0]);
    if (question) scrollBy({ top: question.getBoundingClientRect().top - at[1], behavior: 'instant' });
    document.dispatchEvent(new CustomEvent('memory-wall:more', { detail: '.figure-quiz, .figure-claims' }));
  };

  const watch = new IntersectionObserver((seen) => seen.some(({ isIntersecting }) => isIntersecting) && bring(), { rootMargin: '200%' });
  watch.observe(section);
  const look = () => {
    waits = isLost();
    if (waits || target() === section.id) bring();
  };
  addEventListener('hashchange', look);
  addEventListener('beforeprint', () => bring());
  addEventListener('keydown', ({ ctrlKey, key, metaKey }) => (ctrlKey || metaKey || key === 'End') && bring(key === 'End' || undefined));
  if (waits || at || target() === section.id) bring();
  navigator.serviceWorker?.ready.then(() => bring());
})();
