// From 7 to 700 billion parameters: division first, then what is needed, reason by reason.

import { expect, test } from './fixtures.mjs';
import { plain } from './page.mjs';

const rows = async (page) =>
  page.locator('#figure-scaling .size-row:not(.size-heads)').evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent.replace(/\s+/g, ' '))));

const CLASSIC = [
  ['7B', '14.0 GB', '1', '1'],
  ['70B', '140 GB', '2', '2'],
  ['175B', '350 GB', '5', '8'],
  ['700B', '1.40 TB', '18', '24'],
];

test('what the GPUs are for is chosen by keyboard, changes every row and the link', async ({ wall, page }) => {
  await wall.goto();
  expect(await rows(page)).toEqual(CLASSIC);
  const figure = page.locator('#figure-scaling');
  await figure.getByRole('radio', { name: 'hold the weights' }).focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await wall.settle();
  await expect(figure.getByRole('radio', { name: 'train', exact: true })).toBeFocused();
  expect(await rows(page)).toEqual([
    ['7B', '112 GB', '2', '2'],
    ['70B', '1.12 TB', '14', '24'],
    ['175B', '2.80 TB', '35', '48'],
    ['700B', '11.2 TB', '140', '168'],
  ]);
  await expect(figure.locator('.summary')).toContainText('in which every layer is recomputed and each GPU has one sequence of 4,096 tokens');
  await figure.locator('.size[data-size="70b"] summary').click();
  const lines = (await figure.locator('.size[data-size="70b"] .why li:visible').allInnerTexts()).map(plain);
  expect(lines.at(-1)).toMatch(/^to train on 1.40 T tokens, .* 5.53 to 8.29 years$/);
  await expect.poll(() => wall.query()).toBe('?v=1&scale=train');
});

test('a row opens into its reasons, and only those of the purpose', async ({ wall, page }) => {
  await wall.goto('scale=serve');
  const row = page.locator('.size[data-size="70b"]');
  await row.locator('summary').focus();
  await page.keyboard.press('Enter');
  await expect(row).toHaveAttribute('open', '');
  const lines = (await row.locator('.why li:visible').allInnerTexts()).map(plain);
  expect(lines).toHaveLength(6);
  expect(lines[0]).toBe('140 GB divided by the 80 GB on the box 2');
  expect(lines[3]).toBe('with 21.5 GB of KV cache for 16 requests of 4,096 tokens 3');
  expect(lines[5]).toMatch(/ 4$/);
});

test('it follows the GPU and the format, and says where no number of GPUs does', async ({ wall, page }) => {
  await wall.goto('gpu=h200-sxm&weights=fp8&scale=serve');
  expect((await rows(page))[3]).toEqual(['700B', '705 GB', '6', '8']);
  await wall.goto('gpu=t4&scale=train');
  // ZeRO-3 alone leaves no room for a layer and its activations, groups of eight do; the dot stays at the end of the scale.
  expect((await rows(page))[3]).toEqual(['700B', '11.2 TB', '700', '2,472']);
  await expect(page.locator('.scaling-table tbody tr').nth(3).locator('td').nth(4)).toHaveText('none');
  await expect(page.locator('.size[data-size="700b"] .lane-needed')).toHaveAttribute('cx', /^100(\.0+)?%$/);
});

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('the classic table stands there, with its reasons', async ({ wall, page, visitor }) => {
    await wall.goto('', { live: false });
    const live = await visitor();
    await live.goto();
    expect(await rows(page)).toEqual(CLASSIC);
    expect(await rows(live.page)).toEqual(CLASSIC);
    await page.locator('.size[data-size="700b"] summary').click();
    await expect(page.locator('.size[data-size="700b"] .why li:visible').nth(1)).toContainText('17');
  });
});

test('at 360 px nothing scrolls sideways', async ({ wall, page }) => {
  await page.setViewportSize({ width: 360, height: 800 });
  await wall.goto('scale=train&gpu=rtxpro6000');
  await page.locator('.size').evaluateAll((all) => all.forEach((row) => (row.open = true)));
  expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0);
});
