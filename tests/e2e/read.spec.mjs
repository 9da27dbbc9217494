// Sections that were read are marked in the contents, remembered on this device, and forgotten with the answers when asked to.

import AxeBuilder from '@axe-core/playwright';
import { expect, test } from './fixtures.mjs';

const READ = 'memory-wall.v1.read';
const PROGRESS = 'memory-wall.v1.progress';
const kept = (page, key) => page.evaluate((key) => localStorage.getItem(key), key);
const entry = (page, id) => page.locator('.contents li', { has: page.locator(`a[href="#${id}"]`) });

/** Comes to the end of a section and stays there for some seconds. */
async function stay(page, id, seconds) {
  const end = page.locator(`#${id} + .neighbours`);
  // What is laid out on the way moves the place.
  for (let tries = 0; tries < 3; tries += 1) {
    await end.evaluate((end) => end.scrollIntoView({ block: 'end', behavior: 'instant' }));
    await page.waitForTimeout(150);
  }
  await page.clock.runFor(seconds * 1_000);
}

test('a section that was read is marked, and stays so until it is forgotten', async ({ wall, page }) => {
  await page.clock.install();
  await wall.goto();
  const line = page.locator('.contents .forget');
  await expect(page.locator('.contents .read')).toHaveCount(0);
  await expect(line).toBeHidden();
  // Who leaps past it has not read it.
  await stay(page, 'roofline', 5);
  await expect(page.locator('.contents .read')).toHaveCount(0);
  await stay(page, 'hierarchy', 35);
  await expect(entry(page, 'hierarchy').locator('.read')).toHaveText('read');
  expect(await kept(page, READ)).toBe('hierarchy');
  await page.reload();
  await expect(entry(page, 'hierarchy').locator('.read')).toHaveText('read');
  await expect(page.locator('.contents .read')).toHaveCount(1);
  await expect(line).toBeVisible();
  await page.locator('.contents').scrollIntoViewIfNeeded();
  const { violations } = await new AxeBuilder({ page }).include('.contents').analyze();
  expect(violations.map(({ id }) => id)).toEqual([]);

  page.once('dialog', (dialog) => dialog.dismiss());
  await line.getByRole('button').click();
  await expect(page.locator('.contents .read')).toHaveCount(1);
  page.once('dialog', (dialog) => dialog.accept());
  await line.getByRole('button').click();
  await expect(page.locator('.contents .read')).toHaveCount(0);
  await expect(line).toBeHidden();
  await expect(page.locator('.contents')).toBeFocused();
  expect(await kept(page, READ)).toBe('');
});

test('answers are forgotten with it', async ({ wall, page }) => {
  await wall.goto();
  await page.locator('.sort .predict[data-question="relu"], .sort [data-question="relu"]').first().locator('input[value="memory"]').check({ force: true });
  await expect.poll(() => kept(page, PROGRESS)).toContain('relu');
  const button = page.locator('.contents .forget').getByRole('button');
  page.once('dialog', (dialog) => dialog.accept());
  await button.click();
  await expect(page.locator('.contents .forget')).toBeHidden();
  await expect.poll(() => kept(page, PROGRESS)).toBeNull();
  await page.reload();
  await expect(page.locator('.sort input:checked')).toHaveCount(0);
});

test('what is kept and names no section marks none', async ({ wall, page }) => {
  await page.goto('icon.svg');
  await page.evaluate((key) => localStorage.setItem(key, 'oom nonsense <b> oom __proto__ '), READ);
  await wall.goto();
  await expect(page.locator('.contents .read')).toHaveCount(1);
  await expect(entry(page, 'oom').locator('.read')).toHaveText('read');
});
