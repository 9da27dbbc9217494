// A minute of a server: it stands still where no script runs, and elsewhere it is played, stepped through and scrubbed.

import AxeBuilder from '@axe-core/playwright';
import { expect, test } from './fixtures.mjs';
import { plain } from './page.mjs';

const figure = (page) => page.locator('.minute');
const range = (page) => figure(page).locator('.minute-controls input');
const lever = (page, name) => figure(page).locator(`[name="minute-${name}"]`);
const more = (page) => figure(page).locator('.minute-levers summary');
const button = (page, name) => figure(page).getByRole('button', { name, exact: true });
const said = (page) => range(page).getAttribute('aria-valuetext').then(plain);
const readouts = (page) => figure(page).locator('.minute-now dd').allTextContents().then((all) => all.map(plain));
const moment = (page) => range(page).inputValue().then(Number);

/** Goes near the figure and waits for its program. */
const near = async (page) => {
  await figure(page).scrollIntoViewIfNeeded();
  await expect(range(page)).toBeVisible({ timeout: 20_000 });
};

test('the script comes when the figure comes near, and draws what stands there', async ({ wall, page }) => {
  const asked = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await wall.goto();
  const has = () => asked.some((path) => /\/minute-[a-z0-9]+\.js$/.test(path));
  const drawn = () =>
    figure(page).evaluate((one) => [
      ...[...one.querySelectorAll('path')].map((path) => path.getAttribute('d')),
      ...['.minute-now', 'tbody', '#minute-sentence', '.minute-top', '.figure-title'].map((part) => one.querySelector(part).textContent),
    ]);
  expect(has()).toBe(false);
  const before = await drawn();
  await near(page);
  expect(has()).toBe(true);
  expect(await drawn()).toEqual(before);
  expect(await said(page)).toMatch(/^60\.0 s: \d+ running, \d+ waiting, \d+ preempted so far, \d+% of the pages in use/);
});

test('it plays and pauses, goes step by step, and is scrubbed by keyboard', async ({ wall, page }) => {
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await wall.goto();
  await near(page);
  await button(page, 'Play').click();
  await expect.poll(() => moment(page)).toBeLessThan(500);
  await expect.poll(() => moment(page)).toBeGreaterThan(10);
  await button(page, 'Pause').click();
  const stood = await moment(page);
  await page.waitForTimeout(300);
  expect(await moment(page)).toBe(stood);

  await range(page).focus();
  await page.keyboard.press('Home');
  expect(await said(page)).toMatch(/^0\.0 s: 0 running/);
  await page.keyboard.press('ArrowRight');
  expect(await moment(page)).toBe(1);
  await page.keyboard.press('End');
  expect(await moment(page)).toBe(600);
  await button(page, 'One step back').click();
  const step = plain(await figure(page).locator('.minute-step').textContent());
  expect(step).toMatch(/Step [\d,]+ takes [\d.]+ ms: it writes \d+ tokens and reads [\d,]+\.$/);
  await button(page, 'One step on').click();
  expect(await moment(page)).toBe(600);
});

test('levers change it, and an impossible server is said so', async ({ wall, page }) => {
  await wall.goto();
  await near(page);
  const first = await readouts(page);
  expect(first[2]).not.toBe('0');
  await lever(page, 'arrivals').focus();
  for (let press = 0; press < 5; press += 1) await page.keyboard.press('ArrowLeft');
  expect((await readouts(page))[2]).toBe('0');
  expect(await lever(page, 'arrivals').getAttribute('aria-valuetext')).toBe('75');
  await lever(page, 'arrivals').fill('10');
  expect(await readouts(page)).toEqual(first);
  await more(page).click();
  await lever(page, 'server').selectOption({ index: 1 });
  await expect(figure(page).locator('.figure-title')).toContainText('Llama 3.1 8B');
  expect((await readouts(page))[2]).toBe('0');
  await lever(page, 'server').selectOption({ index: 0 });
  await lever(page, 'prefix').fill('0');
  await lever(page, 'prompt').fill('8');
  await lever(page, 'answer').fill('8');
  await expect(figure(page).locator('.minute-none')).toContainText('no such server');
  await lever(page, 'answer').fill('3');
  await expect(figure(page).locator('.minute-none')).toHaveText('');
});

/** Links to the figure, kept for ever, with the levers that they set: only added to. */
const LINKS = [
  ['minute.arrivals=90', { arrivals: '90' }, 600],
  ['minute.server=llama-3.1-8b,a100-80-sxm&minute.at=30', { server: '1' }, 300],
  ['minute.prompt=1024&minute.answer=256&minute.prefix=0&minute.page=64&minute.utilization=80', { prompt: '1,024', answer: '256', prefix: '0', page: '64', utilization: '80' }, 600],
  ['minute.server=llama-2-7b%2Ch100-sxm&minute.at=0', { server: '2' }, 0],
];

for (const path of ['', 'embed/minute.html']) {
  test(`a link sets its levers and its moment: ${path || 'the tutorial'}`, async ({ wall, page }) => {
    for (const [query, levers, at] of LINKS) {
      if (path) await page.goto(`/${path}?${query}`);
      else await wall.goto(query);
      await near(page);
      for (const [name, value] of Object.entries(levers)) {
        const field = lever(page, name);
        if (name === 'server') await expect(field).toHaveValue(value);
        else await expect(field).toHaveAttribute('aria-valuetext', value);
      }
      expect(await moment(page)).toBe(at);
      await expect(figure(page).locator('.minute-none')).toHaveText('');
      await expect(page.locator('.notice:visible')).toHaveCount(0);
    }
  });
}

test('what the levers set is in the address, also after the program has written its own', async ({ wall, page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await wall.goto('minute.arrivals=90');
  await near(page);
  await more(page).click();
  await lever(page, 'page').fill('4');
  await button(page, 'Five seconds on').click();
  const query = () => page.evaluate(() => location.search);
  await expect.poll(query).toBe('?minute.arrivals=90&minute.page=64&minute.at=5');
  await wall.lever('Sequence length', 'tokens').field.fill('4096');
  await expect.poll(query).toMatch(/seq=4096\S*&minute\.arrivals=90&minute\.page=64&minute\.at=5$/);
  // Who opens the link of that moment sees it.
  await wall.reload();
  await near(page);
  await expect(lever(page, 'page')).toHaveAttribute('aria-valuetext', '64');
  expect(await moment(page)).toBe(50);
});

test('a link that asks for what there is not is told so, and goes on', async ({ page }) => {
  await page.goto(`/embed/minute.html?minute.arrivals=91&minute.speed=%zz&minute.page=64`);
  await near(page);
  await expect(figure(page).locator('.minute-none')).toContainText('minute.arrivals=91');
  await expect(lever(page, 'arrivals')).toHaveAttribute('aria-valuetext', '150');
  await expect(lever(page, 'page')).toHaveAttribute('aria-valuetext', '64');
  // An impossible server leaves the picture of the start.
  await page.goto(`/embed/minute.html?minute.prefix=0&minute.prompt=2560&minute.answer=768`);
  await expect(figure(page).locator('.minute-none')).toContainText('no such server');
  await expect(figure(page).locator('#minute-sentence')).toContainText('requests arrive');
});

test('a page around sets it and is told of it', async ({ page, site }) => {
  await page.goto('/oembed/minute.json');
  await page.setContent(`<iframe width="640" height="1600" src="${site.origin}/embed/minute.html?minute.arrivals=90"></iframe>`);
  const frame = page.frameLocator('iframe');
  await expect(frame.locator('.minute-controls input')).toBeVisible();
  await page.evaluate(() => {
    window.said = [];
    addEventListener('message', ({ data }) => data?.mw === 1 && window.said.push(data));
    document.querySelector('iframe').contentWindow.postMessage({ mw: 1, type: 'hello' }, '*');
  });
  const last = (type) => page.evaluate((type) => window.said.filter((one) => one.type === type).at(-1)?.query, type);
  await expect.poll(() => last('ready')).toMatch(/minute\.arrivals=90$/);
  await frame.locator('.minute-levers summary').click();
  await frame.locator('[name="minute-page"]').fill('4');
  await expect.poll(() => last('state')).toMatch(/minute\.arrivals=90&minute\.page=64$/);
  await page.evaluate(() => document.querySelector('iframe').contentWindow.postMessage({ mw: 1, type: 'set', query: 'minute.answer=256' }, '*'));
  await expect(frame.locator('[name="minute-answer"]')).toHaveAttribute('aria-valuetext', '256');
  await expect(frame.locator('[name="minute-arrivals"]')).toHaveAttribute('aria-valuetext', '150');
  await expect.poll(() => last('state')).toMatch(/minute\.answer=256$/);
});

test('with reduced motion it goes on by five seconds a press', async ({ wall, page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await wall.goto();
  await near(page);
  await button(page, 'Five seconds on').click();
  expect(await moment(page)).toBe(50);
  await page.waitForTimeout(200);
  expect(await moment(page)).toBe(50);
});

test('by itself in a frame without an origin it plays as well', async ({ page, site }) => {
  await page.goto('/oembed/minute.json');
  await page.setContent(`<iframe sandbox="allow-scripts" width="640" height="1600" src="${site.origin}/embed/minute.html"></iframe>`);
  const frame = page.frameLocator('iframe');
  await expect(frame.locator('.minute-controls input')).toBeVisible();
  await frame.locator('[name="minute-arrivals"]').fill('4');
  await expect(frame.locator('.minute-now dd').nth(2)).toHaveText('0');
});

test('it is accessible, and fits at 360 pixels', async ({ wall, page }) => {
  await page.setViewportSize({ width: 360, height: 800 });
  await wall.goto();
  await near(page);
  await more(page).click();
  await range(page).focus();
  for (let press = 0; press < 30; press += 1) await page.keyboard.press('ArrowLeft');
  for (const lever of await figure(page).locator('input[type=range]').all()) await expect(lever).toHaveAccessibleName(/\w/);
  const { violations } = await new AxeBuilder({ page }).include('#figure-minute').analyze();
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
  const wide = await figure(page).evaluate((one) => one.scrollWidth - one.clientWidth);
  expect(wide).toBeLessThanOrEqual(0);
});

test('without script the whole minute stands there with its numbers', async ({ visitor }) => {
  const { page } = await (await visitor({ javaScriptEnabled: false })).goto('', { live: false });
  await expect(figure(page).locator('.minute-lanes')).toBeVisible();
  await expect(figure(page).locator('.minute-controls')).toHaveCount(0);
  await expect(page.locator('#minute-sentence')).toContainText('requests arrive');
  expect(await figure(page).locator('tbody tr').count()).toBe(6);
});
