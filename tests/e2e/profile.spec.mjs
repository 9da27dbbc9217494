// The profile: an example before anything is given, numbers pasted or typed beside the estimate of the page, and nothing of a text but its numbers.

import { expect, test } from './fixtures.mjs';
import { plain, spoken } from './page.mjs';

const figure = (wall) => wall.page.locator('#figure-profile');
const sentence = (wall) => spoken(figure(wall).locator('#profile-sentence'));
const said = (wall) => spoken(figure(wall).locator('#profile-said'));
const box = (wall) => figure(wall).getByRole('textbox', { name: 'Paste what your run printed' });

const STATS = "OrderedDict({'allocated_bytes.all.current': 1, 'allocated_bytes.all.peak': 15032385536, 'reserved_bytes.all.peak': 16106127360})";
const HOSTILE = '<img src=x onerror="window.hit=1"><script>window.hit=1</script>';

test('an example stands there until a number is given, and comes back', async ({ wall, page }) => {
  await wall.goto();
  const example = await sentence(wall);
  expect(example).toContain('Likeliest: attention ran in separate kernels');
  await box(wall).fill(STATS);
  await wall.settle();
  expect(await said(wall)).toBe('Allocated at the peak: 15.0 GB. Reserved at the peak: 16.1 GB. Used, by nvidia-smi: not in the text.');
  expect(await sentence(wall)).toContain('PyTorch allocated 15.0 GB at the peak');
  await figure(wall).getByText('Or type the numbers').click();
  await expect(figure(wall).getByRole('textbox', { name: 'Allocated, in bytes' })).toHaveValue('15.0\u202fGB');
  await expect(figure(wall).locator('.fall[data-expected]')).toHaveCount(3);
  expect(wall.query()).toBe('');
  await figure(wall).getByRole('button', { name: 'Back to the example' }).press('Enter');
  await wall.settle();
  await expect(box(wall)).toBeFocused();
  await expect(box(wall)).toHaveValue('');
  expect(await sentence(wall)).toBe(example);
  await expect(page.locator('.field-error:visible')).toHaveCount(0);
});

test('numbers are typed by keyboard, follow the unit, and are in no link', async ({ wall, page }) => {
  await wall.goto();
  await figure(wall).getByText('Or type the numbers').press('Enter');
  const used = figure(wall).getByRole('textbox', { name: 'nvidia-smi, in MiB' });
  await figure(wall).getByRole('textbox', { name: 'Allocated, in bytes' }).focus();
  await page.keyboard.type('14 GiB');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await expect(used).toBeFocused();
  await page.keyboard.type('lots');
  await wall.settle();
  await expect(used).toHaveAttribute('aria-invalid', 'true');
  await expect(figure(wall).locator('.field-error:visible')).toContainText('is no size');
  await used.fill('16000');
  await wall.settle();
  await page.getByRole('button', { name: 'GiB', exact: true }).click();
  await wall.settle();
  expect(await sentence(wall)).toContain('PyTorch allocated 14.0 GiB');
  await page.waitForTimeout(500);
  expect(wall.query()).toBe('?v=1&unit=gib');
});

test('what is pasted never becomes part of the page', async ({ wall, page }) => {
  await wall.goto();
  for (const text of [HOSTILE, `${HOSTILE} {'allocated_bytes.all.peak': nan}`, `'allocated_bytes.all.peak': -5 ${HOSTILE}`, '9'.repeat(100_000)]) {
    await box(wall).fill(text);
    await wall.settle();
    expect(await said(wall)).not.toBe('');
    expect(await page.evaluate(() => [window.hit ?? 0, document.querySelectorAll('main img, main script').length])).toEqual([0, 0]);
    expect(await figure(wall).locator('#profile-said').evaluate((place) => place.children.length)).toBe(0);
  }
  expect(await sentence(wall)).toContain('Likeliest');
});

test('without the program the example, its table and the code are there, and nothing that cannot work', async ({ visitor }) => {
  const wall = await visitor({ javaScriptEnabled: false });
  await wall.goto('', { live: false });
  expect(await sentence(wall)).toContain('Likeliest: attention ran in separate kernels');
  await expect(wall.page.locator('pre.code .code-call').filter({ hasText: 'max_memory_allocated' })).toHaveCount(1);
  await expect(box(wall)).toBeHidden();
  await figure(wall).locator('summary').first().click();
  await expect(figure(wall).getByRole('row')).toHaveCount(8);
});

test('on a narrow screen nothing scrolls sideways but the code in its own region', async ({ wall, page }) => {
  await page.setViewportSize({ width: 360, height: 800 });
  await wall.goto();
  await box(wall).fill(STATS);
  await wall.settle();
  expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0);
});
