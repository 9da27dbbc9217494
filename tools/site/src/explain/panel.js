// What a run left behind, pasted, dropped or chosen: a worker reads it on the reader's device, and its answer is shown as text.
// Nothing of it is sent anywhere or written into the page's address but settings, once the reader asks for that.
(() => {
  'use strict';
  const area = document.getElementById('profile-paste');
  const panel = document.getElementById('explain');
  if (!panel || !window.Worker) return;
  const { worker: address } = document.currentScript.dataset;
  const words = panel.dataset;
  const [choose, said, found] = ['input', '.explain-said', '.explain-found'].map((selector) => panel.querySelector(selector));
  const drop = panel.closest('.profile-own');
  let worker;
  let job = 0;
  let names = [];
  // While the panel itself writes into the field, the field's text is not read once more.
  let quiet = false;
  let gibibytes = false;

  const element = (name, text, ...inside) => {
    const made = document.createElement(name);
    if (text) made.textContent = text;
    made.append(...inside);
    return made;
  };
  const table = (heads, rows) => {
    const head = element('tr', '', ...heads.map((text) => Object.assign(element('th', text), { scope: 'col' })));
    const body = rows.map(([name, ...cells]) =>
      element('tr', '', Object.assign(element('th', name), { scope: 'row' }), ...cells.map((text) => element('td', text))),
    );
    return element('table', '', element('thead', '', head), element('tbody', '', ...body));
  };
  const folded = (title, inside) => {
    const scroll = Object.assign(element('div', '', inside), { className: 'explain-table', tabIndex: 0 });
    scroll.setAttribute('role', 'region');
    scroll.setAttribute('aria-label', title);
    return Object.assign(element('details', '', element('summary', title), scroll), { className: 'more' });
  };
  const list = (title, lines) => (lines.length ? [element('p', title), element('ul', '', ...lines.map((line) => element('li', line)))] : []);
  const where = (text, lines) => [names[text], lines && `${words.line} ${lines}`].filter(Boolean).join(', ');

  /** Reads the field again, so that its numbers stand in the figure. */
  const measure = () => {
    quiet = true;
    area.dispatchEvent(new Event('input', { bubbles: true }));
    quiet = false;
  };
  const unit = () => {
    document.addEventListener('memory-wall:state', ({ detail }) => (gibibytes = /(^|&)unit=gib(&|$)/.test(detail)), { once: true });
    document.dispatchEvent(new CustomEvent('memory-wall:ask'));
  };
  const fill = (query) => {
    unit();
    document.dispatchEvent(new CustomEvent('memory-wall:set', { detail: `${query}${gibibytes ? '&unit=gib' : ''}` }));
    if (area.value) measure();
    said.textContent = words.filled;
  };

  /** Snapshots are drawn by a script of its own, which comes with the first of them. */
  let drawing;
  const script = async ([src, integrity]) => {
    try {
      await (drawing ??= new Promise((onload, onerror) => document.head.append(Object.assign(element('script'), { src, integrity, onload, onerror }))));
      return true;
    } catch {
      drawing = undefined;
      return false;
    }
  };
  const draw = async (place, snapshots, from) => {
    if (!(await script(from))) return (place.textContent = words.failed);
    const named = snapshots.map((at) => [at, names[at]]);
    const detail = { place, worker, snapshots: named, parts: { element, table, folded } };
    document.dispatchEvent(new CustomEvent('memory-wall:snapshots', { detail }));
  };

  /** What follows from what was read: it comes a little later, and has its place above the facts. */
  const explain = ({ run, causes, contradictions, notes, estimates, help, query }) => {
    const parts = run.map((line) => element('p', line));
    if (causes.length) parts.push(element('p', '', element('strong', `${words.cause}: `), causes[0]));
    parts.push(...list('', causes.slice(1)).slice(1), ...list(words.against, contradictions));
    if (query) {
      const button = Object.assign(element('button', words.fill), { type: 'button', className: 'plain-button' });
      button.addEventListener('click', () => fill(query));
      const fixes = document.getElementById('figure-fixes') && Object.assign(element('a', words.fixes), { href: '#figure-fixes' });
      parts.push(element('p', '', button, ' ', ...(fixes ? [fixes] : [])));
    }
    for (const { title, heads, rows } of estimates) parts.push(folded(title, table(heads, rows)));
    parts.push(...list(`${help.title}:`, help.changes), ...list(words.notes, notes));
    found.querySelector('.explain-run')?.replaceChildren(...parts);
  };
  const show = ({ reports, tables, notes, unread, snapshots, drawing }) => {
    const parts = unread.map(([text, why]) => element('p', `${[names[text], words.unread].filter(Boolean).join(', ')}: ${why}.`));
    if (reports.length) {
      parts.push(Object.assign(element('div'), { className: 'explain-run' }));
      if (snapshots.length) {
        parts.push(element('div'));
        draw(parts.at(-1), snapshots, drawing);
      }
      for (const { text, what, lines, facts } of reports.filter(({ facts }) => facts.length)) {
        const place = where(text, lines);
        const rows = facts.map(({ name, value, line }) => [name, value, lines && String(line)]);
        parts.push(folded(place ? `${what} (${place})` : what, table([words.what, words.value, words.line], rows)));
      }
      for (const { text, title, rows } of tables) parts.push(folded(`${title} (${names[text]})`, table([words.part, words.count, words.size], rows)));
      parts.push(...list(words.notes, notes));
    }
    said.textContent = reports.length ? `${words.found} ${[...new Set(reports.map(({ what }) => what))].join('; ')}.` : words.nothing;
    found.replaceChildren(...parts);
    found.hidden = !parts.length;
  };
  const stop = () => {
    worker?.terminate();
    worker = undefined;
  };
  const failed = (all = true) => {
    stop();
    if (!all) return found.querySelector('.explain-run')?.replaceChildren(element('p', words.failed));
    said.textContent = words.failed;
    found.hidden = true;
  };

  /** Hands these over; what is still being read for an earlier wish is given up. */
  const read = (files, own, done) => {
    job += 1;
    const mine = job;
    names = own;
    if (worker?.busy) stop();
    unit();
    worker ??= new Worker(address);
    worker.busy = true;
    worker.onerror = () => failed();
    worker.onmessage = ({ data }) => {
      if (data.job !== mine) return;
      if (data.coming) return script(data.coming);
      if (data.explained) return explain(data.explained);
      if (data.failed || data.done) worker.busy = false;
      if (data.failed) return failed(found.hidden);
      if (data.done) return;
      show(data);
      done?.(data.kinds);
    };
    said.textContent = words.reading;
    found.hidden = true;
    worker.postMessage({ job, files, gibibytes });
  };
  const open = (files) => {
    files = [...files];
    if (!files.length) return;
    read(files, files.map(({ name }) => name), async (kinds) => {
      // Numbers of short texts go the way of those that are pasted.
      const texts = files.filter(({ size }, at) => kinds[at] === 'text' && size < area.maxLength);
      if (!texts.length) return;
      area.value = (await Promise.all(texts.map((file) => file.text()))).join('\n').slice(0, area.maxLength);
      measure();
    });
  };

  let rest;
  const pasted = () => {
    if (area.value.trim()) return read([new Blob([area.value])], ['']);
    job += 1;
    said.textContent = '';
    found.hidden = true;
  };
  area.addEventListener('input', () => {
    if (quiet) return;
    clearTimeout(rest);
    rest = setTimeout(pasted, 300);
  });
  /** Who reaches for a file is about to hand one over: the programs are on their way by then. */
  const warm = () => (worker ??= new Worker(address)).postMessage({});
  choose.addEventListener('focus', warm, { once: true });
  choose.addEventListener('pointerenter', warm, { once: true });
  drop.addEventListener('dragenter', warm, { once: true });
  // Who points there may be: the worker's own script is small.
  drop.addEventListener('pointerenter', () => (worker ??= new Worker(address)), { once: true });
  choose.addEventListener('change', () => {
    open(choose.files);
    // The same file may be chosen again.
    choose.value = '';
  });
  drop.addEventListener('dragover', (event) => {
    if (!event.dataTransfer.types.includes('Files')) return;
    event.preventDefault();
    drop.dataset.over = '';
  });
  drop.addEventListener('dragleave', () => delete drop.dataset.over);
  drop.addEventListener('drop', (event) => {
    delete drop.dataset.over;
    if (!event.dataTransfer.files.length) return;
    event.preventDefault();
    open(event.dataTransfer.files);
  });
  panel.hidden = false;
  // What stands there already was pasted before this script came.
  if (area.value.trim()) pasted();
})();
