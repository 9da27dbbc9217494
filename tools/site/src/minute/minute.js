// The minute of a server, played: a moment that goes on by itself, step by step or by hand. The program of the figure simulates it, and
// answers what is drawn and said of each moment. Its levers are components of the page's program: where they stand is an attribute,
// `data-places`, and what a link asks of them is another, `data-asked`, with an event for levers that listen already.
const figure = document.querySelector('.minute');
const words = {{words}};
// What the engine says of each server: costs of a step, and tokens of the pool by the share of the GPU.
const servers = {{servers}};
const first = {{first}};
const sentence = {{sentence}};
// Three seconds of the minute in one of the reader's.
const [LENGTH, SPEED, JUMP] = [60, 3, 5];
const ROWS = ['running', 'waiting', 'preempted', 'share', 'rate', 'ttft', 'tpot'];
const READOUTS = ['running', 'waiting', 'preempted', 'share', 'saved', 'empty', 'rate', 'ttft', 'tpot'];
const KEYS = ['time', 'running', 'waiting', 'preempted', 'used', 'share', 'saved', 'empty', 'rate', 'ttft', 'ttft_most', 'tpot', 'tpot_most', 'step', 'takes', 'written', 'read'];
/** What each lever offers, in their order. */
const OFFERED = { server: servers.map(({ link }) => link), {{stops}} };
const LEVERS = Object.keys(OFFERED);
const OWN = '{{own}}';

const element = (name, properties, ...inside) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...inside);
  return made;
};
const filled = (text, values) => text.replace(/\{(\w+)\}/g, (_, key) => values[key]);
const named = (keys, text) => Object.fromEntries(text.split('\n').map((value, place) => [keys[place], value]));
const all = (selector) => [...figure.querySelectorAll(selector)];
const find = (selector) => figure.querySelector(selector);

const decoded = (text) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};
/** What a query says of this figure, by key. */
const asked = (query) => {
  const pairs = query.replace(/^\?/, '').split('&').filter((pair) => pair.startsWith(OWN));
  return pairs.map((pair) => decoded(pair).slice(OWN.length).split('='));
};

const start = () => {
  const { dataset } = document.documentElement;
  const framed = 'figure' in dataset;
  const calm = matchMedia('(prefers-reduced-motion: reduce)');
  const levers = find('.minute-levers');
  let places = levers.dataset.places;
  let player;
  let time = LENGTH;
  let frame = 0;
  let last = 0;
  let rest;
  let refused = [];

  const button = (text) => element('button', { type: 'button', className: 'plain-button', textContent: text });
  const [play, back, on] = ['play', 'back', 'on'].map((key) => button(words[key]));
  const range = element('input', { type: 'range', min: 0, max: LENGTH * 10, value: LENGTH * 10, ariaLabel: words.at });
  const step = element('p', { className: 'minute-step' });
  const future = element('i', { className: 'minute-future' });
  const none = element('p', { className: 'minute-none' });
  none.setAttribute('role', 'status');

  const moment = (seconds) => {
    const at = named(KEYS, player.moment(seconds));
    const spread = (what) => `${at[what]} / ${at[`${what}_most`]}`;
    return { ...at, ttft: spread('ttft'), tpot: spread('tpot') };
  };
  /** Shows the moment. */
  const show = () => {
    const at = moment(time);
    const places = all('.minute-now dd');
    for (const [place, what] of READOUTS.entries()) places[place].textContent = at[what];
    step.textContent = filled(words.stepped, at);
    range.value = Math.round(time * 10);
    range.setAttribute('aria-valuetext', filled(words.said, at));
    future.style.left = `${(time / LENGTH) * 100}%`;
  };
  /** What each lever is at. */
  const settings = () => {
    const stands = places.split(' ');
    return Object.fromEntries(LEVERS.map((key, at) => [key, OFFERED[key][stands[at]]]));
  };
  /** What is another than at the start, as a link says it. */
  const own = () => {
    const [begun, stands, values] = [first.split(' '), places.split(' '), settings()];
    const moved = LEVERS.filter((_, at) => stands[at] !== begun[at]).map((key) => [key, values[key]]);
    const moment = time < LENGTH ? [['at', Math.round(time * 10) / 10]] : [];
    return [...moved, ...moment].map(([key, value]) => `${OWN}${key}=${value}`).join('&');
  };
  /** Writes it into the address; a page that shows this figure alone has a script that does so. */
  const write = () => {
    if (framed) {
      document.dispatchEvent(new CustomEvent('memory-wall:own', { detail: own() }));
      return;
    }
    const others = location.search.slice(1).split('&').filter((pair) => pair && !pair.startsWith(OWN));
    const query = [...others, own()].filter(Boolean).join('&');
    const address = `${location.pathname}${query && '?'}${query}${location.hash}`;
    if (address !== location.pathname + location.search + location.hash) history.replaceState(history.state, '', address);
  };
  /** Once nothing has changed for a moment. */
  const written = () => {
    clearTimeout(rest);
    rest = setTimeout(write, 300);
  };
  const goTo = (seconds) => {
    time = Math.min(Math.max(seconds, 0), LENGTH);
    show();
  };
  const stop = () => {
    cancelAnimationFrame(frame);
    frame = 0;
    play.textContent = calm.matches ? words.jump : words.play;
  };
  const tick = (now) => {
    goTo(time + (Math.min(now - last, 100) / 1000) * SPEED);
    last = now;
    if (time < LENGTH) frame = requestAnimationFrame(tick);
    else one(() => LENGTH);
  };
  /** Goes to a moment and stays there. */
  const one = (next) => {
    stop();
    goTo(next());
    written();
  };

  /** Simulates and draws the settings as they are now; what cannot be leaves the picture as it was. */
  const run = () => {
    const { server, arrivals, prompt, answer, prefix, page, utilization } = settings();
    const { costs, pools, context, limits, title } = servers.find(({ link }) => link === server);
    find('.figure-title').textContent = title;
    const pages = Math.floor(pools[utilization] / page);
    const numbers = [arrivals, prompt, answer, prefix, page, pages, ...limits, ...costs];
    const next = wasm_bindgen.Player.of(numbers.join(' '), context);
    none.textContent = [!next && words.none, refused.length > 0 && filled(words.refused, { pairs: refused.join(', ') })].filter(Boolean).join(' ');
    if (!next) return;
    player?.free();
    player = next;
    const [lanes, waiting, prefill, decode, preempted, pool, used, apart, written, top] = player.paths().split('\n');
    find('.minute-lanes').setAttribute('viewBox', lanes);
    const paths = { waiting, prefill, decode, preempted, used, apart, written, pool: `M0 ${pool}h120` };
    for (const [part, d] of Object.entries(paths)) find(`path.minute-${part}`).setAttribute('d', d);
    find('.minute-top').textContent = top;
    const summary = named(['requests', 'done', 'preempted', 'pages', 'written'], player.summary());
    find('#minute-sentence').textContent = filled(sentence, summary);
    for (const [place, row] of all('tbody tr').entries()) {
      const at = moment((place + 1) * 10);
      for (const [cell, what] of ROWS.entries()) row.cells[cell + 1].textContent = at[what];
    }
    show();
  };

  play.addEventListener('click', () => {
    if (frame) return one(() => time);
    const from = time >= LENGTH ? 0 : time;
    if (calm.matches) return one(() => from + JUMP);
    clearTimeout(rest);
    goTo(from);
    last = performance.now();
    frame = requestAnimationFrame(tick);
    play.textContent = words.pause;
  });
  back.addEventListener('click', () => one(() => player.before(time)));
  on.addEventListener('click', () => one(() => player.after(time)));
  range.addEventListener('input', () => one(() => range.value / 10));
  calm.addEventListener('change', stop);
  /** Follows the levers, where they have moved. */
  const follow = () => {
    if (levers.dataset.places === places) return;
    places = levers.dataset.places;
    refused = [];
    run();
    written();
  };
  /** Takes what a query says: what it does not say is as at the start. */
  const take = (query) => {
    const stands = first.split(' ');
    time = LENGTH;
    refused = asked(query).flatMap(([key, value]) => {
      const number = Number(value || 'none');
      const at = LEVERS.indexOf(key);
      const place = at < 0 ? -1 : OFFERED[key].findIndex((one) => one === value || one === number);
      if (key === 'at' && number >= 0 && number <= LENGTH) time = number;
      else if (place >= 0) stands[at] = String(place);
      else return [`${OWN}${key}=${value ?? ''}`.slice(0, 40)];
      return [];
    });
    places = stands.join(' ');
    levers.dataset.asked = places;
    levers.dispatchEvent(new Event('change'));
    // Who comes by a link sees what it has changed.
    const more = levers.querySelector('.more');
    more.open ||= [...more.querySelectorAll('input')].some(({ name }) => {
      const at = LEVERS.indexOf(name.replace('minute-', ''));
      return stands[at] !== first.split(' ')[at];
    });
    run();
    if (refused.length > 0) document.dispatchEvent(new CustomEvent('memory-wall:notices', { detail: none.textContent }));
  };
  const controls = element('div', { className: 'minute-controls' }, play, back, on, range, step);
  find('.minute-drawings').append(future);
  // The program of the tutorial may have written its own state into the address since the page was opened.
  const [opened] = performance.getEntriesByType('navigation');
  const link = framed ? dataset.own : new URL(opened?.name ?? location.href).search;
  levers.parentElement.after(none, controls);
  // Where it asks for a server that there cannot be, the picture is that of the start.
  run();
  if (asked(link).length > 0) take(link);
  new MutationObserver(follow).observe(levers, { attributes: true, attributeFilter: ['data-places'] });
  // The tutorial's program listens to fields, and would take this for its own.
  for (const event of ['input', 'change']) controls.addEventListener(event, (own) => own.stopPropagation());
  stop();
  if (framed) {
    document.addEventListener('memory-wall:set', ({ detail }) => {
      take(detail);
      written();
    });
  }
  // The program writes what it knows, and after it this figure adds what is its own.
  else document.addEventListener('memory-wall:state', written);
};

if (figure) {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  const module_or_path = new Response(unpacked, { headers: { 'Content-Type': 'application/wasm' } });
  wasm_bindgen({ module_or_path }).then(start);
}
