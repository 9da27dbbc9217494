// The far parts of the program come when the reader comes near the first figure that needs one, or has changed something; a figure
// by itself has those that it needs.

import { readdirSync } from 'node:fs';
import { expect, test } from './fixtures.mjs';
import { plain } from './page.mjs';
import { DIST } from './server.mjs';

const FAR = /\/far-[a-z0-9]+\.wasm$/;
/** Every far part of the tutorial's program. */
const PARTS = readdirSync(DIST).filter((file) => FAR.test(`/${file}`));
const EMBEDS = readdirSync(`${DIST}/embed`).filter((file) => file.endsWith('.html'));

/** How often the page asked for a file of such a name so far. */
const counted = (page, name = FAR) => {
  const asked = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  return () => asked.filter((path) => name.test(path)).length;
};

/** Opens a page and waits until it is live, but does not come near anything. */
const opened = async (page, address = '/') => {
  await page.goto(address);
  await page.locator('html[data-live]').waitFor({ state: 'attached' });
};

const came = (page) => page.locator('html:not([data-far])').waitFor({ state: 'attached' });
const seq = (page) => page.getByRole('textbox', { name: 'Sequence length, in tokens', exact: true }).first();
/** What a figure far down says of the whole of its training. */
const states = (page) => page.locator('#figure-states');
const roofline = (page) => page.locator('.roofline-canvas');

test('who reads the beginning does without it, and who goes on gets it on the way', async ({ page }) => {
  const asked = counted(page);
  await opened(page);
  await page.waitForTimeout(500);
  expect(asked()).toBe(0);
  const before = plain(await states(page).textContent());
  await page.locator('#layer').scrollIntoViewIfNeeded();
  await came(page);
  expect(asked()).toBe(PARTS.length);
  // It says what stood there.
  await states(page).scrollIntoViewIfNeeded();
  await expect(page.locator('[data-levers="states"][data-hydrated]')).toBeAttached();
  expect(plain(await states(page).textContent())).toBe(before);
  // And draws what was a picture until then.
  await roofline(page).scrollIntoViewIfNeeded();
  await expect.poll(() => roofline(page).evaluate((canvas) => canvas.width)).toBeGreaterThan(300);
});

test.describe('once the page is kept', () => {
  test.use({ serviceWorkers: 'allow' });

  test('what arrives meanwhile does not bring it', async ({ page }) => {
    const asked = counted(page);
    await page.addInitScript(() => {
      window.held = 0;
      const watch = new MutationObserver(() => {
        window.held += Number('arriving' in document.documentElement.dataset && document.readyState === 'complete');
      });
      document.addEventListener('DOMContentLoaded', () => watch.observe(document.documentElement, { attributeFilter: ['data-arriving'] }));
    });
    await opened(page);
    // The self-check is taken in, for which no section is displayed for a moment.
    await page.locator('#figure-quiz').waitFor({ state: 'attached' });
    await expect.poll(() => page.evaluate(() => window.held)).toBeGreaterThan(0);
    await expect(page.locator('html')).not.toHaveAttribute('data-arriving');
    await page.waitForTimeout(500);
    expect(asked()).toBe(0);
  });
});

test('a change brings it, and every figure follows the change', async ({ page }) => {
  const asked = counted(page);
  await opened(page);
  const before = plain(await states(page).textContent());
  const plot = await page.locator('.roofline-canvas').getAttribute('aria-label');
  await page.locator('#control-model').selectOption('llama-3.1-70b');
  await came(page);
  expect(asked()).toBe(PARTS.length);
  await expect.poll(async () => plain(await states(page).textContent())).not.toBe(before);
  await expect(page.locator('.roofline-canvas')).not.toHaveAttribute('aria-label', plot);
});

test('a link with settings brings it, and so does a place further down', async ({ page }) => {
  for (const address of ['/?model=llama-3.1-70b&mode=training', '/#figure-scaling']) {
    const asked = counted(page);
    await opened(page, address);
    await came(page);
    expect(asked(), address).toBe(PARTS.length);
    await page.evaluate(() => localStorage.clear());
  }
});

test('what was answered on an earlier visit brings it', async ({ page }) => {
  await opened(page);
  await page.evaluate(() => {
    localStorage.setItem('memory-wall.v1.progress', 'memory-wall progress 1\nquiz roofline.three right slip= variant=0 asked=1 right=1 day=60000 step=0 given=memory\n');
  });
  await opened(page);
  await expect(page.locator('.contents a[href="#check"] + .done')).toHaveText(/^1 of \d+/);
});

test('a lever that is used before it has come works when it comes', async ({ page }) => {
  await opened(page);
  // As if it took long: the lever is used before anything of it is there.
  await page.locator('#control-training-recipe').evaluate((list) => {
    list.value = 'pure';
    list.dispatchEvent(new Event('change', { bubbles: true }));
  });
  await came(page);
  await expect(page.locator('#control-training-recipe')).toHaveValue('pure');
  await expect(page.locator('#control-recipe')).toHaveValue('pure');
});

test('where it does not come the page says so, what is near works, and the next change asks again', async ({ browser, site }) => {
  const page = await browser.newPage({ baseURL: site.origin, serviceWorkers: 'block' });
  let closed = true;
  await page.route(FAR, (route) => (closed ? route.abort() : route.continue()));
  await opened(page);
  const stuck = page.locator('#stuck');
  await expect(stuck).toBeHidden();
  await seq(page).fill('4096');
  await seq(page).press('Enter');
  await expect(stuck).toBeVisible();
  await expect(stuck).toContainText('figures further down do not follow changes');
  await expect(page.locator('#calculator')).toContainText('4,096');
  closed = false;
  await seq(page).fill('8192');
  await seq(page).press('Enter');
  await came(page);
  await expect(stuck).toBeHidden();
  await page.close();
});

/** Moves, presses and asks for everything that there is on a page, and says how many levers and buttons that were. */
const operate = async () => {
  const rest = () => new Promise((then) => setTimeout(then));
  let done = 0;
  const fire = (target, ...types) => types.forEach((type) => target.dispatchEvent(new (type.startsWith('pointer') ? PointerEvent : Event)(type, { bubbles: true })));
  for (const control of document.querySelectorAll('main :is(input, select, textarea)')) {
    if (control.type === 'file') continue;
    fire(control, 'focusin', 'pointerdown');
    if (control.tagName === 'SELECT') control.selectedIndex = control.options.length - 1;
    else if (['radio', 'checkbox'].includes(control.type)) control.checked = true;
    else control.value = control.type === 'range' ? control.max : control.tagName === 'TEXTAREA' ? 'CUDA out of memory. Tried to allocate 2.00 GiB' : '7';
    fire(control, 'input', 'change', 'focusout');
    if (++done % 20 === 0) await rest();
  }
  for (const button of document.querySelectorAll('main :is(button, summary, [data-dot])')) {
    fire(button, 'focusin', 'pointerover');
    button.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }));
    button.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
    if (++done % 20 === 0) await rest();
  }
  for (const query of ['model=mixtral-8x7b&mode=training&roofline.batch=64', 'tier=l2&pass=decode', '']) {
    document.dispatchEvent(new CustomEvent('memory-wall:set', { detail: query }));
    await new Promise((then) => setTimeout(then, 900));
  }
  for (const event of ['beforeprint', 'resize']) dispatchEvent(new Event(event));
  document.dispatchEvent(new Event('memory-wall:theme'));
  document.dispatchEvent(new CustomEvent('memory-wall:bring', { detail: '' }));
  await new Promise((then) => setTimeout(then, 1_000));
  return done;
};

test('whatever is done without it, nothing fails', async ({ browser, site }) => {
  const page = await browser.newPage({ baseURL: site.origin, serviceWorkers: 'block' });
  const failed = [];
  page.on('pageerror', (error) => failed.push(String(error)));
  await page.route(FAR, (route) => route.abort());
  await opened(page);
  // With the self-check, as whoever searches the page has it.
  await page.keyboard.press('Control+f');
  await page.locator('#self-check').waitFor({ state: 'detached' });
  const done = await page.evaluate(operate);
  expect(done).toBeGreaterThan(400);
  expect(failed).toEqual([]);
  // And it all comes together once it can.
  await page.unroute(FAR);
  await page.locator('#control-model').selectOption('llama-3.1-70b');
  await came(page);
  await expect(page.locator('[data-levers="states"][data-hydrated]')).toBeAttached();
  expect(failed).toEqual([]);
  await page.close();
});

test('a figure by itself has the parts that it needs and no other, and whatever is done there, nothing fails', async ({ browser, page, site }) => {
  test.setTimeout(180_000);
  const used = new Set();
  const tried = async (file) => {
    const page = await browser.newPage({ baseURL: site.origin, serviceWorkers: 'block' });
    const [asked, failed] = [[], []];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    page.on('pageerror', (error) => failed.push(String(error)));
    await opened(page, `/embed/${file}`);
    const far = asked.filter((path) => FAR.test(path)).map((path) => path.slice(1));
    const named = await page.locator('script[data-far]').getAttribute('data-far');
    expect.soft(far.sort(), file).toEqual(named.replaceAll('../', '').split(' ').filter(Boolean).sort());
    expect.soft(far.length, file).toBeLessThan(PARTS.length);
    await expect(page.locator('[data-levers]:not([data-hydrated])'), file).toHaveCount(0);
    await page.evaluate(operate);
    expect.soft(failed, file).toEqual([]);
    far.forEach((path) => used.add(path));
    await page.close();
  };
  // Most of a visit is waiting.
  const waiting = [...EMBEDS];
  const some = async () => {
    for (let file = waiting.pop(); file; file = waiting.pop()) await tried(file);
  };
  await Promise.all([some(), some(), some(), some()]);
  expect([...used].sort()).toEqual([...PARTS].sort());
  // Those of the first sections do without.
  await opened(page, '/embed/buckets.html');
  await expect(page.locator('script[data-far]')).toHaveAttribute('data-far', '');
});

const CONFIG = JSON.stringify({ model_type: 'llama', hidden_size: 2048, num_hidden_layers: 16, num_attention_heads: 32, num_key_value_heads: 8, intermediate_size: 8192, vocab_size: 128256, tie_word_embeddings: true, max_position_embeddings: 131072 });
const config = (page) => page.locator('#plan-config');
const handOver = async (page, text) => {
  await page.locator('.own-model > details').evaluate((details) => { details.open = true; });
  await config(page).fill(text);
  await config(page).blur();
};

test('the planner reads a config.json with a part that comes when one is handed over', async ({ page }) => {
  const asked = counted(page, /\/planner-far-[a-z0-9]+\.wasm$/);
  await opened(page, '/plan.html');
  await page.waitForTimeout(500);
  expect(asked()).toBe(0);
  await handOver(page, CONFIG);
  await expect(page.locator('.own-model-name')).toContainText('llama');
  expect(asked()).toBe(1);
  // The link that it makes is read at once.
  await expect.poll(() => page.url()).toContain('config=');
  await opened(page, page.url());
  await expect(page.locator('.own-model-name').first()).toContainText('llama');
});

test('where that part does not come the planner says so and takes the config later', async ({ browser, site }) => {
  const page = await browser.newPage({ baseURL: site.origin, serviceWorkers: 'block' });
  let closed = true;
  await page.route(/\/planner-far-[a-z0-9]+\.wasm$/, (route) => (closed ? route.abort() : route.continue()));
  await opened(page, '/plan.html');
  await handOver(page, CONFIG);
  await expect(page.locator('#plan-config-error')).toContainText('could not be loaded');
  closed = false;
  await handOver(page, `${CONFIG} `);
  await expect(page.locator('.own-model-name')).toContainText('llama');
  await expect(page.locator('#plan-config-error')).not.toContainText('could not be loaded');
  await page.close();
});
