// Fragmentation as a map: segments one behind another over several rows, each with what is allocated, pending and free in it.
const segments = (ask, summary) => {
  const about = summary.segments;
  const waits = about.waits && ` ${fill('segments.waits', about)}`;
  const told = Object.assign(element('p', about.count ? `${fill('segments.summary', about)}${waits || ''}` : words['segments.none']), { className: 'summary' });
  const parts = [heading(words['segments.title']), told];
  if (!about.count) return { parts };
  const [BAR, GAP] = [16, 4];
  let bars = [];
  let sum = 1;
  let chosen = 0;
  const rows = () => Math.max(1, Math.min(24, Math.ceil(bars.length / 4)));
  /** Pieces of a stretch on their rows. */
  const pieces = (start, bytes, width, piece) => {
    const line = sum / rows();
    let [at, left] = [start, bytes];
    while (left > 0) {
      const row = Math.min(rows() - 1, Math.floor(at / line + 1e-9));
      const part = row === rows() - 1 ? left : Math.min(left, Math.max((row + 1) * line - at, line * 1e-6));
      piece(((at - row * line) / line) * width, row * (BAR + GAP) + 2, (part / line) * width);
      at += part;
      left -= part;
    }
  };
  const view = board({ role: 'slider', 'aria-label': words['segments.label'], 'aria-valuemin': 1, 'aria-valuemax': 1, 'aria-valuenow': 1 }, () => rows() * (BAR + GAP) + 4, (pen, width, height, inks) => {
    const hatch = (x, y, wide) => {
      pen.save();
      pen.beginPath();
      pen.rect(x, y, wide, BAR);
      pen.clip();
      pen.beginPath();
      for (let at = x - BAR; at < x + wide; at += 5) {
        pen.moveTo(at, y + BAR);
        pen.lineTo(at + BAR, y);
      }
      pen.strokeStyle = inks.ink;
      pen.stroke();
      pen.restore();
    };
    for (const { start, runs, size } of bars) {
      let at = start;
      for (const [state, bytes] of runs) {
        pieces(at, bytes, width, (x, y, wide) => {
          pen.fillStyle = state === 0 ? inks.quiet : inks.raised;
          // The smallest tensor that keeps a segment is seen.
          pen.fillRect(x, y, Math.max(wide, state === 0 ? 1 : 0.3), BAR);
          if (state === 1) hatch(x, y, wide);
        });
        at += bytes;
      }
      // Where one segment ends and the next begins.
      const wide = (size / sum) * rows() * width;
      pen.strokeStyle = wide > 3 ? inks.quiet : inks.hairline;
      if (wide > 1.5) pieces(start, size, width, (x, y, wide) => pen.strokeRect(x + 0.5, y + 0.5, Math.max(0, wide - 1), BAR - 1));
    }
    const bar = bars[chosen];
    pen.strokeStyle = inks.warm;
    pen.lineWidth = 2;
    if (bar) pieces(bar.start, bar.size, width, (x, y, wide) => pen.strokeRect(x, y, Math.max(2, wide), BAR));
    pen.lineWidth = 1;
  });
  const { canvas } = view;
  const tell = Object.assign(element('p'), { className: 'summary view-said' });
  const choose = async (place) => {
    chosen = Math.min(Math.max(0, place), bars.length - 1);
    const mine = chosen;
    canvas.setAttribute('aria-valuenow', chosen + 1);
    view.redraw();
    const { cells, cached } = await ask('segment', mine);
    if (mine !== chosen) return;
    const [name, pool, size, allocated, pending, free, largest] = cells;
    tell.textContent = `${fill('segments.one', { name, pool, size, allocated, pending, free, largest })}${cached ? ` ${words['segments.cached']}` : ''}`;
    canvas.setAttribute('aria-valuetext', tell.textContent);
  };
  canvas.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -10, ArrowDown: 10, PageUp: -100, PageDown: 100, Home: -Infinity, End: Infinity };
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    choose(chosen + step);
  });
  const point = (event) => {
    if (event.type === 'pointermove' && event.pointerType !== 'mouse') return;
    const [x, y] = inside(canvas, event);
    const row = Math.min(rows() - 1, Math.max(0, Math.floor((y - 2) / (BAR + GAP))));
    const at = (row + x / canvas.clientWidth) * (sum / rows());
    const place = bars.findIndex(({ start, size }) => at >= start && at < start + size);
    if (place >= 0 && place !== chosen) choose(place);
  };
  canvas.addEventListener('pointermove', point);
  canvas.addEventListener('click', point);
  const note = element('p');
  const load = async () => {
    const numbers = await ask('map');
    bars = [];
    let start = 0;
    for (let at = 0; at < numbers.length; ) {
      const [size, count] = numbers.subarray(at, at + 2);
      const runs = Array.from({ length: count }, (_, run) => [numbers[at + 2 + run * 2], numbers[at + 3 + run * 2]]);
      bars.push({ start, size, runs });
      start += size;
      at += 2 + count * 2;
    }
    sum = start || 1;
    canvas.setAttribute('aria-valuemax', bars.length || 1);
    if (bars.length < about.count) note.textContent = fill('segments.rest', { count: bars.length });
    if (bars.length) choose(0);
  };
  load();
  const heads = [words['segments.head.segment'], words['segments.head.pool'], words['head.size'], ...['allocated', 'pending', 'free', 'largest'].map((key) => words[`segments.head.${key}`])];
  const keys = legend(['allocated', 'pending', 'free'].map((state) => [state, words[`segments.${state}`]]));
  parts.push(keys, canvas, tell, note, caption(canvas, words['segments.hint']), folded(words['segments.table'], table(heads, about.rows)));
  return { view, parts };
};
