// GB or GiB: every size follows, no byte changes.

import { expect, test } from './fixtures.mjs';
import { layOut, plain } from './page.mjs';

// What moves in a second is given as on data sheets, whatever the unit of sizes.
const DECIMAL = /\d\s?(kB|MB|GB|TB)\b(?!\/s)/;
const BINARY = /\d\s?(KiB|MiB|GiB|TiB)\b/;

/** Every size that follows the unit, with where it stands. */
function sizes(page) {
  return page.evaluate(() => {
    const places = {
      table: 'table.buckets [data-bytes]',
      formula: '.bucket-formula',
      bar: '.rig-total strong',
      // What is printed on a box stays as it is printed.
      prose: '.section > p [data-b]',
      wall: '#calculator .segment-size, #calculator .capacity-label, #calculator .tick-label',
      answers: '.answer-note',
      // Of published runs the parameters are counted, with B for a billion.
      plotTable: '.plot-table table:not(.runs-table) td',
    };
    const found = Object.entries(places).map(([place, selector]) => {
      const texts = [...document.querySelectorAll(selector)].map((one) => one.textContent.replace(/\s+/g, ' '));
      return [place, texts.flatMap((text) => text.match(/[\d.]+ [kKMGTPE]?i?B\b(?!\/s)/g) ?? [])];
    });
    return Object.fromEntries(found);
  });
}

const exact = (page) =>
  page.locator('table.buckets [data-bytes]').evaluateAll((cells) => cells.map((cell) => `${cell.dataset.bytes} ${cell.parentElement.title}`));

test('the unit changes every size and no byte', async ({ wall, page }) => {
  await wall.goto();
  await wall.openDetails();
  const [before, bytes] = [await sizes(page), await exact(page)];
  await wall.setUnit('GiB');
  const after = await sizes(page);
  expect(await exact(page)).toEqual(bytes);
  expect(Object.keys(after)).toEqual(Object.keys(before));
  for (const place of Object.keys(before)) {
    expect(before[place].length, place).toBeGreaterThan(0);
    // The axis may have other marks; everything else is the same list in another unit.
    if (place !== 'wall') expect(after[place], place).toHaveLength(before[place].length);
    // A bare number of bytes is the same in both.
    for (const text of before[place].filter((text) => !/^\d+ B$/.test(text))) expect.soft(text, place).toMatch(DECIMAL);
    for (const text of after[place].filter((text) => !/^\d+ B$/.test(text))) {
      expect.soft(text, place).toMatch(BINARY);
      expect.soft(text, place).not.toMatch(DECIMAL);
    }
  }
  expect(after.prose).not.toEqual(before.prose);
  expect((await wall.bucket('kv_cache')).size).toBe('1.00 GiB');
  await wall.setUnit('GB');
  expect(await sizes(page)).toEqual(before);
});

test('no decimal size is left in a live figure or in the prose', async ({ wall, page }) => {
  await wall.goto('unit=gib&seq=128000');
  await wall.openDetails();
  await layOut(page);
  // Drawn once, at fixed states, with sizes as data sheets have them: the hint of the unit says so.
  const fixed = ['opening', 'layer', 'cuts', 'heads', 'phases', 'recompute', 'schedule', 'tiles', 'kv_cache', 'kv_pages', 'rungs', 'ladder', 'peak', 'matrix', 'frontier', 'quiz', 'claims', 'quiz_key'].map((id) => `.figure-${id}`);
  const live = `.figure:not(${fixed})`;
  // Two sizes that are said in both units.
  await page.locator('#oom p:not(.figure p) .live:not([data-b])').evaluateAll((all) => all.forEach((one) => one.remove()));
  const texts = await page.locator(`.rig, ${live}, main p:not(.figure p), main h2, main h3`).evaluateAll((all) => all.map((one) => one.innerText));
  const labels = await page.locator(`${live} :is([aria-label], [aria-valuetext], [title])`).evaluateAll((all) =>
    all.map((one) => ['aria-label', 'aria-valuetext', 'title'].map((name) => one.getAttribute(name) ?? '').join(' ')),
  );
  for (const text of [...texts, ...labels].map(plain)) {
    // The names of GPUs have no space before GB.
    expect.soft(text.replaceAll(/\b(24|40|80) GB/g, 'its printed size')).not.toMatch(/\d (kB|MB|GB|TB)\b(?!\/s)/);
  }
});

test('numbers at a fixed state follow the unit and nothing else', async ({ wall, page }) => {
  await wall.goto();
  const mark = await page.locator('[data-at="seq=2048"]').filter({ hasText: '1.07' }).first().getAttribute('data-b');
  const fixed = page.locator(`[data-b="${mark}"][data-at="seq=2048"]`).first();
  await expect(fixed).toHaveText('1.07 GB');
  await wall.setSeq(128_000);
  await expect(fixed).toHaveText('1.07 GB');
  await wall.setUnit('GiB');
  await expect(fixed).toHaveText('1.00 GiB');
});

test('the buttons say which unit is chosen', async ({ wall }) => {
  await wall.goto();
  await expect(wall.unit('GB')).toHaveAttribute('aria-pressed', 'true');
  await wall.setUnit('GiB');
  await expect(wall.unit('GB')).toHaveAttribute('aria-pressed', 'false');
  await expect(wall.unit('GiB')).toHaveAttribute('aria-pressed', 'true');
});
