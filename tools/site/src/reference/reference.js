// What the reference can do beyond being read: its tables sort, and its lists narrow to what is looked for.
// Without it everything is there, and nothing that would not work is shown.

/** What a cell sorts by: its number where it has one, or its text; nothing where it has neither. */
const key = (row, column, numeric) => {
  const cell = row.cells[column];
  if (!numeric) return cell.textContent.trim().toLowerCase();
  return 'value' in cell.dataset ? Number(cell.dataset.value) : undefined;
};

const compare = (a, b, sign) => {
  // What is not known comes last either way.
  if (a === undefined || b === undefined) return (a === undefined) - (b === undefined);
  return sign * (typeof a === 'number' ? a - b : a.localeCompare(b, 'en', { numeric: true }));
};

for (const table of document.querySelectorAll('table:has(th[data-sort])')) {
  const heads = [...table.tHead.rows[0].cells];
  const body = table.tBodies[0];
  heads.forEach((head, column) => {
    const numeric = head.dataset.sort === 'number';
    const button = document.createElement('button');
    button.type = 'button';
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener('click', () => {
      // Numbers begin with the largest, names with A.
      const order = head.getAttribute('aria-sort') ?? (numeric ? 'ascending' : 'descending');
      const descending = order === 'ascending';
      heads.forEach((other) => other.removeAttribute('aria-sort'));
      head.setAttribute('aria-sort', descending ? 'descending' : 'ascending');
      const rows = [...body.rows].map((row) => [key(row, column, numeric), row]);
      rows.sort(([a], [b]) => compare(a, b, descending ? -1 : 1));
      body.append(...rows.map(([, row]) => row));
    });
  });
}

for (const tools of document.querySelectorAll('[data-over]')) {
  const over = document.getElementById(tools.dataset.over);
  const rows = [...(over.tBodies?.[0] ?? over).children];
  // Where a term is explained is a title of its own, not what the term says.
  const texts = rows.map((row) => {
    const said = row.cloneNode(true);
    said.querySelectorAll('.explained').forEach((title) => title.remove());
    return said.textContent.toLowerCase();
  });
  const field = tools.querySelector('input');
  const choices = [...tools.querySelectorAll('select')];
  const count = tools.querySelector('.count');
  const narrow = () => {
    const wanted = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let left = 0;
    rows.forEach((row, place) => {
      const found =
        wanted.every((word) => texts[place].includes(word)) &&
        choices.every(({ value, dataset }) => !value || row.dataset[dataset.by].split(' ').includes(value));
      row.toggleAttribute('data-out', !found);
      left += found;
    });
    count.textContent = tools.dataset.count.replace('{n}', left).replace('{all}', rows.length);
  };
  tools.addEventListener('input', narrow);
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && field.value) {
      field.value = '';
      narrow();
    }
  });
  // A browser may have kept what was typed.
  tools.hidden = false;
  narrow();
}

// A link to a row shows the row, whatever is searched for, and opens what it lies in.
const reveal = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  target.removeAttribute('data-out');
  target.closest('details')?.setAttribute('open', '');
  target.scrollIntoView({ block: target.localName === 'tr' ? 'center' : 'start' });
};
addEventListener('hashchange', reveal);
if (location.hash) reveal();

// Only what scrolls is a stop of the keyboard.
const stops = () => {
  for (const region of document.querySelectorAll('[role="region"].formula')) {
    if (region.scrollWidth > region.clientWidth) region.tabIndex = 0;
    else region.removeAttribute('tabindex');
  }
};
addEventListener('resize', stops);
stops();
