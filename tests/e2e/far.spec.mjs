// The far part of the program comes when the reader comes near the first figure that needs it, or has changed something.

import { expect, test } from './fixtures.mjs';
import { plain } from './page.mjs';

const FAR = /\/far-[a-z0-9]+\.wasm$/;

/** The names of the files that the page asks for, and how often it asked for the far part. */
const counted = (page) => {
  const asked = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  return () => asked.filter((path) => FAR.test(path)).length;
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
  expect(asked()).toBe(1);
  // It says what stood there.
  await states(page).scrollIntoViewIfNeeded();
  await expect(page.locator('[data-levers="states"][data-hydrated]')).toBeAttached();
  expect(plain(await states(page).textContent())).toBe(before);
  // And draws what was a picture until then.
  await roofline(page).scrollIntoViewIfNeeded();
  await expect.poll(() => roofline(page).evaluate((canvas) => canvas.width)).toBeGreaterThan(300);
});

test('a change brings it, and every figure follows the change', async ({ page }) => {
  const asked = counted(page);
  await opened(page);
  const before = plain(await states(page).textContent());
  const plot = await page.locator('.roofline-canvas').getAttribute('aria-label');
  await page.locator('#control-model').selectOption('llama-3.1-70b');
  await came(page);
  expect(asked()).toBe(1);
  await expect.poll(async () => plain(await states(page).textContent())).not.toBe(before);
  await expect(page.locator('.roofline-canvas')).not.toHaveAttribute('aria-label', plot);
});

test('a link with settings brings it, and so does a place further down', async ({ page }) => {
  for (const address of ['/?model=llama-3.1-70b&mode=training', '/#figure-scaling']) {
    const asked = counted(page);
    await opened(page, address);
    await came(page);
    expect(asked(), address).toBe(1);
    await page.evaluate(() => localStorage.clear());
  }
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
  await expect(stuck).toContainText('figures further down still show the settings from before');
  await expect(page.locator('#calculator')).toContainText('4,096');
  closed = false;
  await seq(page).fill('8192');
  await seq(page).press('Enter');
  await came(page);
  await expect(stuck).toBeHidden();
  await page.close();
});

test('a figure by itself has what it needs: those of the first sections do without it', async ({ page }) => {
  const asked = counted(page);
  await opened(page, '/embed/buckets.html');
  await seq(page).fill('4096');
  await page.waitForTimeout(500);
  expect(asked()).toBe(0);
  await opened(page, '/embed/states.html');
  await came(page);
  expect(asked()).toBe(1);
  await expect(page.locator('[data-levers="states"][data-hydrated]')).toBeAttached();
});
