// Visits by Lighthouse with its defaults: a phone, a slow line and a slow processor.

import { createServer } from 'node:net';
import lighthouse from 'lighthouse';
import { chromium } from '../e2e/node_modules/@playwright/test/index.mjs';
import { launchOptions } from '../e2e/browser.mjs';

export const RUNS = Number(process.env.RUNS ?? 5);

export const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];

/** A port that is free now. */
const free = () =>
  new Promise((found) => {
    const server = createServer().listen(0, () => {
      const { port } = server.address();
      server.close(() => found(port));
    });
  });

/** What Lighthouse says of an address, once for each run. */
export async function visits(address) {
  const all = [];
  for (let run = 0; run < RUNS; run += 1) {
    // A browser of its own for each visit: nothing is there from the one before.
    const port = await free();
    const browser = await chromium.launch({ ...launchOptions, args: [...launchOptions.args, `--remote-debugging-port=${port}`] });
    const { lhr } = await lighthouse(address, { port, logLevel: 'error' });
    await browser.close();
    if (lhr.runtimeError) throw new Error(`${address}: ${lhr.runtimeError.message}`);
    all.push(lhr);
  }
  return all;
}

/** The median of a category, in percent. */
export const score = (all, category) => 100 * median(all.map((visit) => visit.categories[category].score ?? 0));

/** The median of a measurement. */
export const measured = (all, audit) => median(all.map((visit) => visit.audits[audit].numericValue ?? NaN));
