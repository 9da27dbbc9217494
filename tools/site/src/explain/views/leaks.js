// What only grows, in words and as a table.
const leaks = ({ leaks: rows }) => {
  const line = (row) => row.line || words['leaks.unknown'];
  const parts = [heading(words['leaks.title'])];
  const say = (text) => parts.push(Object.assign(element('p', text), { className: 'summary' }));
  if (!rows.length) {
    say(words['leaks.none']);
    return { parts };
  }
  const [first] = rows;
  say(fill(rows.length === 1 ? 'leaks.summary.one' : 'leaks.summary', { count: rows.length, stays: first.stays, line: line(first) }));
  const heads = [words['head.line'], words['leaks.head.stays'], words['head.tensors'], words['leaks.head.growth'], words['leaks.head.callers']];
  const cells = rows.map((row) => [line(row), row.stays, row.tensors, fill(row.steps ? 'leaks.grew.steps' : 'leaks.grew.quarters', row), row.callers.join(', ')]);
  const all = folded(words['leaks.table'], table(heads, cells));
  all.open = true;
  parts.push(all);
  return { parts };
};
