// Sorting eight operations: a guess, a check with reasons, the next GPU; by keyboard alone, and without a program.

import AxeBuilder from '@axe-core/playwright';
import { expect, test } from './fixtures.mjs';
import { plain } from './page.mjs';

/** Every operation in the order of the page, its side on the first card, and its intensity. */
const SIDES = {
  gemm: ['compute', '1,365'],
  relu: ['memory', '0.250'],
  token: ['memory', '1.00'],
  softmax: ['memory', '1.25'],
  batch: ['compute', '237'],
  flash: ['compute', '1,639'],
  layer_norm: ['memory', '2.00'],
  cache: ['memory', '4.00'],
};

const figure = (page) => page.locator('#figure-sort');
const group = (page, id) => figure(page).locator(`[data-control="${id}"]`);
const row = (page, id) => page.locator(`.sort-row:has([data-control="${id}"])`);
const buttons = (page, place) => figure(page).locator(place).getByRole('button');
const score = (page) => figure(page).locator('.sort-foot .sort-score');

/** Presses Tab until the focus is within a place. */
async function tabTo(page, place) {
  for (let presses = 0; presses < 200; presses += 1) {
    if (await place.evaluate((one) => one.contains(document.activeElement))) return;
    await page.keyboard.press('Tab');
  }
  throw new Error('the focus never came there');
}

/** Chooses a side in the group that has the focus. */
async function press(page, id, side) {
  await page.keyboard.press('Space');
  if (side === 'compute') await page.keyboard.press('ArrowRight');
  await expect(group(page, id).locator(`input[value="${side}"]`)).toBeChecked();
}

test('all eight are sorted, checked and counted by keyboard alone', async ({ wall, page }) => {
  await wall.goto();
  await page.locator('#figure-opening').evaluate((one) => one.scrollIntoView());
  await expect(score(page)).toHaveText('0 of 8 guessed');
  for (const [place, id] of Object.keys(SIDES).entries()) {
    await tabTo(page, group(page, id));
    // All for memory: five of the eight are.
    await press(page, id, 'memory');
    await expect(score(page)).toHaveText(`${place + 1} of 8 guessed`);
  }
  const [check] = await buttons(page, '.sort-foot').all();
  await tabTo(page, check);
  await page.keyboard.press('Enter');
  await expect(score(page)).toHaveText('5 of 8 right.');
  await expect(check).toBeFocused();
  await expect(check).toHaveText('Ask me again');
  for (const [id, [side, intensity]] of Object.entries(SIDES)) {
    await expect(row(page, id)).toHaveAttribute('data-mark', side === 'memory' ? 'right' : 'wrong');
    // The guess stays to be seen, and stays what it was.
    await expect(row(page, id)).toHaveAttribute('data-guess', 'memory');
    await expect(row(page, id).locator('.ghost-memory')).toHaveCSS('visibility', 'visible');
    await expect(group(page, id).locator('input[value="memory"]')).toBeDisabled();
    await expect(group(page, id).locator('input[value="memory"]')).toBeChecked();
    const truth = row(page, id).locator('.sort-truth');
    await expect(truth).toContainText(`${side === 'memory' ? 'Right. Memory' : 'Not quite. Compute'}-bound on A100 SXM4 80GB, ${intensity} FLOP per byte.`);
    await expect(truth.locator('.slip')).toBeVisible({ visible: side !== 'memory' });
  }
  await page.keyboard.press('Enter');
  await expect(score(page)).toHaveText('0 of 8 guessed');
  await expect(figure(page).locator('.sort-truth').first()).toBeHidden();
});

test('the dot goes from the guess to the truth', async ({ wall, page }) => {
  await wall.goto();
  const dot = row(page, 'relu').locator('.strip-dot');
  await expect(dot).toHaveCSS('visibility', 'hidden');
  await group(page, 'relu').locator('input[value="compute"]').check({ force: true });
  await expect(dot).toHaveCSS('visibility', 'visible');
  const guessed = parseFloat(await dot.getAttribute('cx'));
  await buttons(page, '.sort-foot').first().click();
  await wall.settle();
  const truth = parseFloat(await dot.getAttribute('cx'));
  const ridge = parseFloat(await row(page, 'relu').locator('.strip-ridge').getAttribute('x'));
  expect(guessed).toBeGreaterThan(ridge);
  expect(truth).toBeLessThan(ridge);
});

test('one press skips, and the same press hides again', async ({ wall, page }) => {
  await wall.goto();
  const show = figure(page).locator('.sort-foot').getByRole('button', { name: 'Show me' });
  await show.focus();
  await page.keyboard.press('Space');
  await expect(figure(page).locator('.sort-truth').filter({ visible: true })).toHaveCount(8);
  await expect(figure(page).locator('.slip').filter({ visible: true })).toHaveCount(0);
  await expect(score(page)).toHaveText('These are the answers; nothing was guessed and nothing is counted.');
  const hide = figure(page).locator('.sort-foot').getByRole('button', { name: 'Hide the answers' });
  await expect(hide).toBeFocused();
  await page.keyboard.press('Space');
  await expect(figure(page).locator('.sort-truth').filter({ visible: true })).toHaveCount(0);
});

test('on the next GPU the ridge moves, and the reason of every option is there', async ({ wall, page }) => {
  await wall.goto();
  const ridge = row(page, 'batch').locator('.strip-ridge');
  const before = parseFloat(await ridge.getAttribute('x'));
  await tabTo(page, group(page, 'ridge'));
  await page.keyboard.press('Space');
  await page.keyboard.press('ArrowRight');
  await expect(group(page, 'ridge').locator('input[value="fewer"]')).toBeChecked();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  const reasons = figure(page).locator('.reasons');
  await expect(reasons.locator('.reason')).toHaveCount(3);
  await expect(reasons.locator('.reason[data-right]')).toContainText(/^more.*from 153 to 295.*6 are memory-bound instead of 5\./s);
  await expect(reasons.locator('.yours').filter({ visible: true })).toHaveCount(1);
  await expect(reasons.locator('.reason', { has: page.locator('.yours:visible') })).toContainText('Faster memory does speed up');
  expect(parseFloat(await ridge.getAttribute('x'))).toBeGreaterThan(before);
  const moved = figure(page).locator('.sort-both tr[data-moved]');
  await expect(moved).toHaveCount(1);
  await expect(moved.getByRole('cell')).toHaveText(['237', 'compute-bound', 'memory-bound', '2.54×', 'changes sides']);
  // The link says nothing of it.
  expect(wall.query()).toBe('');
});

test('the outcome is announced, once', async ({ wall, page }) => {
  await wall.goto();
  await page.evaluate(() => {
    window.heard = [];
    const place = document.getElementById('announcer');
    new MutationObserver(() => window.heard.push(place.textContent)).observe(place, { childList: true, characterData: true, subtree: true });
  });
  for (const id of ['gemm', 'relu']) await group(page, id).locator('input[value="memory"]').check({ force: true });
  await buttons(page, '.sort-foot').first().click();
  await expect(wall.announcer).toHaveText('1 right of the 2 that you guessed; 8 were asked.');
  await page.waitForTimeout(1_000);
  expect(await page.evaluate(() => window.heard)).toHaveLength(1);
  await group(page, 'ridge').locator('input[value="more"]').check({ force: true });
  await buttons(page, '.sort-next').first().click();
  await expect(wall.announcer).toHaveText('Right. The answer is: more.');
});

for (const width of [360, 1280]) {
  test(`open at ${width} px: no violation, nothing to scroll sideways, every button can be hit`, async ({ wall, page }) => {
    await page.setViewportSize({ width, height: 900 });
    await wall.goto();
    await group(page, 'gemm').locator('input[value="memory"]').check({ force: true });
    await buttons(page, '.sort-foot').first().click();
    await buttons(page, '.sort-next').last().click();
    await wall.settle();
    const { violations } = await new AxeBuilder({ page }).include('#roofline').withTags(['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa']).analyze();
    expect(violations.map((one) => `${one.id}: ${one.nodes[0].target}`)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0);
    for (const one of await figure(page).locator('.radio, .reveal button').all()) {
      const box = await one.boundingBox();
      expect(Math.min(box.width, box.height)).toBeGreaterThanOrEqual(24);
    }
  });
}

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('all answers can be read', async ({ wall, page }) => {
    await wall.goto('', { live: false });
    const answers = figure(page).locator('.sort-answers');
    await expect(answers.locator('table')).toBeHidden();
    await answers.locator('summary').click();
    const rows = await answers.locator('tbody tr').evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => cell.innerText).join(' ')));
    expect(rows).toHaveLength(8);
    for (const [place, [side, intensity]] of Object.values(SIDES).entries()) {
      expect(plain(rows[place])).toContain(`${intensity} ${side}-bound`);
      expect(plain(rows[place]).length).toBeGreaterThan(90);
    }
    await expect(answers.locator('li')).toHaveCount(3);
    await expect(answers.locator('li').first()).toContainText('The ridge moved from 153 to 295');
    await expect(page.locator('#figure-worked_roofline tbody tr', { hasText: 'Anything of intensity 3' })).toContainText(/memory\s*6\.00\sTFLOP\/s\s*1\.9%/);
  });
});

test('the table of contents counts what was done, and keeps it', async ({ wall, page }) => {
  await wall.goto();
  const entry = page.locator('.contents li', { has: page.locator('a[href="#roofline"]') });
  await expect(entry.locator('.done')).toHaveText('');
  const check = buttons(page, '.sort').filter({ hasText: /^Check$/ }).first();
  await check.click();
  await expect(score(page)).toHaveText('Guess first, or let it be shown.');
  await expect(page.locator('#announcer')).toHaveText('Guess first, or let it be shown.');
  await group(page, 'relu').locator('input[value="memory"]').check({ force: true });
  await expect(score(page)).toHaveText('1 of 8 guessed');
  await check.click();
  await expect(entry.locator('.done')).toHaveText('1 of 2 done');
  await wall.reload();
  await expect(entry.locator('.done')).toHaveText('1 of 2 done');
});
