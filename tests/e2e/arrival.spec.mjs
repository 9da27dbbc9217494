// While the page arrives only its opening is displayed, which keeps browsers from laying out what nobody looks at yet. Nobody may
// be kept from reading by it.

import { expect, test } from './fixtures.mjs';
import { layOut } from './page.mjs';

const ARRIVING = 'data-arriving';
const root = (page) => page.locator('html');
const far = (page) => page.locator('#kv_cache h2');

/** Lets nothing come but the document and its style sheet, as at first on a slow line. */
const nothingElse = (page) =>
  page.route('**/*', (route) => {
    const comes = ['document', 'stylesheet'].includes(route.request().resourceType());
    return comes ? route.continue() : undefined;
  });

/** Asks of each visit whether sections were held back at any time, however short. */
async function noted(page) {
  await page.addInitScript((attribute) => {
    const note = () => (window.heldBack ||= document.documentElement?.hasAttribute(attribute) ?? false);
    new MutationObserver(note).observe(document, { attributes: true, childList: true, subtree: true });
  }, ARRIVING);
  return () => page.evaluate(() => window.heldBack);
}

test('the sections stand there once the page has arrived, and on a slow line as soon as somebody asks', async ({ page, wall }) => {
  await wall.goto('', { laidOut: false });
  await expect(root(page)).not.toHaveAttribute(ARRIVING);
  await expect(far(page)).toHaveCSS('display', 'block');

  await nothingElse(page);
  const heldBack = await noted(page);
  await page.goto('/?v=1', { waitUntil: 'commit' });
  await expect(page.locator('#opening')).toBeVisible();
  expect(await heldBack()).toBe(true);
  await page.mouse.wheel(0, 400);
  await expect(root(page)).not.toHaveAttribute(ARRIVING);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

test('files that never come keep no section from being read', async ({ page }) => {
  await nothingElse(page);
  await page.goto('/', { waitUntil: 'domcontentloaded' });
  await expect(root(page)).not.toHaveAttribute(ARRIVING, { timeout: 5_000 });
  await expect(far(page)).toHaveCSS('display', 'block');
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

test('a link to a place leads there, and a visit that is taken up again is where it was', async ({ page, wall }) => {
  const heldBack = await noted(page);
  await page.goto('/#oom');
  await wall.live({ laidOut: false });
  expect(await heldBack()).toBe(false);
  await expect(page.locator('#oom h2')).toBeInViewport();

  await wall.goto('v=1&seq=4096', { laidOut: false });
  expect(await heldBack()).toBe(true);
  await page.locator('#hierarchy').scrollIntoViewIfNeeded();
  const before = await page.evaluate(() => scrollY);
  expect(before).toBeGreaterThan(500);
  await page.reload();
  await expect.poll(() => page.evaluate(() => scrollY)).toBe(before);
  expect(await heldBack()).toBe(false);
  await wall.live({ laidOut: false });
});

test('nothing is held back where no script runs', async ({ visitor }) => {
  const still = await visitor({ javaScriptEnabled: false });
  await still.goto('', { live: false });
  await expect(far(still.page)).toHaveCSS('display', 'block');
  await expect(still.page.locator('.table-scroll').first()).toHaveCSS('overflow-x', 'auto');
});

/** What Chromium says of the file with the styles of what stands further down: did it come once the page was painted or whole? */
const rest = (page) =>
  page.evaluate(() => {
    const [file] = performance.getEntriesByType('resource').filter(({ name }) => /\/rest-[^/]*\.css$/.test(name));
    const [paint] = performance.getEntriesByName('first-contentful-paint');
    const [visit] = performance.getEntriesByType('navigation');
    return { blocking: file.renderBlockingStatus, late: file.startTime >= Math.min(paint.startTime, visit.loadEventStart) };
  });

test('the first paint waits for no style of what stands further down, and a link to it brings them before', async ({ page, wall }) => {
  await wall.goto('', { laidOut: false });
  expect(await rest(page)).toEqual({ blocking: 'non-blocking', late: true });
  await expect(page.locator('.table-scroll').first()).toHaveCSS('overflow-x', 'auto');
  await expect(page.locator('head noscript')).toHaveCount(0);

  await page.goto('about:blank');
  await page.goto('/#oom');
  await wall.live({ laidOut: false });
  expect(await rest(page)).toEqual({ blocking: 'blocking', late: false });
  await expect(page.locator('head link[rel="stylesheet"]')).toHaveCount(1);
});

for (const width of [360, 1_280]) {
  test(`the head of the page looks as it does without the styles of the rest, at ${width} px`, async ({ page, troubles, wall }) => {
    await page.setViewportSize({ width, height: 800 });
    /** How every element of the head looks, and its place. */
    const looks = () =>
      page.locator('.rig, .rig *, #opening, #opening *').evaluateAll((all) =>
        all.map((one) => {
          const style = getComputedStyle(one);
          return [one.tagName, one.className.baseVal ?? one.className, ...[...style].map((name) => `${name}: ${style.getPropertyValue(name)}`)];
        }),
      );
    await wall.goto('', { laidOut: false });
    const whole = await looks();
    await page.route('**/rest-*.css', (route) => route.abort());
    await wall.goto('v=1', { laidOut: false });
    await expect(root(page)).not.toHaveAttribute(ARRIVING);
    const head = await looks();
    expect(head.length).toBe(whole.length);
    const others = head.map((look, place) => [look.slice(0, 2).join(' '), ...look.filter((it) => !whole[place].includes(it))]);
    troubles.length = 0;
    expect(others.filter((it) => it.length > 1)).toEqual([]);
  });
}

for (const width of [360, 1_280]) {
  test(`sections that nobody has seen are taken to be about as tall as they are, at ${width} px`, async ({ page, wall }) => {
    await page.setViewportSize({ width, height: 800 });
    await wall.goto('', { laidOut: false });
    const sections = page.locator('.section:nth-of-type(n + 2)');
    const heights = () => sections.evaluateAll((all) => all.map((one) => [one.id, one.offsetHeight]));
    const taken = await sections.evaluateAll((all) =>
      all.map((one) => Number(/^auto ([\d.]+)px$/.exec(getComputedStyle(one).containIntrinsicHeight)?.[1])),
    );
    await layOut(page);
    for (const [place, [id, height]] of (await heights()).entries()) {
      expect(taken[place], id).toBeGreaterThan(0.9 * height);
      expect(taken[place], id).toBeLessThan(1.25 * height);
    }
  });
}
