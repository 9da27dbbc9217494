// The same measurements for a page of somebody else, built and lying in a folder here: `node compare.mjs FOLDER [PATH]`, where the
// path is that at which the page expects to lie, such as /gpu_poor/. docs/speed.md has what came of it, and says how to read it.

import { gzipSync } from 'node:zlib';
import { chromium } from '../e2e/node_modules/@playwright/test/index.mjs';
import { launchOptions } from '../e2e/browser.mjs';
import { serve } from '../e2e/server.mjs';
import { measured, score, visits } from './visits.mjs';

const [folder, path = '/'] = process.argv.slice(2);
if (!folder) throw new Error('which folder? node compare.mjs FOLDER [PATH]');
/** How long a page may take to fetch what it fetches after it has loaded. */
const AFTERWARDS = 3_000;

// The page may lie under a path: the first part of it is the folder's.
const [, under = '/'] = /^(\/[^/]+\/)/.exec(path) ?? [];
// Packed, as from any host.
const site = await serve(folder, { latency: 0, rate: Infinity }, [under]);
const { origin } = site;
const address = origin + path;
const browser = await chromium.launch(launchOptions);
const words = (page) => page.evaluate(() => document.body.innerText.split(/\s+/).filter(Boolean).length);

/** Opens the page in a profile of its own. */
const opened = async (options, look) => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const found = await look(page, context);
  await context.close();
  return found;
};

const first = await opened({ serviceWorkers: 'block' }, async (page) => {
  const [sizes, elsewhere] = [[], new Set()];
  page.on('request', (request) => {
    const { protocol, origin: to, host } = new URL(request.url());
    if (protocol.startsWith('http') && to !== origin) elsewhere.add(host);
  });
  page.on('response', (response) => {
    if (response.url().startsWith(origin) && response.status() === 200) sizes.push(response.body().then((body) => gzipSync(body, { level: 9 }).length));
  });
  await page.goto(address);
  await page.waitForTimeout(AFTERWARDS);
  const bytes = await Promise.all(sizes);
  return { kB: (bytes.reduce((sum, one) => sum + one, 0) / 1_000).toFixed(1), files: bytes.length, elsewhere: [...elsewhere], words: await words(page) };
});
const still = await opened({ javaScriptEnabled: false }, async (page) => {
  await page.goto(address, { waitUntil: 'domcontentloaded' });
  return page.locator('body').innerText().then((text) => text.split(/\s+/).filter(Boolean).length);
});
const again = await opened({}, async (page, context) => {
  await page.goto(address);
  await page.waitForTimeout(2 * AFTERWARDS);
  await context.setOffline(true);
  return page.reload().then(
    // What is kept may say so.
    async () => (await words(page)) > 0.9 * first.words,
    () => false,
  );
});
await browser.close();
const all = await visits(address);
await site.close();
const scores = ['performance', 'accessibility', 'best-practices', 'seo'].map((category) => score(all, category).toFixed(0));
const [paint, blocked, shift] = ['largest-contentful-paint', 'total-blocking-time', 'cumulative-layout-shift'].map((audit) => measured(all, audit));
console.log(
  `${first.kB} kB in ${first.files} files; asks elsewhere: ${first.elsewhere.join(', ') || 'nobody'}; ${first.words} words, ${still} without JavaScript; ` +
    `again without a network: ${again ? 'yes' : 'no'}; Lighthouse ${scores.join(' / ')}; largest paint ${paint.toFixed(0)} ms; ` +
    `blocked ${blocked.toFixed(0)} ms; shift ${shift.toFixed(3)}`,
);
