// What every picture is drawn on: a canvas that is as sharp as the screen, follows the theme and its own width, and is drawn once a frame.
const colours = () => {
  const style = getComputedStyle(document.documentElement);
  const names = ['paper', 'ink', 'quiet', 'hairline', 'raised', 'warm', 'weights', 'gradients', 'optimizer', 'activations', 'logits', 'overhead', 'sans'];
  return Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
};
/** Tokens of the categories, in the order in which they are stacked. */
const LAYERS = ['weights', 'gradients', 'optimizer', 'activations', 'logits', 'overhead'];
const boards = new Set();
/** `draw` gets the context, the width and height in CSS pixels, and the colours. */
const board = (attributes, height, draw) => {
  const canvas = element('canvas');
  canvas.className = 'view-canvas';
  canvas.tabIndex = 0;
  for (const [name, value] of Object.entries(attributes)) canvas.setAttribute(name, value);
  let waits;
  const paint = () => {
    waits = undefined;
    const { width } = canvas.getBoundingClientRect();
    if (!width) return;
    const tall = height();
    const ratio = window.devicePixelRatio || 1;
    const [across, down] = [Math.round(width * ratio), Math.round(tall * ratio)];
    if (canvas.width !== across || canvas.height !== down) Object.assign(canvas, { width: across, height: down });
    canvas.style.height = `${tall}px`;
    const pen = canvas.getContext('2d');
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, tall);
    const inks = colours();
    pen.font = `12px ${inks.sans}`;
    pen.textBaseline = 'middle';
    draw(pen, width, tall, inks);
  };
  const redraw = () => (waits ??= requestAnimationFrame(paint));
  watch(canvas, redraw);
  const made = { canvas, redraw };
  boards.add(made);
  return made;
};
const repaint = () => boards.forEach(({ redraw }) => redraw());
for (const query of ['(prefers-color-scheme: dark)', '(forced-colors: active)']) matchMedia(query).addEventListener('change', repaint);
new MutationObserver(repaint).observe(document.documentElement, { attributeFilter: ['data-theme'] });
/** Words with `{name}` in them. */
const fill = (key, values = {}) => words[key].replace(/\{(\w+)\}/g, (_, name) => values[name] ?? '');
/** Where in a canvas a pointer is. */
const inside = (canvas, event) => {
  const { left, top } = canvas.getBoundingClientRect();
  return [event.clientX - left, event.clientY - top];
};
/** A text in a bar, cut where it ends. */
const label = (pen, text, x, y, room) => {
  if (room < 16) return;
  let shown = text;
  if (pen.measureText(text).width > room) {
    // A letter is seldom narrower than this.
    shown = text.slice(0, Math.floor(room / 3));
    while (shown && pen.measureText(`${shown}…`).width > room) shown = shown.slice(0, -1);
    if (!shown) return;
    shown += '…';
  }
  pen.fillText(shown, x, y);
};
