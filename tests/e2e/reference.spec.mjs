// The reference beside the tutorial: complete without JavaScript, and with it its tables sort and narrow.

import AxeBuilder from '@axe-core/playwright';
import { expect, test } from './fixtures.mjs';
import { layOut, spoken } from './page.mjs';

const PAGE = '/reference.html';
const RULES = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'];

/** A table of the page with its tools. */
const parts = (page, section) => ({
  rows: page.locator(`#${section} .tools ~ .table-scroll tbody tr`),
  shown: page.locator(`#${section} .tools ~ .table-scroll tbody tr:visible`),
  head: (name) => page.locator(`#${section}`).getByRole('columnheader', { name, exact: true }).first(),
  sort: (name) => page.locator(`#${section}`).getByRole('button', { name, exact: true }).first(),
  find: page.locator(`#${section}`).getByRole('searchbox'),
  count: page.locator(`#${section}`).getByRole('status'),
});

/** What a column says, from the top. */
const column = (rows, place) => rows.evaluateAll((all, place) => all.map((row) => row.cells[place].textContent), place);

test('a column sorts by its numbers, both ways, and what is not known stays last', async ({ page }) => {
  await page.goto(PAGE);
  const cards = parts(page, 'hardware');
  await cards.sort('Bandwidth, GB/s').click();
  await expect(cards.head('Bandwidth, GB/s')).toHaveAttribute('aria-sort', 'descending');
  const numbers = (await column(cards.rows, 8)).map((text) => Number(text.replaceAll(',', '')));
  expect(numbers.length).toBeGreaterThan(40);
  expect(numbers).toEqual([...numbers].sort((a, b) => b - a));
  await cards.sort('fp8').click();
  await cards.sort('fp8').click();
  await expect(cards.head('fp8')).toHaveAttribute('aria-sort', 'ascending');
  await expect(cards.head('Bandwidth, GB/s')).not.toHaveAttribute('aria-sort');
  const rates = await column(cards.rows, 13);
  const known = rates.filter((text) => text !== '–').map((text) => Number(text.replaceAll(',', '')));
  expect(rates.slice(0, known.length)).not.toContain('–');
  expect(known).toEqual([...known].sort((a, b) => a - b));
});

test('sorting is stable, so that two clicks sort by two columns', async ({ page }) => {
  await page.goto(PAGE);
  const models = parts(page, 'models');
  await models.sort('Parameters').click();
  await models.sort('Family').click();
  const rows = await models.rows.evaluateAll((all) => all.map((row) => [row.cells[1].textContent, Number(row.cells[2].dataset.value)]));
  expect(rows.length).toBeGreaterThan(60);
  for (const [place, [family, parameters]] of rows.entries()) {
    const [before, more] = rows[place - 1] ?? [family, Infinity];
    expect(before.localeCompare(family, 'en'), `${before} before ${family}`).toBeLessThanOrEqual(0);
    if (before === family) expect(more).toBeGreaterThanOrEqual(parameters);
  }
});

test('a search and a choice narrow a table together, and say by how much', async ({ page }) => {
  await page.goto(PAGE);
  const cards = parts(page, 'hardware');
  const all = await cards.rows.count();
  await expect(cards.count).toHaveText(`${all} of ${all} GPUs`);
  await cards.find.fill('H100 sxm');
  await expect(cards.shown).toHaveCount(1);
  await expect(cards.count).toHaveText(`1 of ${all} GPUs`);
  await cards.find.press('Escape');
  await expect(cards.shown).toHaveCount(all);
  await page.getByRole('combobox', { name: 'Maker' }).selectOption('AMD');
  const makers = await column(cards.shown, 1);
  expect(new Set(makers)).toEqual(new Set(['AMD']));
  await page.getByRole('combobox', { name: 'Computes in' }).selectOption('fp4');
  expect(await cards.shown.count()).toBeLessThan(makers.length);
  const terms = page.locator('#glossary');
  await terms.getByRole('searchbox').fill('paged');
  await expect(terms.locator('.terms > div:visible dt').first()).toBeVisible();
  await expect(terms.getByRole('status')).toHaveText(/^\d of \d+ terms$/);
  // The title of the section that explains a term is not searched.
  await terms.getByRole('searchbox').fill('how far is a byte');
  await expect(terms.locator('.terms > div:visible')).toHaveCount(0);
});

test('all of it works by keyboard, and the focus is seen', async ({ page }) => {
  await page.goto(PAGE);
  const cards = parts(page, 'hardware');
  await cards.find.focus();
  await page.keyboard.type('rtx');
  const few = await cards.shown.count();
  expect(few).toBeGreaterThan(3);
  for (let stop = 0; stop < 4; stop += 1) await page.keyboard.press('Tab');
  // Past the choices lies the table itself, which the arrows scroll.
  await expect(page.locator('#hardware .table-scroll').first()).toBeFocused();
  const before = await page.locator('#hardware .table-scroll').first().evaluate((region) => region.scrollLeft);
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => page.locator('#hardware .table-scroll').first().evaluate((region) => region.scrollLeft)).toBeGreaterThan(before);
  await page.keyboard.press('Tab');
  await expect(cards.sort('GPU')).toBeFocused();
  const outline = await cards.sort('GPU').evaluate((button) => getComputedStyle(button).outlineStyle);
  expect(outline).toBe('solid');
  await page.keyboard.press('Enter');
  await expect(cards.head('GPU')).toHaveAttribute('aria-sort', 'ascending');
  await page.keyboard.press('Enter');
  await expect(cards.head('GPU')).toHaveAttribute('aria-sort', 'descending');
  await expect(cards.shown).toHaveCount(few);
});

test('without JavaScript everything is there, and nothing that does not work', async ({ page, visitor }) => {
  const still = (await visitor({ javaScriptEnabled: false })).page;
  await still.goto(PAGE);
  await page.goto(PAGE);
  for (const section of ['hardware', 'models', 'accuracy']) {
    const rows = await parts(page, section).shown.count();
    await expect(parts(still, section).shown).toHaveCount(rows);
  }
  expect(await still.locator('button:visible, input:visible, select:visible').count()).toBe(0);
  await still.goto(`${PAGE}#card-h100-sxm`);
  await expect(still.locator('tr:target th')).toHaveText(/H100 SXM/);
  expect(await spoken(still.locator('#formula-kv-cache'))).toContain('67,108,864,000');
});

test('a link to a row shows it, and each link of the page arrives', async ({ page, request, baseURL }) => {
  await page.goto(`${PAGE}#model-mixtral-8x7b`);
  await expect(page.locator('tr:target')).toBeInViewport();
  const addresses = await page.locator('a[href]').evaluateAll((all) => [...new Set(all.map((link) => link.href))]);
  const own = addresses.filter((address) => address.startsWith(baseURL));
  const ids = async (path) => {
    const html = await (await request.get(path)).text();
    return new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
  };
  const known = { '/reference.html': await ids(PAGE), '/': await ids('/') };
  expect(own.length).toBeGreaterThan(150);
  for (const address of own) {
    const { pathname, hash } = new URL(address);
    if (hash) expect(known[pathname], address).toContain(decodeURIComponent(hash.slice(1)));
  }
  // And back: the tutorial leads here from its contents and its foot.
  await page.goto('/', { waitUntil: 'networkidle' });
  await expect(page.locator('.contents a[href="reference.html"]')).toBeVisible();
  await page.locator('.colophon a[href="reference.html"]').click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Reference');
});

for (const [width, colorScheme] of [[360, 'light'], [1280, 'dark']]) {
  test(`it is accessible and nothing moves sideways at ${width} px, ${colorScheme}`, async ({ visitor }) => {
    test.setTimeout(120_000);
    const { page } = await visitor({ viewport: { width, height: 900 }, colorScheme });
    await page.goto(PAGE);
    await layOut(page);
    const beside = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    expect(beside).toBe(0);
    // The rows of single measurements are alike: one group of them stands for all.
    await page.locator('details.rows').first().evaluate((details) => (details.open = true));
    const { violations } = await new AxeBuilder({ page }).withTags(RULES).analyze();
    expect(violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(' ')}`))).toEqual([]);
  });
}

test('on paper every row is printed, whatever was searched for', async ({ page }) => {
  await page.goto(PAGE);
  const cards = parts(page, 'hardware');
  await cards.find.fill('a100');
  const few = await cards.shown.count();
  await page.emulateMedia({ media: 'print' });
  await expect(page.locator('.tools:visible')).toHaveCount(0);
  expect(await cards.shown.count()).toBeGreaterThan(few);
  await expect(cards.shown).toHaveCount(await cards.rows.count());
  // What is folded is printed too.
  const folded = page.locator('details:not([open]) table').first();
  expect((await folded.boundingBox()).height).toBeGreaterThan(100);
});
