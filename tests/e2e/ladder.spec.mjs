// The ladder: every known fix for three runs, chosen without a program, and what comes first, asked before it is shown.

import { expect, test } from './fixtures.mjs';
import { layOut } from './page.mjs';

const ladder = (wall) => wall.page.locator('#figure-ladder');
const shown = (wall) => ladder(wall).locator('.ladder-job:visible');

test('a run is chosen by keyboard, and its ladder is shown alone', async ({ wall, page }) => {
  await wall.goto();
  await expect(shown(wall)).toHaveCount(1);
  await expect(shown(wall)).toHaveAttribute('data-job', 'tune');
  await ladder(wall).getByRole('radio', { name: 'train 1B on 24 GB' }).focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await expect(shown(wall)).toHaveCount(1);
  await expect(shown(wall)).toHaveAttribute('data-job', 'serve');
  await expect(shown(wall).getByRole('row', { name: /^KV cache in 8 bits/ })).toContainText('It fits, barely');
  expect(wall.query()).toBe('');
});

test('a rung that does nothing says why, and the ways that fit are named, the quickest first', async ({ wall }) => {
  await wall.goto();
  const job = shown(wall);
  await job.locator('summary').click();
  await expect(job.getByRole('listitem').filter({ hasText: 'Flash attention' })).toHaveText('Flash attention: flash attention is on already.');
  await expect(job.locator('.ladder-ways li')).toContainText([/^Another GPU, the same results: RTX PRO 5000 Blackwell 72GB/, /^The same GPU, the same results: a chunked loss, offloading/]);
});

test('what comes first is asked, and every option has its reason', async ({ wall, page }) => {
  await wall.goto();
  const asked = page.locator('#figure-rungs');
  await layOut(page);
  await asked.getByRole('group', { name: 'A chunked loss, or full checkpointing?' }).getByRole('radio', { name: 'A chunked loss' }).check({ force: true });
  await expect(asked.locator('.reason:visible')).toHaveCount(0);
  await asked.getByRole('button').first().press('Enter');
  await wall.settle();
  await expect(asked.locator('.reason:visible')).toHaveCount(6);
  await expect(asked.locator('.rungs-said')).toHaveText(['Right.', '', '']);
  await expect(asked.locator('.sort-score')).toHaveText('1 right of the 1 that you guessed; 3 were asked.');
});

test('without the program the ladders can still be chosen', async ({ visitor }) => {
  const wall = await visitor({ javaScriptEnabled: false });
  await wall.goto('', { live: false });
  await layOut(wall.page);
  await ladder(wall).getByRole('radio', { name: 'train 8B on 80 GB' }).check({ force: true });
  await expect(shown(wall)).toHaveAttribute('data-job', 'train');
  await wall.page.setViewportSize({ width: 360, height: 800 });
  expect(await wall.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0);
});
