// One training step over many GPUs: what each GPU holds and sends.

import { expect, test } from './fixtures.mjs';
import { plain } from './page.mjs';

const totals = async (page) => (await page.locator('.way-total').allTextContents()).map(plain);
const EIGHT = ['121 GB', '40.3 GB', '40.4 GB', '31.0 GB', '15.7 GB', '24.2 GB'];

test('the number of GPUs is chosen by keyboard and changes bars, sentence and link', async ({ wall, page }) => {
  await wall.goto();
  expect(await totals(page)).toEqual(EIGHT);
  const figure = page.locator('#figure-parallel');
  const beneath = async (id) => plain((await figure.locator(`.way[data-way="${id}"] :is(.way-sent, .way-time)`).allTextContents()).join(', '));
  expect(await beneath('data')).toBe('sends 1.44 MB per token, links 11%, mostly hidden');
  expect(await beneath('tensor')).toBe('sends 1.84 MB per token, links 14%, waited for');
  expect(await beneath('pipeline')).toBe('sends 8.19 kB per token, idle 47%');
  await figure.getByRole('radio', { name: '8', exact: true }).focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await wall.settle();
  await expect(figure.getByRole('radio', { name: '64', exact: true })).toBeFocused();
  expect((await totals(page)).slice(4)).toEqual(['not possible', 'not possible']);
  expect(await beneath('tensor')).toBe(',');
  await expect(figure.locator('#ways-sentence')).toContainText('Over 64 GPUs');
  await expect.poll(() => wall.query()).toBe('?v=1&cards=64');
});

test('it follows the model, marks what is over the GPU, and one GPU shares nothing', async ({ wall, page }) => {
  await wall.goto('model=llama-3.1-70b');
  await expect(page.locator('.way[data-way="data"]')).toHaveAttribute('data-over', '');
  await expect(page.locator('.way[data-way="zero1"]')).toHaveAttribute('data-over', '');
  await wall.goto('cards=1');
  expect(new Set(await totals(page)).size).toBe(1);
  await expect(page.locator('#ways-sentence')).toContainText('nothing to share out');
});

test('the factors of eight GPUs are in the table', async ({ wall, page }) => {
  await wall.goto();
  const less = await page.locator('.ways-table tbody tr td:nth-of-type(2)').allTextContents();
  expect(less.slice(0, 4)).toEqual(['1.00×', '2.91×', '4.27×', '8.00×']);
});

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('bars, sentence and answer are there, as on the live page', async ({ wall, page, visitor }) => {
    await wall.goto('', { live: false });
    const live = await visitor();
    await live.goto();
    expect(await totals(page)).toEqual(EIGHT);
    expect(await totals(live.page)).toEqual(EIGHT);
    await expect(page.getByRole('img', { name: /^What each GPU holds to train Llama 2 7B Over 8 GPUs/ })).toBeVisible();
    await page.locator('#parallel').getByText('ZeRO-1, 2 and 3').click();
    await expect(page.locator('#parallel .guess')).toContainText('2.91×');
  });
});

for (const query of ['', 'cards=64&model=deepseek-v3&gpu=rtxpro6000']) {
  test(`at 360 px, ${query || 'as it starts'}: nothing scrolls sideways`, async ({ wall, page }) => {
    await page.setViewportSize({ width: 360, height: 800 });
    await wall.goto(query);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0);
  });
}
