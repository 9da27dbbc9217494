// What the tests of figures within other pages share: a page around, and how to speak with the frame in it.

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test as base } from './fixtures.mjs';
import { host } from './host.mjs';
import { readHeights } from './heights.mjs';
import { is } from './schema.mjs';
import { DIST } from './server.mjs';

/** A page of another origin with this HTML; what its frames say is in `window.heard`, and keeps to the published schema. */
export const test = base.extend({
  hosted: async ({ browser, site }, use) => {
    const open = [];
    await use(async (html, options = {}) => {
      const other = await host({ '/': `<script>window.heard=[];addEventListener('message',({data})=>heard.push(data))</script>${html}` });
      const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce', ...options });
      const complaints = [];
      // What is opened from here is watched by other tests.
      context.on('console', (message) => message.page() === page && ['error', 'warning'].includes(message.type()) && complaints.push(message.text()));
      context.on('weberror', (error) => complaints.push(String(error.error())));
      context.on('request', (request) => {
        const { origin, protocol } = new URL(request.url());
        if (![site.origin, other.origin].includes(origin) && protocol !== 'data:') complaints.push(`request to ${request.url()}`);
      });
      const page = await context.newPage();
      open.push({ context, other, complaints, page });
      await page.goto(other.origin);
      return page;
    });
    for (const { context, other, complaints, page } of open) {
      const heard = await page.evaluate(() => window.heard);
      const foreign = heard.filter((message) => !is('out', message) && !is('height', message));
      expect(foreign, 'every message is in docs/messages.schema.json').toEqual([]);
      await context.close();
      await other.close();
      expect(complaints, 'host and figure are quiet').toEqual([]);
    }
  },
});

export const live = (frame) => frame.locator('html[data-live]').waitFor({ state: 'attached' });
export const heard = (page, type) => page.evaluate((type) => window.heard.filter((message) => message?.mw === 1 && message.type === type), type);
export const say = (page, message) => page.evaluate((message) => document.querySelector('iframe').contentWindow.postMessage(message, '*'), message);
export const figures = (await readdir(join(DIST, 'embed'))).map((file) => file.replace('.html', '')).sort();
/** What the page's own site publishes of its heights. */
export const HEIGHTS = await readHeights();
/** The frame needs no bar of its own. */
export const fits = (frame) => frame.locator('html').evaluate((root) => [root.scrollHeight - root.clientHeight, root.scrollWidth - root.clientWidth]);
