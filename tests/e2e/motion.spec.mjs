// Movement is a courtesy: it is there for those who like it and gone for those who asked for less.

import { expect, test } from './fixtures.mjs';

/** What moves now, and every element that would move at a change; with `grow` after the wall has just grown. */
const moving = (page, grow = false) =>
  page.evaluate(async (grow) => {
    if (grow) {
      document.querySelector('[data-control="seq"] .mark[aria-label*="131,072"]').click();
      // The first frame may be asked for before the page asks for its own, and a busy page takes some more.
      for (let frames = 0; frames < 2 || (frames < 30 && document.getAnimations().length === 0); frames += 1) {
        await new Promise((done) => requestAnimationFrame(() => done()));
      }
    }
    const now = document.getAnimations().map((animation) => animation.transitionProperty ?? animation.animationName);
    const lasts = (text) => text.split(',').some((part) => parseFloat(part) > 0);
    const able = [...document.querySelectorAll('*')].filter((one) => {
      const { transitionDuration, animationDuration, animationName } = getComputedStyle(one);
      return lasts(transitionDuration) || (animationName !== 'none' && lasts(animationDuration));
    });
    return { now, able: able.map((one) => one.getAttribute('class')) };
  }, grow);

test('with reduced motion nothing moves, at the start or after an edit', async ({ wall, page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await wall.goto();
  expect(await moving(page)).toEqual({ now: [], able: [] });
  expect(await moving(page, true)).toEqual({ now: [], able: [] });
});

test('otherwise the wall grows, for a fifth of a second', async ({ wall, page }) => {
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await wall.goto();
  // On the screen it follows at once.
  await wall.svg.scrollIntoViewIfNeeded();
  await page.waitForTimeout(2_000);
  const { now, able } = await moving(page, true);
  expect(now.length).toBeGreaterThan(0);
  expect(able).toContain('ground');
  await page.waitForTimeout(400);
  expect((await moving(page)).now).toEqual([]);
});
