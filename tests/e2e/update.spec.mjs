// A newer version comes quietly: nobody is made to load anew, nothing is lost, and no page is made of two versions.

import { cp, mkdtemp, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, test as base } from './fixtures.mjs';
import { DIST, serve } from './server.mjs';

const KILL = new URL('../../tools/site/src/offline/off.js', import.meta.url);
const digest = (data) => createHash('sha256').update(data).digest('base64');

/** A host whose folder can be published anew; tests of one worker share it, one after the other. */
const test = base.extend({
  serviceWorkers: 'allow',

  site: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'memory-wall-'));
    // The worker comes last and at once: a browser that asks by itself meanwhile must not find one of a version in the making.
    await cp(DIST, folder, { recursive: true, filter: (name) => basename(name) !== 'sw.js' });
    const site = await serve(folder);
    const path = (name) => join(folder, name);
    /**
     * Publishes the built pages as a version of that name, as a build would do: the name stands in their titles, and the style
     * sheet is called after it, so that pages of one version cannot use that of another.
     */
    site.publish = async (version) => {
      // Whole or not at all: a worker may just be asking.
      const put = async (name, content) => {
        await writeFile(path(`${name}.new`), content);
        await rename(path(`${name}.new`), path(name));
      };
      const built = (name) => readFile(join(DIST, name), 'utf8');
      const [sheet] = (await readdir(DIST)).filter((name) => /^style-.*\.css$/.test(name));
      const renamed = sheet.replace('style-', `style-${version}-`);
      await put(renamed, await built(sheet));
      let worker = (await built('sw.js')).replace(sheet, renamed).replace(/BUILD = '[^']+'/, `BUILD = '${version}'`);
      for (const name of (await readdir(DIST, { recursive: true })).filter((name) => name.endsWith('.html'))) {
        const before = await built(name);
        const html = before.replaceAll(sheet, renamed).replace('<title>', `<title>${version}: `);
        await put(name, html);
        worker = worker.replace(`['${name}', '${digest(before)}']`, `['${name}', '${digest(html)}']`);
      }
      for (const name of (await readdir(folder)).filter((name) => /^style-/.test(name) && name !== renamed)) await rm(path(name));
      await put('sw.js', worker);
    };
    site.write = (name, content) => writeFile(path(name), content);
    await use(site);
    await site.close();
    await rm(folder, { recursive: true, force: true });
  },
});

test.beforeEach(async ({ site }) => {
  site.trouble = undefined;
  await site.publish('one');
});

const ready = (page) => expect(page.locator('#offline-ready')).toBeVisible();
const offered = (page) => page.getByRole('status').filter({ hasText: 'There is a newer version of this page.' });
const use = (page) => page.getByRole('button', { name: 'Use it now' }).click();
/** Asks for a newer version, as the browser does by itself from time to time. */
const ask = (page) => page.evaluate(() => navigator.serviceWorker.getRegistration().then((one) => one.update()).then(() => {}));
/** Which versions are kept. */
const versions = (page) => page.evaluate(async () => (await caches.keys()).map((name) => name.split(' ').at(-1)).toSorted());
/** How often a page has been loaded since it was marked. */
const mark = (page) => page.evaluate(() => void (window.marked = true));
const isMarked = (page) => page.evaluate(() => window.marked === true);

/** A page of version one that the worker keeps. */
async function settled(wall, query) {
  await wall.goto();
  await ready(wall.page);
  await wall.goto(query);
  await ready(wall.page);
  await expect(wall.page).toHaveTitle(/^one: /);
  await mark(wall.page);
}

test('a newer version is offered, not forced, and nothing typed or answered is lost by taking it', async ({ wall, page, site }) => {
  await settled(wall, 'seq=2048');
  await expect(page.locator('.update')).toBeEmpty();
  await wall.setSeq(128_000);
  const answer = page.locator('[data-quiz]').filter({ has: page.locator('[type="text"]') }).first().getByRole('textbox');
  await answer.fill('12.5');
  const paste = page.locator('#profile-paste');
  await paste.fill('torch.cuda.max_memory_allocated() = 12345678901');
  const said = await page.locator('#profile-said').textContent();
  expect(said.length).toBeGreaterThan(10);
  const tick = page.getByRole('checkbox', { name: 'LoRA: Gradients' });
  await tick.check();
  const job = page.locator('[name="ladder-job"]').nth(1);
  await job.locator('..').click();
  await site.publish('two');
  await ask(page);
  await expect(offered(page)).toBeVisible();
  expect(await isMarked(page)).toBe(true);
  for (const button of await offered(page).getByRole('button').all()) {
    const { width, height } = await button.boundingBox();
    expect(Math.min(width, height)).toBeGreaterThanOrEqual(24);
  }
  await use(page);
  await expect(page).toHaveTitle(/^two: /);
  await wall.live();
  await expect(wall.seq.field).toHaveValue('128,000');
  await expect(answer).toHaveValue('12.5');
  await expect(paste).toHaveValue(/12345678901/);
  await expect(page.locator('#profile-said')).toHaveText(said);
  await expect(tick).toBeChecked();
  await expect(page.getByRole('checkbox', { name: 'LoRA: Weights' })).not.toBeChecked();
  await expect(job).toBeChecked();
  await expect(page.locator('.update')).toBeEmpty();
});

test('what is put off stays away, and comes by itself once every tab was closed', async ({ wall, page, site, context }) => {
  await settled(wall);
  await site.publish('two');
  await ask(page);
  await expect(offered(page)).toBeVisible();
  await offered(page).getByRole('button', { name: 'Close this message' }).click();
  await expect(page.locator('.update')).toBeEmpty();
  await wall.reload();
  await expect(page).toHaveTitle(/^one: /);
  await page.waitForTimeout(500);
  await expect(page.locator('.update')).toBeEmpty();
  await page.close();
  const next = await context.newPage();
  await expect(async () => {
    await next.goto('about:blank');
    await next.waitForTimeout(300);
    await next.goto(site.origin);
    await expect(next).toHaveTitle(/^two: /, { timeout: 1_000 });
  }).toPass();
});

test('what is put off is the version that was offered last, and the focus stays on the page', async ({ wall, page, site }) => {
  await settled(wall);
  for (const version of ['two', 'three']) {
    await site.publish(version);
    await ask(page);
    await expect.poll(() => page.evaluate(() => navigator.serviceWorker.getRegistration().then(({ installing, waiting }) => !installing && Boolean(waiting)))).toBe(true);
    await expect(offered(page)).toBeVisible();
  }
  const close = offered(page).getByRole('button', { name: 'Close this message' });
  await page.waitForTimeout(300);
  await close.focus();
  await page.keyboard.press('Enter');
  await expect(page.locator('.update')).toBeEmpty();
  await expect(page.locator('#main')).toBeFocused();
  await wall.reload();
  await expect(page).toHaveTitle(/^one: /);
  await page.waitForTimeout(500);
  await expect(page.locator('.update')).toBeEmpty();
});

test('an offer that is taken back by the host goes by itself', async ({ wall, page, site }) => {
  await settled(wall);
  await site.publish('two');
  await ask(page);
  await expect(offered(page)).toBeVisible();
  await site.publish('one');
  await ask(page);
  await expect(page.locator('.update')).toBeEmpty();
});

test('what is chosen on the page for teachers goes over to a newer version', async ({ wall, page, site, troubles }) => {
  await settled(wall);
  await page.goto('/teach.html');
  await ready(page);
  const chosen = { 'Figure': 'trips', 'Width of your column': '480', 'Colours': 'dark' };
  for (const [label, value] of Object.entries(chosen)) await page.getByLabel(label, { exact: true }).selectOption(value);
  await page.getByLabel('Show the answers at once').check();
  const snippet = page.getByLabel('For your page');
  await expect(snippet).toHaveValue(/embed\/trips\.html\?theme=dark&amp;reveal=1/);
  const before = await snippet.inputValue();
  await site.publish('two');
  await ask(page);
  await use(page);
  await expect(page).toHaveTitle(/^two: /);
  for (const [label, value] of Object.entries(chosen)) await expect(page.getByLabel(label, { exact: true })).toHaveValue(value);
  await expect(page.getByLabel('Show the answers at once')).toBeChecked();
  await expect(snippet).toHaveValue(before);
  // A preview that is left is given up.
  troubles.splice(0, Infinity, ...troubles.filter((trouble) => !trouble.includes('net::ERR_ABORTED')));
});

test('a newer version that is asked for comes also where the old one is slow to go', async ({ wall, page, site, troubles }) => {
  await settled(wall, 'seq=2048');
  const paste = page.locator('#profile-paste');
  await paste.fill('torch.cuda.max_memory_allocated() = 12345678901');
  await site.publish('two');
  await ask(page);
  await expect(offered(page)).toBeVisible();
  // The old one waits for an answer, and must not be ended meanwhile.
  let answer;
  site.trouble = (path, response) => path === '/slow.txt' && Boolean((answer = response));
  await page.evaluate(() => void fetch('slow.txt').catch(() => {}));
  await expect.poll(() => answer).toBeTruthy();
  await use(page);
  await page.waitForFunction(() => !window.marked);
  // It is offered again, or has come by now; nothing is lost on the way.
  await wall.live();
  await expect(paste).toHaveValue(/12345678901/);
  answer.writeHead(200).end();
  await expect(async () => {
    if (/^one: /.test(await page.title())) await use(page);
    await expect(page).toHaveTitle(/^two: /, { timeout: 1_000 });
  }).toPass();
  await wall.live();
  await expect(paste).toHaveValue(/12345678901/);
  // What was slow was given up, and where the newer version is asked for twice, the first load of it ends for the second.
  const given = (trouble) => trouble.includes('slow.txt') || trouble === `request failed: ${site.origin}/ net::ERR_ABORTED`;
  troubles.splice(0, Infinity, ...troubles.filter((trouble) => !given(trouble)));
});

test('beside a version stays the one that was in use before it, and no other', async ({ wall, page, site, troubles }) => {
  await settled(wall);
  const take = async (version) => {
    await site.publish(version);
    await ask(page);
    await use(page);
    await expect(page).toHaveTitle(new RegExp(`^${version}: `));
    await ready(page);
  };
  // Put off, and overtaken.
  await site.publish('two');
  await ask(page);
  await offered(page).getByRole('button', { name: 'Close this message' }).click();
  await take('three');
  expect(await versions(page)).toEqual(['one', 'three']);
  // Come by half.
  await site.publish('four');
  site.trouble = (path, response) => path === '/index.html' && Boolean(response.destroy());
  await ask(page).catch(() => {});
  await expect.poll(async () => (await versions(page)).includes('four')).toBe(true);
  await expect.poll(() => page.evaluate(() => navigator.serviceWorker.getRegistration().then(({ installing }) => installing === null))).toBe(true);
  site.trouble = undefined;
  await take('five');
  expect(await versions(page)).toEqual(['five', 'three']);
  // Back, and on again.
  await take('three');
  await take('six');
  expect(await versions(page)).toEqual(['six', 'three']);
  troubles.splice(0, Infinity, ...troubles.filter((trouble) => !/ERR_EMPTY_RESPONSE|ERR_FAILED/.test(trouble)));
});

test('a page that is looked at again asks for a newer version, once an hour at most', async ({ wall, page, site }) => {
  await page.addInitScript(() => {
    const now = Date.now;
    const { update } = ServiceWorkerRegistration.prototype;
    window.later = 0;
    // The browser asks by itself too, so the requests that arrive say nothing.
    window.asked = 0;
    Date.now = () => now() + window.later * 60_000;
    ServiceWorkerRegistration.prototype.update = function () {
      window.asked += 1;
      return update.call(this);
    };
  });
  await settled(wall);
  const look = (minutes) =>
    page.evaluate((minutes) => {
      window.later = minutes;
      document.dispatchEvent(new Event('visibilitychange'));
      return window.asked;
    }, minutes);
  expect(await look(0)).toBe(0);
  expect(await look(59)).toBe(0);
  await site.publish('two');
  expect(await look(61)).toBe(1);
  expect(await look(62)).toBe(1);
  // The browser takes its time when nobody waits for the answer.
  await expect(offered(page)).toBeVisible({ timeout: 20_000 });
});

test('two tabs never mix versions, and only the one that asks loads anew', async ({ wall, page, site, context, troubles }) => {
  await settled(wall);
  const other = await context.newPage();
  // A page with its style sheet in a file, which the tutorial has inside it.
  await other.goto(`${site.origin}/check.html`);
  await ready(other);
  await mark(other);
  await site.publish('two');
  await ask(page);
  await expect(offered(page)).toBeVisible();
  await expect(offered(other)).toBeVisible();
  await use(page);
  await expect(page).toHaveTitle(/^two: /);
  await wall.live();
  await page.waitForTimeout(300);
  // The other tab stands as it was, has the files of its own version still, and takes the newer one when it is asked to.
  expect(await isMarked(other)).toBe(true);
  await expect(other).toHaveTitle(/^one: /);
  const own = await other.evaluate(() => document.querySelector('link[rel="stylesheet"]').href);
  expect(own).toContain('style-one-');
  expect(await other.evaluate((href) => fetch(href).then(({ status }) => status), own)).toBe(200);
  await use(other);
  await expect(other).toHaveTitle(/^two: /);
  const sheets = await other.evaluate(() => [...document.styleSheets].map(({ href }) => href));
  expect(sheets).toHaveLength(1);
  expect(sheets[0]).toContain('style-two-');
  // What a page was still fetching when it was loaded anew is given up.
  for (const [place, trouble] of [...troubles.entries()].reverse()) if (/style-one-.*ERR_ABORTED/.test(trouble)) troubles.splice(place, 1);
});

test('a network that dies while a newer version comes leaves the old one whole', async ({ wall, page, site, context, troubles }) => {
  await settled(wall);
  await site.publish('two');
  site.trouble = (path, response) => /style-two|index\.html/.test(path) && Boolean(response.destroy());
  await ask(page).catch(() => {});
  await expect.poll(() => page.evaluate(() => navigator.serviceWorker.getRegistration().then((one) => one.installing === null && one.waiting === null))).toBe(true);
  await expect(page.locator('.update')).toBeEmpty();
  await context.setOffline(true);
  await wall.reload();
  await expect(page).toHaveTitle(/^one: /);
  await wall.setSeq(128_000);
  expect((await wall.bucket('kv_cache')).bytes).toBe(67_108_864_000n);
  // With the network back it comes after all.
  await context.setOffline(false);
  site.trouble = undefined;
  await ask(page);
  await expect(offered(page)).toBeVisible();
  troubles.splice(0, Infinity, ...troubles.filter((trouble) => !/ERR_EMPTY_RESPONSE|ERR_INTERNET_DISCONNECTED|ERR_FAILED/.test(trouble)));
});

test('a version that is published by halves is not taken', async ({ wall, page, site, troubles }) => {
  await settled(wall);
  await site.publish('two');
  const whole = await (await fetch(`${site.origin}/index.html`)).text();
  await site.write('index.html', `${whole}<!-- of a later version -->`);
  await ask(page).catch(() => {});
  await page.waitForTimeout(500);
  await expect(page.locator('.update')).toBeEmpty();
  await wall.reload();
  await expect(page).toHaveTitle(/^one: /);
  await site.write('index.html', whole);
  // Asked while the half one is still being given up, the browser looks no second time.
  await expect(async () => {
    await ask(page);
    await expect(offered(page)).toBeVisible({ timeout: 1_000 });
  }).toPass();
  troubles.length = 0;
});

test('files that have not changed are not fetched again', async ({ wall, page, site }) => {
  await settled(wall);
  // What is kept last is there, too.
  const last = /\bembed\/|\bplanner-.*\.(wasm|js)$/;
  const listed = [...(await readFile(join(DIST, 'sw.js'), 'utf8')).matchAll(/^\s*\['([^']+)'/gm)].filter(([, path]) => last.test(path));
  const addresses = () => page.evaluate(async () => (await (await caches.open((await caches.keys())[0])).keys()).map(({ url }) => url));
  await expect.poll(async () => (await addresses()).filter((url) => last.test(url)).length).toBe(listed.length);
  await site.publish('two');
  const asked = [];
  site.trouble = (path) => void asked.push(path);
  await ask(page);
  await expect(offered(page)).toBeVisible();
  const changed = ['/404.html', '/check.html', '/index.html', '/plan.html', '/reference.html', expect.stringMatching(/^\/style-two-/), '/teach.html'];
  expect(asked.filter((path) => path !== '/sw.js').toSorted()).toEqual(changed);
});

test('an older version that is published again is taken like a newer one', async ({ wall, page, site }) => {
  await settled(wall);
  await site.publish('two');
  await ask(page);
  await use(page);
  await expect(page).toHaveTitle(/^two: /);
  await ready(page);
  await site.publish('one');
  await ask(page);
  await use(page);
  await expect(page).toHaveTitle(/^one: /);
  await ready(page);
  // Taken back before anybody took it, a version leaves no trace.
  await site.publish('two');
  await ask(page);
  await expect(offered(page)).toBeVisible();
  await offered(page).getByRole('button', { name: 'Close this message' }).click();
  await site.publish('one');
  await ask(page);
  await page.waitForTimeout(500);
  await expect(page.locator('.update')).toBeEmpty();
  await wall.reload();
  await expect(page).toHaveTitle(/^one: /);
});

test('the kill switch forgets everything, leaves, and lets open pages be', async ({ wall, page, site }) => {
  await settled(wall);
  await site.write('sw.js', await readFile(KILL, 'utf8'));
  await ask(page);
  const left = () =>
    page.evaluate(async () => [(await navigator.serviceWorker.getRegistrations()).length, ...(await caches.keys())]);
  await expect.poll(left).toEqual([0]);
  expect(await isMarked(page)).toBe(true);
  await expect(page.locator('.update')).toBeEmpty();
  await wall.setSeq(128_000);
  expect((await wall.bucket('kv_cache')).bytes).toBe(67_108_864_000n);
});
