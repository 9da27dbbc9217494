// Page and program are built apart: the program has an answer for everything on a page that follows the reader's settings.

import { readdirSync } from 'node:fs';
import { expect, test } from './fixtures.mjs';
import { DIST } from './server.mjs';

const EMBEDS = readdirSync(`${DIST}/embed`).filter((file) => file.endsWith('.html'));

/** Everything that follows, and what of it the program did not answer. */
const followed = (page) =>
  page.evaluate(() => {
    const all = (selector) => [...document.querySelectorAll(selector)].flatMap((place) => place.dataset.b.split(' '));
    return { asked: all('[data-b]').length, unanswered: all('[data-unanswered]') };
  });

for (const query of ['', 'model=mixtral-8x7b&gpu=t4&mode=training&batch=1000000&seq=10000000&unit=gib', 'model=llama-3.1-405b&gpu=mi300x&weights=int4&scale=train&tp=8']) {
  test(`every binding of the tutorial has an answer, ${query || 'as the page arrives'}`, async ({ wall, page }) => {
    await wall.goto(query);
    const { asked, unanswered } = await followed(page);
    expect(asked).toBeGreaterThan(1_000);
    expect(unanswered).toEqual([]);
  });
}

test('every binding of every figure by itself has an answer', async ({ page }) => {
  test.setTimeout(180_000);
  expect(EMBEDS.length).toBeGreaterThan(20);
  let all = 0;
  for (const file of EMBEDS) {
    await page.goto(`/embed/${file}?gpu=h100-sxm&batch=8`);
    await page.locator('html[data-live]').waitFor({ state: 'attached' });
    const { asked, unanswered } = await followed(page);
    all += asked;
    expect.soft(unanswered, file).toEqual([]);
  }
  expect(all).toBeGreaterThan(1_000);
});

test('a binding that the program does not know is found out', async ({ wall, page }) => {
  await wall.goto();
  await page.evaluate(() => {
    document.querySelector('main').insertAdjacentHTML('beforeend', '<p id="unknown"><b data-b="1000:0">?</b><b data-b="0:1000">?</b><b data-b="x">?</b><b data-b="quiz.said/oom.copy">?</b></p>');
    document.dispatchEvent(new CustomEvent('memory-wall:more', { detail: '#unknown' }));
  });
  await wall.settle();
  await expect.poll(async () => (await followed(page)).unanswered).toEqual(['1000:0', '0:1000', 'x', 'quiz.said/oom.copy']);
});
