// A figure within a page of somebody else: every kind of frame that hosts are known to make of it.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test as base } from './fixtures.mjs';
import { host } from './host.mjs';
import { address, readHeights } from './heights.mjs';
import { handOut } from './random.mjs';
import { pages, squeezed } from './pdf.mjs';
import { is, types } from './schema.mjs';
import { DIST } from './server.mjs';

/** A page of another origin with this HTML; what its frames say is in `window.heard`, and keeps to the published schema. */
const test = base.extend({
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

const live = (frame) => frame.locator('html[data-live]').waitFor({ state: 'attached' });
const heard = (page, type) => page.evaluate((type) => window.heard.filter((message) => message?.mw === 1 && message.type === type), type);
const say = (page, message) => page.evaluate((message) => document.querySelector('iframe').contentWindow.postMessage(message, '*'), message);
const figures = (await readdir(join(DIST, 'embed'))).map((file) => file.replace('.html', '')).sort();
/** What the page's own site publishes of its heights. */
const HEIGHTS = await readHeights();
/** The frame needs no bar of its own. */
const fits = (frame) => frame.locator('html').evaluate((root) => [root.scrollHeight - root.clientHeight, root.scrollWidth - root.clientWidth]);

test('a bare frame shows the figure of its link and follows its controls', async ({ hosted, site }) => {
  const page = await hosted(`<iframe src="${site.origin}/embed/buckets.html?model=llama-2-7b&seq=4096" width="700" height="900" title="t"></iframe>`);
  const frame = page.frameLocator('iframe');
  await live(frame);
  const cache = frame.locator('tr[data-bucket="kv_cache"] [data-bytes]');
  await expect(cache).toHaveAttribute('data-bytes', '2147483648');
  await frame.locator('#control-seq-number').fill('8192');
  await expect(cache).toHaveAttribute('data-bytes', '4294967296');
  expect(await heard(page, 'ready')).toHaveLength(1);
  expect((await heard(page, 'resize')).at(-1).height).toBeGreaterThan(300);
  expect(await heard(page, 'state'), 'nothing is told to who has not said hello').toHaveLength(0);
});

test('embed.js gives frames their height and makes elements', async ({ hosted, site }) => {
  const page = await hosted(
    `<script src="${site.origin}/embed.js"></script>
     <iframe data-memory-wall src="${site.origin}/embed/kv_cache.html" style="width:640px;border:0" title="t"></iframe>
     <memory-wall figure="roofline" gpu="h100-sxm" batch="8"><a href="${site.origin}/#figure-roofline">The roofline</a></memory-wall>`,
  );
  for (const place of [0, 1]) {
    const frame = page.frameLocator('iframe').nth(place);
    await page.locator('iframe').nth(place).scrollIntoViewIfNeeded();
    await live(frame);
    await expect.poll(() => fits(frame)).toEqual([0, 0]);
  }
  const made = page.locator('memory-wall iframe');
  await expect(made).toHaveAttribute('src', `${site.origin}/embed/roofline.html?gpu=h100-sxm&batch=8`);
  await expect(made).toHaveAttribute('title', 'The roofline');
  await expect(page.frameLocator('memory-wall iframe').locator('#figure-roofline')).toContainText('H100');
  // Another width, another height: once it is looked at, since browsers let frames rest that nobody sees.
  await page.locator('iframe').first().scrollIntoViewIfNeeded();
  const before = await page.locator('iframe').first().evaluate((frame) => frame.offsetHeight);
  await page.locator('iframe').first().evaluate((frame) => (frame.style.width = '330px'));
  await expect.poll(() => page.locator('iframe').first().evaluate((frame) => frame.offsetHeight)).toBeGreaterThan(before);
  await expect.poll(() => fits(page.frameLocator('iframe').first())).toEqual([0, 0]);
});

test('without a script an element is the link that stands in it', async ({ hosted, site }) => {
  const page = await hosted(`<memory-wall figure="roofline"><a href="${site.origin}/#figure-roofline">The roofline</a></memory-wall>`);
  await expect(page.getByRole('link', { name: 'The roofline' })).toBeVisible();
});

test('a sandbox without an origin is no hindrance', async ({ hosted, site }) => {
  const page = await hosted(`<iframe sandbox="allow-scripts" src="${site.origin}/embed/buckets.html?theme=dark" width="700" height="900" title="t"></iframe>`);
  const frame = page.frameLocator('iframe');
  await live(frame);
  await frame.locator('#control-seq-number').fill('128000');
  await expect(frame.locator('tr[data-bucket="kv_cache"] [data-bytes]')).toHaveAttribute('data-bytes', '67108864000');
  expect(await frame.locator('html').evaluate((root) => getComputedStyle(root).backgroundColor)).toBe('rgb(20, 23, 28)');
});

test('hosts hear the height in the form that they listen for', async ({ hosted, site }) => {
  const page = await hosted(`<iframe src="${site.origin}/embed/trips.html#?secret=a1b2c3" width="700" height="300" title="t"></iframe>`);
  await expect.poll(() => heard(page, 'resize').then((list) => list.length)).toBeGreaterThan(0);
  const all = await page.evaluate(() => window.heard);
  const { height } = (await heard(page, 'resize')).at(-1);
  expect(all).toContainEqual({ subject: 'lti.frameResize', height });
  expect(all).toContainEqual(JSON.stringify({ subject: 'lti.frameResize', height }));
  expect(all).toContainEqual({ type: 'embed-size', height });
  expect(all).toContainEqual({ message: 'height', value: height, secret: 'a1b2c3' });
});

test('ten on one page stay apart, and nothing is said at rest', async ({ hosted, site }) => {
  test.slow();
  const figures = ['buckets', 'kv_cache', 'hierarchy', 'trips', 'sort', 'states', 'context', 'parallel', 'scaling', 'oom'];
  const frames = figures.map((figure) => `<iframe data-memory-wall src="${site.origin}/embed/${figure}.html?seq=4096" style="width:600px" title="${figure}"></iframe>`);
  const page = await hosted(`<script src="${site.origin}/embed.js"></script>${frames.join('')}`);
  for (const place of figures.keys()) await live(page.frameLocator('iframe').nth(place));
  await page.waitForTimeout(1_000);
  const before = await page.evaluate(() => window.heard.length);
  await page.waitForTimeout(1_000);
  expect(await page.evaluate(() => window.heard.length)).toBe(before);
  await page.frameLocator('iframe').first().locator('#control-seq-number').fill('2048');
  await page.waitForTimeout(600);
  const said = await heard(page, 'state');
  expect(said.map(({ figure }) => figure)).toEqual(['buckets']);
});

test('a frame that is hidden at first is measured when it is shown', async ({ hosted, site }) => {
  const page = await hosted(
    `<script src="${site.origin}/embed.js"></script><div hidden><iframe data-memory-wall src="${site.origin}/embed/trips.html" style="width:600px" title="t"></iframe></div>`,
  );
  await page.waitForTimeout(1_500);
  expect((await heard(page, 'resize')).every(({ height }) => height > 0)).toBe(true);
  await page.locator('div').evaluate((place) => (place.hidden = false));
  await live(page.frameLocator('iframe'));
  await expect.poll(() => fits(page.frameLocator('iframe'))).toEqual([0, 0]);
});

test('on a slide that is scaled the points answer where they are seen', async ({ hosted, site }) => {
  const page = await hosted(
    `<div style="transform:scale(.6);transform-origin:0 0;width:960px"><iframe src="${site.origin}/embed/buckets.html" width="960" height="1400" title="t"></iframe></div>`,
  );
  const frame = page.frameLocator('iframe');
  await live(frame);
  await frame.locator('[data-act="more seq"]').click();
  await expect(frame.locator('#control-seq-number')).not.toHaveValue('2,048');
});

test('the page around can ask and be told', async ({ hosted, site }) => {
  const page = await hosted(`<iframe src="${site.origin}/embed/hierarchy.html?model=llama-3.1-8b&id=one" width="700" height="900" title="t"></iframe>`);
  const frame = page.frameLocator('iframe');
  await live(frame);
  await say(page, { mw: 1, type: 'hello' });
  await expect.poll(() => heard(page, 'ready').then((list) => list.length)).toBe(2);
  expect((await heard(page, 'ready')).at(-1)).toMatchObject({ figure: 'hierarchy', id: 'one', version: '1', query: 'v=1&model=llama-3.1-8b' });
  await say(page, { mw: 1, type: 'set', query: 'model=llama-2-7b&gpu=h100-sxm' });
  await expect(frame.locator('#figure-hierarchy')).toContainText('H100');
  await expect.poll(() => heard(page, 'state').then((list) => list.at(-1)?.query)).toBe('v=1&gpu=h100-sxm');
  await say(page, { mw: 1, type: 'theme', value: 'dark' });
  await expect(frame.locator('html')).toHaveCSS('background-color', 'rgb(20, 23, 28)');
  await frame.locator('#dial-walk-number').fill('1');
  await frame.locator('[data-act="check-dial walk"]').click();
  await expect.poll(() => heard(page, 'answer')).toMatchObject([{ item: 'walk', given: '1', correct: false }]);
  await expect.poll(() => heard(page, 'complete')).toMatchObject([{ raw: 0, max: 1, scaled: 0 }]);
  await say(page, { mw: 1, type: 'reset' });
  await expect(frame.locator('#dial-walk-number')).toHaveValue('');
  await expect(frame.locator('#figure-hierarchy')).not.toContainText('H100');
  await say(page, { mw: 1, type: 'getState' });
  await expect.poll(() => heard(page, 'state').then((list) => list.at(-1)?.query)).toBe('v=1&model=llama-3.1-8b');
  await say(page, { mw: 1, type: 'set', query: 'gpu=nonsense' });
  await expect.poll(() => heard(page, 'error').then((list) => list.at(-1))).toMatchObject({ code: 'query' });
});

test('who says hello late is told what was answered before, and who says it early nothing that was not', async ({ hosted, site }) => {
  const page = await hosted(`<iframe src="${site.origin}/embed/sort.html" width="700" height="900" title="t"></iframe>`);
  const frame = page.frameLocator('iframe');
  await live(frame);
  const rows = frame.locator('fieldset[data-control]:not([disabled])');
  await rows.first().getByRole('radio').first().check();
  await frame.locator('[data-act="check sides"]').click();
  await frame.locator('[data-act="show ridge"]').click();
  await page.waitForTimeout(600);
  expect(await heard(page, 'answer')).toHaveLength(0);
  await say(page, { mw: 1, type: 'hello' });
  await expect.poll(() => heard(page, 'complete').then((list) => list.length)).toBe(1);
  const answers = await heard(page, 'answer');
  expect(answers).toHaveLength(1);
  const [{ raw, max, scaled }] = await heard(page, 'complete');
  expect(raw).toBe(answers[0].correct ? 1 : 0);
  expect(max, 'every question of the round and the one after it').toBeGreaterThan(8);
  expect(scaled).toBeCloseTo(raw / max);
  expect(await heard(page, 'progress')).toMatchObject([{ done: 2, total: 2 }]);
  // Another visit, whose host says hello at once.
  await page.evaluate(() => {
    window.heard = [];
    const frame = document.querySelector('iframe');
    frame.addEventListener('load', () => frame.contentWindow.postMessage({ mw: 1, type: 'hello' }, '*'));
    frame.src = `${frame.src}?v=1`;
  });
  await expect.poll(() => heard(page, 'complete').then((list) => list.length)).toBe(1);
  expect(await heard(page, 'progress')).toMatchObject([{ done: 2, total: 2 }]);
  expect(await heard(page, 'answer')).toHaveLength(1);
});

test('what the link shows anyway is nobody’s answer, is not kept, and is there again after a reset', async ({ hosted, site }) => {
  const page = await hosted(`<iframe src="${site.origin}/embed/hierarchy.html?reveal=1" width="700" height="900" title="t"></iframe>`);
  const frame = page.frameLocator('iframe');
  await live(frame);
  await expect(frame.locator('details.guess')).toHaveAttribute('open', '');
  await say(page, { mw: 1, type: 'hello' });
  await say(page, { mw: 1, type: 'reset' });
  await page.waitForTimeout(700);
  await expect(frame.locator('details.guess')).toHaveAttribute('open', '');
  for (const type of ['answer', 'progress', 'complete']) expect(await heard(page, type), type).toHaveLength(0);
  await page.evaluate((src) => (document.querySelector('iframe').src = src), `${site.origin}/embed/hierarchy.html?predict=required`);
  await live(frame);
  await expect(frame.locator('#figure-hierarchy')).toHaveAttribute('inert', '');
  await expect(frame.locator('.embed-waits')).toBeVisible();
});

test('two parts of the self-check on one page keep their answers apart', async ({ hosted, site }) => {
  const parts = ['oom', 'roofline'];
  const page = await hosted(parts.map((part) => `<iframe src="${site.origin}/embed/quiz.html?only=${part}" width="700" height="900" title="${part}"></iframe>`).join(''));
  const answer = async (place) => {
    const frame = page.frameLocator('iframe').nth(place);
    await live(frame);
    const question = frame.locator('[data-quiz][data-in]').filter({ has: frame.getByRole('radio') }).first();
    await question.getByRole('radio').first().check();
    await question.locator('[data-act^="quiz "]').click();
    await expect(question).toHaveAttribute('data-state', /right|wrong|hint/);
    return question.getAttribute('data-quiz');
  };
  const answered = [await answer(0), await answer(1)];
  await page.waitForTimeout(300);
  await page.reload();
  for (const [place, id] of answered.entries()) {
    await live(page.frameLocator('iframe').nth(place));
    await expect(page.frameLocator('iframe').nth(place).locator(`[data-quiz="${id}"]`)).toHaveAttribute('data-state', /right|wrong|hint/);
  }
});

test('a host that says hello and keeps the frame low leaves the figure its bar', async ({ hosted, site }) => {
  const page = await hosted(`<iframe src="${site.origin}/embed/hierarchy.html" width="700" height="500" title="t"></iframe>`);
  const frame = page.frameLocator('iframe');
  await live(frame);
  await say(page, { mw: 1, type: 'hello' });
  await page.waitForTimeout(600);
  await expect(frame.locator('html')).not.toHaveCSS('overflow-y', 'hidden');
  await page.locator('iframe').evaluate((frame) => (frame.height = 3_000));
  await expect(frame.locator('html')).toHaveCSS('overflow-y', 'hidden');
});

test('an element that is taken out and put back has its height again', async ({ hosted, site }) => {
  const page = await hosted(
    `<script src="${site.origin}/embed.js"></script><memory-wall figure="trips" hidden-by="tabs" lang="de"></memory-wall><memory-wall figure="peak"></memory-wall>`,
  );
  const frame = page.frameLocator('memory-wall >> nth=0 >> iframe');
  await live(frame);
  await expect.poll(() => fits(frame)).toEqual([0, 0]);
  await expect(page.locator('memory-wall iframe').first(), 'attributes of HTML stay with the element').toHaveAttribute('src', `${site.origin}/embed/trips.html`);
  await page.evaluate(async () => {
    const [first, second] = document.querySelectorAll('memory-wall');
    first.remove();
    second.querySelector('iframe').contentWindow.postMessage({ mw: 1, type: 'hello' }, '*');
    await new Promise((done) => setTimeout(done, 300));
    document.body.prepend(first);
    first.querySelector('iframe').style.height = '100px';
  });
  await live(frame);
  await expect.poll(() => fits(frame)).toEqual([0, 0]);
});

test('the complete host of the document does what it says', async ({ hosted, site }) => {
  const text = await readFile(new URL('../../docs/embedding.md', import.meta.url), 'utf8');
  const [, html] = /```html\n(<!doctype html>[\s\S]*?)```/.exec(text);
  const page = await hosted(html.replaceAll('https://example.org/memory-wall/', `${site.origin}/`).replace(/<!doctype html>\s*<html lang="en">|<\/html>/g, ''));
  const frame = page.frameLocator('#figure');
  await live(frame);
  await expect(frame.locator('html')).toHaveAttribute('data-hosted', '');
  await frame.locator('#dial-walk-number').fill('1');
  await frame.locator('[data-act="check-dial walk"]').click();
  await expect(page.locator('#said')).toHaveText('walk: not yet');
  await page.locator('#longer').click();
  await expect.poll(() => heard(page, 'state').then((list) => list.at(-1)?.query)).toBe('v=1&model=llama-3.1-8b&seq=128000');
});

test('a thousand hostile messages change nothing and raise nothing', async ({ hosted, site }) => {
  const page = await hosted(`<iframe src="${site.origin}/embed/buckets.html" width="700" height="900" title="t"></iframe>`);
  const frame = page.frameLocator('iframe');
  await live(frame);
  const before = await frame.locator('#calculator').innerText();
  await handOut(page);
  await page.evaluate(() => {
    const frame = document.querySelector('iframe').contentWindow;
    const { pick } = window.random(7);
    const strange = [null, undefined, 0, -1, NaN, Infinity, '', '__proto__', '<img src=x onerror=alert(1)>', 'x'.repeat(5_000), [], {}, [[]], true, new Date(), /x/, new Map()];
    const types = ['set', 'theme', 'bring', 'constructor', '__proto__', 'toString', 'hasOwnProperty', 'eval', 7, null, {}];
    for (let n = 0; n < 1_000; n += 1) {
      const any = () => pick(strange);
      const type = pick(types);
      const shapes = [any(), { mw: 1, type, query: any() === 'x' ? '' : [any()], value: any() }, { mw: any(), type, query: 'seq=9' }, { mw: 1, type: any() }, { type: 'set', query: 'seq=9' }, JSON.stringify({ mw: 1, type: 'set', query: 'seq=9' })];
      frame.postMessage(pick(shapes), '*');
    }
  });
  // Another window than the one around is nobody.
  await page.evaluate(() => {
    const other = document.body.appendChild(document.createElement('iframe'));
    const script = other.contentDocument.createElement('script');
    script.textContent = "parent.frames[0].postMessage({ mw: 1, type: 'set', query: 'seq=9' }, '*')";
    other.contentDocument.body.append(script);
  });
  await page.waitForTimeout(800);
  expect(await page.frames()[1].locator('#calculator').innerText()).toBe(before);
});

test('what may be said to a figure is what the schema says', async ({ hosted, site }) => {
  const page = await hosted(`<iframe src="${site.origin}/embed/buckets.html" width="700" height="900" title="t"></iframe>`);
  await live(page.frameLocator('iframe'));
  const all = [
    ...types('in').map((type) => ({ mw: 1, type, query: 'seq=4096', value: 'dark' })),
    { mw: 1, type: 'set', query: 7 },
    { mw: 1, type: 'set', query: 'a'.repeat(2_001) },
    { mw: 1, type: 'theme', value: 'purple' },
    { mw: 1, type: 'theme' },
    { mw: 1, type: 'sing' },
    { mw: 1, type: 'ready' },
  ];
  for (const message of all) {
    const before = (await heard(page, 'error')).length;
    const states = (await heard(page, 'state')).length;
    await say(page, message);
    // What is said is done in its order: with the answer to this, the other has been dealt with.
    await say(page, { mw: 1, type: 'getState' });
    await expect.poll(() => heard(page, 'state').then((list) => list.length)).toBeGreaterThan(states);
    expect((await heard(page, 'error')).length - before, JSON.stringify(message).slice(0, 60)).toBe(is('in', message) ? 0 : 1);
  }
});

test('of the self-check one section can be asked alone', async ({ hosted, site }) => {
  const page = await hosted(`<iframe src="${site.origin}/embed/quiz.html?only=oom" width="700" height="1800" title="t"></iframe>`);
  const frame = page.frameLocator('iframe');
  await live(frame);
  const shown = frame.locator('.question:visible');
  const all = await frame.locator('[data-quiz^="oom."]').count();
  await expect(shown).toHaveCount(all);
  await expect(frame.locator('.standing')).toBeHidden();
  await say(page, { mw: 1, type: 'hello' });
  await expect.poll(() => heard(page, 'progress').then((list) => list.at(-1))).toMatchObject({ done: 0, total: all });
  expect((await heard(page, 'resize')).at(-1).height).toBeLessThan(2_000);
  const choose = (option) => frame.locator(`[data-quiz="oom.copy"] input[value="${option}"]`).check({ force: true });
  await choose(0);
  await frame.locator('[data-act="quiz oom.copy"]').click();
  const first = { item: 'oom.copy', given: '0', correct: false, attempt: 1 };
  await expect.poll(() => heard(page, 'answer')).toMatchObject([first]);
  // What is chosen with the help of the hint is no answer before it is checked, and nothing is done before that.
  await choose(2);
  await page.waitForTimeout(300);
  expect(await heard(page, 'answer')).toHaveLength(1);
  await frame.locator('[data-act="quiz oom.copy"]').click();
  await expect.poll(() => heard(page, 'answer')).toMatchObject([first, { item: 'oom.copy', given: '2', correct: true, attempt: 2 }]);
  expect((await heard(page, 'progress')).map(({ done }) => done)).toEqual([0, 1]);
  const wrong = (await hosted(`<iframe src="${site.origin}/embed/quiz.html?only=opening" width="700" height="900" title="t"></iframe>`)).frameLocator('iframe');
  await live(wrong);
  await expect(wrong.locator('#notice .notice')).toContainText('only');
  await expect(wrong.locator('.standing')).toBeVisible();
});

test('the answers of the self-check come when somebody begins to answer, with and without an origin', async ({ hosted, site }) => {
  for (const sandbox of ['', 'sandbox="allow-scripts"']) {
    const page = await hosted(`<iframe ${sandbox} src="${site.origin}/embed/quiz.html" width="700" height="1800" title="t"></iframe>`);
    const asked = [];
    page.on('request', (request) => asked.push(request.url()));
    const frame = page.frameLocator('iframe');
    await live(frame);
    await page.waitForTimeout(300);
    expect(asked.filter((url) => url.includes('/answers-'))).toEqual([]);
    const question = frame.locator('[data-quiz="buckets.weights"]');
    await expect(question.locator('.solution .working, .hints p')).toHaveCount(0);
    await question.getByRole('textbox').fill('13 GB');
    await expect(question.locator('.solution .working')).toHaveCount(6);
    // What follows the state in an answer does so from when it comes.
    await question.getByRole('button', { name: 'Check' }).click();
    await expect(question).toHaveAttribute('data-state', 'hint');
    await expect(question.locator('.hints p:visible')).toHaveCount(1);
    await question.getByRole('textbox').fill('52 GB');
    await question.getByRole('button', { name: 'Check' }).click();
    await expect(question).toHaveAttribute('data-state', 'wrong');
    await expect(question.locator('.working:visible')).toHaveCount(1);
    await expect(question.locator('.slips [data-hit]')).toHaveCount(1);
    expect(asked.filter((url) => url.includes('/answers-'))).toHaveLength(1);
  }
});

test('answers that were given before bring the answers along', async ({ hosted, site }) => {
  const page = await hosted(`<iframe src="${site.origin}/embed/quiz.html" width="700" height="1800" title="t"></iframe>`);
  const question = page.frameLocator('iframe').locator('[data-quiz="roofline.three"]');
  await live(page.frameLocator('iframe'));
  await question.locator('input[value="0"]').check();
  await question.getByRole('button', { name: 'Check' }).click();
  await expect(question.locator('.reason .yours:visible')).toHaveCount(1);
  await page.waitForTimeout(300);
  await page.reload();
  await live(page.frameLocator('iframe'));
  await expect(question.locator('.reason .yours:visible')).toHaveCount(1);
});

test('answers that cannot be fetched are said to be missing, and are asked for again', async ({ browser, site }) => {
  const page = await browser.newPage({ baseURL: site.origin, serviceWorkers: 'block' });
  let away = true;
  await page.route('**/answers-*.js', (route) => (away ? route.abort() : route.fallback()));
  await page.goto('/embed/quiz.html');
  await live(page);
  const solution = page.locator('[data-quiz="roofline.three"] .solution');
  await solution.locator('summary').click();
  await expect(solution.locator('.missing')).toHaveText(/could not be fetched/);
  away = false;
  await solution.locator('summary').click();
  await expect(solution.locator('.missing')).toHaveCount(0);
  await solution.locator('summary').click();
  await expect(solution.locator('.reason').first()).toBeVisible();
  await page.close();
});

test('a right answer is told before it counts, however the reader goes on', async ({ hosted, site }) => {
  const page = await hosted(`<iframe src="${site.origin}/embed/hierarchy.html" width="700" height="900" title="t"></iframe>`);
  const frame = page.frameLocator('iframe');
  await live(frame);
  await say(page, { mw: 1, type: 'hello' });
  await frame.locator('#dial-walk-number').fill('60');
  await frame.locator('[data-act="check-dial walk"]').click();
  const tier = frame.locator('[name="control-tier"]').first();
  await tier.focus();
  for (let press = 0; press < 40; press += 1) await tier.press(press % 2 ? 'ArrowLeft' : 'ArrowRight');
  await expect.poll(() => heard(page, 'complete')).toMatchObject([{ raw: 1, max: 1 }]);
  const told = await page.evaluate(() => window.heard.filter(({ type }) => ['answer', 'complete'].includes(type)).map(({ type }) => type));
  expect(told).toEqual(['answer', 'complete']);
});

test('a host is told what of a link was not understood, and the state as it is when it asks', async ({ hosted, site }) => {
  const page = await hosted(`<iframe src="${site.origin}/embed/buckets.html?gpu=nonsense&theme=purple" width="700" height="900" title="t"></iframe>`);
  await live(page.frameLocator('iframe'));
  await expect.poll(() => heard(page, 'error')).toMatchObject([{ code: 'query', about: expect.stringMatching(/nonsense[^]*theme/) }]);
  await page.evaluate(() => {
    const figure = document.querySelector('iframe').contentWindow;
    figure.postMessage({ mw: 1, type: 'set', query: 'gpu=h100-sxm' }, '*');
    figure.postMessage({ mw: 1, type: 'getState' }, '*');
  });
  await expect.poll(() => heard(page, 'state').then(([first]) => first?.query)).toContain('gpu=h100-sxm');
  expect((await heard(page, 'state'))[0].query).not.toContain('nonsense');
});

test('options may be written as addresses are, and name figures that are apart', async ({ hosted, site }) => {
  const page = await hosted(`<iframe src="${site.origin}/embed/hierarchy.html?id=week%3A3&theme=d%61rk" width="700" height="900" title="t"></iframe>`);
  const frame = page.frameLocator('iframe');
  await live(frame);
  await expect.poll(() => heard(page, 'ready')).toMatchObject([{ id: 'week:3' }]);
  await expect(frame.locator('html')).toHaveAttribute('data-theme', 'dark');
  await expect(frame.locator('#notice .notice')).toBeHidden();
});

test('the self-check shows all its answers where the link asks for it, and keeps and asks nothing then', async ({ hosted, site }) => {
  const page = await hosted(['quiz', 'claims'].map((figure) => `<iframe src="${site.origin}/embed/${figure}.html?reveal=1" width="700" height="900" title="${figure}"></iframe>`).join(''));
  for (const place of [0, 1]) {
    const frame = page.frameLocator('iframe').nth(place);
    await live(frame);
    const shut = frame.locator('.solution:not([open])');
    await expect(shut).toHaveCount(0);
    await expect(frame.locator('.solution > :not(summary)').first()).toBeVisible();
    await page.locator('iframe').nth(place).evaluate((one) => one.contentWindow.postMessage({ mw: 1, type: 'hello' }, '*'));
  }
  await page.waitForTimeout(300);
  for (const type of ['answer', 'progress', 'complete']) expect(await heard(page, type), type).toHaveLength(0);
  // Without predictions a self-check is what it was, and is kept.
  const off = await hosted(`<iframe src="${site.origin}/embed/claims.html?predict=off" width="700" height="900" title="t"></iframe>`);
  const frame = off.frameLocator('iframe');
  await live(frame);
  await expect(frame.locator('html')).toHaveAttribute('data-kept', 'claims');
});

test('a figure that cannot start asks for nothing first, and tells who comes late', async ({ browser, site }) => {
  const other = await host({ '/': `<script>window.heard=[];addEventListener('message',({data})=>heard.push(data))</script><iframe src="${site.origin}/embed/hierarchy.html?predict=required" width="700" height="900" title="t"></iframe>` });
  const page = await browser.newPage();
  await page.route('**/*.wasm', (route) => route.abort());
  await page.goto(other.origin);
  const frame = page.frameLocator('iframe');
  await expect(frame.locator('.embed-failed')).toBeVisible();
  await expect(frame.locator('#figure-hierarchy')).not.toHaveAttribute('inert', '');
  await expect(frame.locator('.embed-waits')).toBeHidden();
  await page.evaluate(() => void (window.heard.length = 0));
  await say(page, { mw: 1, type: 'hello' });
  await say(page, { mw: 1, type: 'getState' });
  await expect.poll(() => page.evaluate(() => window.heard.filter(({ mw }) => mw === 1).map(({ type }) => type))).toEqual(['resize', 'error', 'state']);
  await page.close();
  await other.close();
});

test('a script that each of two snippets brings tells the page once what was answered', async ({ hosted, site }) => {
  const snippet = (figure) => `<iframe data-memory-wall src="${site.origin}/embed/${figure}.html" title="${figure}"></iframe><script src="${site.origin}/embed.js"></script>`;
  const page = await hosted(`<script>window.told=[];addEventListener('memory-wall',({detail})=>told.push(detail))</script>${snippet('hierarchy')}${snippet('claims')}`);
  for (const place of [0, 1]) {
    await page.locator('iframe').nth(place).scrollIntoViewIfNeeded();
    await live(page.frameLocator('iframe').nth(place));
  }
  const claims = page.frameLocator('iframe').nth(1);
  await expect.poll(() => fits(claims)).toEqual([0, 0]);
  await claims.locator('[data-act^="claim "]').first().click();
  await expect.poll(() => page.evaluate(() => window.told.filter(({ type }) => type === 'answer').length)).toBe(1);
});

test('what comes in place of the answers, or comes late, is said, and asked for again', async ({ browser, site }) => {
  const page = await browser.newPage({ baseURL: site.origin, serviceWorkers: 'block' });
  let how = (route) => route.fulfill({ contentType: 'text/html', body: '<p>Please log in</p>' });
  await page.route('**/answers-*.js', (route) => how(route));
  await page.goto('/embed/quiz.html?only=roofline');
  await live(page);
  const solution = page.locator('[data-quiz="roofline.three"] .solution');
  await solution.locator('summary').click();
  await expect(solution.locator('.missing')).toHaveText(/could not be fetched/);
  let come;
  const held = new Promise((then) => (come = then));
  how = (route) => held.then(() => route.fallback());
  await solution.locator('summary').click();
  await solution.locator('summary').click();
  await expect(solution.getByRole('status')).toHaveText('The answer is on its way.');
  come();
  await expect(solution.locator('.reason').first()).toBeVisible();
  await expect(page.locator('.missing')).toHaveCount(0);
  await page.close();
});

test('the way to the tutorial takes the state along', async ({ hosted, site }) => {
  const page = await hosted(`<iframe src="${site.origin}/embed/buckets.html?model=llama-3.1-8b" width="700" height="900" title="t"></iframe>`);
  const frame = page.frameLocator('iframe');
  await live(frame);
  await frame.locator('#control-seq-number').fill('32768');
  const [tutorial] = await Promise.all([page.context().waitForEvent('page'), frame.locator('.embed-foot a').click()]);
  await tutorial.locator('html[data-live]').waitFor({ state: 'attached' });
  await expect(tutorial.locator('#control-seq-number')).toHaveValue('32,768');
  expect(new URL(tutorial.url()).search).toBe('?v=1&model=llama-3.1-8b&seq=32768');
  expect(new URL(tutorial.url()).hash).toBe('#calculator');
});

for (const figure of ['quiz', 'claims']) {
  test(`on paper the questions of ${figure} by itself are numbered one by one, and answers come behind them`, async ({ page, site }) => {
    await page.goto(`${site.origin}/embed/${figure}.html`);
    await live(page);
    if (figure === 'quiz') await page.getByRole('radio').first().focus();
    await page.locator('.solution > :not(summary)').first().waitFor({ state: 'attached' });
    const paper = pages(await page.pdf({ format: 'A4' }));
    expect(paper[0].length).toBeGreaterThan(200);
    const all = paper.join('');
    const marks = await page.locator(figure === 'quiz' ? '.question h3' : '.question .ask').evaluateAll((places) => places.map((place) => place.textContent));
    let from = 0;
    for (const [at, mark] of marks.entries()) {
      const found = all.indexOf(squeezed(`${at + 1}.${mark}`), from);
      expect(found, `${at + 1}. ${mark}`).toBeGreaterThanOrEqual(from);
      from = found;
    }
    expect(all.lastIndexOf('Answers')).toBeGreaterThan(from);
  });
}

test('options of the link: no question, a question first, the answer at once, less around', async ({ hosted, site }) => {
  const with_ = async (query) => {
    const page = await hosted(`<iframe src="${site.origin}/embed/hierarchy.html?${query}" width="700" height="900" title="t"></iframe>`);
    await live(page.frameLocator('iframe'));
    return page.frameLocator('iframe');
  };
  await expect((await with_('predict=off')).locator('.dial')).toBeHidden();
  const required = await with_('predict=required');
  await expect(required.locator('#figure-hierarchy')).toHaveAttribute('inert', '');
  await required.locator('#dial-walk-number').fill('5');
  await required.locator('[data-act="check-dial walk"]').click();
  await expect(required.locator('#figure-hierarchy')).not.toHaveAttribute('inert', '');
  const shown = await with_('reveal=1');
  await expect(shown.locator('details.guess')).toHaveAttribute('open', '');
  await expect((await with_('ui=min')).locator('.embed-foot')).toBeHidden();
  const wrong = await with_('theme=purple');
  await expect(wrong.locator('#notice .notice')).toContainText('theme');
});

test('at its published height no figure needs a bar of its own', async ({ page, site }) => {
  test.slow();
  for (const { figure, heights } of HEIGHTS) {
    await page.goto(`${site.origin}/${address(figure)}`);
    await page.locator('html[data-live]').waitFor({ state: 'attached' });
    for (const [width, height] of heights) {
      await page.setViewportSize({ width, height });
      await expect.poll(() => page.evaluate(() => document.documentElement.scrollHeight - innerHeight), `${figure} at ${width}`).toBeLessThanOrEqual(0);
      // And none has half a page of nothing under it.
      expect(await page.evaluate(() => innerHeight - document.body.offsetHeight), `${figure} at ${width}`).toBeLessThan(20 + height / 8);
    }
  }
  expect(HEIGHTS.map(({ figure }) => figure).filter((figure) => !figure.includes('?'))).toEqual(figures);
});

/** Figures whose example no link changes, and those that need no script. */
const OWN = ['opening', 'claims', 'rungs', 'profile', 'oom', 'oom_guess', 'peak', 'worked_roofline', 'frontier', 'sort'];
const WORKING = ['ladder', 'matrix'];

test('a frame without scripts says what it shows and that it stands still, and has nothing to operate', async ({ browser, site }) => {
  test.slow();
  // A browser complains of the scripts that such a frame blocks.
  const page = await browser.newPage({ serviceWorkers: 'block' });
  for (const figure of figures) {
    await page.setContent(`<iframe sandbox="" src="${site.origin}/embed/${figure}.html?model=llama-3.1-8b" width="700" height="1800" title="t"></iframe>`);
    const frame = page.frameLocator('iframe');
    const said = frame.locator('.no-script');
    await expect(said, figure).toBeVisible();
    await expect(said, figure).toContainText('JavaScript');
    // Whose numbers these are: those of the starting point, or of an example that no link changes.
    const rig = /stands still, whatever its link asks for. It shows the starting point:\s*Llama 2 7B, bf16, batch 1, 2,048 tokens, A100 SXM4 80GB/;
    const own = OWN.includes(figure) && 'stands still. It shows an example of its own';
    const works = WORKING.includes(figure) && 'works without it, and shows an example of its own';
    if (figure !== 'quiz') await expect.soft(said, figure).toContainText(own || works || rig);
    const link = said.getByRole('link');
    await expect(link, figure).toHaveAttribute('href', figure === 'quiz' ? '../check.html' : /^\.\.\/index\.html#/);
    const operated = frame.locator(':is(input, select, textarea, button):visible');
    expect(await operated.count(), figure).toBe(works ? await frame.locator('main input').count() : 0);
    await expect(frame.locator('main .figure').first(), figure).toBeVisible();
    // With scripts there is no such word.
    await page.locator('iframe').evaluate((frame) => {
      frame.removeAttribute('sandbox');
      frame.src = `${frame.src}&batch=2`;
    });
    await live(frame);
    await expect(said, figure).toHaveCount(0);
  }
  await page.close();
});

for (const width of [320, 768]) {
  test(`each of ${figures.length} figures by itself says what it said before it was live, at ${width} px`, async ({ page, site }) => {
    test.slow();
    await page.setViewportSize({ width, height: 700 });
    for (const figure of figures) {
      await page.goto(`${site.origin}/embed/${figure}.html`);
      await page.locator('html[data-live]').waitFor({ state: 'attached' });
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), figure).toBeLessThanOrEqual(0);
      const arrived = await (await page.request.get(`${site.origin}/embed/${figure}.html`)).text();
      const texts = await page.evaluate((html) => {
        const parsed = new DOMParser().parseFromString(html, 'text/html');
        for (const root of [parsed, document]) for (const place of root.querySelectorAll('noscript')) place.remove();
        const text = (root) => root.querySelector('main').textContent.replace(/\s+/g, ' ').trim();
        return [text(parsed), text(document)];
      }, arrived);
      expect(texts[1], figure).toBe(texts[0]);
    }
  });
}
