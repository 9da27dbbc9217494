// A GPU of one's own in the planner: its numbers, what they give, and what is not said without them.

import AxeBuilder from '@axe-core/playwright';

import { expect, test } from './fixtures.mjs';

async function open(page, query = '') {
  await page.goto(`/plan.html${query}`);
  await page.locator('html[data-live]').waitFor({ state: 'attached' });
}

const field = (page, name) => page.locator(`#plan-${name}`);

test('a GPU of one’s own begins with the numbers of the one that was chosen, and goes into the link', async ({ page, visitor }) => {
  await open(page);
  await expect(field(page, 'gpu_bandwidth')).toBeHidden();
  await page.getByRole('button', { name: 'GPU of my own' }).click();
  await expect(field(page, 'gpu')).toHaveValue('GPU of my own');
  await expect(field(page, 'gpu_bandwidth')).toHaveValue('3350');
  await expect(field(page, 'gpu_capability')).toHaveValue('9.0');
  await expect(page.locator('#plan-2 .why')).toContainText('The capacity is the number that you gave.');
  await expect(page).toHaveURL(/gpu=own&gpu_memory=/);
  const other = await visitor();
  await other.page.goto(page.url());
  await other.page.locator('html[data-live]').waitFor({ state: 'attached' });
  await expect(field(other.page, 'gpu_tflops')).toHaveValue('989');
});

test('its numbers give the verdict and the speed, and without bandwidth no speed is said', async ({ page }) => {
  await open(page, '?v=1&model=llama-3.1-8b&engine=vllm&seq=8192&gpu=own&gpu_memory=24&gpu_capability=8.9&gpu_bandwidth=500&gpu_tflops=100');
  const tpot = page.locator('tr[data-figure="tpot"] td').first();
  const slow = Number.parseFloat(await tpot.textContent());
  await field(page, 'gpu_bandwidth').fill('1000');
  await expect.poll(async () => Number.parseFloat(await tpot.textContent())).toBeLessThan(slow * 0.6);
  await field(page, 'gpu_bandwidth').fill('');
  await expect(page.locator('#plan-0 .why')).toContainText('No speed is said without “Memory bandwidth, GB/s”.');
  await expect(page.locator('tr[data-figure="tpot"]')).toBeHidden();
  await field(page, 'gpu_memory').fill('12');
  await expect(page.locator('#plan-0 .verdict')).toContainText('It does not fit');
  await field(page, 'gpu_memory').fill('lots');
  await field(page, 'gpu_memory').blur();
  await expect(page.locator('#plan-gpu_memory-error')).toContainText('“lots” is no memory');
});

test('what a runtime has to know is asked for by name', async ({ page }) => {
  await open(page, '?v=1&model=llama-3.1-8b&engine=vllm&gpu=own&gpu_memory=24');
  await expect(page.locator('#plan-0 .why')).toContainText('gpu_capability');
  await field(page, 'gpu_capability').selectOption('8.9');
  await expect(page.locator('#plan-0 .verdict')).toContainText('It fits');
  await field(page, 'gpu_capability').selectOption('7.0');
  await expect(page.locator('#plan-0 .verdict')).toContainText('These settings do not go together');
});

test('a GPU of the list takes its place, and nothing of it stays', async ({ page }) => {
  await open(page, '?v=1&model=llama-3.1-8b&gpu=own&gpu_memory=24&gpu_bandwidth=500&gpu_tflops=100');
  await field(page, 'gpu').fill('L40S');
  await expect(field(page, 'gpu_bandwidth')).toBeHidden();
  await expect(page).toHaveURL(/gpu=l40s$/);
});

test('its fields are clean for axe, and fit on a phone', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 800 });
  await open(page, '?v=1&model=llama-3.1-8b&engine=vllm&gpu=own&gpu_memory=24&gpu_capability=8.9&gpu_bandwidth=500&gpu_tflops=100');
  const { violations } = await new AxeBuilder({ page }).include('[data-group="gpus"]').analyze();
  expect(violations).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
});
