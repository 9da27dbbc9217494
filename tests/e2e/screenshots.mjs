// Pictures of the page, to be looked at: every width, theme and state, and the one of the README.

import { mkdir, rm, stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { chromium } from '@playwright/test';
import { launchOptions } from './browser.mjs';
import { MemoryWall } from './page.mjs';
import { serve } from './server.mjs';

const SCREENS = fileURLToPath(new URL('results/screens/', import.meta.url));
const DOCS = fileURLToPath(new URL('../../docs/', import.meta.url));

const STATES = { default: '', 'does-not-fit': 'seq=200000', training: 'mode=training' };

await rm(SCREENS, { recursive: true, force: true });
await mkdir(SCREENS, { recursive: true });
await mkdir(DOCS, { recursive: true });
const site = await serve();
const browser = await chromium.launch(launchOptions);
try {
  for (const width of [360, 768, 1280]) {
    for (const colorScheme of ['light', 'dark']) {
      for (const [state, query] of Object.entries(STATES)) {
        await shoot(`${width}-${colorScheme}-${state}`, { width, colorScheme }, query);
      }
    }
    await shoot(`${width}-light-without-javascript`, { width, javaScriptEnabled: false }, '');
  }
  await readme();
} finally {
  await browser.close();
  await site.close();
}

async function open({ width, height = 900, ...options }, query) {
  const context = await browser.newContext({
    baseURL: site.origin,
    viewport: { width, height },
    reducedMotion: 'reduce',
    ...options,
  });
  const wall = new MemoryWall(await context.newPage());
  await wall.goto(query, { live: options.javaScriptEnabled !== false });
  return wall;
}

async function shoot(name, options, query) {
  const wall = await open(options, query);
  await wall.page.screenshot({ path: `${SCREENS}${name}.png`, fullPage: true });
  await wall.page.context().close();
  console.log(`results/screens/${name}.png`);
}

/** The calculator after the exercise, for the README. */
async function readme() {
  const wall = await open({ width: 1280 }, 'seq=128000');
  // The bar at the top would lie over the figure.
  await wall.page.evaluate(() => {
    document.querySelector('.rig').style.position = 'static';
  });
  const path = `${DOCS}memory-wall.png`;
  const box = await wall.calculator.evaluate((figure) => {
    const { left, top, width, height } = figure.getBoundingClientRect();
    return { x: left + scrollX, y: top + scrollY, width, height };
  });
  // A margin, so that nothing touches the edge of the picture.
  const clip = { x: box.x - 20, y: box.y - 12, width: box.width + 40, height: box.height + 24 };
  await wall.page.screenshot({ path, clip, fullPage: true });
  await wall.page.context().close();
  const { size } = await stat(path);
  console.log(`docs/memory-wall.png, ${Math.round(size / 1_000)} kB`);
  if (size > 250_000) throw new Error(`the picture of the README has ${size} bytes, more than 250,000`);
}
