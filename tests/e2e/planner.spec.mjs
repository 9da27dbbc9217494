// The planner: what is drawn is what is computed, plans stand side by side, and nothing that comes from outside breaks it.

import AxeBuilder from '@axe-core/playwright';
import { expect, test } from './fixtures.mjs';
import { layOut } from './page.mjs';

const PAGE = '/plan.html';
const RULES = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'];

/** Opens the page and waits until it is live. */
async function open(page, query = '') {
  await page.goto(PAGE + query);
  await page.locator('html[data-live]').waitFor({ state: 'attached' });
  await layOut(page);
  return parts(page);
}

/** The page by what it says. */
const parts = (page) => ({
  plan: (nth) => page.locator('.plan').nth(nth),
  shown: page.locator('.plan:visible'),
  field: (name) => page.locator(`#plan-${name}`),
  error: (name) => page.locator(`#plan-${name}-error`),
  button: (name) => page.getByRole('button', { name, exact: true }),
  figure: (id, nth) => page.locator(`tr[data-figure="${id}"] td`).nth(nth),
  column: (nth) => page.locator('#figures tr[data-figure]').evaluateAll((rows, nth) => rows.map((row) => row.querySelectorAll('td')[nth].textContent), nth),
  /** Shows the inputs of a plan. */
  choose: (nth) => page.locator('.plan').nth(nth).getByRole('button', { name: /^Change this plan/ }).click(),
});

/** What a reader sees of the plans and of the tables. */
const said = (page) => page.locator('.plans, .answers').evaluateAll((all) => all.map((one) => one.innerText.replace(/\s+/g, ' ').trim()));

test('what was drawn is what the program says, and it is there without a program', async ({ page, visitor }) => {
  const still = await visitor({ javaScriptEnabled: false });
  await still.page.goto(PAGE);
  await layOut(still.page);
  await expect(still.page.locator('.plan:visible')).toHaveCount(3);
  await expect(still.page.locator('.plan').first()).toContainText('1 of 32 requests run at once');
  await expect(still.page.locator('.no-script')).toContainText('JavaScript is off');
  await expect(still.page.locator('.side')).toBeHidden();
  const figures = (page) => page.locator('#figures').innerText();
  const drawn = await figures(still.page);
  await open(page);
  // All of it is asked again, and nothing of it is new.
  await page.locator('#plan-batch').fill('33');
  await page.locator('#plan-batch').fill('32');
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  expect(await figures(page)).toBe(drawn);
});

test('nothing moves or changes when the program comes', async ({ page }) => {
  await page.route('**/planner-*.wasm', async (route) => {
    await page.waitForTimeout(500);
    await route.continue();
  });
  await page.goto(PAGE);
  await layOut(page);
  const before = await said(page);
  const place = await page.locator('#take-title').boundingBox();
  await page.locator('html[data-live]').waitFor({ state: 'attached' });
  expect(await said(page)).toEqual(before);
  expect(await page.locator('#take-title').boundingBox()).toEqual(place);
});

test('a changed input has the answers that the built page has for the same plan', async ({ page }) => {
  const planner = await open(page);
  const fp8 = await planner.column(1);
  expect(await planner.column(0)).not.toEqual(fp8);
  await planner.choose(0);
  await expect(planner.field('weights')).toHaveValue('bf16');
  await planner.field('weights').selectOption('fp8');
  await expect(planner.plan(0)).toContainText('26 of 32 requests run at once');
  // The table follows in the frame after the verdict.
  await expect.poll(() => planner.column(0)).toEqual(fp8);
  await expect(page.locator('#differences tr[data-option="weights"]')).toContainText('fp8');
  // What has no effect is not there.
  await expect(planner.field('optimizer')).toBeHidden();
  await planner.field('mode').selectOption('training');
  await expect(planner.field('optimizer')).toBeVisible();
  await expect(planner.field('kv')).toBeHidden();
});

test('what cannot be used is said at its field, and nothing is lost', async ({ page }) => {
  const planner = await open(page);
  await planner.field('seq').fill('many');
  await planner.field('batch').click();
  await expect(planner.error('seq')).toHaveText('“many” is not a whole number from 1 to 10,000,000.');
  await expect(planner.field('seq')).toHaveAttribute('aria-invalid', 'true');
  await planner.field('model').fill('meta-llama/Llama-3.3-70');
  await planner.field('batch').click();
  await expect(planner.error('model')).toContainText('Nearest: Llama 3.3 70B');
  // Another plan has its own fields.
  await planner.choose(0);
  await expect(planner.field('seq')).toHaveValue('8192');
  await planner.choose(2);
  await expect(planner.field('seq')).toHaveValue('many');
  await planner.field('seq').fill('32k');
  await expect(planner.error('seq')).toHaveText('');
  await planner.field('batch').click();
  await expect(planner.field('seq')).toHaveValue('32768');
  // An empty field is the default, which is shown in it.
  await planner.field('batch').fill('');
  await expect(planner.field('batch')).toHaveAttribute('placeholder', '1');
  // What does not go together is a sentence too.
  await planner.field('tp').fill('7');
  await expect(planner.plan(2)).toContainText('do not go together');
});

test('plans are copied, named, moved and taken away, and every step can be taken back', async ({ page }) => {
  const planner = await open(page);
  const names = () => page.locator('.plan:visible .plan-name').evaluateAll((all) => all.map((one) => one.value));
  await planner.plan(1).getByRole('button', { name: /^Duplicate/ }).click();
  expect(await names()).toEqual(['bf16', 'fp8', 'fp8 2', 'int4']);
  await expect(planner.button('Add a plan')).toBeDisabled();
  await planner.plan(2).locator('.plan-name').fill('fp8, kv fp8');
  await planner.plan(2).locator('.plan-name').press('Enter');
  await planner.field('kv').selectOption('fp8');
  await expect(planner.plan(2)).toContainText('It fits');
  await planner.plan(2).getByRole('button', { name: /^Move to the left/ }).click();
  expect(await names()).toEqual(['bf16', 'fp8, kv fp8', 'fp8', 'int4']);
  await planner.plan(0).getByRole('button', { name: /^Remove/ }).click();
  expect(await names()).toEqual(['fp8, kv fp8', 'fp8', 'int4']);
  // By key, outside of fields.
  await page.locator('body').press('Control+z');
  await expect(planner.shown).toHaveCount(4);
  await page.locator('body').press('Control+Shift+z');
  await expect(planner.shown).toHaveCount(3);
  for (let step = 0; step < 5; step += 1) await planner.button('Undo').click();
  expect(await names()).toEqual(['bf16', 'fp8', 'int4']);
  await expect(planner.button('Undo')).toBeDisabled();
});

test('a change that helps is one press away', async ({ page }) => {
  const planner = await open(page);
  const offer = planner.plan(0).locator('.offer:visible').first();
  await expect(offer).toContainText('Then it fits');
  await offer.click();
  await expect(planner.plan(0).locator('.verdict')).toContainText('It fits');
  await planner.button('Undo').click();
  await expect(planner.plan(0).locator('.verdict')).toContainText('1 of 32');
});

test('a link and the next visit open the same plans', async ({ page, visitor }) => {
  const planner = await open(page);
  expect(new URL(page.url()).search, 'a page that was only looked at has no query').toBe('');
  await planner.field('gpu').fill('H200 SXM 141GB');
  await planner.field('price').fill('2.25');
  await planner.plan(2).locator('.plan-name').fill('½ & <b>');
  await planner.plan(2).locator('.plan-name').press('Enter');
  await expect(page).toHaveURL(/price=2\.25/);
  await expect(page).toHaveURL(/plan=%C2%BD%20%26%20%3Cb%3E/);
  // The changes that help come when nothing has changed for a while.
  await expect(planner.plan(2).locator('.offer:visible').last()).not.toContainText('h100-nvl');
  const all = await said(page);
  const other = await visitor();
  await open(other.page, new URL(page.url()).search);
  await expect.poll(() => said(other.page)).toEqual(all);
  // The next visit needs no link.
  await page.goto('about:blank');
  await open(page);
  await expect.poll(() => said(page)).toEqual(all);
});

test('hostile links are read as far as they can be', async ({ page }) => {
  const planner = await open(page, '?v=9&plan=%3Cimg%20src=x%20onerror=alert(1)%3E&model=nope&seq=-1&colour=red&tp=2&tp=4');
  await expect(page.locator('.notice')).toContainText('colour');
  await expect(page.locator('.notice')).toContainText('“-1” cannot be used');
  await expect(planner.shown).toHaveCount(1);
  await expect(planner.plan(0).locator('.plan-name')).toHaveValue('<img src=x onerror=alert(1)>');
  await expect(planner.plan(0)).toContainText('No model yet');
  await expect(page.locator('#planner img')).toHaveCount(0);
  for (const query of [`?${'&plan='.repeat(500)}`, `?seq=${'9'.repeat(3000)}`, '?%', '?plan=%ff%00&model=%', `?${'x'.repeat(9000)}`]) {
    await open(page, query);
    await expect(planner.shown.first()).toBeVisible();
  }
});

test('what is taken along is taken back', async ({ page }) => {
  const planner = await open(page);
  const json = await page.locator('#out-text').inputValue();
  expect(JSON.parse(json).map((plan) => plan.name)).toEqual(['bf16', 'fp8', 'int4']);
  await page.locator('#out-format').selectOption('command');
  await expect(page.locator('#out-text')).toHaveValue(/memory-wall estimate --model llama-3\.3-70b/);
  await page.locator('#out-format').selectOption('csv');
  await expect(page.locator('#out-text')).toHaveValue(/"Requests that run at once","1 of 32","26 of 32","32"/);
  await planner.plan(0).getByRole('button', { name: /^Remove/ }).click();
  await page.locator('#in-text').fill('{ "version": 1,\n  "sequence": 4 }');
  await expect(page.locator('#in-error')).toContainText('line 2');
  await page.locator('#in-text').fill(json);
  await expect(planner.shown).toHaveCount(3);
  // What other programs take, and what is read of it.
  await page.locator('#out-format').selectOption('vllm');
  await expect(page.locator('#out-text')).toHaveValue(/vllm serve .*--tensor-parallel-size 2/s);
  await page.locator('#in-text').fill('vllm serve meta-llama/Llama-3.1-8B -tp 2 --no-such-thing 3');
  await expect(planner.plan(3)).toBeVisible();
  await expect(page.locator('.bring .notes')).toContainText('no-such-thing');
});

test('the maps are of the plan that is shown, and what is pressed in them is taken', async ({ page }) => {
  const planner = await open(page);
  const cell = (batch, tokens) => page.getByRole('button', { name: new RegExp(`^${tokens} tokens, ${batch} at once`) });
  // Of int4 the figures say that 38 sequences of 8,192 tokens fit at most.
  await expect(cell('32', '8,192')).toHaveText('fits');
  await expect(cell('64', '8,192')).toHaveText('wait');
  await cell('64', '8,192').click();
  await expect(planner.plan(2).locator('.verdict')).toContainText('38 of 64 requests run at once');
  await expect(cell('64', '8,192')).toHaveAttribute('aria-pressed', 'true');
  await planner.choose(1);
  await expect(cell('32', '8,192')).toHaveText('wait');
  await planner.button('Which other GPUs hold it?').click();
  const rows = page.locator('.gpus tbody tr');
  await expect(rows.nth(5)).toBeVisible();
  await planner.button('speed').click();
  await page.getByRole('button', { name: /Move the plan to H200 SXM/ }).click();
  await expect(planner.plan(1).locator('.verdict')).toContainText('It fits');
  await expect(planner.field('gpu')).toHaveValue(/H200/);
  await expect(rows, 'of a plan that has changed they are not known').toHaveCount(0);
});

test('the settings are four presses away', async ({ page }) => {
  const planner = await open(page);
  const skip = page.getByRole('link', { name: 'Skip to the settings' });
  for (const place of [page.getByRole('link', { name: 'Skip to the content' }), page.getByRole('link', { name: /The Memory Wall$/ }).first(), skip]) {
    await page.keyboard.press('Tab');
    await expect(place).toBeFocused();
  }
  await expect(skip).toBeInViewport();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await expect(planner.field('model')).toBeFocused();
});

test('it works by keyboard alone', async ({ page }) => {
  const planner = await open(page);
  await planner.field('batch').focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('16');
  await page.keyboard.press('Enter');
  await expect(planner.figure('running', 2)).toHaveText('16');
  await planner.plan(0).getByRole('button', { name: /^Change this plan/ }).focus();
  await page.keyboard.press('Enter');
  await expect(page.locator('.side .side-name')).toHaveText('bf16');
  await planner.button('Undo').focus();
  await page.keyboard.press('Space');
  await expect(planner.figure('running', 2)).toHaveText('32');
});

test.describe('offline', () => {
  test.use({ serviceWorkers: 'allow' });
  test('it opens without a network', async ({ page, context, troubles }) => {
    await page.goto(PAGE);
    await page.locator('html[data-live]').waitFor({ state: 'attached' });
    // Its programs come once everything else is kept.
    await expect
      .poll(() => page.evaluate(async () => (await Promise.all((await caches.keys()).map(async (name) => (await (await caches.open(name)).keys()).map(({ url }) => url)))).flat().filter((url) => /planner-.*\.wasm$/.test(url)).length), { timeout: 20_000 })
      .toBe(3);
    await context.setOffline(true);
    await page.goto(`${PAGE}?v=1&plan=a&model=llama-3.1-8b&gpu=h100-sxm`);
    await page.locator('html[data-live]').waitFor({ state: 'attached' });
    await expect(page.locator('.plan').first()).toContainText('It fits');
    await page.locator('#out-format').selectOption('vllm');
    await expect(page.locator('#out-text')).toHaveValue(/vllm serve/);
    await context.setOffline(false);
    troubles.length = 0;
  });
});

// What ends beyond the window, where no part that scrolls within it holds it: a contained part makes nothing wider, and what it lets out can't be reached.
const beyond = (page) => page.evaluate(() => {
  const within = (element) => element.getBoundingClientRect().right <= innerWidth + 1;
  const scrolls = (element) => ['auto', 'scroll'].includes(getComputedStyle(element).overflowX) && within(element);
  const held = (element) => element !== null && (scrolls(element) || held(element.parentElement));
  return [...document.querySelectorAll('main :is(p, h2, h3, caption, summary, table, label, canvas, svg)')]
    .filter((element) => element.checkVisibility() && !within(element) && !held(element.parentElement))
    .map((element) => `${element.localName}: ${element.textContent.slice(0, 40)}`);
});

for (const width of [360, 768, 1280]) {
  for (const colorScheme of ['light', 'dark']) {
    test.describe(`${width} px, ${colorScheme}`, () => {
      test.use({ viewport: { width, height: 900 }, colorScheme });
      test('no violation, and nothing to scroll sideways', async ({ page }) => {
        const planner = await open(page);
        await planner.button('Add a plan').click();
        await planner.field('seq').fill('many');
        await planner.field('batch').click();
        await page.locator('details').evaluateAll((all) => all.forEach((one) => (one.open = true)));
        const { violations } = await new AxeBuilder({ page }).withTags(RULES).analyze();
        expect(violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(' ')}`))).toEqual([]);
        for (const at of [width, 1920]) {
          await page.setViewportSize({ width: at, height: 900 });
          expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), `${at} px`).toBeLessThanOrEqual(0);
          expect(await beyond(page), `${at} px`).toEqual([]);
        }
      });
    });
  }
}
