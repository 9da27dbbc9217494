// The small pages that figures by themselves are: heights, options of the link, and what they say without scripts.

import { test, live, figures, HEIGHTS } from './embedded.mjs';
import { expect } from './fixtures.mjs';
import { address, WIDTHS } from './heights.mjs';

test('the way to the tutorial takes the state along', async ({ hosted, site }) => {
  const page = await hosted(`<iframe src="${site.origin}/embed/buckets.html?model=llama-3.1-8b" width="700" height="900" title="t"></iframe>`);
  const frame = page.frameLocator('iframe');
  await live(frame);
  await frame.locator('#control-seq-number').fill('32768');
  const [tutorial] = await Promise.all([page.context().waitForEvent('page'), frame.locator('.embed-foot a[href*="index.html"]').click()]);
  await tutorial.locator('html[data-live]').waitFor({ state: 'attached' });
  await expect(tutorial.locator('#control-seq-number')).toHaveValue('32,768');
  expect(new URL(tutorial.url()).search).toBe('?v=1&model=llama-3.1-8b&seq=32768');
  expect(new URL(tutorial.url()).hash).toBe('#calculator');
});

test('in a frame of 320 px the table of techniques does not scroll sideways, before its answers and with them', async ({ hosted, site }) => {
  const page = await hosted(`<iframe src="${site.origin}/embed/matrix.html" width="320" height="1500" title="t"></iframe>`);
  const frame = page.frameLocator('iframe');
  const table = frame.locator('.table-scroll').first();
  const over = () => table.evaluate((one) => one.scrollWidth - one.clientWidth);
  await expect.poll(over).toBeLessThanOrEqual(0);
  await frame.getByText('Show what the engine says, and why').click();
  await expect(frame.locator('.paint-truth').first()).toBeVisible();
  await expect.poll(over).toBeLessThanOrEqual(0);
});

test('options of the link: no question, a question first, the answer at once, less around', async ({ hosted, site }) => {
  const with_ = async (query) => {
    const page = await hosted(`<iframe src="${site.origin}/embed/hierarchy.html?${query}" width="700" height="900" title="t"></iframe>`);
    await live(page.frameLocator('iframe'));
    return page.frameLocator('iframe');
  };
  await expect((await with_('predict=off')).locator('.dial')).toBeHidden();
  const required = await with_('predict=required');
  await expect(required.locator('#figure-hierarchy')).toHaveAttribute('inert', '');
  await required.locator('#dial-walk-number').fill('5');
  await required.locator('[data-act="check-dial walk"]').click();
  await expect(required.locator('#figure-hierarchy')).not.toHaveAttribute('inert', '');
  const shown = await with_('reveal=1');
  await expect(shown.locator('details.guess')).toHaveAttribute('open', '');
  await expect((await with_('ui=min')).locator('.embed-foot')).toBeHidden();
  const wrong = await with_('theme=purple');
  await expect(wrong.locator('#notice .notice')).toContainText('theme');
});

test('at its published height no figure needs a bar of its own', async ({ page, site }) => {
  test.slow();
  for (const { figure, heights } of HEIGHTS) {
    await page.goto(`${site.origin}/${address(figure)}`);
    await page.locator('html[data-live]').waitFor({ state: 'attached' });
    expect(heights.map(([width]) => width)).toEqual(WIDTHS);
    // Each is enough up to its width; at the last one before it a figure may be higher.
    const all = heights.flatMap(([width, height], at) => (at === 0 ? [[width, height]] : [[width, height], [heights[at - 1][0] + 16, height]]));
    for (const [width, height] of all) {
      await page.setViewportSize({ width, height });
      await expect.poll(() => page.evaluate(() => document.documentElement.scrollHeight - innerHeight), `${figure} at ${width}`).toBeLessThanOrEqual(0);
      // And none has half a page of nothing under it: its height is that of the highest in a range of widths.
      expect(await page.evaluate(() => innerHeight - document.body.offsetHeight), `${figure} at ${width}`).toBeLessThan(height / 2);
    }
  }
  expect(HEIGHTS.map(({ figure }) => figure).filter((figure) => !figure.includes('?'))).toEqual([...figures, 'planner'].sort());
});

/** Figures whose example no link changes, and those that need no script. */
const OWN = ['opening', 'claims', 'rungs', 'profile', 'oom', 'oom_guess', 'peak', 'worked_roofline', 'frontier', 'sort', 'heads', 'layer', 'cuts', 'minute', 'phases', 'recompute', 'schedule', 'tiles'];
const WORKING = ['ladder', 'matrix'];

test('a frame without scripts says what it shows and that it stands still, and has nothing to operate', async ({ browser, site }) => {
  test.slow();
  // A browser complains of the scripts that such a frame blocks.
  const page = await browser.newPage({ serviceWorkers: 'block' });
  for (const figure of figures) {
    await page.setContent(`<iframe sandbox="" src="${site.origin}/embed/${figure}.html?model=llama-3.1-8b" width="700" height="1800" title="t"></iframe>`);
    const frame = page.frameLocator('iframe');
    const said = frame.locator('.no-script');
    await expect(said, figure).toBeVisible();
    await expect(said, figure).toContainText('JavaScript');
    // Whose numbers these are: those of the starting point, or of an example that no link changes.
    const rig = /stands still, whatever its link asks for. It shows the starting point:\s*Llama 2 7B, bf16, batch 1, 2,048 tokens, A100 SXM4 80GB/;
    const own = OWN.includes(figure) && 'stands still. It shows an example of its own';
    const works = WORKING.includes(figure) && 'works without it, and shows an example of its own';
    if (figure !== 'quiz') await expect.soft(said, figure).toContainText(own || works || rig);
    const link = said.getByRole('link');
    await expect(link, figure).toHaveAttribute('href', figure === 'quiz' ? '../check.html' : /^\.\.\/index\.html#/);
    const operated = frame.locator(':is(input, select, textarea, button):visible');
    expect(await operated.count(), figure).toBe(works ? await frame.locator('main input').count() : 0);
    await expect(frame.locator('main .figure').first(), figure).toBeVisible();
    // With scripts there is no such word.
    await page.locator('iframe').evaluate((frame) => {
      frame.removeAttribute('sandbox');
      frame.src = `${frame.src}&batch=2`;
    });
    await live(frame);
    await expect(said, figure).toHaveCount(0);
  }
  await page.close();
});

for (const width of [320, 768]) {
  test(`each of ${figures.length} figures by itself says what it said before it was live, at ${width} px`, async ({ page, site }) => {
    test.slow();
    await page.setViewportSize({ width, height: 700 });
    for (const figure of figures) {
      await page.goto(`${site.origin}/embed/${figure}.html`);
      await page.locator('html[data-live]').waitFor({ state: 'attached' });
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), figure).toBeLessThanOrEqual(0);
      const arrived = await (await page.request.get(`${site.origin}/embed/${figure}.html`)).text();
      const texts = await page.evaluate((html) => {
        const parsed = new DOMParser().parseFromString(html, 'text/html');
        // The program brings the choices of long lists; what is chosen is there before. The minute's script brings its levers along.
        const more = 'noscript, option:not(:checked), .minute-levers, .minute-controls';
        for (const root of [parsed, document]) for (const place of root.querySelectorAll(more)) place.remove();
        const text = (root) => root.querySelector('main').textContent.replace(/\s+/g, ' ').trim();
        return [text(parsed), text(document)];
      }, arrived);
      expect(texts[1], figure).toBe(texts[0]);
    }
  });
}
