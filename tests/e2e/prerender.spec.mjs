// The page as it arrives says the same as the page that is live; and it says it without JavaScript.

import { expect, test } from './fixtures.mjs';
import { BUCKETS, LATE, layOut, plain } from './page.mjs';

/** What each figure says: its text, where its drawing stands, and every value a reader can read off a control. */
async function figures(wall) {
  await layOut(wall.page);
  return wall.page.evaluate((late) => {
    // The notice for readers without JavaScript is the one thing that may differ, and the choices that come with the program.
    document.querySelectorAll('noscript, .no-script').forEach((notice) => notice.remove());
    for (const list of late.map((name) => document.getElementById(`control-${name}`))) {
      const { text, value } = list.selectedOptions[0];
      list.replaceChildren(new Option(text, value, true, true));
    }
    const attributes = (figure, selector, names) =>
      [...figure.querySelectorAll(selector)].map((one) => [one.localName, ...names.map((name) => one.getAttribute(name) ?? '')].join('|'));
    return [...document.querySelectorAll('.rig, .figure')].map((figure) => ({
      id: figure.id || figure.className,
      // White space between elements is no text: the two renderers put it differently.
      text: figure.textContent.replace(/\s+/g, ''),
      seen: figure.innerText.replace(/\s+/g, ' ').trim(),
      drawing: attributes(figure, 'svg *', ['x', 'y', 'x1', 'x2', 'y1', 'y2', 'cx', 'cy', 'width', 'height', 'points', 'data-empty']),
      spoken: attributes(figure, '*', ['role', 'aria-label', 'aria-pressed', 'aria-valuetext', 'title', 'data-bytes', 'data-verdict', 'data-over']),
      controls: [...figure.querySelectorAll('input, select, button')].map((one) =>
        [one.localName, one.id, one.value, one.checked, one.disabled].join('|'),
      ),
      height: figure.getBoundingClientRect().height,
    }));
  }, Object.keys(LATE));
}

/** The page as it arrives, before its program: the program never comes. Without scripts some controls that cannot work are hidden. */
async function arrival(visitor, options) {
  const still = await visitor(options);
  await still.page.route('**/*.wasm', () => {});
  await still.goto('', { live: false });
  // The script that takes the self-check in comes after the page.
  await expect(async () => still.whole()).toPass();
  return still;
}

test('every figure says the same before and after it comes alive', async ({ wall, visitor }) => {
  const still = await arrival(visitor);
  await wall.goto();
  const [before, after] = [await figures(still), await figures(wall)];
  expect(after.map((figure) => figure.id)).toEqual(before.map((figure) => figure.id));
  expect(before.length).toBeGreaterThanOrEqual(3);
  for (const [place, figure] of before.entries()) {
    // Above the answers on paper stands a word.
    expect(figure.text.length, figure.id).toBeGreaterThan(figure.id === 'figure-quiz_key' ? 5 : 20);
    for (const what of ['text', 'seen', 'drawing', 'spoken', 'controls']) {
      expect.soft(after[place][what], `${what} of ${figure.id}`).toEqual(figure[what]);
    }
  }
});

for (const width of [360, 1280]) {
  test(`nothing moves at ${width} px when the page comes alive`, async ({ visitor }) => {
    const wall = await visitor({ viewport: { width, height: 900 } });
    await wall.page.addInitScript(() => {
      window.shifts = [];
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) {
          window.shifts.push({ value: entry.value, of: entry.sources.map((source) => source.node?.className ?? source.node?.nodeName) });
        }
      }).observe({ type: 'layout-shift', buffered: true });
    });
    await wall.goto();
    await wall.page.waitForTimeout(300);
    expect(await wall.page.evaluate(() => window.shifts.filter((shift) => shift.value > 0.001))).toEqual([]);
    const still = await arrival(visitor, { viewport: { width, height: 900 } });
    const heights = (list) => list.map(({ id, height }) => `${id} ${Math.round(height)}`);
    expect(heights(await figures(wall))).toEqual(heights(await figures(still)));
  });
}

test('every number in the prose is the same before and after', async ({ wall, visitor }) => {
  // The self-check is not in the page that arrives.
  const numbers = (wall) => wall.page.locator('[data-b]:not(#check *)').evaluateAll((all) => all.map((one) => one.textContent));
  const still = await (await visitor({ javaScriptEnabled: false })).goto('', { live: false });
  await wall.goto();
  const before = await numbers(still);
  expect(before.length).toBeGreaterThan(20);
  expect(await numbers(wall)).toEqual(before);
});

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('text, wall and table are there, and the sums are the live ones', async ({ wall, page, visitor }) => {
    await wall.goto('', { live: false });
    const live = await visitor();
    await live.goto();

    const text = await wall.text();
    for (const sentence of ['Will it fit', 'The longest context that fits on your GPU is 133,802 tokens', 'You pay for the weights once']) {
      expect(text).toContain(sentence);
    }
    await expect(wall.svg).toBeVisible();
    const labels = wall.svg.locator('.layer:not([data-empty]) .segment-label');
    expect((await labels.allTextContents()).map(plain)).toEqual(
      (await live.svg.locator('.layer:not([data-empty]) .segment-label').allTextContents()).map(plain),
    );
    expect(await labels.count()).toBeGreaterThanOrEqual(4);
    expect(await wall.courseHeight('weights')).toBeGreaterThan(20);

    for (const bucket of BUCKETS) await expect(wall.row(bucket)).toBeVisible();
    expect(await wall.page.locator('tr.bucket-row').count()).toBe(BUCKETS.length);
    const bytes = await wall.bytes();
    expect(bytes).toEqual(await live.bytes());
    const { total, ...parts } = bytes;
    expect(Object.values(parts).reduce((sum, one) => sum + one)).toBe(total);

    expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0);
  });

  test('a notice says that the controls need JavaScript', async ({ wall, page, visitor }) => {
    await wall.goto('', { live: false });
    await expect(page.locator('.no-script')).toBeVisible();
    await expect(page.locator('.no-script')).toContainText('JavaScript');
    // And what only it could answer is not there to be pressed.
    const isDead = async (at) => {
      expect(await page.locator(at).count()).toBeGreaterThan(3);
      await expect(page.locator(`${at}:visible`)).toHaveCount(0);
    };
    await isDead('.reveal button');
    const answers = () => page.locator('.solution:visible').count();
    const here = await answers();
    await page.goto('/check.html');
    for (const at of ['.reveal button', '.standing button']) await isDead(at);
    expect(here + (await answers()), 'answers can be opened all the same').toBeGreaterThan(50);
    await page.goBack();
    const live = await visitor();
    await live.goto();
    await expect(live.page.locator('.no-script')).toBeHidden();
  });

  test('the plot has more memory higher up', async ({ wall }) => {
    await wall.goto('', { live: false });
    const marks = await wall.plot.locator('text').evaluateAll((texts) =>
      Object.fromEntries(texts.map((text) => [text.textContent.replace(/\s+/g, ' ').trim(), text.getBoundingClientRect().top])),
    );
    expect(marks['100 GB']).toBeLessThan(marks['10 GB']);
    expect(marks['10 GB']).toBeLessThan(marks['1 GB']);
  });
});
