// What every test gets: its own server, its own browser profile, the page object, and a watch that fails the test
// when the page complains, breaks its own security policy, misses a file or talks to anyone else.

import { test as base, expect } from '@playwright/test';
import { MemoryWall } from './page.mjs';
import { serve } from './server.mjs';

export { expect };

/** Where a test wants no worker, Playwright says so on the console of the page. */
const BLOCKED = /^Service Worker registration blocked by Playwright/;
/** A program whose frame was left while it came. What is refused or missing has a reason, and a status. */
const LEFT = /^Fetch API cannot load \S+\.wasm\. $/;

/** Watches a browser profile; what goes wrong in it is added to `troubles`. */
async function watch(context, origin, troubles, javaScriptEnabled = true) {
  context.on('console', (message) => {
    const expected = BLOCKED.test(message.text()) || LEFT.test(message.text());
    if (['error', 'warning', 'assert'].includes(message.type()) && !expected) {
      troubles.push(`console ${message.type()}: ${message.text()}`);
    }
  });
  context.on('weberror', (error) => troubles.push(`exception: ${error.error().stack ?? error.error()}`));
  context.on('request', (request) => {
    const { protocol, origin: to } = new URL(request.url());
    const own = to === origin || ['data:', 'blob:', 'about:', 'file:'].includes(protocol);
    if (!own) troubles.push(`request to another origin: ${request.url()}`);
  });
  context.on('requestfailed', (request) => {
    const error = request.failure()?.errorText;
    // Scripts, styles, programs, icon, manifest and self-check come after the page; a reader who leaves at once ends them, as a page that loads anew does to its own loading. A file that is missing has a status.
    const left = error === 'net::ERR_ABORTED' && (request.isNavigationRequest() || /\/(icon\.svg|manifest\.webmanifest|check\.html|[a-z-]+-[a-z0-9]+\.(css|js|wasm))$/.test(request.url()));
    if (!left) troubles.push(`request failed: ${request.url()} ${error}`);
  });
  context.on('response', (response) => {
    if (response.status() >= 400) troubles.push(`status ${response.status()}: ${response.url()}`);
  });
  if (javaScriptEnabled) {
    // Chromium reports violations on the console as well; this also catches those that it only dispatches.
    await context.addInitScript(() => {
      document.addEventListener('securitypolicyviolation', (event) => {
        console.error(`security policy: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`);
      });
    });
  }
}

export const test = base.extend({
  /** The address that the page is opened at, if not where the server has it. */
  home: ['/', { option: true }],

  /** The server of this worker. */
  site: [
    async ({}, use) => {
      const site = await serve();
      await use(site);
      await site.close();
    },
    { scope: 'worker' },
  ],

  baseURL: async ({ site }, use) => use(site.origin),

  /** What went wrong; every test ends with it empty. */
  troubles: async ({}, use) => {
    const troubles = [];
    await use(troubles);
    expect(troubles, 'the page is quiet and keeps to itself').toEqual([]);
  },

  context: async ({ context, site, troubles, javaScriptEnabled }, use) => {
    await watch(context, site.origin, troubles, javaScriptEnabled);
    await use(context);
  },

  /** The page. */
  wall: async ({ page, home }, use) => use(new MemoryWall(page, home)),

  /** Opens another browser profile with options of its own and returns the page in it. */
  visitor: async ({ browser, site, home, troubles, contextOptions, viewport, serviceWorkers }, use) => {
    const contexts = [];
    await use(async ({ javaScriptEnabled = true, ...options } = {}) => {
      const context = await browser.newContext({ baseURL: site.origin, viewport, javaScriptEnabled, serviceWorkers, ...contextOptions, ...options });
      contexts.push(context);
      await watch(context, site.origin, troubles, javaScriptEnabled);
      return new MemoryWall(await context.newPage(), home);
    });
    await Promise.all(contexts.map((context) => context.close()));
  },
});
