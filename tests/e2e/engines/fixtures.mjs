// What every test gets: one browser for all tests of an engine, its own server, so its own origin, and a watch over the page.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test as base, expect } from '@playwright/test';
import { host } from '../host.mjs';
import { DIST, serve } from '../server.mjs';
import { engine } from './engines.mjs';

export { expect };

/** Asks until the answer is as expected, often: a page that is asked costs little, and waiting longer than needed costs everybody. */
export const until = (ask, message) => expect.poll(ask, { message, intervals: [100] });

/** Where the page lies with the watch in it. What lies at its own address stays as it was built: the worker compares. */
export const WATCHED = '/watched.html';

/** The watch stands before the page's security policy, which forbids such a script. It writes down whatever goes wrong. */
const WATCH = `<script>
  window.complaints = [];
  for (const kind of ['error', 'warn', 'assert']) console[kind] = (...said) => complaints.push(['console', kind, ...said].join(' '));
  addEventListener('error', ({ message, filename, lineno, target }) => complaints.push(message ? message + ' ' + filename + ':' + lineno : 'missing: ' + target.outerHTML), true);
  addEventListener('unhandledrejection', ({ reason }) => complaints.push('rejected: ' + reason));
  addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => complaints.push('security policy: ' + violatedDirective + ' ' + blockedURI));
</script>`;

export const test = base.extend({
  engine: ['', { option: true, scope: 'worker' }],

  /** The browser. */
  driver: [
    async ({ engine: name }, use) => {
      const driver = await engine(name).start();
      await driver.size(1280, 900);
      await use(driver);
      await driver.end();
    },
    { scope: 'worker' },
  ],

  site: async ({}, use) => {
    const site = await serve();
    const page = await readFile(join(DIST, 'index.html'), 'utf8');
    site.trouble = (path, response) => {
      if (path !== WATCHED) return false;
      response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(page.replace('<head>', `$&${WATCH}`));
      return true;
    };
    await use(site);
    await site.close();
  },

  /** A page of somebody else, on another origin, with this HTML in it. */
  hosted: async ({ driver }, use) => {
    const hosts = [];
    await use(async (html) => {
      const other = await host({ '/': html });
      hosts.push(other);
      await driver.open(other.origin);
    });
    await Promise.all(hosts.map((other) => other.close()));
  },

  /** The page as a reader has it: opened, alive, asked and answered. */
  wall: async ({ driver, site }, use) => {
    const wall = {
      /** Until the program answers, in the page or in the frame that is looked at. */
      live: () => until(() => driver.run(() => document.documentElement.hasAttribute('data-live')), 'it comes alive').toBe(true),
      open: async (path = '/') => {
        await driver.open(`${site.origin}${path}`);
        await wall.live();
      },
      /** The exact bytes of every part. */
      bytes: () =>
        driver.run(() => {
          const rows = [...document.querySelectorAll('#calculator tr.bucket-row')];
          return Object.fromEntries(rows.map((row) => [row.dataset.bucket, row.querySelector('[data-bytes]').dataset.bytes]));
        }),
      /** The text of the first such element. */
      text: (css) => driver.run((css) => document.querySelector(css)?.innerText.replace(/\s+/g, ' ').trim(), css),
      setSeq: (tokens) => driver.type('#control-seq-number', String(tokens)),
    };
    await use(wall);
  },
});
