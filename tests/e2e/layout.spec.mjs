// The page fits every screen: nothing to scroll sideways, nothing too small to hit, no text upon text.

import { expect, test } from './fixtures.mjs';
import { layOut } from './page.mjs';

const STATES = {
  default: '',
  'at 128k': 'seq=128000',
  'does not fit': 'seq=200000&unit=gib',
  training: 'mode=training',
  'training a large one': 'mode=training&model=llama-3.1-405b&seq=8192&batch=64&gpu=h100-nvl',
};

const sideways = async (page) => {
  await layOut(page);
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
};

/** Elements that reach out of the page, to name the culprit. */
const wide = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('body *')]
      .filter((one) => !one.closest('.table-scroll') && one.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
      .map((one) => `${one.localName}.${one.getAttribute('class')}`)
      .slice(0, 5),
  );

/** Labels that the label of the line covers. */
const uponTheLine = (wall) =>
  wall.svg.evaluate((svg) => {
    const line = svg.querySelector('.capacity-label').getBoundingClientRect();
    const labels = [...svg.querySelectorAll('.layer:not([data-empty]) .segment-label, .tick-label')].filter((label) => {
      const box = label.getBoundingClientRect();
      return box.left < line.right && line.left < box.right && box.top < line.bottom - 2 && line.top < box.bottom - 2;
    });
    return labels.map((label) => label.textContent.replace(/\s+/g, ' '));
  });

for (const width of [320, 360, 768, 1280]) {
  test.describe(`at ${width} px`, () => {
    test.use({ viewport: { width, height: 800 } });

    for (const [state, query] of Object.entries(STATES)) {
      test(`${state}: nothing to scroll sideways and no label upon another`, async ({ wall, page }) => {
        await wall.goto(query);
        expect(await sideways(page), String(await wide(page))).toBe(0);
        const drawings = page.locator('.calculator-wall .wall, .plot');
        const boxes = await drawings.locator('text').evaluateAll((labels) =>
          labels.filter((label) => label.textContent.trim() && label.checkVisibility({ visibilityProperty: true })).map((label) => {
            const { left, right, top, bottom } = label.getBoundingClientRect();
            return { text: label.textContent.replace(/\s+/g, ' '), kind: label.getAttribute('class'), left, right, top, bottom };
          }),
        );
        for (const { text, left, right } of boxes) {
          expect.soft(left, `“${text}” begins inside the page`).toBeGreaterThanOrEqual(0);
          expect.soft(right, `“${text}” ends inside the page`).toBeLessThanOrEqual(width);
        }
        const segments = boxes.filter((box) => box.kind === 'segment-label');
        expect(segments.length).toBeGreaterThanOrEqual(4);
        for (const [place, one] of segments.entries()) {
          for (const other of segments.slice(place + 1)) {
            const apart = one.right <= other.left || other.right <= one.left || one.bottom <= other.top + 0.5 || other.bottom <= one.top + 0.5;
            expect.soft(apart, `“${one.text}” (${one.top} to ${one.bottom}) and “${other.text}” (${other.top} to ${other.bottom})`).toBe(true);
          }
        }
        expect(await uponTheLine(wall), "under the line's label").toEqual([]);
        await wall.openDetails();
        expect(await sideways(page), `with details open: ${await wide(page)}`).toBe(0);
      });
    }

    // Training changes the controls of the calculator alone.
    for (const [mode, within] of [['inference', 'body'], ['training', '#calculator']]) {
      test(`${mode}: every control can be hit`, async ({ wall, page }) => {
        await wall.goto(`mode=${mode}&seq=-1`);
        await wall.openDetails();
        await layOut(page);
        const controls = page.locator(within).locator('button, select, input, summary, a[href]:not(.skip, main p a)');
        const faults = await controls.evaluateAll((all) => {
          const describe = (one) => `${one.localName} ${one.getAttribute('aria-label') ?? one.labels?.[0]?.textContent ?? one.textContent}`;
          const faults = [];
          for (const one of all.filter((one) => one.checkVisibility())) {
            // A label around a button is pressed as the button is.
            const box = (one.closest('label') ?? one).getBoundingClientRect();
            if (box.width < 24 || box.height < 24) faults.push(`${describe(one)}: ${box.width.toFixed(1)} × ${box.height.toFixed(1)}`);
            one.scrollIntoView({ block: 'center' });
            const { left, top, width, height } = one.getBoundingClientRect();
            const hit = document.elementFromPoint(left + width / 2, top + height / 2);
            const own = hit && (one.contains(hit) || hit.contains(one) || [...(one.labels ?? [])].some((label) => label.contains(hit)));
            if (!own) faults.push(`${describe(one)} is covered by ${hit?.localName}.${hit?.className}`);
          }
          return faults;
        });
        expect(faults).toEqual([]);
      });
    }

    test('a long link and its notice stay inside', async ({ wall, page }) => {
      await wall.goto(`model=${'W'.repeat(300)}&${'w'.repeat(300)}=1&kv_heads=5`);
      await expect(wall.notice).toBeVisible();
      expect(await sideways(page), String(await wide(page))).toBe(0);
    });
  });
}

test('text at twice the size stays inside the page', async ({ wall, page }) => {
  await wall.goto('seq=128000');
  await wall.openDetails();
  await page.evaluate(() => {
    document.documentElement.style.fontSize = '200%';
  });
  await wall.settle();
  expect(await sideways(page), String(await wide(page))).toBe(0);
});

test('letters, words and lines further apart stay inside the page', async ({ wall, page }) => {
  await page.setViewportSize({ width: 360, height: 800 });
  await wall.goto('seq=128000');
  await page.evaluate(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important; }');
    document.adoptedStyleSheets = [sheet];
  });
  await wall.settle();
  expect(await sideways(page), String(await wide(page))).toBe(0);
});

test('at 360 px the formula of the cache and the table of techniques need no scrolling of their own', async ({ wall, page }) => {
  await page.setViewportSize({ width: 360, height: 800 });
  await wall.goto();
  for (const [name, items] of [['formula', '#buckets p > .formula'], ['techniques', '#figure-matrix .table-scroll']]) {
    const all = page.locator(items);
    expect(await all.count(), name).toBeGreaterThan(0);
    for (const one of await all.all()) {
      await one.scrollIntoViewIfNeeded();
      await expect.poll(() => one.evaluate((it) => it.scrollWidth - it.clientWidth), name).toBeLessThanOrEqual(0);
    }
  }
});
