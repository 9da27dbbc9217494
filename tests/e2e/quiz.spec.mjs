// The self-check: typed numbers with named slips, a hint before the answer, fresh numbers, options in another order at each attempt, reasons for
// every option, and progress that is kept on the device.

import AxeBuilder from '@axe-core/playwright';
import { readFile } from 'node:fs/promises';
import { expect, test } from './fixtures.mjs';
import { spoken } from './page.mjs';

const KEY = 'memory-wall.v1.progress';
const question = (page, id) => page.locator(`[id="quiz-${id}"]`);
const check = (page, id) => question(page, id).locator('.reveal .check');
const said = (page, id) => question(page, id).locator('.quiz-said');
const ask = (page, id) => spoken(question(page, id).locator('.ask').filter({ visible: true }));
const hints = (page, id) => question(page, id).locator('.hints p').filter({ visible: true });
/** An option by the number under which it is kept: it stands elsewhere at each attempt. */
const option = (page, id, number) => question(page, id).locator(`.quiz-option input[value="${number}"]`);
const kept = (page) => page.evaluate((key) => localStorage.getItem(key), KEY);

test('a number is read with its unit, its slip is named, and the next try has fresh numbers', async ({ wall, page }) => {
  await wall.goto();
  const id = 'kv_cache.size';
  const field = question(page, id).getByRole('textbox', { name: 'Your answer, with its unit' });
  const first = await ask(page, id);
  expect(first).toContain('8 sequences of 32,768 tokens');
  await check(page, id).click();
  await expect(question(page, id).getByRole('status')).toHaveText('Answer first, or open the answer.');
  await field.fill('a lot');
  await page.keyboard.press('Enter');
  await expect(question(page, id).getByRole('status')).toContainText('“a lot” is not a number');
  await expect(field).toBeFocused();
  // By keyboard alone from here: half of it, since keys and values both need storing.
  await field.fill('68.7 GB');
  await page.keyboard.down('Enter');
  // Held down, it presses nothing more.
  await page.keyboard.down('Enter');
  await page.keyboard.up('Enter');
  await expect(said(page, id)).toHaveText('Not this. Here is a hint, and you have one more try.');
  await expect(hints(page, id)).toHaveText(['Exactly half: keys and values both need storing.']);
  await expect(question(page, id).locator('.solution'), 'the answer is not given away').not.toHaveAttribute('open', '');
  await expect(wall.announcer).toContainText('Here is a hint');
  await expect(field).toBeEnabled();
  await page.keyboard.press('Enter');
  await expect(question(page, id).getByRole('status')).toHaveText('This is the same answer as before. Change it, or open the answer.');
  await expect(said(page, id), 'which is no second try').toHaveText('Not this. Here is a hint, and you have one more try.');
  await field.fill('64 GiB');
  await page.keyboard.press('Enter');
  await expect(check(page, id), 'the field is locked now').toBeFocused();
  await expect(said(page, id)).toHaveText('Not this. It is a known slip, marked below.');
  await expect(hints(page, id)).toHaveCount(0);
  await expect(question(page, id).locator('.slips [data-hit]')).toHaveText('Exactly half: keys and values both need storing.');
  await expect(wall.announcer).toContainText('a known slip');
  expect(await spoken(question(page, id).locator('.working').filter({ visible: true }))).toContain('= 137 GB, which is 128 GiB');
  await page.keyboard.press('Enter');
  await expect(field).toBeEnabled();
  await expect(field).toHaveValue('');
  expect(await ask(page, id)).not.toBe(first);
  for (const typed of ['17.2', '17,2 GB', '16 GiB', '17.18e9 B', '17 200 MB']) {
    await field.fill(typed);
    await check(page, id).click();
    await expect(said(page, id), typed).toHaveText('Right.');
    // Six sets of numbers: five times further they are the same again.
    for (let tries = 0; tries < 6; tries += 1) {
      await check(page, id).click();
      if (tries < 5) {
        for (const wrong of ['1', '2']) {
          await field.fill(wrong);
          await check(page, id).click();
        }
      }
    }
  }
});

test('options, orders and diagnoses are answered by keyboard and explained one by one', async ({ wall, page }) => {
  await wall.goto();
  const three = question(page, 'roofline.three');
  await option(page, 'roofline.three', 1).focus();
  await page.keyboard.press('Space');
  await check(page, 'roofline.three').press('Enter');
  await expect(said(page, 'roofline.three')).toHaveText('Not this. Here is a hint, and you have one more try.');
  await expect(hints(page, 'roofline.three')).toHaveCount(1);
  await expect(hints(page, 'roofline.three')).toContainText('The first half is right.');
  await option(page, 'roofline.three', 2).focus();
  await page.keyboard.press('Space');
  await expect(hints(page, 'roofline.three'), 'it stays while the next answer is chosen').toContainText('The first half is right.');
  await check(page, 'roofline.three').press('Enter');
  await expect(said(page, 'roofline.three')).toHaveText('Not this. The reasons are below.');
  await expect(three.locator('.yours').filter({ visible: true })).toHaveCount(1);
  await expect(three.locator('.reason')).toHaveCount(4);
  await expect(page.locator('.scores [data-b$="/roofline"]')).toHaveText('0 of 2');
  await expect(three.locator('.reason[data-right]')).toContainText('6.12 TFLOP/s');
  const oom = question(page, 'oom.backward');
  // Only one of the two causes, and nothing wrong: what the hint says is that something is missing.
  await option(page, 'oom.backward', 2).check();
  await option(page, 'oom.backward', 6).check();
  await check(page, 'oom.backward').click();
  await expect(hints(page, 'oom.backward')).toContainText('Two causes and one fix');
  await option(page, 'oom.backward', 0).check();
  await check(page, 'oom.backward').click();
  await expect(said(page, 'oom.backward')).toHaveText('Right, with the help of a hint.');
  await expect(oom.locator('.reason[data-right] .yours').filter({ visible: true })).toHaveCount(3);
  const order = question(page, 'hierarchy.order');
  const parts = ['Registers', 'L2 cache', 'The GPU\'s own memory', 'Host memory over PCIe', 'An NVMe drive'];
  await order.getByRole('combobox', { name: 'Place 1' }).selectOption(parts[0]);
  await check(page, 'hierarchy.order').click();
  await expect(order.getByRole('status')).toHaveText('Answer first, or open the answer.');
  for (const [place, part] of parts.entries()) await order.getByRole('combobox', { name: `Place ${place + 1}` }).selectOption({ label: part });
  await check(page, 'hierarchy.order').click();
  await expect(said(page, 'hierarchy.order')).toHaveText('Right.');
  const claim = question(page, 'claims.kv13');
  await claim.getByRole('button', { name: 'It does not hold' }).click();
  await expect(said(page, 'claims.kv13')).toHaveText('Right.');
  await expect(claim.locator('details')).toContainText('It does not hold. Llama 2 13B: 107');
});

test('progress survives a reload, can be taken along, and a foul line harms nothing', async ({ wall, page, visitor }) => {
  await wall.goto();
  expect(await wall.stored()).toEqual({});
  await page.locator('[data-control="relu"] input[value="memory"]').check({ force: true });
  await option(page, 'roofline.three', 0).check();
  await check(page, 'roofline.three').click();
  await expect.poll(() => kept(page)).toContain('quiz roofline.three right slip= variant=0 asked=1 right=1');
  expect(await kept(page)).toContain('guess relu memory');
  await page.evaluate((key) => localStorage.setItem(key, `${localStorage.getItem(key)}\nquiz roofline.three gone\n<b>foul</b>`), KEY);
  await wall.reload();
  await expect(page.locator('[data-control="relu"] input[value="memory"]')).toBeChecked();
  await expect(said(page, 'roofline.three')).toHaveText('Right.');
  await expect(option(page, 'roofline.three', 0)).toBeChecked();
  await expect(page.locator('.scores [data-b$="/roofline"]')).toHaveText('1 of 1');
  await page.locator('.scores summary').click();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save as a file' }).click();
  const file = await (await download).path();
  expect(await readFile(file, 'utf8')).toContain('? <b>foul</b>');
  // On another device.
  const other = await visitor();
  await other.goto();
  await other.page.locator('.scores summary').click();
  await other.page.locator('#quiz-import').setInputFiles(file);
  await expect(other.page.locator('#quiz-file-said')).toHaveText('Brought in. Lines that were not understood and set aside: 2');
  await expect(said(other.page, 'roofline.three')).toHaveText('Right.');
  await other.page.getByRole('button', { name: 'Forget the answers of: Roofline' }).click();
  await expect(said(other.page, 'roofline.three')).toHaveText('');
  await expect.poll(() => kept(other.page)).not.toContain('quiz roofline.three right');
});

test('options stand elsewhere at each attempt, in the order of the page, and there again after a reload', async ({ wall, page }) => {
  const id = 'training.mixed';
  await wall.goto();
  const order = () => question(page, id).locator('.quiz-option input').evaluateAll((all) => all.map((one) => one.value).join(' '));
  const seen = new Set();
  for (let attempt = 0; attempt < 6; attempt += 1) {
    await wall.settle();
    seen.add(await order());
    // The arrow keys go from one to the next as they are seen.
    await question(page, id).locator('.quiz-option input').first().focus();
    await page.keyboard.press('ArrowDown');
    expect(await question(page, id).locator('.quiz-option input').nth(1).isChecked()).toBe(true);
    await option(page, id, 1).check();
    await check(page, id).click();
    await expect(said(page, id)).toHaveText('Right.');
    const reasons = question(page, id).locator('.reason');
    expect(await reasons.evaluateAll((all) => all.map((one) => one.dataset.option).join(' ')), 'reasons stand as their options do').toBe(await order());
    await expect.poll(() => kept(page)).toContain(`quiz ${id} right slip= variant=${attempt} `);
    const before = await order();
    await wall.reload();
    expect(await order()).toBe(before);
    await expect(option(page, id, 1), 'an answer is kept by what it says, not by where it stood').toBeChecked();
    await check(page, id).click();
  }
  expect(seen.size).toBeGreaterThan(2);
});

test('a hint is there again after a reload, and answers of the first version mean what they meant', async ({ wall, page }) => {
  await wall.goto();
  await option(page, 'training.mixed', 2).check();
  await check(page, 'training.mixed').click();
  await expect.poll(() => kept(page)).toContain('quiz training.mixed open slip=2 variant=0 asked=1 right=0');
  await wall.reload();
  await expect(hints(page, 'training.mixed')).toContainText('It is faster.');
  await expect(question(page, 'training.mixed')).toHaveAttribute('data-state', 'hint');
  const today = Math.floor((Date.now() - new Date().getTimezoneOffset() * 60_000) / 86_400_000);
  const line = (id, verdict, given) => `quiz ${id} ${verdict} slip= variant=0 asked=1 right=${verdict === 'right' ? 1 : 0} day=${today} step=0 given=${given}`;
  const old = [line('oom.backward', 'right', '0 2 6'), line('kv_cache.decode', 'wrong', '2'), line('hierarchy.order', 'right', '3 2 4 1 0'), line('ladder.order', 'right', '0 2 1 4 3')];
  await page.evaluate(([key, text]) => localStorage.setItem(key, text), [KEY, `memory-wall progress 1\n${old.join('\n')}\n`]);
  await wall.reload();
  await expect(said(page, 'oom.backward')).toHaveText('Right.');
  await expect(question(page, 'oom.backward').locator('.reason[data-right] .yours').filter({ visible: true })).toHaveCount(3);
  await expect(said(page, 'kv_cache.decode')).toHaveText('Not this. The reasons are below.');
  await expect(question(page, 'kv_cache.decode').locator('.reason[data-option="2"] .yours')).toBeVisible();
  await expect(question(page, 'hierarchy.order').getByRole('combobox', { name: 'Place 1' }).locator('option:checked')).toHaveText('Registers');
  // A question that is asked no more is carried along.
  await option(page, 'training.mixed', 1).check();
  await expect.poll(() => kept(page)).toContain('? quiz ladder.order right');
});

test('what was answered comes back on the next day', async ({ wall, page }) => {
  const today = Math.floor((Date.now() - new Date().getTimezoneOffset() * 60_000) / 86_400_000);
  await wall.goto();
  const line = (day) => `memory-wall progress 1\nquiz kv_cache.size right slip= variant=0 asked=1 right=1 day=${day} step=0 given=137\n`;
  const deck = page.locator('.deck a').filter({ visible: true });
  await page.evaluate(([key, text]) => localStorage.setItem(key, text), [KEY, line(today)]);
  await wall.reload();
  await expect(deck).toHaveCount(0);
  await page.evaluate(([key, text]) => localStorage.setItem(key, text), [KEY, line(today - 1)]);
  await wall.reload();
  await expect(deck).toHaveText(['The KV cache']);
  await expect(page.locator('.due')).toHaveText('To be reviewed today: 1');
  expect(await ask(page, 'kv_cache.size'), 'with fresh numbers').toContain('16 sequences');
});

test('nothing is told by an eye alone, and nothing is wider than a telephone', async ({ wall, page }) => {
  await page.setViewportSize({ width: 360, height: 800 });
  await wall.goto();
  await wall.openDetails();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  const { violations } = await new AxeBuilder({ page }).include('#check').analyze();
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`)).toEqual([]);
});

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('every question, every reason and every verdict can be read, and they are printed at the end', async ({ wall, page }) => {
    await wall.goto('', { live: false });
    await page.getByRole('link', { name: 'the self-check, to be read' }).press('Enter');
    await expect(page).toHaveURL(/check\.html/);
    const questions = page.locator('.question');
    expect(await questions.count()).toBeGreaterThanOrEqual(40);
    for (const one of await questions.all()) {
      await expect(one.locator('.ask').filter({ visible: true })).toHaveCount(1);
      await one.locator('summary').click();
      await expect(one.locator('details')).toHaveText(/\w{20}|(\S+\s+){8}/);
    }
    await expect(question(page, 'buckets.weights').locator('.working').filter({ visible: true })).toContainText('26,031,728,640 bytes');
    await expect(page.locator('.figure-quiz_key')).toBeHidden();
    await page.reload();
    await page.emulateMedia({ media: 'print' });
    await expect(page.locator('.figure-quiz_key')).toBeVisible();
    const blank = await questions.evaluateAll((all) => all.filter((one) => !(one.querySelector('.solution').getClientRects()[0]?.height > 10)).map((one) => one.id));
    expect(blank, 'every answer is printed').toEqual([]);
    const reasons = question(page, 'roofline.three').locator('.reason').filter({ visible: true });
    await expect(reasons, 'the right one alone').toHaveCount(1);
  });

  test('a link to a question leads to the way there', async ({ page }) => {
    await page.goto('/#quiz-oom.copy');
    await expect(page.locator('#self-check a')).toBeInViewport();
    await page.goto('/check.html#quiz-oom.copy');
    await expect(page.locator('[id="quiz-oom.copy"]')).toBeInViewport();
  });

  test('the figure by itself shows what is asked and offered, and no field that nothing answers', async ({ page }) => {
    await page.goto('/embed/quiz.html');
    await expect(page.locator('.question').first()).toBeVisible();
    await expect(page.getByText('Memory holds it back; moving fewer bytes helps')).toBeVisible();
    await expect(page.locator('input, select, button').filter({ visible: true })).toHaveCount(0);
  });
});
