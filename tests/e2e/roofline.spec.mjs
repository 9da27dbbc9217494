// The roofline: drawn where the engine says, operated by keyboard, and the same in words, in its table and as a file.

import { readFile } from 'node:fs/promises';
import { expect, test } from './fixtures.mjs';
import { layOut, plain } from './page.mjs';
import { pixels } from './png.mjs';

/** The points as they stand: name for programs, spoken name, place in pixels of the canvas. */
const points = (wall) =>
  wall.page.locator('.roofline-dots [data-dot]').evaluateAll((dots) => {
    const canvas = document.querySelector('.roofline-canvas').getBoundingClientRect();
    return dots.map((dot) => {
      const box = dot.getBoundingClientRect();
      return {
        key: dot.dataset.dot,
        label: dot.getAttribute('aria-label'),
        x: box.x + box.width / 2 - canvas.x,
        y: box.y + box.height / 2 - canvas.y,
      };
    });
  });

const picture = async (wall) => pixels(await wall.roofline.canvas.screenshot());

/** Whether anything near a place stands out from the ground. */
function inked(image, x, y, scale = 1) {
  const ground = image.at(2, image.height - 2);
  // The middle of a point may be as light as the page; its edge is not.
  const reach = 9 * scale;
  for (let dy = -reach; dy <= reach; dy += 1) {
    for (let dx = -reach; dx <= reach; dx += 1) {
      const colour = image.at(Math.round(x * scale) + dx, Math.round(y * scale) + dy);
      if (colour.some((part, place) => Math.abs(part - ground[place]) > 60)) return true;
    }
  }
  return false;
}

test('arrival and live page say the same', async ({ wall, visitor }) => {
  const said = (of) => of.page.locator('#figure-roofline .summary, #figure-roofline .readings').allInnerTexts();
  const still = await (await visitor({ javaScriptEnabled: false })).goto('', { live: false });
  await wall.goto();
  await layOut(still.page);
  expect(await said(wall)).toEqual(await said(still));
  await expect(still.page.locator('.still-wide')).toBeVisible();
});

for (const deviceScaleFactor of [1, 2]) {
  test(`the roof and every point are drawn where the engine says, at ${deviceScaleFactor} pixels a pixel`, async ({ visitor }) => {
    const wall = await visitor({ deviceScaleFactor });
    await wall.goto('batch=64');
    const size = await wall.roofline.canvas.evaluate((canvas) => [canvas.width, canvas.clientWidth]);
    expect(size[0]).toBe(size[1] * deviceScaleFactor);
    const image = await picture(wall);
    const all = await points(wall);
    expect(all.length).toBeGreaterThan(5);
    for (const { key, x, y } of all) expect(inked(image, x, y, deviceScaleFactor), key).toBe(true);
    // The slope runs through the points that wait for memory: half-way between two of them there is the roof.
    const slow = all.filter(({ label }) => label.includes('waits for memory')).sort((a, b) => a.x - b.x);
    const [from, to] = [slow[0], slow.at(-1)];
    for (const part of [0.25, 0.5, 0.75]) {
      expect(inked(image, from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part, deviceScaleFactor)).toBe(true);
    }
  });
}

test('arrow keys walk along the points, and what is chosen is read off', async ({ wall, page }) => {
  await wall.goto('batch=64');
  const order = await points(wall);
  expect(order.map(({ x }) => x)).toEqual(order.map(({ x }) => x).toSorted((a, b) => a - b));
  const entry = page.locator('.roofline-dots [tabindex="0"]');
  await expect(entry).toHaveCount(1);
  await entry.focus();
  const focused = () => page.evaluate(() => document.activeElement.dataset.dot);
  await page.keyboard.press('Home');
  expect(await focused()).toBe(order[0].key);
  await page.keyboard.press('ArrowRight');
  expect(await focused()).toBe(order[1].key);
  await page.keyboard.press('End');
  expect(await focused()).toBe(order.at(-1).key);
  await page.keyboard.press('ArrowRight');
  expect(await focused()).toBe(order.at(-1).key);
  await wall.settle();
  await expect(entry).toHaveAttribute('data-dot', order.at(-1).key);
  const head = plain(await page.locator('.reading-head strong').innerText());
  expect(order.at(-1).label.startsWith(head)).toBe(true);
});

test('who presses a spot again gets to every point that lies there', async ({ wall, page }) => {
  await wall.goto();
  const spot = page.locator('.roofline-dots g g').filter({ has: page.locator('[data-dot="pass-decode"]') });
  const keys = await spot.locator('[data-dot]').evaluateAll((dots) => dots.map((dot) => dot.dataset.dot));
  expect(keys.length).toBeGreaterThan(2);
  await wall.roofline.canvas.scrollIntoViewIfNeeded();
  const { x, y, width, height } = await spot.locator('[data-dot]').last().boundingBox();
  for (const key of [...keys].reverse()) {
    await page.mouse.click(x + width / 2, y + height / 2);
    await expect(page.locator('.roofline-dots :focus')).toHaveAttribute('data-dot', key);
  }
  await page.mouse.click(x + width / 2, y + height / 2);
  await page.mouse.click(x + width / 2, y + height / 2);
  await expect(page.locator('.roofline-dots :focus'), 'and then to the top again').toHaveAttribute('data-dot', keys.at(-1));
});

test('a screen reader is told of options in a list, and which is chosen', async ({ wall, page }) => {
  await wall.goto();
  const count = await page.locator('.roofline-dots [data-dot]').count();
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send('Accessibility.getFullAXTree');
  const names = await page.locator('.roofline-dots [data-dot]').evaluateAll((dots) => dots.map((dot) => dot.getAttribute('aria-label')));
  const options = nodes.filter(({ role, name }) => role?.value === 'option' && names.includes(name?.value));
  expect(options).toHaveLength(count);
  const chosen = options.filter(({ properties }) => properties.some(({ name, value }) => name === 'selected' && value.value));
  expect(chosen).toHaveLength(1);
});

test('a lever leaves a ghost where the passes were', async ({ wall }) => {
  await wall.goto();
  const before = (await points(wall)).find(({ key }) => key === 'pass-decode');
  const bare = await picture(wall);
  await wall.roofline.batch.fill('256');
  await wall.settle();
  const after = (await points(wall)).find(({ key }) => key === 'pass-decode');
  expect(after.x).toBeGreaterThan(before.x + 50);
  // Between a third and half of the ink: lighter than the point was.
  const ghost = await picture(wall);
  const [was, is] = [bare, ghost].map((image) => image.at(Math.round(before.x) + 5, Math.round(before.y) + 1)[0]);
  expect(is).toBeGreaterThan(was + 40);
});

test('what cannot be used says so at its field, and nothing is lost', async ({ wall }) => {
  await wall.goto();
  await wall.openDetails();
  const rate = wall.roofline.figure.getByRole('textbox', { name: 'TFLOP/s reached' });
  await rate.fill('fast');
  await wall.settle();
  await expect(rate).toHaveValue('fast');
  await expect(rate).toHaveAttribute('aria-invalid', 'true');
  await expect(wall.roofline.figure.getByText('“fast” is not a number from 0.001')).toBeVisible();
  // Digit by digit, slower than a frame: what is not finished is neither refused nor overwritten.
  await rate.fill('');
  for (const key of '1.0') {
    await rate.press(key);
    await expect(rate).not.toHaveAttribute('aria-invalid');
    await wall.settle();
  }
  await expect(rate).toHaveValue('1.0');
  await rate.blur();
  await expect(rate).toHaveValue('1');
  await expect(wall.roofline.figure.locator('.reading-own')).toContainText('of your roof, not of the peak');
  await expect.poll(() => wall.query()).toBe('?v=1&rate=1');
});

test('pictures are saved and figures copied', async ({ wall, page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await wall.goto();
  for (const [name, start] of [['Save as SVG', '<svg viewBox='], ['Save as PNG', '\u{89}PNG']]) {
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name }).click();
    const file = await (await saved).path();
    expect((await readFile(file, 'latin1')).startsWith(start), name).toBe(true);
    await expect(page.locator('.roofline-keep .kept')).toContainText('Saved as memory-wall.');
  }
  await page.getByRole('button', { name: 'Copy as CSV' }).click();
  await expect(page.locator('.roofline-keep .kept')).toContainText('Copied');
  const csv = await page.evaluate(() => navigator.clipboard.readText());
  expect(csv.split('\n')[0]).toContain('flop_per_byte');
  expect(csv.trim().split('\n').length - 1).toBe(await page.locator('.roofline-table tbody tr').count());
});

test('it is drawn in the colours of the night, and comes back', async ({ wall, page }) => {
  await wall.goto();
  const light = await picture(wall);
  await page.emulateMedia({ colorScheme: 'dark' });
  await wall.settle();
  const dark = await picture(wall);
  expect(light.at(2, 2)[0] - dark.at(2, 2)[0]).toBeGreaterThan(150);
  for (const { key, x, y } of await points(wall)) expect(inked(dark, x, y), key).toBe(true);
  await page.emulateMedia({ colorScheme: 'light' });
  await wall.settle();
  expect((await picture(wall)).at(2, 2)).toEqual(light.at(2, 2));
});

test('on paper it is a drawing of the state as it is', async ({ wall, page }) => {
  await wall.goto();
  await wall.roofline.batch.fill('256');
  await wall.settle();
  const before = await page.locator('.still-wide').innerHTML();
  await page.emulateMedia({ media: 'print' });
  await wall.settle();
  expect(await page.locator('.still-wide').innerHTML()).not.toBe(before);
  await expect(wall.roofline.canvas).toBeHidden();
});

test('the table has every point, with the same figures', async ({ wall, page }) => {
  await wall.goto('batch=16&kernels=separate');
  await wall.openDetails();
  const rows = await page.locator('.roofline-table tbody tr').evaluateAll((rows) =>
    Object.fromEntries(rows.map((row) => [row.dataset.dot, [...row.cells].map((cell) => cell.textContent)])),
  );
  const all = await points(wall);
  expect(all.length).toBeGreaterThan(8);
  for (const { key, label } of all) {
    const [name, , , intensity, bound, rate] = rows[key];
    expect(plain(label)).toContain(plain(`${name}: ${intensity} FLOP per byte, at most ${rate}, ${bound}`));
  }
});

test('compared GPUs and a GPU of ones own are named on the plot and in the link', async ({ wall }) => {
  await wall.goto();
  await wall.openDetails();
  const figure = wall.roofline.figure;
  await figure.getByRole('combobox', { name: 'Compare with' }).selectOption('h100-sxm');
  await figure.getByRole('textbox', { name: 'Peak, TFLOP/s' }).fill('1000');
  await figure.getByRole('textbox', { name: 'Bandwidth, GB/s' }).fill('4000.5');
  await expect.poll(() => wall.query()).toBe('?v=1&vs=h100-sxm&roof=1000,4000.5');
  const saved = wall.page.waitForEvent('download');
  await figure.getByRole('button', { name: 'Save as SVG' }).click();
  const svg = await readFile(await (await saved).path(), 'utf8');
  expect(svg).toContain('H100');
  expect(svg).toContain('your GPU');
});
