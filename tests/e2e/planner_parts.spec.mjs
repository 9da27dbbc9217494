// The planner in parts: what a change wakes at once and what follows, the program for other programs' files, and the picture on canvas.

import { expect, test } from './fixtures.mjs';
import { layOut } from './page.mjs';

async function open(page, query = '') {
  await page.goto(`/plan.html${query}`);
  await page.locator('html[data-live]').waitFor({ state: 'attached' });
  await layOut(page);
}

const WORDS = /The part of the planner that knows the files of other programs could not be loaded/;

test('the plans change with the input; what is below says that it is busy, and follows', async ({ page }) => {
  await open(page);
  const answers = page.locator('.answers');
  await expect(answers).toHaveAttribute('aria-busy', 'false');
  const [verdict, figure, busy] = await page.evaluate(async () => {
    const field = document.querySelector('#plan-batch');
    field.value = '64';
    field.dispatchEvent(new Event('input', { bubbles: true }));
    await new Promise(requestAnimationFrame);
    const text = (query) => document.querySelector(query).textContent;
    return [text('#plan-2 .verdict'), text('tr[data-figure="running"] td:nth-of-type(3)'), document.querySelector('.answers').ariaBusy];
  });
  // By the first frame the plan has its answer, and what does not have it yet says so.
  expect(verdict).toContain('38 of 64 requests run at once');
  expect([figure, busy]).toEqual(['32', 'true']);
  await expect(answers).toHaveAttribute('aria-busy', 'false');
  await expect(page.locator('tr[data-figure="running"] td').nth(2)).toHaveText('38 of 64');
  for (const later of ['.maps', '.take', '#plan-2 .offers']) await expect(page.locator(later)).toHaveAttribute('aria-busy', 'false');
});

test('a change of one plan leaves the others alone', async ({ page }) => {
  await open(page);
  await page.evaluate(() => {
    window.changed = [];
    const watch = (query) => {
      const seen = new MutationObserver((all) => window.changed.push(...all.filter(({ attributeName }) => attributeName !== 'aria-busy').map(() => query)));
      seen.observe(document.querySelector(query), { attributes: true, characterData: true, childList: true, subtree: true });
    };
    for (const query of ['#plan-0', '#plan-1', '#plan-2', '[data-part="inputs-training"]']) watch(query);
  });
  await page.locator('#plan-kv').selectOption('fp8');
  await expect(page.locator('.answers')).toHaveAttribute('aria-busy', 'false');
  expect(await page.evaluate(() => [...new Set(window.changed)])).toEqual(['#plan-2']);
});

test('what is far from the screen is neither laid out nor drawn until the reader comes near', async ({ page }) => {
  await page.goto('/plan.html');
  await page.locator('html[data-live]').waitFor({ state: 'attached' });
  await expect(page.locator('.maps')).toHaveAttribute('aria-busy', 'false');
  const far = () => page.locator('.heat canvas').evaluate((it) => [it.checkVisibility({ contentVisibilityAuto: true }), it.width !== 300]);
  expect(await far()).toEqual([false, false]);
  // The keyboard gets there as well.
  await page.locator('#out-text').focus();
  await expect(page.locator('#out-text')).toBeInViewport();
  await page.locator('.heat canvas').scrollIntoViewIfNeeded();
  await expect.poll(far).toEqual([true, true]);
});

test('a wall stands as soon as it is painted, and asks for no frame after that', async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await open(page);
  const moving = await page.evaluate(async () => {
    const field = document.querySelector('#plan-batch');
    field.value = '64';
    field.dispatchEvent(new Event('input', { bubbles: true }));
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    return document.querySelector('#planner').getAnimations({ subtree: true }).length;
  });
  expect(moving).toBe(0);
});

test('offers move with their plans at once', async ({ page }) => {
  await open(page);
  const offers = (nth) => page.locator(`#plan-${nth} .offer:visible code`).allTextContents();
  const [first, second] = [await offers(0), await offers(1)];
  expect(first).not.toEqual(second);
  await page.getByRole('button', { name: 'Move to the left: fp8' }).click();
  await expect.poll(async () => [await offers(0), await offers(1)]).toEqual([second, first]);
});

test('what knows the files of other programs is fetched when it is asked for', async ({ page }) => {
  const fetched = [];
  page.on('request', (request) => fetched.push(new URL(request.url()).pathname));
  const exchanged = () => fetched.filter((path) => path.includes('planner-exchange')).length;
  await open(page);
  await page.locator('#out-format').selectOption('command');
  await page.locator('#plan-batch').fill('16');
  await expect(page.locator('#out-text')).toHaveValue(/--batch 16/);
  expect(exchanged()).toBe(0);
  await page.locator('#out-format').selectOption('vllm');
  await expect(page.locator('#out-text')).toHaveValue(/vllm serve/);
  expect(exchanged()).toBe(2);
  // It follows the plan from then on, and is fetched once.
  await page.locator('#plan-tp').fill('4');
  await expect(page.locator('#out-text')).toHaveValue(/--tensor-parallel-size 4/);
  await page.locator('#plan-mode').selectOption('training');
  await expect(page.locator('.out .notes')).not.toBeEmpty();
  await expect(page.locator('#out-text')).toHaveValue('');
  await page.locator('#in-text').fill('{ "zero_optimization": { "stage": 3 }, "bf16": { "enabled": true } }');
  await expect(page.locator('.plan').nth(3)).toBeVisible();
  await page.locator('#in-text').fill('no plan at all');
  await expect(page.locator('#in-error')).toContainText('This could not be read');
  expect(exchanged()).toBe(2);
});

test('where it cannot be fetched that is said, and it is asked for again', async ({ page, troubles }) => {
  await open(page);
  await page.route('**/planner-exchange-*', (route) => route.abort());
  await page.locator('#in-text').fill('vllm serve meta-llama/Llama-3.1-8B -tp 2');
  await expect(page.locator('#in-error')).toHaveText(WORDS);
  await page.locator('#out-format').selectOption('vllm');
  await expect(page.locator('.out .notes')).toHaveText(WORDS);
  await expect(page.locator('#out-text')).toHaveValue('');
  await page.unroute('**/planner-exchange-*');
  await page.locator('#out-format').selectOption('sglang');
  await expect(page.locator('#out-text')).toHaveValue(/sglang/);
  troubles.length = 0;
});

test('the picture of how full a GPU is follows the plan and the pointer, and keys do the same in the table', async ({ page }) => {
  await open(page);
  const canvas = page.locator('.heat canvas');
  await canvas.scrollIntoViewIfNeeded();
  await expect(page.locator('.maps')).toHaveAttribute('aria-busy', 'false');
  /** All of its pixels as one text. */
  const painted = () => canvas.evaluate((it) => it.toDataURL());
  const settled = async () => {
    let [before, now] = [undefined, await painted()];
    while (before !== now) {
      await page.waitForTimeout(200);
      [before, now] = [now, await painted()];
    }
    return now;
  };
  const int4 = await settled();
  const blank = await canvas.evaluate(({ width, height }) => Object.assign(document.createElement('canvas'), { width, height }).toDataURL());
  expect(int4).not.toBe(blank);
  // In bf16 less fits. Whoever presses that is far from the picture.
  await page.locator('.plan').nth(0).getByRole('button', { name: /^Change this plan/ }).click();
  await canvas.scrollIntoViewIfNeeded();
  await expect.poll(painted).not.toEqual(int4);
  const bf16 = await settled();
  expect(bf16).not.toBe(int4);
  // The words under it are about what is under the pointer.
  const { width, height } = await canvas.boundingBox();
  const caption = page.locator('.heat .caption');
  await canvas.hover({ position: { x: 40, y: 24 } });
  await expect(caption).toHaveText(/^1,024 tokens, 1 at once/);
  const first = await caption.textContent();
  await canvas.hover({ position: { x: width * 0.9, y: height * 0.9 } });
  await expect(caption).not.toHaveText(first);
  await canvas.click({ position: { x: width * 0.5, y: height * 0.5 } });
  await expect(page.locator('#plan-seq')).not.toHaveValue('8192');
  await expect.poll(painted).not.toEqual(bf16);
  // By key.
  const cell = page.getByRole('button', { name: /^4,096 tokens, 4 at once/ });
  await cell.focus();
  await page.keyboard.press('Enter');
  await expect(cell).toHaveAttribute('aria-pressed', 'true');
  await expect(page.locator('#plan-seq')).toHaveValue('4096');
});

for (const [what, answer] of [['does not come', (route) => route.abort()], ['has not come yet', () => {}]]) {
  test(`what is folded shows its fields where the program ${what}`, async ({ page, troubles }) => {
    await page.route('**/planner-*.wasm', answer);
    await page.goto('/plan.html');
    await layOut(page);
    const fold = page.locator('#planner details').first();
    await fold.evaluate((details) => (details.open = true));
    await expect(fold.locator('input, select, textarea').first()).toBeAttached();
    await expect(page.locator('#planner template')).toHaveCount(0);
    // That it does not come is what is tried here.
    troubles.length = 0;
  });
}

test('the tables show a column for each plan and no more', async ({ page }) => {
  for (const count of [1, 2, 4]) {
    await open(page, `?v=1${[...'abcd'].slice(0, count).map((name) => `&plan=${name}&model=llama-3.1-8b&gpu=l40s`).join('')}`);
    await expect(page.locator('.plan:visible')).toHaveCount(count);
    for (const table of ['#figures', '#buckets']) {
      const row = page.locator(`${table} tbody tr:visible:has(td)`).first();
      await expect(row.locator('td:visible')).toHaveCount(count);
    }
  }
});
