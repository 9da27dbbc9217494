// How teams cope: ticks are painted and answered without any program, and directions lead to the figures that they change.

import { expect, test } from './fixtures.mjs';
import { plain, spoken } from './page.mjs';

const cell = (page, name) => page.getByRole('checkbox', { name, exact: true });
const counted = (page, which) => page.locator(`.paint-${which}`).evaluate((element) => getComputedStyle(element, '::before').content);

test('painted by keyboard, answers stay hidden until they are asked for', async ({ wall, page }) => {
  await wall.goto();
  await cell(page, 'LoRA: Gradients').focus();
  await page.keyboard.press('Space');
  await cell(page, 'FlashAttention: Logits and loss').or(page.getByRole('checkbox', { name: /^FlashAttention: Logits/ })).first().focus();
  await page.keyboard.press('Space');
  const truth = page.locator('.paint-table tr', { hasText: 'LoRA' }).locator('.paint-truth');
  await expect(truth.first()).toBeHidden();
  await page.getByText('Show what the engine says, and why').focus();
  await page.keyboard.press('Enter');
  await expect(truth.first()).toBeVisible();
  expect((await truth.allInnerTexts()).map(plain)).toEqual(['+1.2%', '−99%', '−99.6%', '+8.0%', 'same']);
  await expect(cell(page, 'LoRA: Gradients')).toBeChecked();
  await expect(page.locator('.paint-score')).toBeVisible();
  await expect(page.locator('.paint-score')).toContainText('of 15 found');
  expect(await counted(page, 'hits')).toContain('counter');
});

test('every direction has a status, a source, and a link to a figure that is there', async ({ wall, page }) => {
  await wall.goto();
  const links = page.locator('.next-source a');
  expect(await links.count()).toBe(11);
  for (const link of await links.all()) await expect(page.locator(await link.getAttribute('href'))).toHaveCount(1);
  await expect(page.locator('.next-group')).toHaveCount(3);
  expect(await spoken(page.locator('.next'))).toContain('A stack of HBM3 moves 819 GB/s, the HBM3E of B200 (HGX/DGX) 963, HBM4 2,048.');
});

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('it can be painted and opened', async ({ wall, page }) => {
    await wall.goto('', { live: false });
    await cell(page, 'LoRA: Gradients').check();
    await page.getByText('Show what the engine says, and why').click();
    await expect(page.locator('.paint-truth').first()).toBeVisible();
    await expect(page.getByText('Nearly nothing is trained')).toBeVisible();
  });
});

test('at 360 px nothing but the table scrolls sideways', async ({ wall, page }) => {
  await page.setViewportSize({ width: 360, height: 800 });
  await wall.goto();
  expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBeLessThanOrEqual(0);
});
