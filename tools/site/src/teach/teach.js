// What the page for teachers does beyond being read: the choices become the text for a page of theirs, and a preview of it.
// Templates, heights and notes are those that stand in the page; the rules of escaping are those of hosts.rs.
(() => {
  'use strict';
  const form = document.getElementById('builder');
  const part = (name) => document.getElementById(`teach-${name}`);
  const { elements } = form;
  // Only letters that need no escape in any host, whatever the address of this page is made of.
  const code = (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
  const base = new URL('./', location.href).href.replace(/[^\w.~:/%\-[\]]/g, code);

  const HTML = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  const LATEX = { '\\': '\\textbackslash{}', '~': '\\textasciitilde{}', '^': '\\textasciicircum{}' };
  const ESCAPES = {
    html: (text) => text.replace(/[&<>"']/g, (letter) => HTML[letter]),
    python: (text) => text.replace(/[\\"']/g, '\\$&').replaceAll('\n', ' '),
    markdown: (text) => text.replace(/[\\`*_[\]<>${}|~]/g, '\\$&').replaceAll('\n', ' '),
    latex: (text) => text.replace(/[%#&_${}\\~^]/g, (letter) => LATEX[letter] ?? `\\${letter}`).replaceAll('\n', ' '),
    address: (text) => text.replace(/[%#&_]/g, '\\$&'),
  };
  const fill = (template, values) =>
    template.replace(/@\{(\w+)(?:\|([\w,]+))?\}/g, (_, name, places) =>
      (places?.split(',') ?? []).reduce((text, place) => ESCAPES[place](text), String(values[name])),
    );

  // A link of this site; its query is its state. Options of figures are chosen below it.
  const OPTIONS = ['theme', 'lang', 'predict', 'reveal', 'ui', 'id', 'only'];
  const most = Number(form.dataset.most);
  /** The state that a link stands for, or the name of what is wrong with it. */
  const taken = (pasted) => {
    // A link may come out of a page's text, and a query may come alone.
    const link = pasted.replaceAll('&amp;', '&').replace(/^[a-z_.]+=/, '?$&');
    const [address, query = ''] = link.split('#')[0].split(/\?(.*)/s);
    let path = '';
    if (link.startsWith('?') || address === '') path = '';
    else if (!URL.canParse(address)) return { fault: 'foreign' };
    else {
      const { href } = new URL(address);
      const own = new URL('./', location.href).href;
      path = href.startsWith(own) ? href.slice(own.length) : undefined;
    }
    if (path === undefined || !/^((index|teach|plan|plan-frame)\.html|embed\/[a-z_]+\.html)?$/.test(path)) return { fault: 'foreign' };
    if (query.length > most) return { fault: 'long' };
    if (!/^[\w.,=&%+-]*$/.test(query)) return { fault: 'letters' };
    const pairs = query.split('&').filter(Boolean);
    const isOption = (pair) => OPTIONS.includes(pair.split('=')[0]);
    return { figure: /^plan/.test(path) ? 'planner' : path.match(/^embed\/(\w+)/)?.[1], options: pairs.filter(isOption), state: pairs.filter((pair) => !isOption(pair)) };
  };
  /** A link of a figure by itself chooses that figure and its options. */
  const adopt = ({ figure, options }) => {
    if (!figure) return;
    for (const [name, value] of [['figure', figure], ...options.map((pair) => pair.split('='))]) {
      const field = elements[name];
      if (name === 'reveal') field.checked = value === '1';
      else if ([...(field?.options ?? [])].some((option) => option.value === value)) field.value = value;
    }
  };

  const says = (key, values = {}) => (form.dataset[key] ?? '').replace(/\{(\w+)\}/g, (_, name) => values[name]);
  const chosen = (list) => list.selectedOptions[0].textContent;

  // A figure is some work to show: it waits until no other is asked for.
  let shown;
  let next;
  const preview = (address, title, width, height) => {
    clearTimeout(next);
    if (shown !== `${address} ${width}`) next = setTimeout(() => show(address, title, width, height), shown ? 400 : 0);
  };
  const show = (address, title, width, height) => {
    shown = `${address} ${width}`;
    const frame = Object.assign(document.createElement('iframe'), { title: says('previewOf', { figure: title }), width, height, loading: 'lazy', src: address });
    part('preview').replaceChildren(frame);
  };

  const follow = () => {
    const figure = elements.figure.value;
    elements.only.closest('.field').hidden = figure !== 'quiz';
    const only = figure === 'quiz' ? elements.only.value : '';
    const { state = [], fault } = taken(elements.link.value.trim());
    part('error').textContent = fault ? says(`link${fault[0].toUpperCase()}${fault.slice(1)}`, { base, most }) : '';
    elements.link.setAttribute('aria-invalid', Boolean(fault));
    const pairs = [...state];
    const host = document.getElementById(`host-${elements.host.value}`);
    // Pages that are always light get a light figure, unless another is asked for.
    if (elements.theme.selectedIndex === 0 && 'light' in host.dataset) pairs.push('theme=light');
    for (const name of ['theme', 'predict', 'ui']) if (elements[name].selectedIndex > 0) pairs.push(`${name}=${elements[name].value}`);
    if (elements.reveal.checked) pairs.push('reveal=1');
    if (only) pairs.push(`only=${only}`);
    const query = pairs.join('&');
    const row = document.querySelector(`tr[data-figure="${figure}${only && `?only=${only}`}"]`);
    const width = Number(elements.width.value);
    const height = Number(row.querySelector(`[data-width="${width}"]`).textContent);
    const title = row.cells[0].textContent;
    const file = row.cells[1].textContent.split('?')[0] + (query && `?${query}`);
    const attributes = [...new URLSearchParams(query)].map(([key, value]) => ` ${key}="${ESCAPES.html(value)}"`).join('');
    const heights = [...row.querySelectorAll('[data-width]')].filter((cell) => Number(cell.dataset.width) <= width).map((cell) => Number(cell.textContent));
    const more = Math.max(...heights) - height;
    const high = more ? `calc(${height}px + clamp(0px, (${width}px - 100vw) * 9999, ${more}px))` : `${height}px`;
    const text = fill(host.querySelector('.snippet').dataset.template, { url: base + file, script: `${base}embed.js`, figure, title, width, height, high, attributes });
    if (part('snippet').value !== text) {
      part('snippet').value = text;
      part('said').textContent = says('said', { host: chosen(elements.host), figure: title, width, height });
    }
    const narrow = row.querySelector('[data-width]');
    const tall = Number(narrow.textContent);
    part('phone').textContent = tall > height && /iframe/i.test(text) && !/embed\.js|100vw/.test(text) ? says('phone', { narrow: narrow.dataset.width, high: tall }) : '';
    part('notes').replaceChildren(...[...host.querySelector('.notes').children].map((note) => note.cloneNode(true)));
    preview(file, title, width, height);
  };

  const select = () => {
    part('snippet').focus();
    part('snippet').select();
    part('said').textContent = says('selected');
  };
  part('copy').addEventListener('click', () => {
    const copied = navigator.clipboard?.writeText(part('snippet').value) ?? Promise.reject();
    copied.then(() => (part('said').textContent = says('copied')), select);
  });

  // What is typed is looked at when it rests.
  let rest;
  form.addEventListener('input', ({ target }) => {
    clearTimeout(rest);
    if (target === elements.link) adopt(taken(elements.link.value.trim()));
    // A host has a column of its own width.
    if (target === elements.host) elements.width.value = document.getElementById(`host-${target.value}`).dataset.width;
    rest = setTimeout(follow, target === elements.link ? 300 : 0);
  });
  // What the figure itself cannot use of a link it says to the page around it.
  addEventListener('message', ({ source, data }) => {
    if (source !== part('preview').querySelector('iframe')?.contentWindow || data?.mw !== 1 || data.code !== 'query') return;
    part('error').textContent = says('linkState', { about: data.about });
    elements.link.setAttribute('aria-invalid', true);
  });
  form.addEventListener('submit', (event) => event.preventDefault());
  part('local').hidden = location.protocol !== 'file:' && !/^(localhost|127\.|\[::1\])/.test(location.hostname);
  form.hidden = false;
  follow();
  part('said').textContent = '';

  // A package for a learning platform. What packs it comes when it is asked for.
  const packer = document.getElementById('packer');
  const tell = (key, values = {}) => {
    document.getElementById('pack-said').textContent = packer.dataset[key].replace(/\{(\w+)\}/g, (_, name) => values[name]);
  };
  packer.hidden = false;
  packer.addEventListener('submit', (event) => {
    event.preventDefault();
    const [what, standard, mastery] = ['part', 'standard', 'mastery'].map((name) => packer.elements[name]);
    const isNumber = /^([1-9]\d?|100)$/.test(mastery.value.trim());
    mastery.setAttribute('aria-invalid', !isNumber);
    if (!isNumber) {
      tell('masteryWrong');
      mastery.focus();
      return;
    }
    tell('packing');
    import('./kit/pack.js')
      .then(({ pack }) => pack(new URL('./', location.href), what.value, standard.value, Number(mastery.value)))
      .then((blob) => {
        const href = URL.createObjectURL(blob);
        const file = `memory-wall-${what.value}-${standard.value}.zip`;
        Object.assign(document.createElement('a'), { href, download: file }).click();
        // Safari comes for the file after this.
        setTimeout(() => URL.revokeObjectURL(href), 60_000);
        tell('packed', { file, size: (blob.size / 1e6).toFixed(1) });
      })
      .catch(() => tell('failed'));
  });
})();
