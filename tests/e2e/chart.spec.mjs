// The plot: drawn, sharp, in the colours of the theme, and at rest while nothing changes.

import { expect, test } from './fixtures.mjs';
import { pixels } from './png.mjs';

/** What can be seen of the plot: how many colours, how light its ground is, and where the cache's red curve runs. */
async function drawn(wall) {
  const picture = pixels(await wall.plot.screenshot());
  const colours = new Map();
  const cache = [[], []];
  for (let y = 0; y < picture.height; y += 1) {
    for (let x = 0; x < picture.width; x += 1) {
      const [red, green, blue] = picture.at(x, y);
      const colour = `${red} ${green} ${blue}`;
      colours.set(colour, (colours.get(colour) ?? 0) + 1);
      if (red > 150 && red - blue > 80 && red - green > 60) cache[x < picture.width / 2 ? 0 : 1].push(y);
    }
  }
  const [ground] = [...colours].sort(([, a], [, b]) => b - a)[0];
  const mean = (list) => list.reduce((sum, one) => sum + one, 0) / list.length;
  return {
    width: picture.width,
    colours: colours.size,
    ground: mean(ground.split(' ').map(Number)),
    cache: cache.map(mean),
  };
}

const picture = async (wall) => (await wall.plot.screenshot()).toString('base64');

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'live' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled });

    test('it is drawn, and the cache rises from left to right', async ({ wall }) => {
      await wall.goto('', { live: javaScriptEnabled });
      const { colours, cache } = await drawn(wall);
      expect(colours).toBeGreaterThan(20);
      expect(cache[1]).toBeLessThan(cache[0]);
    });
  });
}

test('a canvas would have a pixel for every pixel of the screen', async ({ visitor }) => {
  const wall = await visitor({ deviceScaleFactor: 2 });
  await wall.goto();
  // Drawings of shapes and text are sharp by themselves.
  const sizes = await wall.page.locator('canvas').evaluateAll((all) => all.map((one) => [one.width, one.clientWidth * 2]));
  for (const [has, needs] of sizes) expect(has).toBe(needs);
  expect((await drawn(wall)).colours).toBeGreaterThan(20);
});

test('it follows the theme and comes back', async ({ wall, page }) => {
  await page.emulateMedia({ colorScheme: 'light' });
  await wall.goto();
  const light = await drawn(wall);
  await page.emulateMedia({ colorScheme: 'dark' });
  await wall.settle();
  const dark = await drawn(wall);
  expect(light.ground - dark.ground).toBeGreaterThan(150);
  expect(dark.colours).toBeGreaterThan(20);
  await page.emulateMedia({ colorScheme: 'light' });
  await wall.settle();
  expect(await drawn(wall)).toEqual(light);
});

test('it follows the width of the page', async ({ wall, page }) => {
  await wall.goto();
  const before = await drawn(wall);
  await page.setViewportSize({ width: 500, height: 800 });
  await wall.settle();
  const after = await drawn(wall);
  expect(after.width).toBeLessThan(500);
  expect(after.width).toBeLessThan(before.width);
  expect(after.colours).toBeGreaterThan(20);
  expect(after.cache[1]).toBeLessThan(after.cache[0]);
});

test('it follows an edit and is the same again after the way back', async ({ wall }) => {
  await wall.goto();
  const before = await picture(wall);
  await wall.choose('Model', 'llama-3.1-70b');
  expect(await picture(wall)).not.toBe(before);
  await wall.choose('Model', 'llama-2-7b');
  expect(await picture(wall)).toBe(before);
});

test('a page at rest asks for no frame and keeps no clock', async ({ page, wall }) => {
  await page.addInitScript(() => {
    window.asked = { frames: 0, timers: 0 };
    for (const [name, count] of [['requestAnimationFrame', 'frames'], ['setInterval', 'timers'], ['setTimeout', 'timers']]) {
      const real = window[name].bind(window);
      window[name] = (...call) => {
        window.asked[count] += 1;
        return real(...call);
      };
    }
  });
  const asked = () => page.evaluate(() => ({ ...window.asked }));
  await wall.goto();
  await wall.setSeq(4_096);
  // Frames and timers are counted: the test's own frames, and the timers that write the link.
  expect((await asked()).frames).toBeGreaterThan(0);
  expect((await asked()).timers).toBeGreaterThan(0);
  await page.waitForTimeout(1_200);
  const before = await asked();
  await page.waitForTimeout(1_000);
  expect(await asked()).toEqual(before);
});

test('the table beside it says the same figures as the calculator', async ({ wall, page }) => {
  await wall.goto('seq=128000');
  await wall.openDetails();
  const row = page.locator('.plot-table tr', { has: page.getByRole('rowheader', { name: '128,000', exact: true }) });
  const { size: cache } = await wall.bucket('kv_cache');
  const { size: total } = await wall.bucket('total');
  await expect(row.getByRole('cell')).toHaveText([cache, total, 'barely']);
});

test('where colours are the reader\'s own, the drawing takes them', async ({ visitor }) => {
  const wall = await visitor({ forcedColors: 'active' });
  await wall.goto();
  await wall.page.locator('.roofline-canvas').scrollIntoViewIfNeeded();
  await wall.settle();
  const [corner, system] = await wall.page.evaluate(() => {
    const canvas = document.querySelector('.roofline-canvas');
    const probe = document.body.appendChild(document.createElement('p'));
    probe.style.backgroundColor = 'Canvas';
    const [r, g, b] = canvas.getContext('2d').getImageData(1, canvas.height - 2, 1, 1).data;
    return [`rgb(${r}, ${g}, ${b})`, getComputedStyle(probe).backgroundColor];
  });
  expect(corner).toBe(system);
});
