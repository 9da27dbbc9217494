// The planner's side of what it says to the page around it: the same messages as those of figures, see docs/embedding.md.
// It runs before the page is painted, reads the options of the link, starts the program and stands between both.
(() => {
  'use strict';
  const root = document.documentElement;
  const { dataset: own, nonce } = document.currentScript;
  const { figure } = root.dataset;
  const framed = parent !== window;

  // The link: options are this script's, everything else is the program's.
  const OPTIONS = {
    theme: (value) => ['auto', 'light', 'dark'].includes(value),
    lang: (value) => value === root.lang,
    ui: (value) => ['full', 'min'].includes(value),
    id: (value) => /^[\w.:-]{1,64}$/.test(value),
  };
  const options = {};
  const rest = location.search.slice(1).split('&').filter((pair) => {
    const [key, value = ''] = pair.split('=');
    const taken = Object.hasOwn(OPTIONS, key) && !Object.hasOwn(options, key) && OPTIONS[key](value);
    if (taken) options[key] = value;
    return pair && !taken;
  });
  const first = rest.join('&');
  root.dataset.query = first;
  const theme = (value) => {
    if (value === 'auto') delete root.dataset.theme;
    else root.dataset.theme = value;
  };
  theme(options.theme ?? 'auto');
  root.dataset.ui = options.ui ?? 'full';

  // Messages out. What a reader does is told only to a page that has said hello.
  let count = 0;
  let listener;
  const post = (type, data) => {
    if (!framed) return;
    count += 1;
    const message = { mw: 1, type, figure, n: count, ...data };
    if (options.id) message.id = options.id;
    parent.postMessage(message, listener ?? '*');
  };
  let height = 0;
  const measure = () => {
    const now = Math.ceil(document.body.getBoundingClientRect().height);
    // A hidden frame has no width; and a few pixels less are no reason to move what stands below.
    if (!framed || innerWidth === 0 || now === 0 || (now <= height && now > height - 8)) return;
    height = now;
    post('resize', { height });
    const lti = { subject: 'lti.frameResize', height };
    for (const message of [lti, JSON.stringify(lti), { type: 'embed-size', height }]) parent.postMessage(message, '*');
  };

  // The program keeps its plans in the address, which says them to this script; a frame without an origin keeps its own.
  let state = first;
  let live = false;
  const replace = history.replaceState.bind(history);
  history.replaceState = (data, unused, address) => {
    const { search, hash, pathname } = new URL(address, location.href);
    state = search.slice(1);
    if (listener) post('state', { query: state });
    const query = [state, ...Object.entries(options).map((pair) => pair.join('='))].filter(Boolean).join('&');
    try {
      replace(data, unused, `${pathname}?${query}${hash}`);
    } catch {
      // Frames without an origin of their own keep their address.
    }
  };
  const told = () => {
    const notice = document.querySelector('.notice');
    if (notice && !notice.hidden) post('error', { code: 'query', about: notice.textContent });
  };

  // Messages in: from the page around alone, and each only in its own shape.
  const failed = () => post('error', { code: 'program', about: '' });
  const ready = () => post('ready', { title: document.title, version: own.version, height, query: state });
  const set = (query) => {
    state = query;
    document.dispatchEvent(new CustomEvent('memory-wall:set', { detail: query }));
    // What it says to that stands in the page by then.
    requestAnimationFrame(() => setTimeout(told));
  };
  const ACTS = {
    hello: () => {
      if (live) ready();
      else if ('failed' in root.dataset) failed();
    },
    set: ({ query }) => set(query),
    theme: ({ value }) => theme(value),
    reset: () => set(first),
    getState: () => post('state', { query: state }),
  };
  const SHAPES = {
    hello: () => true,
    set: ({ query }) => typeof query === 'string' && query.length <= 4000,
    theme: ({ value }) => OPTIONS.theme(value),
    reset: () => true,
    getState: () => true,
  };
  const waiting = [];
  addEventListener('message', ({ source, origin, data }) => {
    if (source !== parent || !framed || data === null || typeof data !== 'object' || data.mw !== 1) return;
    const { type } = data;
    if (typeof type !== 'string' || !Object.hasOwn(SHAPES, type) || !SHAPES[type](data)) {
      post('error', { code: 'message', about: String(typeof type === 'string' ? type : typeof type).slice(0, 40) });
      return;
    }
    if (type === 'hello') listener = origin === 'null' || origin === '' ? '*' : origin;
    if (live || type === 'hello' || type === 'theme') ACTS[type](data);
    else waiting.push(data);
  });

  /** Brings a script that is part of this page. */
  const bring = (src) =>
    new Promise((loaded, refused) => {
      const script = Object.assign(document.createElement('script'), { src, nonce, onload: loaded });
      script.onerror = () => {
        script.remove();
        refused(new Error(src));
      };
      document.head.append(script);
    });
  // A program: as a module, or where a frame has no origin and so may fetch nothing, as one plain script.
  const program = async (name) => {
    if (origin === 'null') {
      await bring(own[`${name}Plain`]);
      return window.memoryWall();
    }
    const wasm = fetch(own[`${name}Program`], { integrity: own[`${name}Integrity`] });
    // Whether it came is asked where it is started.
    wasm.catch(() => {});
    const glue = await import(new URL(own[`${name}Glue`], location.href));
    await glue.default({ module_or_path: wasm });
    return glue;
  };
  let exchange;
  const begun = program('planner');
  const whole = new Promise((then) => addEventListener('DOMContentLoaded', then));
  const alive = new Promise((then) => new MutationObserver(() => 'live' in root.dataset && then()).observe(root, { attributes: true }));
  Promise.all([begun, whole])
    .then(([planner]) => {
      document.body.append(Object.assign(document.createElement('script'), { type: 'text/plain', id: 'words', textContent: window.memoryWallWords }));
      // What other programs take is written and read by a program of its own, once somebody asks; one that did not come is asked for again.
      planner.start(async (name, ...texts) => {
        exchange ??= program('exchange');
        exchange.catch(() => (exchange = undefined));
        return (await exchange)[name](...texts);
      });
      return alive;
    })
    .then(
      () => {
        live = true;
        measure();
        ready();
        told();
        for (const message of waiting.splice(0)) ACTS[message.type](message);
      },
      () => {
        root.dataset.failed = '';
        measure();
        failed();
        for (const message of waiting.splice(0)) if (message.type === 'getState') ACTS.getState();
      },
    );
  whole.then(() => {
    new ResizeObserver(measure).observe(document.body);
    document.addEventListener('visibilitychange', measure);
  });
  // Who goes elsewhere does so in a window of their own, and who goes to the planner finds these plans there.
  document.addEventListener('click', ({ target }) => {
    const link = target.closest?.('a[href]:not([download])');
    if (!link) return;
    if (link.matches('.embed-foot a[href*="plan.html"]')) link.search = state;
    Object.assign(link, { target: '_blank', rel: 'noopener' });
  }, true);
})();
