// The section on training: its own choice, its figures that follow the state, and all of it without a program.

import { expect, test } from './fixtures.mjs';
import { expectLabelsApart } from './labels.mjs';
import { layOut, plain } from './page.mjs';

const states = (page) => page.locator('#figure-states');
const activation = (page) => page.locator('#figure-activation');
const fixes = (page) => page.locator('#figure-fixes');
const sides = (page) => page.locator('#figure-sides');

/** What stands under each column, in their order. */
const feet = async (page) => {
  await layOut(page);
  return (await states(page).locator('.foot').allInnerTexts()).map(plain);
};

/** A table, row by row. */
const rows = (table) => table.locator('tbody tr').evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => cell.textContent.replace(/\s+/g, ' ').trim())));

/** What a fix saves. */
const saves = async (page, name) => plain(await fixes(page).getByRole('row', { name: new RegExp(`^${name}`) }).locator('.fix-saved').textContent());

test('the choice is made by keyboard, changes its own column, travels in the link and is the calculator’s too', async ({ wall, page }) => {
  await wall.goto();
  const before = await feet(page);
  expect(before[0]).toBe('mixed bf16 16 bytes 2 + 2 + 4 + 4 + 4 108 GB 22.8 GB too much');
  const recipe = states(page).getByRole('combobox', { name: 'Your choice: kept as' });
  await recipe.focus();
  // The last but two: pure bf16.
  for (const key of ['End', 'ArrowUp', 'ArrowUp']) await page.keyboard.press(key);
  await wall.settle();
  await expect(recipe).toHaveValue('pure');
  const after = await feet(page);
  expect(after.slice(0, 4)).toEqual(before.slice(0, 4));
  expect(after[4]).toBe('yours 8 bytes 2 + 2 + 0 + 2 + 2 53.9 GB 31.1 GB left');
  await states(page).getByRole('combobox', { name: 'with', exact: true }).selectOption('adamw8bit');
  await wall.settle();
  expect((await feet(page))[4]).toContain('2 + 2 + 0 + 1.02 + 1.02');
  await expect.poll(() => wall.query()).toBe('?v=1&optimizer=adamw8bit&recipe=pure');
  await wall.openDetails();
  await wall.setMode('training');
  await expect(wall.list('States kept as')).toHaveValue('pure');
});

test('what LoRA saves follows where its adapters are and their precision, here and in the calculator', async ({ wall, page }) => {
  await wall.goto('batch=8');
  expect(await saves(page, 'LoRA')).toBe('48.0 GB');
  await fixes(page).locator('details.more > summary').click();
  await fixes(page).getByRole('combobox', { name: 'LoRA: adapters on' }).selectOption('qv');
  await fixes(page).getByRole('combobox', { name: 'LoRA: adapters in' }).selectOption('bf16');
  await wall.settle();
  expect(await saves(page, 'LoRA')).toBe('119 GB');
  await expect.poll(() => wall.query()).toBe('?v=1&batch=8&targets=qv&adapters=bf16');
  await wall.openDetails();
  await expect(wall.list('Adapters on')).toBeHidden();
  await wall.setMode('tuning with LoRA');
  await expect(wall.list('Adapters on')).toHaveValue('qv');
  await expect(wall.list('Adapters in')).toHaveValue('bf16');
});

test('figures follow model, GPU, batch and sequence length', async ({ wall, page }) => {
  await wall.goto('batch=8&seq=4096');
  expect(await saves(page, 'Gradient accumulation')).not.toBe('nothing here');
  await wall.goto('model=llama-3.2-1b&gpu=l4');
  expect(await saves(page, 'Gradient accumulation')).toBe('nothing here');
  await expect(states(page).locator('.foot[data-over]')).toHaveCount(0);
  await expect(states(page).locator('.capacity-label')).toContainText('the GPU: 19.1 bytes each');
  const loss = activation(page).locator('.segment-logits rect').first();
  const layers = activation(page).locator('.segment-activations rect').first();
  const width = (bar) => bar.evaluate((one) => one.getBoundingClientRect().width);
  expect(await width(loss), 'the loss outweighs checkpointed layers').toBeGreaterThan(10 * (await width(layers)));
  const batch = activation(page).getByRole('textbox', { name: 'Batch, in sequences', exact: true });
  await batch.fill('16');
  await wall.settle();
  expect(await saves(page, 'Gradient accumulation')).not.toBe('nothing here');
});

test('the sum is predicted, and the answer says how it comes about', async ({ wall, page }) => {
  await wall.goto();
  const dial = page.locator('#dial-states');
  await dial.getByRole('textbox').fill('14');
  await dial.getByRole('button', { name: 'Check' }).click();
  await expect(dial.locator('.dial-said')).toContainText('it is 112');
  await expect(page.getByText('applied to a copy of the weight in full precision')).toBeVisible();
});

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('all figures and tables are there and say what the live page says', async ({ wall, page, visitor }) => {
    await wall.goto('', { live: false });
    const live = await visitor();
    await live.goto();
    const said = async (page) => ({
      feet: await feet(page),
      tables: await Promise.all([states, activation, fixes, sides].map((figure) => rows(figure(page).locator('table')))),
      sentences: (await page.locator('#states-sentence, #kept-sentence, #sides-sentence').allInnerTexts()).map(plain),
    });
    const still = await said(page);
    expect(still).toEqual(await said(live.page));
    expect(still.tables[3].map(([part, infer, train]) => [part, infer, train])).toEqual([
      ['Weights', '13.5 GB', '13.5 GB'],
      ['Gradients', 'none', '13.5 GB'],
      ['Optimizer', 'none', '80.9 GB'],
      ['KV cache', '1.07 GB', 'none'],
      ['Activations', expect.stringContaining('MB'), '12.3 GB'],
      ['Logits', '192 kB', '786 MB'],
    ]);
    await expect(states(page).getByRole('img', { name: /^Bytes that training keeps .* Trained as you chose, Llama 2 7B takes 16 bytes a parameter/ })).toBeVisible();
  });
});

for (const query of ['', 'model=llama-3.1-405b&gpu=t4', 'model=llama-3.2-1b&gpu=mi300x&unit=gib&batch=64']) {
  test(`${query || 'as it starts'}: at any width no label lies upon another`, async ({ wall }) => {
    await wall.goto(query);
    await expectLabelsApart(wall, '.state-wall, .kept-bars, .side-bars', [320, 360, 1280]);
  });
}
