// Taking the settings elsewhere: the link, the code that shows a figure in another page, Markdown, a QR code, and the
// system's own way to share where there is one. The program is asked for its query by events of the document.
(() => {
  'use strict';
  const panel = document.getElementById('share');
  if (!panel) return;
  const own = document.currentScript.dataset;
  const find = (selector) => panel.querySelector(selector);
  const [field, said, drawing, figures] = ['#share-link', '.share-said', '#share-qr', '#share-figure'].map(find);
  let query = '';
  const address = location.href.replace(/[?#].*/s, '');
  /** What figures with programs of their own have put into the address, under keys that begin with their names. */
  const further = (figure = '\\w+') => location.search.slice(1).split('&').filter((pair) => new RegExp(`^${figure}\\.`).test(pair));
  const asked = (more) => [query, ...more].filter(Boolean).join('&');
  const to = (place, text) => (text ? `${place}?${text}` : place);
  const link = () => to(address, asked(further()));
  const line = () => document.querySelector('.rig-line').textContent.trim();
  const tell = (text) => (said.textContent = text);

  const quoted = (text) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  const texts = {
    link,
    markdown: () => `[${`${document.title}: ${line()}`.replace(/[[\]\\]/g, '\\$&')}](${link().replace(/[()]/g, encodeURIComponent)})`,
    embed: () => {
      const [figure] = figures.selectedOptions;
      const url = new URL(to(`embed/${figure.value}.html`, asked(further(figure.value))), address);
      return `<iframe src="${quoted(url.href)}" title="${quoted(figure.text.trim())}" width="100%" height="${figure.dataset.height}" style="border:0" loading="lazy"></iframe>`;
    },
  };
  const copy = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
      tell(panel.dataset.copied);
    } catch {
      // Where a page may not write there, the reader can.
      field.value = text;
      field.focus();
      field.select();
      tell(panel.dataset.refused);
    }
  };
  const save = () => {
    const file = drawing.cloneNode(true);
    file.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
    file.querySelector('rect').setAttribute('fill', '#fff');
    const url = URL.createObjectURL(new Blob([file.outerHTML], { type: 'image/svg+xml' }));
    Object.assign(document.createElement('a'), { href: url, download: 'memory-wall-qr.svg' }).click();
    // Safari comes for the file later than this.
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
  };

  let library;
  const code = async () => {
    if (!library) {
      const [href, integrity] = [new URL(own.qr, location.href).href, own.qrIntegrity];
      document.head.append(Object.assign(document.createElement('link'), { rel: 'modulepreload', href, integrity, crossOrigin: 'anonymous' }));
      library = import(href);
      // The next try asks again.
      library.catch(() => (library = undefined));
    }
    const { encode } = await library;
    const text = link();
    const { data, size } = encode(text, { border: 4, ecc: text.length > 1200 ? 'L' : 'M' });
    if (text !== link()) return;
    drawing.setAttribute('viewBox', `0 0 ${size} ${size}`);
    const dots = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])));
    find('#share-qr path').setAttribute('d', dots.join(''));
    find('.share-code').hidden = false;
  };
  const show = () => {
    if (!panel.open) return;
    field.value = link();
    find('a[href^="plan.html"]').href = `plan.html?from=tutorial&${query}`;
    // Without the library, or with a link that no code can hold, there is the link.
    code().catch(() => (find('.share-code').hidden = true));
  };

  // What was to be copied by hand has been.
  field.addEventListener('blur', () => {
    if (field.value === link()) return;
    field.value = link();
    tell('');
  });
  document.addEventListener('memory-wall:state', ({ detail }) => {
    query = detail;
    show();
  });
  const ask = () => panel.open && document.dispatchEvent(new CustomEvent('memory-wall:ask'));
  panel.addEventListener('toggle', ask);
  // Who opens it before the program is there is answered then.
  document.addEventListener('memory-wall:live', ask);
  ask();
  panel.addEventListener('click', ({ target }) => {
    const { share } = target.closest('[data-share]')?.dataset ?? {};
    if (!share) return;
    // What was changed a moment ago is in what is copied.
    ask();
    if (texts[share]) copy(texts[share]());
    else if (share === 'qr') save();
    // Who changes their mind is not bothered.
    else navigator.share({ title: document.title, text: line(), url: link() }).catch(() => {});
  });
  find('[data-share="native"]').hidden = !navigator.share;
})();
