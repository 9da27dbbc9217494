// A plan on other GPUs at the reader's prices: they are typed in the table, stay on the device, and go out with it.

import AxeBuilder from '@axe-core/playwright';
import { expect, test } from './fixtures.mjs';
import { layOut } from './page.mjs';

const MIXTRAL = '?v=1&model=mixtral-8x7b&batch=100&seq=4096&engine=vllm&gpu=h100-sxm&tp=2&price=2.5';

async function open(page, query = '') {
  await page.goto(`/plan.html${query}`);
  await page.locator('html[data-live]').waitFor({ state: 'attached' });
  await layOut(page);
}

const button = (page, name) => page.getByRole('button', { name, exact: true });
const row = (page, name) => page.locator('.gpus tbody tr').filter({ has: page.locator('th', { hasText: name }) }).first();
const price = (page, name) => row(page, name).getByRole('textbox');
const cost = (page, name) => row(page, name).locator('td').nth(2);

/** Opens the table of the plan's GPUs. */
async function ask(page) {
  await button(page, 'Which other GPUs hold it?').click();
  await expect(price(page, 'H200 SXM')).toBeVisible();
}

test('every kind of GPU has a price of the reader’s own, and says where it is missing', async ({ page }) => {
  await open(page, MIXTRAL);
  await ask(page);
  await expect(price(page, 'H100 SXM5')).toHaveValue('2.5');
  await expect(cost(page, 'H100 SXM5')).toContainText('$');
  await expect(cost(page, 'H200 SXM')).toHaveText('price missing');
  await price(page, 'H200 SXM').focus();
  await page.keyboard.type('3.5');
  await expect(cost(page, 'H200 SXM')).toContainText('$');
  await expect(price(page, 'H200 SXM'), 'rows stay where they are while somebody types').toBeFocused();
  await price(page, 'B200').fill('-1');
  await expect(row(page, 'B200').locator('.field-error')).toContainText('“-1” is not a positive number');
  await expect(cost(page, 'B200')).toHaveText('price missing');
  await button(page, 'cost').click();
  const costs = await page.locator('.gpus tbody tr').evaluateAll((rows) => rows.map((one) => one.querySelectorAll('td')[2].textContent));
  expect(costs.slice(0, 2).every((text) => text.startsWith('$'))).toBe(true);
  expect(costs.slice(2).some((text) => text.startsWith('$'))).toBe(false);
  // What was typed moves with its row.
  const fields = await page.locator('.gpus tbody tr').evaluateAll((rows) => rows.map((one) => one.querySelector('input').value));
  expect(fields.filter(Boolean).toSorted()).toEqual(['2.5', '3.5']);
  const { violations } = await new AxeBuilder({ page }).include('.gpus').analyze();
  expect(violations).toEqual([]);
});

test('prices stay on the device, go out with the table, and move with the plan', async ({ page }) => {
  await open(page, MIXTRAL);
  await ask(page);
  await price(page, 'H200 SXM').fill('3.5');
  await page.getByLabel('As', { exact: true }).selectOption('csv');
  const text = page.getByLabel('The plans as text');
  await expect(text).toHaveValue(/\r?\n\r?\n"GPU","How many","\$ for a GPU and hour","\$ per million tokens"/);
  await expect(text).toHaveValue(/"H200 SXM[^"]*","\d","3.5","\$/);
  await expect(text).toHaveValue(/"price missing"/);
  await open(page, MIXTRAL);
  await ask(page);
  await expect(price(page, 'H200 SXM')).toHaveValue('3.5');
  await page.getByRole('button', { name: /Move the plan to H200 SXM/ }).click();
  await expect(page.locator('#plan-price')).toHaveValue('3.5');
  await ask(page);
  await expect(price(page, 'H100 SXM5'), 'what the plan paid before').toHaveValue('2.5');
});

test('another kind of GPU does not cost what the one before did', async ({ page }) => {
  await open(page, MIXTRAL);
  const [gpu, paid] = ['gpu', 'price'].map((slot) => page.locator(`#plan-${slot}`));
  const perMillion = page.locator('tr[data-figure="per_million"]');
  await expect(perMillion).toContainText('$');
  await gpu.fill('H200');
  await gpu.press('Enter');
  await expect(paid).toHaveValue('');
  await expect(perMillion).toBeHidden();
  await paid.fill('3.5');
  await expect(perMillion).toContainText('$');
  await gpu.fill('H100 SXM5');
  await gpu.press('Enter');
  await expect(paid).toHaveValue('2.5');
  await gpu.fill('H200');
  await gpu.press('Enter');
  await expect(paid).toHaveValue('3.5');
});

test('on a phone the table scrolls by itself', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await open(page, MIXTRAL);
  await ask(page);
  await price(page, 'H200 SXM').fill('3.5');
  await expect(cost(page, 'H200 SXM')).toContainText('$');
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
});

test('61 layers go on 16 stages with one press', async ({ page }) => {
  await open(page, '?v=1&model=deepseek-v3&mode=training&gpu=h800-sxm&pp=16&ep=64&dp=128&tokens=14.8e12&price=2');
  const plan = page.locator('.plan[data-chosen]');
  await expect(plan).toContainText('These settings do not go together');
  await plan.getByRole('button', { name: /Implementation .*megatron/ }).click();
  await expect(plan).not.toContainText('These settings do not go together');
  await expect(page.locator('#plan-pipeline_model_parallel_layout')).toHaveValue('Et*3|t*3|(t*4|)*13t*3L');
  await expect(page.locator('tr[data-figure="gpus"] td').first()).toHaveText('2,048');
});
