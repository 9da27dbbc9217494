// The page on paper.

import { expect, test } from './fixtures.mjs';

for (const live of [true, false]) {
  test.describe(live ? 'live' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled: live });

    test('a handful of pages, with the text and without the controls', async ({ wall, page }) => {
      await wall.goto('', { live });
      const pdf = await page.pdf({ format: 'A4' });
      // Chromium writes the page objects of a PDF uncompressed.
      const pages = pdf.toString('latin1').match(/\/Type\s*\/Page\b(?!s)/g).length;
      expect(pages).toBeGreaterThanOrEqual(2);
      // Twelve sections with their figures and answers.
      expect(pages).toBeLessThanOrEqual(30);
      expect(pdf.length).toBeGreaterThan(30_000);
      await page.emulateMedia({ media: 'print' });
      await expect(wall.rig).toBeHidden();
      await expect(wall.seq.slider).toBeHidden();
      await expect(wall.svg).toBeVisible();
      await expect(wall.row('kv_cache')).toBeVisible();
    });
  });
}

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
