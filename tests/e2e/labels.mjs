// Labels of drawings at any width: inside the page, none upon another, and nothing to scroll sideways.

import { expect } from './fixtures.mjs';

/** Lines of text have air above and below the letters: so many pixels of it may overlap. */
const AIR = 4;

/** Looks at the drawings that a selector finds, at each width; the page is opened once. */
export async function expectLabelsApart(wall, selector, widths) {
  const { page } = wall;
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    await wall.settle();
    const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    expect.soft(over, `at ${width} px the page scrolls sideways`).toBeLessThanOrEqual(0);
    const drawings = await page.locator(selector).evaluateAll((drawings) =>
      drawings.map((drawing) =>
        [...drawing.querySelectorAll('text')].flatMap((label) => {
          const { left, right, top, bottom } = label.getBoundingClientRect();
          const text = label.textContent.replace(/\s+/g, ' ').trim();
          return text && right > left ? [{ text, left, right, top, bottom }] : [];
        }),
      ),
    );
    expect(drawings.flat().length, selector).toBeGreaterThan(0);
    for (const labels of drawings) {
      for (const [place, one] of labels.entries()) {
        expect.soft(one.left, `at ${width} px “${one.text}” begins inside the page`).toBeGreaterThanOrEqual(0);
        expect.soft(one.right, `at ${width} px “${one.text}” ends inside the page`).toBeLessThanOrEqual(width);
        for (const other of labels.slice(place + 1)) {
          const beside = one.right <= other.left || other.right <= one.left;
          const above = one.bottom <= other.top + AIR || other.bottom <= one.top + AIR;
          expect.soft(beside || above, `at ${width} px “${one.text}” and “${other.text}”`).toBe(true);
        }
      }
    }
  }
}
