// A screen reader hears the outcome of an edit once, when the reader has paused.

import { expect, test } from './fixtures.mjs';
import { plain } from './page.mjs';

/** Records what is announced from now on, with the time of each. */
async function listen(page) {
  await page.evaluate(() => {
    window.heard = [];
    const place = document.getElementById('announcer');
    new MutationObserver(() => window.heard.push({ text: place.textContent, at: performance.now() })).observe(place, {
      childList: true,
      characterData: true,
      subtree: true,
    });
  });
  return () => page.evaluate(() => window.heard);
}

test('nothing is announced before an edit', async ({ wall, page }) => {
  await wall.goto('seq=8192');
  await page.waitForTimeout(1_000);
  await expect(wall.announcer).toHaveText('');
  await expect(wall.announcer).toHaveAttribute('role', 'status');
});

test('a burst of edits is announced once, with its outcome', async ({ wall, page }) => {
  await wall.goto();
  const heard = await listen(page);
  await wall.seq.slider.focus();
  for (let press = 0; press < 12; press += 1) await page.keyboard.press('ArrowRight');
  expect(await heard()).toEqual([]);
  await expect.poll(async () => (await heard()).length).toBe(1);
  await page.waitForTimeout(1_000);
  const [{ text }] = await heard();
  expect(await heard()).toHaveLength(1);
  const { size } = await wall.bucket('total');
  expect(plain(text)).toMatch(new RegExp(`^${size.replace('.', '\\.')}\\. It fits with [\\d.]+ GB to spare$`));
});

test('steady edits are announced at most once in 700 ms', async ({ wall, page }) => {
  await wall.goto();
  const heard = await listen(page);
  for (let round = 0; round < 8; round += 1) {
    await wall.batch.more.click();
    // Pauses shorter and longer than the rest that is waited for.
    await page.waitForTimeout(round % 3 === 2 ? 800 : 150);
  }
  await wall.setSeq(200_000);
  await expect.poll(async () => plain((await heard()).at(-1)?.text ?? '')).toContain('It does not fit');
  const times = (await heard()).map((one) => one.at);
  expect(times.length).toBeGreaterThanOrEqual(2);
  expect(times.length).toBeLessThanOrEqual(4);
  for (const [place, at] of times.slice(1).entries()) expect(at - times[place]).toBeGreaterThanOrEqual(700);
});
