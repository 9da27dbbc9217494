// The planner's side of what it says to the page around it: the same messages as those of figures, see docs/embedding.md.
// It runs before the page is painted, reads the options of the link, starts the program and stands between both.
(() => {
  const root = document.documentElement;
  const { dataset: own, nonce } = document.currentScript;
  const { rest, query, theme, post, tell, failed, height, measure, listen, bring } = around({ root, nonce, longest: 4000 });
  const first = rest.join('&');

  // The program keeps its plans in the address, which says them to this script; a frame without an origin keeps its own.
  let state = first;
  let live = false;
  const replace = history.replaceState.bind(history);
  history.replaceState = (data, unused, address) => {
    const { search, hash, pathname } = new URL(address, location.href);
    state = search.slice(1);
    tell('state', { query: state });
    try {
      replace(data, unused, `${pathname}?${query(state)}${hash}`);
    } catch {
      // Frames without an origin of their own keep their address.
    }
  };
  const told = () => {
    const notice = document.querySelector('.notice');
    if (notice && !notice.hidden) post('error', { code: 'query', about: notice.textContent });
  };

  // What the page around asks for.
  const ready = () => post('ready', { title: document.title, version: own.version, height: height(), query: state });
  const set = (asked) => {
    state = asked;
    document.dispatchEvent(new CustomEvent('memory-wall:set', { detail: asked }));
    // What it says to that stands in the page by then.
    requestAnimationFrame(() => setTimeout(told));
  };
  const ACTS = {
    hello: () => {
      if (live) ready();
      else if ('failed' in root.dataset) failed();
    },
    set: (message) => set(message.query),
    theme: ({ value }) => theme(value),
    reset: () => set(first),
    getState: () => post('state', { query: state }),
  };
  const waiting = listen(ACTS, () => live);

  // A program: as a module, or where a frame has no origin and so may fetch nothing, as one plain script.
  const program = async (name) => {
    if (origin === 'null') {
      await bring(own[`${name}Plain`]);
      return window.memoryWall();
    }
    const wasm = fetch(own[`${name}Program`], { integrity: own[`${name}Integrity`] });
    // Whether it came is asked where it is started.
    wasm.catch(() => {});
    const far = own[`${name}Far`] && fetch(own[`${name}Far`], { integrity: own[`${name}FarIntegrity`] });
    if (far) far.catch(() => {});
    const glue = await import(new URL(own[`${name}Glue`], location.href));
    await glue.default({ module_or_path: wasm });
    if (far) await glue.far(far);
    return glue;
  };
  let exchange;
  const begun = program('planner');
  const whole = new Promise((then) => addEventListener('DOMContentLoaded', then));
  const alive = new Promise((then) => new MutationObserver(() => 'live' in root.dataset && then()).observe(root, { attributes: true }));
  // What is folded is in templates until it can be used.
  const unpack = () => {
    for (const folded of document.querySelectorAll('#planner template')) folded.replaceWith(folded.content);
  };
  Promise.all([begun, whole])
    .then(([planner]) => {
      document.body.append(Object.assign(document.createElement('script'), { type: 'text/plain', id: 'words', textContent: window.memoryWallWords }));
      unpack();
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
        unpack();
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
