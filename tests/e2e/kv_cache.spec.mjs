// The price of context: kinds of attention follow the reader's tokens, and memory set aside stands beside memory used.

import { expect, test } from './fixtures.mjs';
import { expectLabelsApart } from './labels.mjs';
import { plain, spoken } from './page.mjs';

const table = async (page) =>
  page.locator('.cache-table tbody tr').evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent))).then((rows) => rows.map((row) => row.map(plain)));
const sentence = (page) => spoken(page.locator('#cache-sentence'));

const AT_4096 = [
  ['Llama 2 7B', '524 kB', '2.15 GB', '1.07 GB', '537 MB', '32'],
  ['Multi-head, 32 KV heads', '524 kB', '2.15 GB', '1.07 GB', '537 MB', '32'],
];

test('the sequence slider by keyboard: every kind follows, and the window falls behind', async ({ wall, page }) => {
  await wall.goto();
  const mark = (row) => page.locator(`.cache-row[data-row="${row}"] circle`).first().getAttribute('cx').then(Number.parseFloat);
  const rows = ['yours', 'mha', 'gqa', 'mqa', 'latent', 'sliding'];
  const before = await Promise.all(rows.map(mark));
  const slider = page.locator('#control-kv-seq');
  await slider.focus();
  for (let step = 0; step < 8; step += 1) await page.keyboard.press('ArrowRight');
  await wall.settle();
  await expect(slider).toBeFocused();
  expect((await table(page)).slice(0, 2)).toEqual(AT_4096);
  const steps = (await Promise.all(rows.map(mark))).map((x, place) => x - before[place]);
  for (const step of steps.slice(0, 5)) expect(step).toBeCloseTo(4.3, 1);
  expect(steps[5]).toBeLessThan(3.5);
  expect(await sentence(page)).toContain('2.15 GB of cache for a batch of 1 with 4,096 tokens');
  await expect.poll(() => wall.query()).toBe('?v=1&seq=4096');
});

test('the dial is guessed by keyboard and explained', async ({ wall, page }) => {
  await wall.goto();
  const dial = page.locator('#dial-users');
  await dial.locator('input[type=text]').fill('30');
  await dial.locator('input[type=text]').press('Enter');
  await expect(dial.locator('.dial-said')).toHaveText(/^You said 30\s+sequences; it is 32\s+sequences\. Close\.$/);
  await expect(dial.getByRole('button', { name: 'Ask me again' })).toBeFocused();
  await expect(page.getByText('with a quarter of the KV heads')).toBeVisible();
});

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('figures, tables and the answer are there, and say what the live page says', async ({ wall, page, visitor }) => {
    await wall.goto('', { live: false });
    const live = await visitor();
    await live.goto();
    expect(await table(page)).toEqual(await table(live.page));
    expect(await sentence(page)).toBe(await sentence(live.page));
    await expect(page.getByRole('img', { name: /^Your tokens, in your model/ })).toBeVisible();
    await expect(page.getByRole('img', { name: /24,576 are set aside/ })).toBeVisible();
    await page.getByText('The largest batch', { exact: true }).click();
    await expect(page.getByText('with a quarter of the KV heads')).toBeVisible();
  });
});

for (const query of ['', 'model=llama-3.1-405b&seq=1000000&batch=4096', 'model=deepseek-v3&mode=training&kv=int4&unit=gib']) {
  test(`${query || 'as it starts'}: on a narrow screen no label lies upon another`, async ({ wall }) => {
    await wall.goto(query);
    await expectLabelsApart(wall, '.cache-kinds', [360]);
  });
}
