// The heights at which figures by themselves need no bar: `node heights.mjs` measures them anew and writes the file that
// the site publishes; the tests hold it to what is built. A height holds for every width above the one before it.

import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from '@playwright/test';
import { launchOptions } from './browser.mjs';
import { layOut } from './page.mjs';
import { DIST, serve } from './server.mjs';

const FILE = fileURLToPath(new URL('../../src/heights.txt', import.meta.url));
export const WIDTHS = [320, 400, 480, 640, 720, 800, 960];
/** Between two widths a figure may be higher than at either. */
const STEP = 16;
/** The page of the planner in frames, which has a line of its own. */
const PLANNER = 'planner';
/** The page of a line. */
export const address = (figure) => (figure === PLANNER ? 'plan-frame.html' : `embed/${figure.replace(/(\?|$)/, '.html$1')}`);
/** Letters differ from machine to machine. */
const AIR = 1.06;

/** The published heights: `[{ figure, heights: [[width, height], …] }]`; of the self-check also `quiz?only=` a section. */
export async function readHeights() {
  const lines = (await readFile(FILE, 'utf8')).split('\n').filter((line) => line && !line.startsWith('#'));
  return lines.map((line) => {
    const [figure, ...pairs] = line.split(' ');
    return { figure, heights: pairs.map((pair) => pair.split(':').map(Number)) };
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const site = await serve();
  const browser = await chromium.launch(launchOptions);
  const page = await browser.newPage({ reducedMotion: 'reduce' });
  const lines = ['# Pixels of height that a figure needs up to a width, and above the one before it, with some air: made by tests/e2e/heights.mjs.'];
  const figures = (await readdir(join(DIST, 'embed'))).map((file) => file.replace('.html', ''));
  const quiz = await readFile(join(DIST, 'embed/quiz.html'), 'utf8');
  const asked = /data-only="([^"]+)"/.exec(quiz)[1].split(' ').map((section) => `quiz?only=${section}`);
  for (const figure of [...figures, ...asked, PLANNER].sort()) {
    await page.goto(`${site.origin}/${address(figure)}`);
    await page.locator('html[data-live]').waitFor({ state: 'attached' });
    await layOut(page);
    const pairs = [];
    let [width, most] = [WIDTHS[0], 0];
    for (const last of WIDTHS) {
      for (; width <= last; width += STEP) {
        await page.setViewportSize({ width, height: 400 });
        await page.waitForTimeout(100);
        most = Math.max(most, await page.evaluate(() => document.body.offsetHeight));
      }
      pairs.push(`${last}:${Math.ceil((most * AIR) / 10) * 10}`);
      most = 0;
    }
    lines.push([figure, ...pairs].join(' '));
  }
  await writeFile(FILE, `${lines.join('\n')}\n`);
  await browser.close();
  await site.close();
}
