// The minute of a server, played: levers, and a moment that goes on by itself, step by step or by hand. The program of the figure
// simulates it, and answers what is drawn and said of each moment.
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
/** Where the levers stop. */
const STOPS = {
  arrivals: [6, 15, 30, 45, 60, 75, 90, 105, 120, 135, 150, 180, 240, 300, 450, 600, 900, 1200],
  prompt: [64, 128, 256, 512, 768, 1024, 1536, 2048, 2560],
  answer: [16, 32, 64, 128, 256, 384, 512, 640, 768],
  utilization: Object.keys(servers[0].pools).map(Number),
  page: [1, 8, 16, 32, 64, 128, 256],
  prefix: [0, 64, 128, 256, 512, 1024, 1536],
};

const element = (name, properties, ...inside) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...inside);
  return made;
};
const filled = (text, values) => text.replace(/\{(\w+)\}/g, (_, key) => values[key]);
const named = (keys, text) => Object.fromEntries(text.split('\n').map((value, place) => [keys[place], value]));
const all = (selector) => [...figure.querySelectorAll(selector)];
const find = (selector) => figure.querySelector(selector);

const start = () => {
  const calm = matchMedia('(prefers-reduced-motion: reduce)');
  const settings = { ...first };
  let player;
  let time = LENGTH;
  let frame = 0;
  let last = 0;

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
    else stop();
  };

  /** Simulates and draws the settings as they are now; what cannot be leaves the picture as it was. */
  const run = () => {
    const { costs, pools, context, limits } = servers[settings.server];
    const { arrivals, prompt, answer, prefix, page, utilization } = settings;
    const pages = Math.floor(pools[utilization] / page);
    const numbers = [arrivals, prompt, answer, prefix, page, pages, ...limits, ...costs];
    const next = wasm_bindgen.Player.of(numbers.join(' '), context);
    none.textContent = next ? '' : words.none;
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
    if (frame) return stop();
    const from = time >= LENGTH ? 0 : time;
    if (calm.matches) return goTo(from + JUMP);
    goTo(from);
    last = performance.now();
    frame = requestAnimationFrame(tick);
    play.textContent = words.pause;
  });
  const one = (next) => {
    stop();
    goTo(next());
  };
  back.addEventListener('click', () => one(() => player.before(time)));
  on.addEventListener('click', () => one(() => player.after(time)));
  range.addEventListener('input', () => one(() => range.value / 10));
  calm.addEventListener('change', stop);

  const title = find('.figure-title');
  const lever = (key) => {
    const stops = STOPS[key];
    const own = element('input', { type: 'range', name: `minute-${key}`, min: 0, max: stops.length - 1, value: stops.indexOf(first[key]) });
    // An output would take the label for itself.
    const value = element('span', {});
    const set = () => {
      settings[key] = stops[own.value];
      value.textContent = settings[key].toLocaleString(document.documentElement.lang);
      own.setAttribute('aria-valuetext', value.textContent);
    };
    set();
    own.addEventListener('input', () => {
      set();
      run();
    });
    return element('label', {}, `${words[key]}: `, value, own);
  };
  const choice = element('select', { name: 'minute-server' }, ...servers.map(({ name }, value) => element('option', { value, textContent: name })));
  choice.addEventListener('change', () => {
    settings.server = Number(choice.value);
    run();
    title.textContent = servers[settings.server].title;
  });
  const levers = element('div', { className: 'minute-levers' }, element('label', {}, `${words.server}: `, choice), ...Object.keys(STOPS).map(lever));
  const controls = element('div', { className: 'minute-controls' }, play, back, on, range, step);
  find('.minute-drawings').append(future);
  run();
  title.after(levers, none, controls);
  stop();
};

if (figure) {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  const module_or_path = new Response(unpacked, { headers: { 'Content-Type': 'application/wasm' } });
  wasm_bindgen({ module_or_path }).then(start);
}
