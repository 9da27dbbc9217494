// The planner within a page of somebody else: its state in the link, heights, messages, and a sandbox without an origin.

import AxeBuilder from '@axe-core/playwright';

import { test, live, heard, say, fits } from './embedded.mjs';
import { expect, test as alone } from './fixtures.mjs';

const PLANS = 'v=1&plan=a&model=llama-3.1-8b&gpu=l40s&plan=b&model=llama-3.1-8b&weights=fp8&gpu=l4';

for (const sandbox of ['', 'sandbox="allow-scripts"']) {
  test(`a bare frame ${sandbox} shows the plans of its link and follows its inputs`, async ({ hosted, site }) => {
    const page = await hosted(`<iframe ${sandbox} src="${site.origin}/plan-frame.html?${PLANS}&theme=dark" width="1000" height="900" title="t"></iframe>`);
    const frame = page.frameLocator('iframe');
    await live(frame);
    await expect(frame.locator('html')).toHaveAttribute('data-theme', 'dark');
    await expect(frame.locator('.plan:visible')).toHaveCount(2);
    await expect(frame.locator('.notice')).toBeHidden();
    await frame.locator('#plan-gpu').fill('RTX 3060 12GB');
    await frame.locator('#plan-gpu').fill('GeForce RTX 3060 12GB');
    await frame.locator('#plan-weights').selectOption('fp32');
    await expect(frame.locator('#plan-1 .verdict')).toContainText('It does not fit');
    expect(await heard(page, 'ready')).toHaveLength(1);
    expect((await heard(page, 'resize')).at(-1).height).toBeGreaterThan(900);
    expect(await heard(page, 'state'), 'nothing is told to who has not said hello').toHaveLength(0);
    // Other programs' files too.
    await frame.locator('#plan-weights').selectOption('bf16');
    await frame.locator('#plan-engine').selectOption('vllm');
    await frame.locator('#out-format').selectOption('vllm');
    await expect(frame.locator('#out-text')).toHaveValue(/vllm serve/);
  });
}

test('the page around brings plans, is told of changes, and gives the height', async ({ hosted, site }) => {
  const page = await hosted(`<script src="${site.origin}/embed.js"></script><iframe data-memory-wall src="${site.origin}/plan-frame.html?${PLANS}" style="width:900px;border:0" title="t"></iframe>`);
  const frame = page.frameLocator('iframe');
  await live(frame);
  await say(page, { mw: 1, type: 'hello' });
  await expect.poll(() => fits(frame)).toEqual([0, 0]);
  await say(page, { mw: 1, type: 'set', query: 'v=1&plan=c&model=qwen3-8b&gpu=l4&nonsense=1' });
  await expect(frame.locator('.plan:visible')).toHaveCount(1);
  await expect(frame.locator('#plan-model')).toHaveValue('Qwen3 8B');
  await expect.poll(async () => (await heard(page, 'error')).map(({ code }) => code)).toContain('query');
  await frame.locator('#plan-seq').fill('16384');
  await expect.poll(async () => (await heard(page, 'state')).at(-1)?.query).toContain('&seq=16384');
  await say(page, { mw: 1, type: 'theme', value: 'light' });
  await expect(frame.locator('html')).toHaveAttribute('data-theme', 'light');
});

for (const above of [0, 2_000]) {
  test(`the picture on canvas is painted where the page around is scrolled to it, ${above} pixels above the frame`, async ({ hosted, site }) => {
    const page = await hosted(
      `<div style="height:${above}px"></div><iframe src="${site.origin}/plan-frame.html?${PLANS}" width="1000" height="6000" title="t"></iframe>`,
    );
    const frame = page.frameLocator('iframe');
    await live(frame);
    const canvas = frame.locator('.heat canvas');
    // Parts on the way take their heights as they come near: each step may lead past the place that it went to.
    await expect
      .poll(async () => {
        const box = await canvas.boundingBox();
        if (box) await page.evaluate((top) => scrollBy(0, top - 200), box.y);
        return canvas.evaluate((it) => {
          const blank = Object.assign(document.createElement('canvas'), { width: it.width, height: it.height });
          return it.toDataURL() !== blank.toDataURL();
        });
      }, { timeout: 20_000 })
      .toBe(true);
  });
}

alone('the picture on canvas is painted anew where the page around changes the theme', async ({ page }) => {
  await page.goto(`/plan-frame.html?${PLANS}&theme=light`);
  await live(page);
  const canvas = page.locator('.heat canvas');
  await canvas.scrollIntoViewIfNeeded();
  await expect.poll(() => canvas.evaluate((it) => it.width)).not.toBe(300);
  const painted = () => canvas.evaluate((it) => it.toDataURL());
  /** It comes in slices. */
  const rested = async () => {
    let [before, now] = ['', await painted()];
    while (before !== now) {
      await page.waitForTimeout(300);
      [before, now] = [now, await painted()];
    }
    return now;
  };
  const light = await rested();
  /** As the script of the page does when it is told. */
  const theme = (value) =>
    page.evaluate((value) => {
      document.documentElement.dataset.theme = value;
      document.dispatchEvent(new CustomEvent('memory-wall:theme'));
    }, value);
  await theme('dark');
  await expect.poll(painted).not.toBe(light);
  await theme('light');
  await expect.poll(painted).toBe(light);
});

alone('in a frame nothing is kept, and nothing kept is shown', async ({ page }) => {
  await page.goto('/plan.html');
  await live(page);
  await page.locator('#plan-seq').fill('4096');
  await expect(page).toHaveURL(/seq=4096/);
  const kept = () => page.evaluate(() => localStorage.getItem('memory-wall.v1.plans'));
  const before = await kept();
  await page.goto('/plan-frame.html');
  await live(page);
  await expect(page.locator('#plan-seq')).toHaveValue('8192');
  await page.locator('#plan-seq').fill('1024');
  await expect(page).toHaveURL(/seq=1024/);
  expect(await kept()).toBe(before);
});

alone('it is clean for axe, and the page for teachers makes its snippet', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 800 });
  await page.goto('/plan-frame.html');
  await live(page);
  const { violations } = await new AxeBuilder({ page }).withTags(['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa']).analyze();
  expect(violations).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto('/teach.html');
  await page.locator('#teach-link').fill(`${new URL(page.url()).origin}/plan.html?${PLANS}`);
  await expect(page.locator('#teach-figure')).toHaveValue('planner');
  await expect(page.locator('#teach-snippet')).toHaveValue(/plan-frame\.html\?v=1&amp;plan=a/);
});
