// The app's icons and the pictures that installers show, made from public/icon.svg and from the built page into public/.
// Run it after a change of either, and build again: `node icons.mjs`.

import { mkdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { chromium } from '@playwright/test';
import { launchOptions } from './browser.mjs';
import { MemoryWall } from './page.mjs';
import { serve } from './server.mjs';

const PUBLIC = fileURLToPath(new URL('../../public/', import.meta.url));

/** File, side in pixels, and the share of it that the drawing takes where the system cuts a shape of its own out of it: the ground then fills it. */
const ICONS = [
  ['192.png', 192],
  ['512.png', 512],
  ['maskable-512.png', 512, 0.8],
  ['apple-180.png', 180, 0.9],
];

for (const folder of ['icons', 'screenshots']) await mkdir(`${PUBLIC}${folder}`, { recursive: true });
const browser = await chromium.launch(launchOptions);
const site = await serve();
try {
  const svg = await readFile(`${PUBLIC}icon.svg`, 'utf8');
  const ground = svg.match(/<rect[^>]* fill="([^"]+)"/)[1];
  for (const [name, side, cut] of ICONS) {
    const page = await browser.newPage({ viewport: { width: side, height: side } });
    const inner = side * (cut ?? 1);
    await page.setContent(
      `<style>body { margin: 0; display: grid; place-items: center; height: ${side}px; background: ${cut ? ground : 'transparent'} } svg { width: ${inner}px }</style>${svg}`,
    );
    await page.screenshot({ path: `${PUBLIC}icons/${name}`, omitBackground: true });
    await page.close();
  }
  await shoot('wide', { width: 1280, height: 800 }, 1);
  await shoot('narrow', { width: 360, height: 720 }, 2);
} finally {
  await browser.close();
  await site.close();
}

/** The calculator as a reader sees it after the exercise. */
async function shoot(name, viewport, deviceScaleFactor) {
  const context = await browser.newContext({ baseURL: site.origin, viewport, deviceScaleFactor, reducedMotion: 'reduce', serviceWorkers: 'block' });
  const wall = new MemoryWall(await context.newPage());
  await wall.goto('seq=128000');
  await wall.calculator.scrollIntoViewIfNeeded();
  await wall.page.evaluate(() => document.getElementById('calculator').scrollIntoView());
  await wall.settle();
  await wall.page.screenshot({ path: `${PUBLIC}screenshots/${name}.png` });
  await context.close();
}
