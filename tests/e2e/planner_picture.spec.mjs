// The comparison as a picture: SVG and PNG, by a program that is fetched when somebody asks, under the same strict policy.

import { readFile } from 'node:fs/promises';

import { expect, test } from './fixtures.mjs';

async function open(page, query = '') {
  await page.goto(`/plan.html${query}`);
  await page.locator('html[data-live]').waitFor({ state: 'attached' });
}

/** Presses a button and gives the file that it saves. */
async function saved(page, name) {
  const coming = page.waitForEvent('download');
  await page.getByRole('button', { name }).click();
  const download = await coming;
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
}

test('the SVG has walls, verdicts, legend, lines and numbers, and says so to who does not see it', async ({ page }) => {
  const asked = [];
  page.on('request', (request) => asked.push(request.url()));
  await open(page);
  expect(asked.some((url) => url.includes('planner-exchange'))).toBe(false);
  const { name, bytes } = await saved(page, 'Save as SVG');
  expect(name).toBe('plans.svg');
  await expect(page.locator('.picture').getByRole('status'), 'nothing went wrong').toBeHidden();
  const svg = bytes.toString();
  const drawn = await page.evaluate((text) => {
    const root = new DOMParser().parseFromString(text, 'image/svg+xml').documentElement;
    const texts = [...root.querySelectorAll('text')].map((it) => it.textContent);
    const [title, desc] = ['title', 'desc'].map((tag) => root.querySelector(tag)?.textContent);
    return { tag: root.tagName, texts, title, desc, patterns: root.querySelectorAll('pattern').length };
  }, svg);
  expect(drawn.tag).toBe('svg');
  expect(drawn.patterns).toBe(7);
  expect(drawn.title).toContain('plans side by side');
  expect(drawn.desc).toContain('fp8: Weights ');
  for (const text of ['bf16', 'fp8', 'int4', 'It fits', 'KV cache', '26 of 32']) expect(drawn.texts).toContain(text);
  const capacity = await page.locator('#plan-0 .capacity-label').textContent();
  expect(drawn.texts.filter((text) => text === capacity.trim())).not.toHaveLength(0);
  // Nothing of it comes from elsewhere, and nothing leads there.
  expect(svg).not.toMatch(/href|<script|<image|https?:\/\/(?!www\.w3\.org\/2000\/svg)/);
});

test('the PNG is the same drawing, in the colours that are asked for', async ({ page }) => {
  await open(page, '?v=1&plan=a&model=llama-3.1-8b&gpu=l40s&plan=b&model=llama-3.1-8b&gpu=l4&weights=fp32');
  const corner = async () => {
    const { name, bytes } = await saved(page, 'Save as PNG');
    expect(name).toBe('plans.png');
    expect(bytes.subarray(1, 4).toString()).toBe('PNG');
    return page.evaluate(async (data) => {
      const image = new Image();
      image.src = `data:image/png;base64,${data}`;
      await image.decode();
      const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height });
      const context = canvas.getContext('2d');
      context.drawImage(image, 0, 0);
      const colours = new Set();
      const { data: all } = context.getImageData(0, 0, image.width, image.height);
      for (let at = 0; at < all.length; at += 4 * 97) colours.add(all.subarray(at, at + 3).join());
      return { corner: [...all.subarray(0, 3)], colours: colours.size, width: image.width };
    }, bytes.toString('base64'));
  };
  const light = await corner();
  expect(light.width).toBeGreaterThan(1_000);
  expect(light.colours).toBeGreaterThan(20);
  await page.locator('#picture-theme').selectOption('dark');
  const dark = await corner();
  expect(Math.max(...dark.corner)).toBeLessThan(60);
  expect(Math.min(...light.corner)).toBeGreaterThan(200);
});

test('where the program cannot be had, the page says so', async ({ page, troubles }) => {
  await open(page);
  await page.route(/planner-exchange/, (route) => route.abort());
  await page.getByRole('button', { name: 'Save as SVG' }).click();
  await expect(page.locator('.picture .field-error')).toContainText('could not be loaded');
  troubles.length = 0;
});
