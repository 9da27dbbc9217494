// The plot: sharp, in the colours of the theme, and at rest while nothing changes.

import { expect, test } from './fixtures.mjs';

/** What is on the canvas: its size, how many colours, and the mean lightness of what is drawn strongly. */
function drawn(wall) {
  return wall.plot.locator('canvas').evaluate((canvas) => {
    // A copy that is made to be read; reading the canvas itself would make the browser redraw it differently.
    const copy = new OffscreenCanvas(canvas.width, canvas.height);
    const pen = copy.getContext('2d', { willReadFrequently: true });
    pen.drawImage(canvas, 0, 0);
    const { data } = pen.getImageData(0, 0, canvas.width, canvas.height);
    const colours = new Set();
    let [light, count] = [0, 0];
    // Reddish pixels in the left and in the right half of the drawing: the curve of the cache.
    const cache = [[], []];
    for (let at = 0; at < data.length; at += 4) {
      const [red, green, blue, alpha] = data.subarray(at, at + 4);
      if (alpha < 200) continue;
      colours.add((red << 16) | (green << 8) | blue);
      // Ink is grey; curves are not.
      if (Math.max(red, green, blue) - Math.min(red, green, blue) < 16) {
        light += (red + green + blue) / 3;
        count += 1;
      } else if (red > 150 && red - blue > 80) {
        const pixel = at / 4;
        cache[pixel % canvas.width < canvas.width / 2 ? 0 : 1].push(Math.floor(pixel / canvas.width));
      }
    }
    const mean = (list) => list.reduce((sum, one) => sum + one, 0) / list.length;
    return {
      width: canvas.width,
      height: canvas.height,
      css: { width: canvas.clientWidth, height: canvas.clientHeight },
      colours: colours.size,
      light: light / count,
      cache: cache.map(mean),
    };
  });
}

/** Everything on the canvas, to see whether it has changed. */
const picture = (wall) => wall.plot.locator('canvas').evaluate((canvas) => canvas.toDataURL());

for (const deviceScaleFactor of [1, 2]) {
  test(`it is drawn with ${deviceScaleFactor} pixels to the pixel of the page`, async ({ visitor }) => {
    const wall = await visitor({ deviceScaleFactor });
    await wall.goto();
    const { width, height, css, colours } = await drawn(wall);
    expect(css.width).toBeGreaterThan(300);
    expect(width).toBe(css.width * deviceScaleFactor);
    expect(height).toBe(css.height * deviceScaleFactor);
    expect(colours).toBeGreaterThan(20);
  });
}

test('the cache rises from left to right', async ({ wall }) => {
  await wall.goto();
  const { cache } = await drawn(wall);
  expect(cache[1]).toBeLessThan(cache[0]);
});

test('it follows the theme', async ({ wall, page }) => {
  await page.emulateMedia({ colorScheme: 'light' });
  await wall.goto();
  const light = await drawn(wall);
  await page.emulateMedia({ colorScheme: 'dark' });
  await wall.settle();
  const dark = await drawn(wall);
  await page.emulateMedia({ colorScheme: 'light' });
  await wall.settle();
  const again = await drawn(wall);
  expect(dark.light - light.light).toBeGreaterThan(40);
  expect(again).toEqual(light);
});

test('it follows the width of the page', async ({ wall, page }) => {
  await wall.goto();
  const before = await drawn(wall);
  await page.setViewportSize({ width: 500, height: 800 });
  await expect.poll(async () => (await drawn(wall)).width).toBeLessThan(before.width);
  const after = await drawn(wall);
  expect([after.width, after.height]).toEqual([after.css.width, after.css.height]);
  expect(after.colours).toBeGreaterThan(20);
});

test('it follows an edit and is the same again after the way back', async ({ wall }) => {
  await wall.goto();
  const before = await picture(wall);
  await wall.choose('Model', 'llama-3.1-70b');
  expect(await picture(wall)).not.toBe(before);
  await wall.choose('Model', 'llama-2-7b');
  expect(await picture(wall)).toBe(before);
});

test('a page at rest asks for no frame', async ({ page, wall }) => {
  await page.addInitScript(() => {
    window.frames_asked = 0;
    const ask = window.requestAnimationFrame.bind(window);
    window.requestAnimationFrame = (call) => {
      window.frames_asked += 1;
      return ask(call);
    };
    window.timers_set = 0;
    const wait = window.setInterval.bind(window);
    window.setInterval = (...call) => {
      window.timers_set += 1;
      return wait(...call);
    };
  });
  await wall.goto();
  await wall.setSeq(4_096);
  // The program does draw through what is counted here.
  expect(await page.evaluate(() => window.frames_asked)).toBeGreaterThan(0);
  await page.waitForTimeout(1_200);
  const before = await page.evaluate(() => window.frames_asked);
  await page.waitForTimeout(1_000);
  expect(await page.evaluate(() => window.frames_asked)).toBe(before);
  expect(await page.evaluate(() => window.timers_set)).toBe(0);
});

test('the table beside it says the same figures as the calculator', async ({ wall, page }) => {
  await wall.goto('seq=128000');
  await wall.openDetails();
  const row = page.locator('.plot-table tr', { has: page.getByRole('rowheader', { name: '128,000', exact: true }) });
  const { size: cache } = await wall.bucket('kv_cache');
  const { size: total } = await wall.bucket('total');
  await expect(row.getByRole('cell')).toHaveText([cache, total, 'barely']);
});
