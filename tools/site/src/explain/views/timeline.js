// Allocated memory over time: the columns come from the worker for what is on the screen and a little beside it; until they come, the
// last ones are drawn at their places.
const COLUMN = 12;
const timeline = (ask, summary, choose) => {
  const all = summary.events;
  const format = new Intl.NumberFormat('en');
  const least = Math.min(all, 16);
  let [from, to] = [0, all];
  let cursor = Math.max(0, summary.peak.event);
  let columns = new Float64Array();
  let said = '';
  let dirty = false;
  let busy = false;
  const top = Math.max(summary.peak.bytes, summary.reserved <= summary.peak.bytes * 1.5 ? summary.reserved : 0) * 1.06 || 1;
  const HEIGHT = 260;
  const FOOT = 20;

  const view = board({ role: 'slider', 'aria-label': words['time.label'], 'aria-valuemin': 0, 'aria-valuemax': Math.max(0, all - 1), 'aria-keyshortcuts': '+ - Enter Escape' }, () => HEIGHT, (pen, width, height, inks) => {
    const floor = height - FOOT;
    const x = (event) => ((event - from) / (to - from)) * width;
    const y = (bytes) => floor - (bytes / top) * floor;
    pen.save();
    pen.beginPath();
    pen.rect(0, 0, width, floor);
    pen.clip();
    const count = columns.length / COLUMN;
    const base = new Float64Array(count);
    LAYERS.forEach((token, layer) => {
      pen.beginPath();
      for (let at = 0; at < count; at += 1) {
        const row = at * COLUMN;
        const y0 = y(base[at] + columns[row + 6 + layer]);
        pen.lineTo(x(columns[row]), y0);
        pen.lineTo(x(columns[row + 1]), y0);
      }
      for (let at = count - 1; at >= 0; at -= 1) {
        const row = at * COLUMN;
        const y0 = y(base[at]);
        pen.lineTo(x(columns[row + 1]), y0);
        pen.lineTo(x(columns[row]), y0);
        base[at] += columns[row + 6 + layer];
      }
      pen.fillStyle = inks[token];
      pen.fill();
    });
    // The least of each column, where it covers several events, and what was reserved.
    const line = (field, colour, dash) => {
      pen.beginPath();
      for (let at = 0; at < count; at += 1) {
        pen.lineTo(x(columns[at * COLUMN]), y(columns[at * COLUMN + field]));
        pen.lineTo(x(columns[at * COLUMN + 1]), y(columns[at * COLUMN + field]));
      }
      pen.setLineDash(dash);
      pen.strokeStyle = colour;
      pen.stroke();
      pen.setLineDash([]);
    };
    line(2, inks.paper, []);
    line(4, inks.ink, [2, 3]);
    pen.restore();
    pen.strokeStyle = inks.hairline;
    pen.strokeRect(0.5, floor + 0.5, width - 1, 0);
    // The cursor.
    const mark = x(cursor + 0.5);
    if (mark >= 0 && mark <= width) {
      pen.strokeStyle = inks.ink;
      pen.lineWidth = 3;
      pen.strokeRect(mark, 0, 0, floor);
      pen.strokeStyle = inks.paper;
      pen.lineWidth = 1;
      pen.strokeRect(mark, 0, 0, floor);
    }
    // The peak.
    const peak = x(summary.peak.event + 0.5);
    const high = y(summary.peak.bytes);
    pen.fillStyle = pen.strokeStyle = inks.ink;
    const title = fill('time.peak', { peak: summary.peak.size });
    if (peak >= 0 && peak <= width) {
      pen.beginPath();
      pen.moveTo(peak - 5, high - 9);
      pen.lineTo(peak + 5, high - 9);
      pen.lineTo(peak, high - 1);
      pen.fill();
    }
    const room = pen.measureText(title).width;
    const left = Math.min(Math.max(4, peak + 8), width - room - 4);
    pen.fillStyle = inks.paper;
    pen.fillRect(left - 3, Math.max(1, high - 17), room + 6, 16);
    pen.fillStyle = inks.ink;
    pen.fillText(title, left, Math.max(9, high - 9));
    pen.fillStyle = inks.quiet;
    pen.fillText(format.format(Math.floor(from)), 2, height - FOOT / 2 + 1);
    pen.textAlign = 'right';
    pen.fillText(format.format(Math.max(0, Math.ceil(to) - 1)), width - 2, height - FOOT / 2 + 1);
    pen.textAlign = 'left';
  });
  const { canvas } = view;
  const tell = Object.assign(element('p'), { className: 'summary view-said' });

  /** Asks for what is on the screen: one question at a time, and the newest wins. */
  const load = async () => {
    view.redraw();
    if (busy) return (dirty = true);
    busy = true;
    do {
      dirty = false;
      const beside = (to - from) / 4;
      const [first, last] = [Math.max(0, Math.floor(from - beside)), Math.min(all, Math.ceil(to + beside))];
      const dots = Math.min(2560, Math.ceil(canvas.clientWidth * Math.min(2, window.devicePixelRatio || 1)) || 600);
      columns = await ask('columns', first, last, Math.ceil((dots * (last - first)) / (to - from)));
      view.redraw();
    } while (dirty);
    busy = false;
  };
  const show = (start, span) => {
    const wide = Math.min(all, Math.max(least, span));
    from = Math.min(Math.max(0, start), all - wide);
    to = from + wide;
    load();
  };
  const zoom = (factor, at = cursor + 0.5) => {
    const wide = Math.min(all, Math.max(least, (to - from) * factor));
    show(at - ((at - from) / (to - from)) * wide, wide);
  };
  let asked;
  let asking = false;
  const say = async () => {
    canvas.setAttribute('aria-valuenow', Math.max(0, cursor));
    view.redraw();
    if (asking) return;
    asking = true;
    while (asked !== cursor) {
      asked = cursor;
      said = spoken(await ask('moment', asked));
      tell.textContent = said;
      canvas.setAttribute('aria-valuetext', said);
    }
    asking = false;
  };
  const go = (event, follow) => {
    cursor = Math.min(Math.max(0, Math.round(event)), all - 1);
    if (follow && (cursor < from || cursor >= to)) show(cursor - (to - from) / 2, to - from);
    say();
  };
  const toPeak = () => {
    cursor = summary.peak.event;
    if (cursor < from || cursor >= to) show(cursor - (to - from) / 2, to - from);
    say();
    choose(cursor);
  };

  canvas.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const span = to - from;
    const step = Math.max(1, span / 200) * (event.shiftKey ? 10 : 1);
    const keys = {
      ArrowLeft: () => go(cursor - step, true),
      ArrowRight: () => go(cursor + step, true),
      ArrowDown: () => go(cursor - step, true),
      ArrowUp: () => go(cursor + step, true),
      PageUp: () => go(cursor - span, true),
      PageDown: () => go(cursor + span, true),
      Home: () => go(0, true),
      End: () => go(all - 1, true),
      '+': () => zoom(0.5),
      '=': () => zoom(0.5),
      '-': () => zoom(2),
      '−': () => zoom(2),
      Escape: () => show(0, all),
      Enter: () => choose(cursor),
      ' ': () => choose(cursor),
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  const at = (x) => from + (x / canvas.clientWidth) * (to - from);
  // Fingers and buttons that are down, with where they are.
  const down = new Map();
  let moved = 0;
  canvas.addEventListener('pointerdown', (event) => {
    if (event.button) return;
    canvas.setPointerCapture(event.pointerId);
    if (!down.size) moved = 0;
    down.set(event.pointerId, event.clientX);
  });
  canvas.addEventListener('pointermove', (event) => {
    const [x] = inside(canvas, event);
    const last = down.get(event.pointerId);
    if (last === undefined) return event.pointerType === 'mouse' ? go(at(x) - 0.5) : undefined;
    down.set(event.pointerId, event.clientX);
    moved += Math.abs(event.clientX - last);
    if (moved < 4) return;
    if (down.size === 1) return show(from - ((event.clientX - last) / canvas.clientWidth) * (to - from), to - from);
    const [other] = [...down].filter(([id]) => id !== event.pointerId).map(([, place]) => place);
    const [before, now] = [Math.abs(last - other), Math.abs(event.clientX - other)];
    if (before > 8 && now > 8) zoom(before / now, at(x));
  });
  const up = (event) => {
    if (!down.delete(event.pointerId) || moved >= 4 || event.type !== 'pointerup') return;
    go(at(inside(canvas, event)[0]) - 0.5);
    choose(cursor);
  };
  canvas.addEventListener('pointerup', up);
  canvas.addEventListener('pointercancel', up);
  canvas.addEventListener('wheel', (event) => {
    // The page scrolls until the reader has turned to the time line.
    if (document.activeElement !== canvas && !event.ctrlKey) return;
    event.preventDefault();
    const [x] = inside(canvas, event);
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) return show(from + (event.deltaX / canvas.clientWidth) * (to - from), to - from);
    zoom(2 ** (Math.max(-200, Math.min(200, event.deltaY)) / 200), at(x));
  }, { passive: false });

  watch(canvas, load);
  say();
  const buttons = [['time.in', () => zoom(0.5)], ['time.out', () => zoom(2)], ['time.all', () => show(0, all)], ['time.to.peak', toPeak]];
  const bar = element('p', '', ...buttons.flatMap(([key, act]) => [button(words[key], act), ' ']));
  const heads = ['events', 'least', 'most', 'phase', 'mostly'].map((key) => words[`time.head.${key}`]);
  const peak = { when: when(summary.peak.event, format.format(Math.max(0, summary.peak.event))) };
  const told = fill('time.summary', { ...summary, place: peak.when, peak: summary.peak.size, phase: summary.peak.phase });
  return {
    view,
    parts: [heading(words['time.title']), Object.assign(element('p', told), { className: 'summary' }), legend(summary.categories.map((name, place) => [LAYERS[place], name])), canvas, tell, bar, caption(canvas, words['time.hint']), folded(words['time.table'], table(heads, summary.stretches))],
    toPeak,
  };
};
