// What teachers take into a class: lesson plans, problems, a worksheet, a test, a lab and slides, each a page that works without a network once it
// was opened.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import AxeBuilder from '@axe-core/playwright';
import { expect, test } from './fixtures.mjs';
import { plain, spoken } from './page.mjs';
import { pages, squeezed } from './pdf.mjs';
import { DIST } from './server.mjs';

const RULES = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'];
const PAGES = ['lessons', 'problems', 'worksheet', 'test', 'lab', 'slides'];
const WIDTHS = [360, 768, 1280];

for (const name of PAGES) {
  for (const colorScheme of ['light', 'dark']) {
    test(`${name}, ${colorScheme}: axe-core finds nothing, and nothing scrolls sideways`, async ({ page }) => {
      await page.emulateMedia({ colorScheme });
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        await page.goto(`/${name}.html`);
        const { violations } = await new AxeBuilder({ page }).withTags(RULES).analyze();
        expect(violations.map(({ id, nodes }) => [id, nodes[0].html]), `${width}`).toEqual([]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth), `${width}`).toBeLessThanOrEqual(width);
      }
    });
  }
}

test('the page for teachers has goals, prerequisites and a time for every section', async ({ page }) => {
  await page.goto('/teach.html');
  const titles = await page.locator('#course .goals h3 a').evaluateAll((links) => links.map((link) => link.getAttribute('href').split('#')[1]));
  const sections = [...(await readFile(join(DIST, 'index.html'), 'utf8')).matchAll(/<section id="(\w+)"/g)].map(([, id]) => id);
  expect(titles).toEqual(sections);
  const minutes = await page.locator('#course .goals h3 + p').allTextContents();
  const read = minutes.map((text) => Number(/^(\d+) minutes to read/.exec(text)[1]));
  const all = Number(/takes about (\d+) minutes/.exec(plain(await page.locator('#course').innerText()))[1]);
  expect(read.reduce((sum, one) => sum + one)).toBe(all);
});

test('the steps of each lesson follow each other, and their links open the figure in its state', async ({ page }) => {
  await page.goto('/lessons.html');
  for (const [lesson, all] of [['short', 45], ['long', 90], ['serve', 45]]) {
    const rows = await page.locator(`#${lesson} tbody tr`).evaluateAll((rows) => rows.map((row) => [...row.querySelectorAll('td')].map((cell) => Number(cell.textContent))));
    let minute = 0;
    for (const [start, minutes] of rows) {
      expect(start).toBe(minute);
      minute += minutes;
    }
    expect(minute).toBe(all);
    await expect(page.locator(`#${lesson} tfoot td`).last()).toHaveText(String(all));
  }
  const link = page.locator('#long-2 a[href*="embed/buckets.html?model=llama-3.1-8b"]');
  const told = await spoken(page.locator('#long-2'));
  await link.click();
  await expect(page.locator('html[data-live]')).toBeAttached();
  const cache = plain(await page.locator('tr.bucket-row[data-bucket="kv_cache"] [data-bytes]').innerText());
  expect(told).toContain(cache);
});

test('the page for teachers leads to every page for a class', async ({ page }) => {
  await page.goto('/teach.html');
  const links = await page.locator('#class-pages a').evaluateAll((all) => all.map((link) => link.getAttribute('href')));
  expect(links.toSorted()).toEqual(PAGES.map((name) => `${name}.html`).toSorted());
});

/** The numbers of every problem as the page shows them. */
const shown = (page) =>
  page.evaluate(() => Object.fromEntries([...document.querySelectorAll('.problem')].map((problem) => [problem.dataset.problem, [...problem.querySelectorAll('[data-n]')].map(({ textContent }) => textContent)])));

test('a number in the link stands for one set of numbers, in problems, solutions and on the worksheet', async ({ page }) => {
  const sets = JSON.parse(/id="sets">(.*?)<\/script>/s.exec(await readFile(join(DIST, 'problems.html'), 'utf8'))[1]);
  await page.goto('/problems.html');
  await expect(page.locator('#numbers')).toContainText('everyone sees first');
  const first = await shown(page);
  await page.getByRole('button', { name: 'New numbers' }).click();
  await expect(page).toHaveURL(/seed=\d+$/);
  const seen = new Set();
  for (const seed of [7, 8, 9, 10, 123456789]) {
    await page.goto(`/problems.html?seed=${seed}`);
    await expect(page.locator('#numbers')).toContainText(`set ${seed}`);
    const now = await shown(page);
    seen.add(JSON.stringify(now));
    for (const [id, all] of Object.entries(sets)) {
      // What stands there is one of the sets, the same in the text and in both solutions.
      const places = page.locator(`[data-problem="${id}"] [data-n]`);
      const said = await places.evaluateAll((all) => all.map((place) => [place.dataset.n, place.textContent]));
      const fits = all.filter((set) => said.every(([name, text]) => set[name] === text));
      expect(fits.length, `${id}: ${JSON.stringify(said)}`).toBe(1);
    }
    await page.reload();
    await expect(page.locator('#numbers')).toContainText(`set ${seed}`);
    expect(await shown(page)).toEqual(now);
    await page.goto(`/worksheet.html?seed=${seed}`);
    await expect(page.locator('#numbers')).toContainText(`set ${seed}`);
    for (const [id, numbers] of Object.entries(await shown(page))) expect(now[id].slice(0, numbers.length), id).toEqual(numbers);
  }
  expect(seen.size).toBe(5);
  await page.goto('/problems.html?seed=x');
  await expect(page.locator('#numbers')).toContainText('asks for a set “x”');
  expect(await shown(page)).toEqual(first);
  await page.goto('/problems.html?seed=7');
  await page.goBack();
  await expect.poll(() => shown(page)).toEqual(first);
});

test('without a script problems stand there with their solutions', async ({ browser, site }) => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${site.origin}/problems.html`);
  await expect(page.locator('.no-script')).toContainText('shows one set of numbers');
  await expect(page.getByRole('button', { name: 'New numbers' })).toBeHidden();
  await page.locator('.problem summary').first().click();
  await expect(page.locator('.problem details').first()).toContainText('13.5');
  await page.goto(`${site.origin}/slides.html`);
  await expect(page.locator('.answer').first()).toBeVisible();
  await expect(page.locator('.slide')).toHaveCount(27);
  await context.close();
});

test('on paper answers have sheets of their own', async ({ page }) => {
  for (const [name, head, part] of [['problems', 'Worked solutions', 'Guessing ahead'], ['worksheet', 'Take these sheets out', 'In your own words']]) {
    await page.goto(`/${name}.html?seed=42`);
    await expect(page.locator('#numbers')).toContainText('set 42');
    const sheets = pages(await page.pdf({ format: 'A4', preferCSSPageSize: true }));
    const key = sheets.findIndex((text) => text.includes(squeezed(head)));
    expect(key, name).toBeGreaterThan(1);
    const [before, after] = [sheets.slice(0, key).join(''), sheets.slice(key).join('')];
    expect(before).toContain(squeezed(part));
    expect(after).toContain(squeezed(part));
    const answers = await page.locator('b[data-n="c"]').evaluateAll((all) => all.map(({ textContent }) => textContent));
    for (const answer of answers.filter((text) => text.length > 3)) {
      expect(after, answer).toContain(squeezed(answer));
      expect(before, answer).not.toContain(squeezed(answer));
    }
  }
});

test('two sheets hold the worksheet, and one its key', async ({ page }) => {
  await page.goto('/worksheet.html');
  await expect(page.locator('#numbers')).toBeVisible();
  expect(pages(await page.pdf({ format: 'A4', preferCSSPageSize: true })).length).toBe(3);
});

/** Slides while somebody presents. */
async function presenting(page, path = '/slides.html') {
  await page.goto(path);
  await page.getByRole('button', { name: 'Present' }).click();
  return {
    current: page.locator('.slide[data-current]'),
    at: page.locator('#at'),
    hidden: () => page.locator('.slide[data-current] .answer').evaluateAll((all) => all.filter((answer) => getComputedStyle(answer).visibility === 'hidden').length),
  };
}

test('keys lead through the slides, and answers wait to be asked for', async ({ page }) => {
  const deck = await presenting(page);
  await expect(deck.at).toHaveText('Slide 1 of 27: The Memory Wall');
  await page.keyboard.press('ArrowRight');
  await expect(deck.at).toContainText('Slide 2');
  expect(await deck.hidden()).toBe(1);
  await page.keyboard.press('ArrowRight');
  await expect(deck.at).toContainText('Slide 2');
  expect(await deck.hidden()).toBe(0);
  await page.keyboard.press('PageDown');
  await page.keyboard.press(' ');
  await expect(deck.at).toContainText('Slide 4');
  expect(await deck.hidden()).toBe(2);
  await page.keyboard.press('a');
  expect(await deck.hidden()).toBe(0);
  await expect(deck.current.locator('.notes')).toBeHidden();
  await page.keyboard.press('n');
  await expect(deck.current.locator('.notes')).toBeVisible();
  await page.keyboard.press('ArrowLeft');
  await expect(deck.at).toContainText('Slide 3');
  await page.keyboard.press('End');
  await expect(deck.at).toContainText('Slide 27');
  await page.keyboard.press('ArrowRight');
  await expect(deck.at).toContainText('Slide 27');
  await page.keyboard.press('Home');
  await expect(deck.at).toContainText('Slide 1 ');
  await page.getByRole('button', { name: 'Next' }).click();
  await expect(deck.at).toContainText('Slide 2');
  await page.keyboard.press('Escape');
  await expect(page.locator('html')).not.toHaveAttribute('data-presenting', '');
  await expect(page.locator('.slide')).toHaveCount(27);
  await expect(page.locator('.answer').first()).toBeVisible();
});

test('every slide fits its screen, whatever its size', async ({ page }) => {
  for (const [width, height] of [[1280, 720], [1024, 768], [1920, 1080]]) {
    await page.setViewportSize({ width, height });
    const deck = await presenting(page);
    for (let n = 1; n <= 26; n += 1) {
      await page.keyboard.press('a');
      const { stage, lowest, widest, wide } = await deck.current.evaluate((slide) => {
        const stage = slide.querySelector('.stage').getBoundingClientRect();
        const boxes = [...slide.querySelectorAll('.stage > *')].map((part) => part.getBoundingClientRect());
        return { stage: stage.bottom, wide: innerWidth, lowest: Math.max(...boxes.map(({ bottom }) => bottom)), widest: Math.max(...boxes.map(({ right }) => right)) };
      });
      expect(lowest, `slide ${n} at ${width}`).toBeLessThanOrEqual(stage + 2);
      expect(widest, `slide ${n} at ${width}`).toBeLessThanOrEqual(wide + 1);
      // A drawing is large enough to be read from the last row.
      const figure = deck.current.locator('.figure');
      if (await figure.count()) expect(Number(await figure.evaluate((it) => it.style.getPropertyValue('--fit'))), `slide ${n}`).toBeGreaterThan(0.7);
      await page.keyboard.press('ArrowRight');
    }
    await page.keyboard.press('Escape');
  }
});

test('while presenting, axe-core finds nothing', async ({ page }) => {
  const deck = await presenting(page);
  for (let n = 1; n <= 26; n += 1) {
    if ([1, 3, 6, 14, 16, 19, 22, 25].includes(n)) {
      await page.keyboard.press('a');
      const { violations } = await new AxeBuilder({ page }).withTags(RULES).analyze();
      expect(violations.map(({ id, nodes }) => [id, nodes[0].html]), `slide ${n}`).toEqual([]);
    }
    await page.keyboard.press('a');
    await page.keyboard.press('ArrowRight');
  }
  await expect(deck.at).toContainText('Slide 27');
});

test('slides print one a page, answers included, also from a file on a disk', async ({ page }) => {
  const copy = pathToFileURL(join(DIST, 'slides.html')).href;
  for (const path of ['/slides.html', copy]) {
    await page.goto(path);
    if (path === copy) await expect(page.locator('#home')).toBeHidden();
    const titles = await page.locator('.slide h2').allTextContents();
    const sheets = pages(await page.pdf({ preferCSSPageSize: true }));
    expect(sheets.length).toBe(titles.length);
    for (const [at, title] of titles.entries()) expect(sheets[at].startsWith(squeezed(title)), title).toBe(true);
    expect(sheets[1]).toContain(squeezed('13.5 GB. It fits.'));
    expect(sheets.join('')).not.toContain(squeezed('Ask the class for them before you show them'));
  }
  const deck = await presenting(page, copy);
  await page.keyboard.press('ArrowRight');
  await expect(deck.at).toContainText('Slide 2');
});
