// The page that a learning platform opens: it shows the pages of its part in a frame, sees what is answered there, and tells the
// platform by way of `memoryWallPlatform`, which `scorm.js` or another script of a standard has made. All of it is one origin.
(() => {
  'use strict';
  const { views, items } = JSON.parse(document.getElementById('part').textContent);
  const words = document.body.dataset;
  const frame = document.getElementById('view');
  const said = document.getElementById('said');
  const tabs = document.querySelector('nav');
  const say = (key, values = {}) => words[key].replace(/\{(\w+)\}/g, (_, name) => values[name]);
  const trouble = (key) => {
    const place = document.getElementById('trouble');
    place.textContent = key ? say(key) : '';
    place.hidden = !key;
  };

  // What is kept from one visit to the next.
  /** Guesses and answers, as the tutorial writes them: a line each. */
  let lines = '';
  /** The settings, as a link's query. */
  let query = '';
  /** Which view is shown, and the section that is read. */
  let shown = 0;
  let place = '';
  /** The best result of each item: `-` open, `0` not right, `1` right. A later try never makes it worse. */
  let best = items.map(() => '-');

  // What the reader has done, from the lines.
  const CLOSE = 1.25;
  const found = (text) => {
    const guesses = new Map();
    const opened = new Set();
    const asked = new Map();
    for (const line of text.split('\n')) {
      const [what, id, ...rest] = line.replace(/^\? /, '').split(' ');
      if (what === 'guess') guesses.set(id, rest.join(' '));
      else if (what === 'open') opened.add(id);
      else if (what === 'quiz') {
        const [verdict, ...named] = rest.join(' ').split('given=')[0].trim().split(' ');
        const of = Object.fromEntries(named.map((pair) => pair.split('=')));
        asked.set(id, { verdict, ...of, given: line.split('given=').slice(1).join('given=') });
      }
    }
    return items.map((item) => {
      const [first] = item.right;
      if (item.opens) {
        if (!opened.has(item.opens)) return {};
        const given = guesses.get(item.id);
        const ratio = given / first;
        const isRight = item.kind === 'numeric' ? Math.max(ratio, 1 / ratio) <= CLOSE : given === first;
        return { key: 'open', isDone: true, isRight: given !== undefined && isRight, given, right: first };
      }
      const { verdict, given, slip, variant, asked: tries = '0', right: times = '0' } = asked.get(item.id) ?? {};
      if (tries === '0') return {};
      const isDone = verdict !== 'open';
      // Open with a slip is a first try that was wrong, and has brought a hint. What stands there later is no answer yet.
      const isTold = isDone || slip;
      return {
        key: isTold ? tries : undefined,
        keeps: !isTold,
        isDone: isDone || times !== '0' || tries > 1,
        isRight: verdict === 'right',
        wasRight: times !== '0',
        given,
        right: item.right[Number(variant)] ?? first,
      };
    });
  };

  let platform;
  /** What the platform has been told of each item. */
  let told = [];
  const mastery = () => platform?.mastery ?? Number(words.mastery);
  const took = (text, isNews = true) => {
    lines = text;
    const now = found(text);
    for (const [at, answer] of now.entries()) {
      const { key, keeps, isDone, isRight, wasRight } = answer;
      if (isRight || wasRight) best[at] = '1';
      else if (isDone && best[at] === '-') best[at] = '0';
      if (isNews && key !== undefined && key !== told[at]) platform?.answer(items[at], answer);
      if (!keeps) told[at] = key;
    }
    show();
    if (isNews) report();
  };
  const count = (mark) => best.filter((one) => one === mark).length;
  const result = () => {
    const [total, right] = [items.length, count('1')];
    const done = total - count('-');
    const isComplete = done === total;
    const isPassed = total > 0 && right * 100 >= mastery() * total;
    return { total, right, done, isComplete, isPassed };
  };
  const show = () => {
    const { total, right, done, isComplete, isPassed } = result();
    const values = { total, right, done, mastery: mastery() };
    const key = total === 0 ? 'read' : isPassed && platform ? 'passed' : isComplete ? (platform ? 'failed' : 'done') : 'said';
    const text = say(key, values);
    if (said.textContent !== text) said.textContent = text;
  };
  const report = () => {
    if (!platform) return;
    platform.result(result());
    keep();
  };

  // The text that a platform keeps. `z` is packed, `p` is not.
  const RAW = 'deflate-raw';
  const through = async (bytes, stream) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
  const pack = async (text) => {
    if (!globalThis.CompressionStream) return `p${encodeURIComponent(text)}`;
    const bytes = await through(new TextEncoder().encode(text), new CompressionStream(RAW));
    return `z${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))}`;
  };
  const unpack = async (text) => {
    if (text.startsWith('p')) return decodeURIComponent(text.slice(1));
    if (!text.startsWith('z')) return '';
    const bytes = Uint8Array.from(atob(text.slice(1)), (letter) => letter.charCodeAt(0));
    return new TextDecoder().decode(await through(bytes, new DecompressionStream(RAW)));
  };
  const whole = (kept) => ['1', query, `${shown} ${place}`, best.join(''), kept].join('\n');
  /** The whole, or as many answers as there is room for. */
  const fitting = async () => {
    let kept = lines;
    for (;;) {
      const text = await pack(whole(kept));
      if (text.length <= platform.room) return { text, isWhole: kept === lines };
      if (kept === '') return { text: '', isWhole: false };
      const all = kept.split('\n');
      kept = all.slice(0, Math.floor(all.length / 2)).join('\n');
    }
  };
  let turn = 0;
  /** Packing takes a moment, so it is done at each change and not at the end, when there is none. */
  const keep = async () => {
    const mine = (turn += 1);
    const { text, isWhole } = await fitting();
    if (mine !== turn) return;
    trouble((await platform.keep(text, place)) ? (isWhole ? '' : 'long') : 'lost');
  };
  const restore = async (text) => {
    const [version, ...rest] = await unpack(text).then((text) => text.split('\n'), () => []);
    if (version !== '1') return;
    const [settings = '', at = '', results = '', ...kept] = rest;
    query = /^[\w.,=&%+-]*$/.test(settings) ? settings : '';
    const [view, section = ''] = at.split(' ');
    shown = views[view] ? Number(view) : 0;
    place = section;
    if (results.length === items.length && /^[-01]*$/.test(results)) best = [...results];
    lines = kept.join('\n');
  };

  // The frame.
  const open = (at) => {
    shown = at;
    for (const [other, tab] of [...tabs.children].entries()) tab.setAttribute('aria-pressed', other === at);
    const view = views[at];
    // A link wins over what this browser may have kept of somebody else.
    const asked = [view.page.startsWith('embed/') && view.query ? '' : query || 'v=1', view.query].filter(Boolean).join('&');
    frame.src = `${view.page}${asked && `?${asked}`}${view.place && `#${place || view.place}`}`;
  };
  /** The section at the upper half of the frame. */
  const reading = (page) => {
    const before = [...page.querySelectorAll('main > section[id], section.section[id]')].filter((section) => section.getBoundingClientRect().top < page.defaultView.innerHeight / 2);
    return before.at(-1)?.id ?? '';
  };
  frame.addEventListener('load', () => {
    const page = frame.contentDocument;
    const inside = frame.contentWindow;
    if (!page || inside.location.href === 'about:blank') return;
    const view = views[shown];
    let isAlive = false;
    const start = () => {
      if (isAlive) return;
      isAlive = true;
      // Answers are the platform's: whatever this browser has kept of another reader goes.
      page.dispatchEvent(new inside.CustomEvent('memory-wall:bring', { detail: lines }));
      document.body.dataset.live = shown;
    };
    page.addEventListener('memory-wall:progress', ({ detail }) => isAlive && took(detail));
    page.addEventListener('memory-wall:state', ({ detail }) => {
      if (view.query) return;
      query = detail;
      if (platform) keep();
    });
    // Pages of others do not show in frames.
    page.addEventListener('click', ({ target }) => {
      const link = target.closest?.('a[href^="http"]');
      if (link) Object.assign(link, { target: '_blank', rel: 'noopener' });
    }, true);
    if (view.place) {
      let rest;
      inside.addEventListener('scroll', () => {
        clearTimeout(rest);
        rest = setTimeout(() => {
          const now = reading(page);
          if (now === place) return;
          place = now;
          if (platform) keep();
        }, 500);
      });
    }
    if ('live' in page.documentElement.dataset) start();
    else page.addEventListener('memory-wall:live', start, { once: true });
  });

  const begin = async () => {
    platform = await globalThis.memoryWallPlatform?.();
    // Some platforms say where their course is.
    if (platform?.home) {
      const home = document.getElementById('home');
      Object.assign(home, { href: platform.home, hidden: false });
    }
    if (platform?.isOver) {
      trouble('review');
      await restore(platform.kept);
      platform = undefined;
    } else if (platform) await restore(platform.kept);
    else trouble('alone');
    took(lines, false);
    if (platform) platform.result(result());
    if (views.length > 1) {
      tabs.hidden = false;
      for (const [at, { name }] of views.entries()) {
        const tab = Object.assign(document.createElement('button'), { type: 'button', textContent: name });
        tab.addEventListener('click', () => at !== shown && open(at));
        tabs.append(tab);
      }
    }
    open(shown);
  };
  addEventListener('pagehide', () => platform?.close());
  begin();
})();
