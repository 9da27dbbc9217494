// Once it was open, the page opens without a network: all of it, whatever the link says, and with everything answered.

import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from './fixtures.mjs';
import { count, kept, ready } from './kept.mjs';
import { MemoryWall, layOut } from './page.mjs';
import { DIST, PREFIXES, serve } from './server.mjs';

test.use({ serviceWorkers: 'allow' });

test('hosts that answer with other heads, and show pages without their ending, are no trouble', async ({ browser }) => {
  const site = await serve();
  const context = await browser.newContext({ baseURL: site.origin, serviceWorkers: 'allow' });
  const page = await context.newPage();
  // Some answer their page for what is lost as lost, some vary by everything, some lead from /reference.html to /reference.
  site.trouble = async (path, response) => {
    const file = { '/404.html': '404.html', '/reference': 'reference.html' }[path];
    if (path === '/reference.html') response.writeHead(308, { Location: 'reference' }).end();
    else if (file) response.writeHead(file === '404.html' ? 404 : 200, { 'Content-Type': 'text/html', Vary: '*' }).end(await readFile(join(DIST, file)));
    return Boolean(file) || path === '/reference.html';
  };
  await page.goto('/');
  await ready(page);
  await context.setOffline(true);
  await page.goto('/reference');
  await expect(page.locator('h1')).toHaveText(/Reference/);
  await page.goto('/nothing/here');
  await expect(page.locator('.lost')).toBeVisible();
  await context.close();
  await site.close();
});

for (const under of PREFIXES) {
  test(`under ${under} the second visit needs no network, on every page`, async ({ wall, page, context }) => {
    test.slow();
    await wall.goto('', { under });
    await ready(page);
    await context.setOffline(true);
    // The pages for frames are alike; those of one place stand for those of the others.
    for (const file of (await kept()).filter((file) => file.endsWith('.html') && (under === '/' || !file.startsWith('embed/')))) {
      const answer = await page.goto(`${under}${file}`);
      expect(answer.status(), file).toBe(200);
      expect(answer.fromServiceWorker(), file).toBe(true);
      const isLive = await page.evaluate(() => Boolean(document.querySelector('html[data-figure], #stuck')));
      expect(isLive, file).toBe(/^(embed\/|index)/.test(file));
      if (isLive) await page.locator('html[data-live]').waitFor({ state: 'attached' });
      // Who leaves before all of it has come ends what is still asked for.
      await page.waitForLoadState('networkidle');
    }
    await wall.goto('', { under });
    await wall.setSeq(128_000);
    expect((await wall.bucket('kv_cache')).bytes).toBe(67_108_864_000n);
  });
}

test('a link with settings opens without a network', async ({ wall, page, context }) => {
  await wall.goto();
  await ready(page);
  await context.setOffline(true);
  await wall.goto('v=1&model=llama-3.1-8b&seq=4096&gpu=h100-sxm');
  await expect(wall.list('Model')).toHaveValue('llama-3.1-8b');
  await expect(wall.seq.field).toHaveValue('4,096');
  await page.goto('/reference.html?from=a-link#models');
  await expect(page.locator('#models')).toBeInViewport();
});

test('a visit that ends before the worker is ready is as good as any, and the next one begins anew', async ({ wall, site, page, troubles }) => {
  // What only the worker asks for hangs.
  const hanging = [];
  site.trouble = (path, response) => path === '/icons/512.png' && hanging.push(response) > 0;
  await wall.goto('seq=2048');
  await wall.setSeq(128_000);
  expect((await wall.bucket('kv_cache')).bytes).toBe(67_108_864_000n);
  await expect(page.locator('#offline-ready')).toBeHidden();
  await expect.poll(() => page.url()).toContain('seq=128000');
  await wall.reload();
  expect((await wall.bucket('kv_cache')).bytes).toBe(67_108_864_000n);
  expect(hanging.length).toBeGreaterThan(0);
  site.trouble = undefined;
  for (const response of hanging) response.destroy();
  await ready(page);
  troubles.splice(0, Infinity, ...troubles.filter((trouble) => !trouble.includes('/icons/512.png')));
});

test('a self-check that is half answered is there again after a reload without a network', async ({ wall, page, context }) => {
  await wall.goto();
  await ready(page);
  await layOut(page);
  const questions = page.locator('[data-quiz]');
  const judged = questions.filter({ has: page.locator('[type="radio"]') }).first();
  await judged.getByRole('radio').first().check({ force: true });
  const typed = questions.filter({ has: page.locator('[type="text"]') }).first().getByRole('textbox');
  await typed.fill('12.5');
  await context.setOffline(true);
  await wall.reload();
  await expect(judged.getByRole('radio').first()).toBeChecked();
  await expect(typed).toHaveValue('12.5');
});

test('every built file is kept, or stands on the list of those that are not', async ({ wall, page }) => {
  await wall.goto();
  await ready(page);
  const { names, paths } = await page.evaluate(async () => {
    const names = await caches.keys();
    const requests = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
    return { names, paths: requests.flat().filter(({ url }) => !url.endsWith('?turn')).map(({ url }) => new URL(url).pathname.slice(1)) };
  });
  expect(names).toHaveLength(1);
  expect(names[0]).toMatch(/^memory-wall \/ /);
  expect(paths.toSorted()).toEqual((await kept()).toSorted());
  expect(paths).toContain('index.html');
});

test('what is made for a class is kept once it was opened, whatever its query', async ({ page, context }) => {
  await page.goto('/teach.html');
  await ready(page);
  const pages = ['lessons', 'problems', 'worksheet', 'test', 'lab', 'slides'];
  for (const name of pages) {
    await page.goto(`/${name}.html`);
    await page.waitForLoadState('networkidle');
  }
  await context.setOffline(true);
  for (const name of pages) {
    const answer = await page.goto(`/${name}.html?seed=7`);
    expect([answer.status(), answer.fromServiceWorker()], name).toEqual([200, true]);
    await expect(page.locator('h1')).toBeVisible();
    if (['problems', 'worksheet', 'test'].includes(name)) await expect(page.locator('#numbers')).toContainText('set 7');
  }
});

test('what installs the app finds all that it asks for', async ({ wall, page, context }) => {
  await wall.goto();
  const session = await context.newCDPSession(page);
  const { data, errors } = await session.send('Page.getAppManifest');
  expect(errors).toEqual([]);
  const { installabilityErrors } = await session.send('Page.getInstallabilityErrors');
  // A profile of a test is a private one, which a browser without windows does not mind.
  expect(['', 'in-incognito']).toContain(installabilityErrors.map(({ errorId }) => errorId).join());
  const { id, name, start_url, scope, icons, screenshots, shortcuts } = JSON.parse(data);
  // No id of its own: it would be the same for all copies on one host.
  expect({ id, name, start_url, scope }).toEqual({ id: '', name: 'The Memory Wall', start_url: './', scope: './' });
  expect(icons.map(({ sizes, purpose }) => `${sizes} ${purpose}`)).toEqual(['any any', '192x192 any', '512x512 any', '512x512 maskable']);
  expect(screenshots.map(({ form_factor }) => form_factor)).toEqual(['wide', 'narrow']);
  expect(shortcuts.length).toBeGreaterThan(1);
  for (const { src, sizes } of [...icons.slice(1), ...screenshots]) {
    const png = await readFile(join(DIST, src));
    expect(`${png.readUInt32BE(16)}x${png.readUInt32BE(20)}`, src).toBe(sizes);
  }
});

test('copies on one host are apps of their own', async ({ wall, page, context, site }) => {
  const session = await context.newCDPSession(page);
  for (const under of PREFIXES) {
    await wall.goto('', { under });
    const { url, data } = await session.send('Page.getAppManifest');
    // The standard's own rule: without an id it is where the app starts.
    expect(new URL(JSON.parse(data).id || JSON.parse(data).start_url, url).href).toBe(site.origin + under);
    // A browser without windows installs nothing and names nothing.
    const { appId } = await session.send('Page.getAppId');
    expect([undefined, site.origin + under]).toContain(appId);
  }
});

test('copies on one host keep their files apart', async ({ wall, page, context }) => {
  for (const under of PREFIXES) {
    await wall.goto('', { under });
    await ready(page);
  }
  expect(await page.evaluate(async () => (await caches.keys()).map((name) => name.split(' ')[1]))).toEqual(PREFIXES);
  await context.setOffline(true);
  for (const under of PREFIXES) await wall.goto('seq=4096', { under });
});

test('in a frame no worker is registered', async ({ page, context }) => {
  await page.route('**/host.html', (route) => route.fulfill({ contentType: 'text/html', body: '<iframe src="./"></iframe>' }));
  await page.goto('/host.html');
  await page.frameLocator('iframe').locator('html[data-live]').waitFor({ state: 'attached' });
  await page.waitForTimeout(300);
  expect(await page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length)).toBe(0);
  expect(context.serviceWorkers()).toEqual([]);
});

test('where nothing can be stored the page works and says nothing', async ({ wall, page }) => {
  await page.addInitScript(() => {
    const refuse = () => {
      throw new DOMException('refused', 'SecurityError');
    };
    for (const name of ['localStorage', 'sessionStorage', 'caches']) Object.defineProperty(window, name, { get: refuse });
    navigator.serviceWorker.register = () => Promise.reject(new DOMException('refused', 'SecurityError'));
  });
  await wall.goto();
  await wall.setSeq(128_000);
  expect((await wall.bucket('kv_cache')).bytes).toBe(67_108_864_000n);
  await expect(page.locator('#offline-ready')).toBeHidden();
  await expect(page.locator('.update')).toBeEmpty();
});

test('where there is no room nothing is half kept, and the page works', async ({ wall, page, context, site }) => {
  const session = await context.newCDPSession(page);
  await session.send('Storage.overrideQuotaForOrigin', { origin: site.origin, quotaSize: 200_000 });
  const asked = new Set();
  site.trouble = (path) => void asked.add(path);
  await wall.goto();
  // What only the worker asks for was asked for: it has tried.
  await expect.poll(() => asked.has('/404.html')).toBe(true);
  const left = () =>
    page.evaluate(async () => {
      const registration = await navigator.serviceWorker.getRegistration();
      return [registration?.installing ?? null, registration?.active ?? null, ...(await caches.keys())];
    });
  await expect.poll(left).toEqual([null, null]);
  site.trouble = undefined;
  await expect(page.locator('#offline-ready')).toBeHidden();
  await wall.setSeq(128_000);
  expect((await wall.bucket('kv_cache')).bytes).toBe(67_108_864_000n);
});

test('where there is no room for the figures by themselves the pages stay kept', async ({ wall, page, context, site }) => {
  const session = await context.newCDPSession(page);
  const sizes = await Promise.all((await kept()).map(async (file) => [file.startsWith('embed/'), (await stat(join(DIST, file))).size]));
  const sum = (isLater) => sizes.reduce((sum, [is, size]) => sum + (is === isLater ? size : 0), 0);
  await session.send('Storage.overrideQuotaForOrigin', { origin: site.origin, quotaSize: Math.round(sum(false) + sum(true) / 2) });
  await wall.goto();
  await expect(page.locator('#offline-ready')).toBeVisible();
  const pages = (await kept()).filter((file) => !file.startsWith('embed/')).length;
  await expect.poll(() => count(page)).toBeGreaterThan(pages);
  await page.waitForTimeout(1_500);
  const all = await count(page);
  expect(all).toBeGreaterThan(pages);
  expect(all).toBeLessThan(sizes.length);
  await context.setOffline(true);
  await wall.reload();
  await wall.setSeq(128_000);
  expect((await wall.bucket('kv_cache')).bytes).toBe(67_108_864_000n);
});

test('what is nowhere leads home, with a network and without', async ({ wall, page, context, troubles }) => {
  const home = page.getByRole('link', { name: 'To the start of The Memory Wall' });
  for (const under of ['/memory-wall/', '/']) {
    await page.goto(`${under}no/such/page?x=1`);
    await expect(home).toHaveJSProperty('pathname', under);
  }
  await home.click();
  await new MemoryWall(page).live();
  await ready(page);
  await context.setOffline(true);
  await page.goto('/mistyped');
  await expect(home).toHaveJSProperty('pathname', '/');
  await home.click();
  await wall.live();
  // That they are nowhere is what was asked for, and the search for home looks where it is not.
  const wanted = (trouble) => !/^status 404|status of 404|ERR_INTERNET_DISCONNECTED|manifest.webmanifest net::ERR_ABORTED/.test(trouble);
  troubles.splice(0, Infinity, ...troubles.filter(wanted));
});
