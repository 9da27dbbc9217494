// What memory consisted of at a moment, by category and by the functions that allocated it.
const NODE = 5;
const flame = (ask, summary) => {
  const ROW = 20;
  const ROWS = 48;
  let nodes = new Float64Array();
  let names = [];
  let below = [];
  let [chosen, zoomed, event, native, deepest] = [0, 0, -1, false, 0];
  const of = (node, field) => nodes[node * NODE + field];
  const name = (node) => ({ '-2': words['flame.all'], '-1': words['flame.none'] })[of(node, 4)] ?? names[of(node, 4)] ?? '';
  /** The nodes from one down to the root. */
  const path = (node) => (node ? [node, ...path(of(node, 3))] : [0]);
  const room = () => {
    const [start, end] = [of(zoomed, 1), of(zoomed, 1) + of(zoomed, 2)];
    deepest = of(zoomed, 0);
    for (let node = 0; node < below.length; node += 1) {
      if (of(node, 2) > (end - start) / 1_000 && of(node, 1) >= start && of(node, 1) < end) deepest = Math.max(deepest, of(node, 0));
    }
    deepest = Math.min(deepest, ROWS - 1) || 0;
  };
  const edge = (node, width) => {
    if (of(node, 0) <= of(zoomed, 0)) return path(zoomed).includes(node) ? [0, width] : [0, 0];
    const scale = width / (of(zoomed, 2) || 1);
    return [(of(node, 1) - of(zoomed, 1)) * scale, of(node, 2) * scale];
  };
  const view = board({ role: 'application', 'aria-label': words['flame.label'] }, () => (deepest + 1) * ROW + 2, (pen, width, height, inks) => {
    const tint = new Array(below.length);
    for (let node = 0; node < below.length; node += 1) {
      const depth = of(node, 0);
      tint[node] = depth === 0 ? 'hairline' : depth === 1 ? LAYERS[of(node, 4)] : tint[of(node, 3)];
      if (depth > deepest) continue;
      const [x, wide] = edge(node, width);
      if (wide < 0.5 || x >= width || x + wide <= 0) continue;
      const y = depth * ROW;
      pen.globalAlpha = depth < 2 ? 0.6 : 0.3;
      pen.fillStyle = inks[tint[node]];
      pen.fillRect(x, y, Math.max(1, wide - 1), ROW - 1);
      pen.globalAlpha = 1;
      pen.fillStyle = inks.ink;
      label(pen, name(node), x + 4, y + ROW / 2, Math.min(wide, width - x) - 8);
    }
    if (!below.length) return;
    const [x, wide] = edge(chosen, width);
    pen.strokeStyle = inks.warm;
    pen.lineWidth = 2;
    pen.strokeRect(x + 1, of(chosen, 0) * ROW + 1, Math.max(2, wide - 3), ROW - 3);
    pen.lineWidth = 1;
  });
  const { canvas } = view;
  const title = heading('');
  const tell = Object.assign(element('p'), { className: 'summary view-said' });
  tell.setAttribute('role', 'status');
  tell.id = 'view-flame-said';
  canvas.setAttribute('aria-describedby', tell.id);
  const note = element('p');
  const tables = element('div');

  let asked = 0;
  const say = async () => {
    view.redraw();
    asked += 1;
    const mine = asked;
    const node = chosen;
    const { size, share } = await ask('node', node);
    if (mine !== asked) return;
    const callers = path(node).slice(1, -1).slice(0, 3).map(name);
    tell.textContent = fill(callers.length ? 'flame.frame' : 'flame.alone', { name: name(node), size, share, callers: callers.join(', ') });
  };
  const choose = (node) => {
    if (!(node in below)) return;
    chosen = node;
    // What is chosen is on the screen.
    while (zoomed && !path(chosen).includes(zoomed)) zoomed = of(zoomed, 3);
    room();
    say();
  };
  const zoom = (node) => {
    zoomed = node;
    room();
    choose(node);
  };
  /** The one beside it on its level. */
  const beside = (step) => {
    const level = below.map((_, node) => node).filter((node) => of(node, 0) === of(chosen, 0));
    level.sort((a, b) => of(a, 1) - of(b, 1));
    return level[level.indexOf(chosen) + step] ?? chosen;
  };
  canvas.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const keys = {
      ArrowDown: () => choose(below[chosen][0] ?? chosen),
      ArrowUp: () => choose(of(chosen, 3)),
      ArrowLeft: () => choose(beside(-1)),
      ArrowRight: () => choose(beside(1)),
      Home: () => zoom(0),
      Enter: () => zoom(chosen),
      ' ': () => zoom(chosen),
      Escape: () => zoom(of(zoomed, 3)),
    };
    if (!below.length || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  const hit = (event) => {
    const [x, y] = inside(canvas, event);
    const depth = Math.floor(y / ROW);
    return below.findIndex((_, node) => {
      if (of(node, 0) !== depth) return false;
      const [start, wide] = edge(node, canvas.clientWidth);
      return wide > 0 && x >= start && x < start + wide;
    });
  };
  canvas.addEventListener('click', (event) => {
    const node = hit(event);
    if (node >= 0) zoom(node);
  });
  let over;
  canvas.addEventListener('pointermove', (event) => {
    const node = event.pointerType === 'mouse' ? hit(event) : -1;
    if (node < 0 || node === over) return;
    over = node;
    chosen = node;
    say();
  });

  const show = async (at, peak) => {
    event = at;
    const [drawn, moment, top] = await Promise.all([ask('flame', at, !native), ask('moment', at), ask('top', at)]);
    const about = await ask('names');
    // A later wish has come in between.
    if (event !== at) return;
    [nodes, names] = [drawn, about.names];
    below = Array.from({ length: nodes.length / NODE }, () => []);
    for (let node = 1; node < below.length; node += 1) below[of(node, 3)].push(node);
    [chosen, zoomed] = [0, 0];
    room();
    const told = when(moment.event, moment.place);
    title.textContent = fill('flame.title', { when: at === summary.peak.event ? fill('flame.peak', { event: told }) : told });
    note.textContent = about.cut ? words['flame.cut'] : '';
    const heads = ['category', 'size', 'share'].map((key) => words[`head.${key}`]);
    const lines = ['line', 'category', 'tensors', 'size', 'share'].map((key) => words[`head.${key}`]);
    const rows = top.rows.map(([line, ...rest]) => [line || words['flame.none'], ...rest]);
    const open = [...tables.children].map((fold) => fold.open);
    tables.replaceChildren(folded(words['flame.parts'], table(heads, moment.parts)), folded(words['flame.top'], table(lines, rows)));
    [...tables.children].forEach((fold, place) => (fold.open = !!open[place]));
    say();
  };
  const box = Object.assign(element('input'), { type: 'checkbox' });
  box.addEventListener('change', () => {
    native = box.checked;
    show(event);
  });
  const options = element('p', '', element('label', '', box, ` ${words['flame.native']}`));
  return { view, show, title, parts: [title, canvas, tell, note, options, caption(canvas, words['flame.hint']), tables] };
};
