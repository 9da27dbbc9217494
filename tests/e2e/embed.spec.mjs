// A figure within a page of somebody else: every kind of frame that hosts are known to make of it.

import { readFile } from 'node:fs/promises';
import { test, live, heard, say, figures, fits } from './embedded.mjs';
import { expect } from './fixtures.mjs';
import { host } from './host.mjs';
import { handOut } from './random.mjs';
import { is, types } from './schema.mjs';

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

test('embed.js makes a figure light or dark as the page is, unless its link says which', async ({ hosted, site }) => {
  const page = await hosted(
    `<script src="${site.origin}/embed.js"></script><style>.night { background: oklch(0.2 0.02 250) }</style>
     <iframe data-memory-wall src="${site.origin}/embed/peak.html" width="640" title="t"></iframe>
     <iframe data-memory-wall src="${site.origin}/embed/peak.html?theme=light" width="640" title="t"></iframe>
     <div style="background:#fff"><memory-wall figure="peak"></memory-wall></div>`,
    { colorScheme: 'dark' },
  );
  const theme = async (place) => {
    await live(page.frameLocator('iframe').nth(place));
    return page.frameLocator('iframe').nth(place).locator('html').getAttribute('data-theme');
  };
  // A page that paints nothing is white, whatever the reader's system likes.
  for (const place of [0, 1, 2]) await expect.poll(() => theme(place)).toBe('light');
  await page.evaluate(() => document.body.classList.add('night'));
  await expect.poll(() => theme(0)).toBe('dark');
  expect([await theme(1), await theme(2)]).toEqual(['light', 'light']);
  await page.evaluate(() => {
    document.body.classList.remove('night');
    document.documentElement.style.colorScheme = 'light dark';
  });
  await expect.poll(() => theme(0), 'as the browser paints what the page does not').toBe('dark');
});

test('embed.js looks after frames that come later, and elements whose attributes change', async ({ hosted, site }) => {
  const page = await hosted(`<script src="${site.origin}/embed.js"></script><main></main>`);
  await page.evaluate((src) => {
    document.querySelector('main').innerHTML = `<div><iframe data-memory-wall src="${src}" width="640" height="80" title="t"></iframe></div><memory-wall figure="trips" height="80"></memory-wall>`;
  }, `${site.origin}/embed/peak.html`);
  for (const place of [0, 1]) {
    await live(page.frameLocator('iframe').nth(place));
    await expect.poll(() => fits(page.frameLocator('iframe').nth(place))).toEqual([0, 0]);
  }
  const element = page.locator('memory-wall');
  await element.evaluate((element) => element.setAttribute('gpu', 'h100-sxm'));
  await expect(element.locator('iframe')).toHaveAttribute('src', `${site.origin}/embed/trips.html?gpu=h100-sxm`);
  await element.evaluate((element) => element.setAttribute('figure', 'peak'));
  await element.evaluate((element) => element.removeAttribute('gpu'));
  await expect(element.locator('iframe')).toHaveAttribute('src', `${site.origin}/embed/peak.html`);
  await element.evaluate((element) => element.setAttribute('figure', 'none'));
  await expect(element.locator('iframe'), 'what is no figure changes nothing').toHaveAttribute('src', `${site.origin}/embed/peak.html`);
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
  await frame.getByRole('button', { name: 'Sequence length: one step more', exact: true }).click();
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
