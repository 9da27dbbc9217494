// Has the page kept for use without a network, says so once it is, and offers a newer version when there is one.
// Whatever fails here is silent: the page works without it.

{
  const { dataset: words, src } = document.currentScript;
  const HOUR = 3_600_000;
  /** How long a newer version may take to come into use; it is there already. Work that nobody waits for begins as much later. */
  const PATIENCE = 2_000;
  /** How long the files wait at most to be kept. */
  const REST = 10_000;
  const TYPED = 'memory-wall.typed';
  const LATER = 'memory-wall.later';

  /** Which version a worker keeps. One that keeps none never answers. */
  const build = (worker) =>
    new Promise((done) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = ({ data }) => done(data);
      worker.postMessage('build', [port2]);
    });

  const shown = (id) => document.getElementById(id)?.removeAttribute('hidden');

  // What is typed or chosen and stands in neither link nor storage goes over to the newer version by way of the tab's own storage.
  const OWN = 'main :is(textarea, select, input:is([type="text"], [type="search"], [type="checkbox"], [type="radio"])):not([readonly])';
  /** What has no id is known by where it stands and what it is called. */
  const known = ({ id, name, value, type, ariaLabel, dataset, parentElement }) =>
    id || [parentElement.closest('[id]').id, name, type === 'radio' && value, ariaLabel, dataset.by, type].join(' ');
  /** Fields of the program without an id are what link and storage say. */
  const fields = () => [...document.querySelectorAll(OWN)].filter((field) => field.id || !/^(control|quiz)-/.test(field.name) && !field.closest('[data-quiz]'));
  const says = ({ type }) => (['checkbox', 'radio'].includes(type) ? 'checked' : 'value');

  const reload = () => {
    try {
      // The one of several that is chosen speaks for the others.
      const told = fields().filter(({ type, checked }) => type !== 'radio' || checked);
      sessionStorage.setItem(TYPED, JSON.stringify(told.map((field) => [known(field), field[says(field)]])));
    } catch {
      // Where nothing can be kept, nothing is.
    }
    location.reload();
  };

  const bring = () => {
    try {
      const before = new Map(JSON.parse(sessionStorage.getItem(TYPED) ?? '[]'));
      sessionStorage.removeItem(TYPED);
      for (const field of fields()) {
        const now = field[says(field)];
        const value = before.get(known(field)) ?? now;
        if (now === value) continue;
        field[says(field)] = value;
        if (field[says(field)] === value) for (const kind of ['input', 'change']) field.dispatchEvent(new Event(kind, { bubbles: true }));
        // A choice that there is no more.
        else field[says(field)] = now;
      }
    } catch {
      // As above.
    }
  };

  /** A place that screen readers watch; it comes before what is said in it. */
  const place = document.createElement('div');
  place.className = 'update';
  place.setAttribute('role', 'status');
  /** What is offered: a worker and its version. */
  let newest;

  const close = () => {
    newest = undefined;
    const isIn = place.contains(document.activeElement);
    place.replaceChildren();
    if (isIn) document.querySelector('main')?.focus({ preventScroll: true });
  };

  const button = (text, act) => {
    const made = document.createElement('button');
    made.type = 'button';
    made.textContent = text;
    made.addEventListener('click', act);
    return made;
  };

  /** Offers the version of a worker, unless it is this one or was put off before. */
  const offer = async (worker, mine) => {
    const version = await build(worker);
    if (version === (await mine) || version === sessionStorage.getItem(LATER) || worker.state === 'redundant') return;
    newest = { worker, version };
    if (place.hasChildNodes()) return;
    const use = button(words.use, () => {
      const { worker } = newest;
      if (worker.state !== 'installed') return reload();
      // Every tab hears of the change, and only this one loads anew.
      worker.addEventListener('statechange', () => worker.state === 'activated' && reload());
      worker.postMessage('use');
      // The old one goes once it has nothing to do, and Chromium may miss that moment. A page that loads anew lets go of it.
      setTimeout(reload, PATIENCE);
    });
    const later = button('×', () => {
      sessionStorage.setItem(LATER, newest.version);
      close();
    });
    later.setAttribute('aria-label', words.close);
    const text = document.createElement('p');
    text.textContent = words.update;
    place.append(text, use, later);
  };

  const start = async () => {
    const workers = navigator.serviceWorker;
    const registration = await workers.register(new URL('sw.js', src), { updateViaCache: 'none' });
    let mine;
    const watch = (worker) => {
      const look = () => {
        const isFirst = mine === undefined;
        if (worker.state === 'activated' && isFirst) {
          mine = build(worker);
          // What is kept last waits for the self-check, which the page takes in once it is kept.
          setTimeout(() => worker.postMessage('rest'), PATIENCE);
          mine.then(() => shown('offline-ready'));
        } else if (['installed', 'activated'].includes(worker.state) && !isFirst) {
          offer(worker, mine).catch(() => {});
        } else if (worker.state === 'redundant' && newest?.worker === worker) {
          // Another came in its place, and is offered by itself if it is another than this page's.
          close();
        }
      };
      worker.addEventListener('statechange', look);
      look();
    };
    for (const worker of [registration.active, registration.waiting, registration.installing]) if (worker) watch(worker);
    registration.addEventListener('updatefound', () => watch(registration.installing));
    let asked = Date.now();
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState !== 'visible' || Date.now() - asked < HOUR) return;
      asked = Date.now();
      registration.update().catch(() => {});
    });
  };

  const root = document.documentElement;
  const loaded = (act) => (document.readyState === 'complete' ? act() : window.addEventListener('load', act, { once: true }));
  /** Once the program answers to the reader; where there is none, once the page has loaded. */
  const live = (act) => {
    if (!document.querySelector('script[type="module"]')) return loaded(act);
    if ('live' in root.dataset) return act();
    const watch = new MutationObserver(() => {
      watch.disconnect();
      act();
    });
    watch.observe(root, { attributeFilter: ['data-live'] });
  };
  /** When the page has nothing else to do, or after REST: a program may never come. */
  const atRest = (act) => {
    let isDone = false;
    const once = () => {
      if (!isDone) act();
      isDone = true;
    };
    setTimeout(once, REST);
    live(() => (window.requestIdleCallback ? requestIdleCallback(once) : setTimeout(once, PATIENCE)));
  };
  // With a program, what was typed is for the program to take.
  live(bring);
  // Elsewhere `standalone` is not known.
  if (navigator.standalone === false) shown('offline-apple');
  if (window.top === window && window.isSecureContext && 'serviceWorker' in navigator) {
    document.body.append(place);
    // Keeping all files takes a second of two processors, and the line: what the reader waits for goes first.
    loaded(() => atRest(() => start().catch(() => {})));
  }
}
