// The graded test, the lab sheet, and the slides of one lesson: what a teacher hands out or shows.

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from './fixtures.mjs';
import { plain } from './page.mjs';
import { pages, squeezed } from './pdf.mjs';
import { DIST } from './server.mjs';

const LESSONS = ['short', 'long', 'serve'];
const A4 = { format: 'A4', preferCSSPageSize: true };

/** The numbers of a sheet, by problem. */
const numbers = (page, sheet) =>
  page.locator(`#${sheet} [data-problem]`).evaluateAll((all) => all.map((one) => [...one.querySelectorAll('[data-n]')].map((place) => [one.dataset.problem.slice(2), place.dataset.n, place.textContent])).flat());

test('the test prints a sheet of two sides for each variant, and a page for each key', async ({ page }) => {
  for (const seed of ['', '?seed=7']) {
    await page.goto(`/test.html${seed}`);
    await expect(page.locator('#numbers')).toBeVisible();
    const sheets = pages(await page.pdf(A4));
    const starts = ['Test, variant A', 'Test, variant B', 'Key to variant A', 'Key to variant B'].map((title) => sheets.findIndex((text) => text.includes(squeezed(title))));
    expect(starts).toEqual([0, 2, 4, 5]);
    expect(sheets.length).toBe(6);
    const answers = await page.locator('b[data-n="c"]').evaluateAll((all) => all.map(({ textContent }) => textContent));
    const [before, after] = [sheets.slice(0, 4).join(''), sheets.slice(4).join('')];
    for (const answer of answers.filter((text) => text.length > 5)) {
      expect(after, answer).toContain(squeezed(answer));
      expect(before, answer).not.toContain(squeezed(answer));
    }
    for (const sheet of [1, 3]) expect(sheets[sheet]).toContain(squeezed('CC BY 4.0'));
  }
});

test('the two variants ask the same with other numbers, whatever the link says', async ({ page }) => {
  const seen = new Set();
  for (const seed of ['', '?seed=1', '?seed=2', '?seed=3', '?seed=4']) {
    await page.goto(`/test.html${seed}`);
    await expect(page.locator('#numbers')).toContainText(seed.replace('?seed=', 'set '));
    await expect(page.locator('#numbers')).toBeVisible();
    const [a, b, key] = [await numbers(page, 'a'), await numbers(page, 'b'), await numbers(page, 'key-a')];
    expect(a.map(([id, name]) => [id, name])).toEqual(b.map(([id, name]) => [id, name]));
    for (const id of new Set(a.map(([id]) => id))) {
      const of = (sheet) => sheet.filter(([own]) => own === id).map(([, , text]) => text);
      expect(of(a), id).not.toEqual(of(b));
    }
    // A number has one value on a sheet and in its key.
    for (const [id, name, text] of key) {
      const asked = a.find(([own, other]) => own === id && other === name);
      if (asked) expect(text, `${id}.${name}`).toBe(asked[2]);
    }
    seen.add(JSON.stringify([a, b]));
  }
  expect(seen.size).toBeGreaterThan(3);
});

test('without a script the test and the lab are complete', async ({ visitor, site }) => {
  const { page } = await visitor({ javaScriptEnabled: false });
  await page.goto(`${site.origin}/test.html`);
  await expect(page.locator('#a .problem')).toHaveCount(4);
  await expect(page.locator('#key-b b[data-n]')).toHaveCount(await page.locator('#key-a b[data-n]').count());
  expect(pages(await page.pdf(A4)).length).toBe(6);
  await page.goto(`${site.origin}/lab.html`);
  await expect(page.locator('pre.cell')).toHaveCount(3);
});

test('the lab’s links open the calculator with what its key expects', async ({ page }) => {
  const rows = async () => page.locator('#key .lab tbody tr').evaluateAll((all) => all.map((row) => [...row.cells].map(({ textContent }) => textContent)));
  for (const [link, checked] of [['the training step', { weights: 'Weights' }], ['the KV cache', { kv_cache: 'KV cache, 1,024 tokens' }]]) {
    await page.goto('/lab.html');
    const key = await rows();
    await page.locator('#estimate').getByRole('link', { name: link }).click();
    await expect(page.locator('html[data-live]')).toBeAttached({ timeout: 15_000 });
    for (const [bucket, name] of Object.entries(checked)) {
      const expected = key.find(([what]) => plain(what) === name)[1];
      expect(plain(await page.locator(`#calculator tr.bucket-row[data-bucket="${bucket}"] [data-bytes]`).innerText()), name).toBe(plain(expected));
    }
  }
  await page.goto('/lab.html');
  const sheets = pages(await page.pdf(A4));
  const at = sheets.findIndex((text) => text.includes(squeezed('Expected values')));
  expect(at).toBeGreaterThan(0);
  expect(sheets.length).toBe(at + 1);
});

test('a lesson plan leads to its own slides, which number and print themselves', async ({ page }) => {
  for (const lesson of LESSONS) {
    await page.goto('/lessons.html');
    const link = page.locator(`#${lesson} .deck a`);
    const count = Number(/\d+/.exec(await link.textContent())[0]);
    await link.click();
    await expect(page).toHaveURL(new RegExp(`slides\\.html\\?lesson=${lesson}$`));
    await expect(page.locator('.slide:visible')).toHaveCount(count);
    await expect(page.locator('#decks [aria-current]')).toHaveAttribute('data-lesson', lesson);
    expect(pages(await page.pdf({ preferCSSPageSize: true })).length).toBe(count);
    await page.getByRole('button', { name: 'Present' }).click();
    await expect(page.locator('#at')).toHaveText(`Slide 1 of ${count}: The Memory Wall`);
    await page.keyboard.press('End');
    await expect(page.locator('#at')).toHaveText(`Slide ${count} of ${count}: Take away`);
    // A reload stays in the lesson.
    await page.reload();
    await expect(page.locator('.slide:visible')).toHaveCount(count);
  }
});

test('an unknown lesson shows all slides, and a copy on a disk shows one lesson', async ({ page }) => {
  await page.goto('/slides.html?lesson=x');
  await expect(page.locator('.slide:visible')).toHaveCount(27);
  await page.goto(pathToFileURL(join(DIST, 'slides.html')).href);
  await page.locator('#decks a[data-lesson="short"]').click();
  await expect(page.locator('.slide:visible')).toHaveCount(await page.locator('.slide[data-lessons~="short"]').count());
});
