// The pictures of memory snapshots. The panel fetches this script with the first snapshot and says by an event of the document where they
// go; the worker that read the snapshot answers what they ask.
let element;
let table;
let folded;
const words = {{words}};
const heading = (text) => Object.assign(element('p', text), { className: 'figure-title' });
const button = (text, act) => {
  const made = Object.assign(element('button', text), { type: 'button', className: 'plain-button' });
  made.addEventListener('click', act);
  return made;
};
/** Ends when another snapshot is drawn: what listened for the one before ends with it. */
let drawn = new AbortController();
/** Acts when a picture's width changes. */
const watch = (canvas, act) => {
  const observer = new ResizeObserver(act);
  observer.observe(canvas);
  drawn.signal.addEventListener('abort', () => observer.disconnect(), { once: true });
};
let captions = 0;
/** A hint that describes a picture. */
const caption = (canvas, text) => {
  const made = Object.assign(element('p', text), { className: 'caption', id: `view-hint-${(captions += 1)}` });
  canvas.setAttribute('aria-describedby', [canvas.getAttribute('aria-describedby'), made.id].filter(Boolean).join(' '));
  return made;
};
const legend = (entries) =>
  Object.assign(element('ul', '', ...entries.map(([key, name]) => {
    const item = element('li', '', Object.assign(element('span'), { className: 'view-key' }), name);
    item.dataset.key = key;
    return item;
  })), { className: 'view-legend' });
const when = (event, place) => (event < 0 ? words['time.before'] : fill('time.event', { event: place }));
/** A moment in a sentence. */
const spoken = (moment) => {
  const parts = moment.parts.map(([name, size, share]) => `${name.toLowerCase()} ${size} (${share})`).join(', ');
  const since = moment.time && fill('time.since', moment);
  return fill('time.moment', { ...moment, when: when(moment.event, moment.place), since, parts: parts || words['time.nothing'] });
};

{{parts}}

/** Asks the worker about one snapshot; answers come in any order. */
const asker = (worker, source, signal) => {
  const waits = new Map();
  let number = 0;
  worker.addEventListener('message', ({ data }) => {
    if (data.source !== source || !waits.has(data.number)) return;
    waits.get(data.number)(typeof data.answer === 'string' ? JSON.parse(data.answer) : data.answer);
    waits.delete(data.number);
  }, { signal });
  return (ask, ...values) =>
    new Promise((resolve) => {
      number += 1;
      waits.set(number, resolve);
      worker.postMessage({ ask, source, number, values });
    });
};
const draw = async (place, worker, source) => {
  drawn.abort();
  drawn = new AbortController();
  boards.clear();
  const ask = asker(worker, source, drawn.signal);
  const summary = await ask('summary');
  if (!summary) return place.replaceChildren();
  const group = ({ parts }) => Object.assign(element('div', '', ...parts), { className: 'view' });
  const shown = [segments(ask, summary)];
  if (summary.events) {
    const graph = flame(ask, summary);
    const back = button(words['flame.back'], () => line.toPeak());
    const line = timeline(ask, summary, (event) => {
      back.hidden = event === summary.peak.event;
      graph.show(event);
    });
    back.hidden = true;
    graph.parts.splice(1, 0, back);
    shown.unshift(line, graph, beside(ask));
    shown.push(leaks(summary));
    graph.show(summary.peak.event);
  }
  place.replaceChildren(element('p', words.hint), ...shown.map(group));
};
document.addEventListener('memory-wall:snapshots', ({ detail: { place, worker, snapshots, parts } }) => {
  ({ element, table, folded } = parts);
  const inner = element('div');
  const all = Object.assign(element('div', '', inner), { className: 'views' });
  all.setAttribute('role', 'region');
  all.setAttribute('aria-label', words.region);
  const show = (source) => draw(inner, worker, source).catch(() => inner.replaceChildren(element('p', words.failed)));
  if (snapshots.length > 1) {
    const choice = element('select', '', ...snapshots.map(([source, name]) => Object.assign(element('option', name), { value: source })));
    choice.addEventListener('change', () => show(Number(choice.value)));
    all.prepend(element('p', '', element('label', `${words.which} `, choice)));
  }
  place.replaceChildren(all);
  show(snapshots[0][0]);
});
document.head.append(Object.assign(document.createElement('link'), { rel: 'stylesheet', href: './{{style}}', integrity: '{{style integrity}}' }));
