// No known violation of WCAG 2.2 A and AA, in the states a reader meets.

import AxeBuilder from '@axe-core/playwright';
import { expect, test } from './fixtures.mjs';
import { layOut } from './page.mjs';

const STATES = { default: '', 'does not fit': 'seq=200000', training: 'mode=training' };
const RULES = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'];

/** Violations as short lines: rule, place, what is wrong. Of the whole page, or of what a selector finds. */
async function violations(page, { within, rule } = {}) {
  const axe = new AxeBuilder({ page });
  if (rule) axe.withRules(rule);
  else axe.withTags(RULES);
  if (within) axe.include(within);
  const { violations } = await axe.analyze();
  return violations.flatMap((violation) =>
    violation.nodes.map((node) => `${violation.id}: ${node.target.join(' ')}: ${(node.any[0] ?? node.all[0] ?? node.none[0])?.message}`),
  );
}

for (const width of [360, 1280]) {
  for (const colorScheme of ['light', 'dark']) {
    test.describe(`${width} px, ${colorScheme}`, () => {
      test.use({ viewport: { width, height: 900 }, colorScheme });
      for (const [state, query] of Object.entries(STATES)) {
        test(`${state}: no violation`, async ({ wall, page }) => {
          await wall.goto(query);
          await wall.openDetails();
          await layOut(page);
          // Another theme has other colours and nothing else, and other settings change the calculator and the bar most.
          const rule = colorScheme === 'dark' ? 'color-contrast' : undefined;
          for (const within of query ? ['#calculator', '.rig'] : [undefined]) expect(await violations(page, { within, rule })).toEqual([]);
        });
      }
    });
  }
}

test('with a notice and a mistake in a field: no violation', async ({ wall, page }) => {
  await wall.goto('seq=-1&colour=red');
  await wall.seq.field.fill('many');
  await expect(wall.seq.field).toHaveAttribute('aria-invalid', 'true');
  // Links that the bar above half covers while the page is scrolled are covered by nothing at its top.
  await page.evaluate(() => scrollTo(0, 0));
  expect(await violations(page)).toEqual([]);
});

test.describe('without JavaScript', () => {
  // axe itself is a script, so it runs in the page as it arrives, with the program kept from starting.
  test('the page as it arrives: no violation', async ({ wall, page, troubles }) => {
    await page.route('**/*.wasm', () => {});
    await page.goto('/', { waitUntil: 'domcontentloaded' });
    await expect(page.locator('html[data-live]')).toHaveCount(0);
    expect(await violations(page)).toEqual([]);
    await wall.openDetails();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    // The file that was held back is the only thing that may fail.
    for (const [place, trouble] of [...troubles.entries()].reverse()) if (trouble.includes('.wasm')) troubles.splice(place, 1);
  });
});
