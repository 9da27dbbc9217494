// The categories at the peak beside the estimate of the same moment, in words and as a table. What the files don't say can be chosen.
const beside = (ask) => {
  const said = element('div');
  said.setAttribute('role', 'status');
  const compared = element('div');
  const field = (key, input) => element('label', `${words[`beside.${key}`]} `, input);
  const size = () => Object.assign(element('input'), { type: 'number', min: 1, max: 1e9, inputMode: 'numeric' });
  const model = element('select');
  const [batch, length] = [size(), size()];
  const form = element('form', '', field('model', model), field('batch', batch), field('length', length), Object.assign(element('button', words['beside.compare']), { className: 'plain-button' }));
  form.className = 'view-form';
  form.hidden = true;
  const show = async (...chosen) => {
    const answer = await ask('beside', ...chosen);
    if (!answer) return;
    said.replaceChildren(...answer.said.map((text) => Object.assign(element('p', text), { className: 'summary' })));
    compared.replaceChildren();
    if (answer.rows.length) {
      const rows = table(answer.heads, answer.rows);
      rows.prepend(element('caption', fill('beside.caption', answer)));
      const all = folded(words['beside.table'], rows);
      all.open = true;
      compared.append(all);
    }
    if (answer.sized || (answer.model && !answer.rows.length) || model.length) return;
    const names = await ask('models');
    if (!names) return;
    const none = answer.model || words['beside.none'];
    for (const [value, name] of [['', none], ...names]) model.append(Object.assign(element('option', name), { value }));
    form.hidden = false;
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    show(model.value, batch.valueAsNumber || 0, length.valueAsNumber || 0);
  });
  show();
  return { parts: [heading(words['beside.title']), said, compared, form] };
};
