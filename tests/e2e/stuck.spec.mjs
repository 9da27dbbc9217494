// Where the program does not start, the page says so, and is still a page to read.

import { dirname } from 'node:path';
import { expect, test } from './fixtures.mjs';
import { ONE_FILE } from './server.mjs';

/** The page in a profile of its own, which may complain: its files are tampered with. */
const visited = async (browser, site, tamper) => {
  const page = await browser.newPage({ baseURL: site.origin, serviceWorkers: 'block' });
  await tamper(page);
  await page.goto('/');
  return page;
};

const PROGRAM = '**/*.wasm';
const GLUE = /glue-\w*\.js$/;

/** What keeps the program from starting. */
const WAYS = [
  ['its file does not come', (page) => page.route(PROGRAM, (route) => route.abort())],
  ['its file is not there', (page) => page.route(PROGRAM, (route) => route.fulfill({ status: 404, body: '' }))],
  ['its file is cut off', (page) => page.route(PROGRAM, (route) => route.fulfill({ contentType: 'application/wasm', body: Buffer.from('\0asm') }))],
  ['the glue does not come', (page) => page.route(GLUE, (route) => route.abort())],
  ['the glue is another', (page) => page.route(GLUE, (route) => route.fulfill({ contentType: 'text/javascript', body: 'export default 1' }))],
  [
    'the host forbids WebAssembly',
    (page) =>
      page.route(/\/$/, async (route) => {
        const answer = await route.fetch();
        const headers = { ...answer.headers(), 'content-security-policy': "script-src 'self' 'unsafe-inline'" };
        await route.fulfill({ response: answer, headers });
      }),
  ],
  ['the browser has no WebAssembly', (page) => page.addInitScript(() => delete window.WebAssembly)],
];

for (const [what, tamper] of WAYS) {
  test(`where ${what}, a notice says so and everything can be read`, async ({ browser, site }) => {
    const page = await visited(browser, site, tamper);
    const notice = page.locator('#stuck');
    await expect(notice).toBeVisible();
    await expect(notice).toHaveAttribute('role', 'alert');
    await expect(notice).toContainText('could not start');
    await expect(page.locator('html')).not.toHaveAttribute('data-live');
    // The figures stand in their default state.
    await expect(page.locator('table.buckets').first()).toContainText('13.5 GB');
    await expect(page.locator('.still-wide').first()).toBeVisible();
    await page.close();
  });
}

test('where it starts, nothing of that is said', async ({ wall, page }) => {
  await wall.goto();
  await expect(page.locator('#stuck')).toBeHidden();
});

test('opened from a disk, the page is the edition in one file that lies beside it', async ({ browser }) => {
  const page = await browser.newPage();
  await page.goto(`${dirname(ONE_FILE)}/index.html?v=1&seq=4096#kv_cache`);
  await page.waitForURL(/memory-wall\.html\?v=1&seq=4096#kv_cache$/);
  await page.locator('html[data-live]').waitFor({ state: 'attached' });
  await expect(page.locator('#control-seq-number')).toHaveValue('4,096');
  await page.close();
});

test('the page in one file keeps the terms whose links it cannot take along', async ({ browser, site }) => {
  const page = await browser.newPage({ javaScriptEnabled: false });
  const terms = async (address) => {
    await page.goto(address);
    const line = page.locator('p', { hasText: 'New words, in the glossary' }).first();
    return (await line.textContent()).replace(/\s+/g, ' ').trim();
  };
  const [served, alone] = [await terms(site.origin), await terms(ONE_FILE)];
  expect(alone).toMatch(/: \w[^,]*(, \w[^,]*)+\.?$/);
  expect(alone).toBe(served);
  // And nowhere does a mark stand where a word was.
  expect(await page.locator('main').textContent()).not.toMatch(/[:,] ,/);
  await page.close();
});
