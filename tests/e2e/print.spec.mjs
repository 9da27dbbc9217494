// The page on paper.

import { expect, test } from './fixtures.mjs';
import { plain } from './page.mjs';
import { pages, squeezed } from './pdf.mjs';

/** More is a book, and nobody prints it; the tutorial in full sentences, with a section on time and money and six pictures of what happens, is 29 or 30 pages of Letter, and 31 where tokens travel to experts too. */
const MOST = 31;

/** The figures that are in one piece; long tables and lists go on upon the next page. */
const WHOLE = '.figure:not(.figure-sort, .figure-buckets, .figure-fixes, .figure-ladder, .figure-matrix, .figure-frontier, .figure-quiz, .figure-claims)';

/** What a figure says first and last on paper. */
const ends = (page) =>
  page.locator(WHOLE).evaluateAll((figures) =>
    figures
      .map((figure) => [...figure.querySelectorAll('p')].filter((line) => line.checkVisibility() && line.innerText.trim().length > 20).map((line) => line.innerText))
      .filter((lines) => lines.length > 1)
      .map((lines) => [lines.at(0), lines.at(-1)]),
  );

for (const live of [true, false]) {
  test.describe(live ? 'live' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled: live });

    for (const format of ['A4', 'Letter']) {
      test(`${format}: few pages, with the text and the answers, without the controls, and no figure is cut`, async ({ wall, page }) => {
        await wall.goto('', { live });
        const paper = pages(await page.pdf({ format }));
        expect(paper.length).toBeGreaterThanOrEqual(10);
        expect(paper.length).toBeLessThanOrEqual(MOST);
        for (const [at, text] of paper.entries()) expect(text.startsWith(`${at + 1}/${paper.length}`), `page ${at + 1} says which it is`).toBe(true);

        await page.emulateMedia({ media: 'print' });
        await expect(wall.rig).toBeVisible();
        await expect(wall.unit('GiB')).toBeHidden();
        await expect(wall.seq.slider).toBeHidden();
        await expect(wall.svg).toBeVisible();
        await expect(wall.row('kv_cache')).toBeVisible();
        const figures = await ends(page);
        expect(figures.length).toBeGreaterThan(8);
        for (const [first, last] of figures) {
          expect(paper.filter((text) => text.includes(squeezed(first)) && text.includes(squeezed(last))), `“${first}” is in one piece`).toHaveLength(1);
        }

        // Every answer with its reason, and behind the last question; without a program they stand on their own page.
        const tutorial = paper.join('');
        expect(tutorial).toContain('Reference(reference.html)');
        if (!live) {
          expect(tutorial).toContain('(check.html)');
          await page.goto('/check.html');
        }
        const all = live ? tutorial : pages(await page.pdf({ format })).join('');
        const answers = all.lastIndexOf('Answers');
        expect(answers).toBeGreaterThan(all.lastIndexOf('LoRAtrainsathousandth'));
        expect(all.indexOf('exactly26,031,728,640bytes')).toBeGreaterThan(answers);
        expect(all.indexOf('fuseitwithitsneighbours')).toBeGreaterThan(answers);
        expect(all, 'a slip that nobody made').not.toContain('aroofoveranidleunit');
      });
    }
  });
}

test('what the reader chose and answered is printed, and the address that brings it back', async ({ wall, page }) => {
  await wall.goto();
  await wall.setSeq(64_000);
  await wall.setMode('training');
  const size = plain(await wall.row('optimizer').locator('[data-bytes]').innerText());
  const weights = page.locator('[id="quiz-buckets.weights"]');
  await weights.getByRole('textbox').fill('52 GB');
  await weights.getByRole('button', { name: 'Check' }).click();
  const said = plain(await weights.locator('.quiz-said').innerText());
  await page.waitForTimeout(500);
  for (const format of ['A4', 'Letter']) {
    const paper = pages(await page.pdf({ format }));
    expect(paper.length).toBeLessThanOrEqual(MOST);
    const all = paper.join('');
    for (const text of ['64,000 tokens', size, '52 GB', said, page.url()]) expect(all).toContain(squeezed(text));
  }
});

test('paper is white, also in a dark room', async ({ wall, page }) => {
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  await wall.goto();
  const [paper, ink] = await page.evaluate(() => {
    const { backgroundColor, color } = getComputedStyle(document.documentElement);
    return [backgroundColor, color];
  });
  expect(paper).toBe('rgb(255, 255, 255)');
  expect(ink).toBe('rgb(0, 0, 0)');
});
