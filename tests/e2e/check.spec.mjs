// The self-check is a page of its own, which the tutorial takes in when its reader comes near.

import { expect, test } from './fixtures.mjs';
import { ready } from './kept.mjs';
import { pages } from './pdf.mjs';

const PAGE = '**/check.html';
const first = (page) => page.locator('.question').first();
/** Counts how often the page is asked for, and answers it as `answer` says. */
const asked = async (page, answer = (route) => route.continue()) => {
  const times = [];
  await page.route(PAGE, (route) => answer(route, times.push(route.request().url())));
  return times;
};
/** The answer that was tampered with is the only thing that may fail. */
const forgive = (troubles) => troubles.splice(0, Infinity, ...troubles.filter((trouble) => !/check\.html|Failed to load resource/.test(trouble)));
/** Keeps the page back until what this returns is called. */
const held = async (page) => {
  let go;
  const wait = new Promise((then) => (go = then));
  await asked(page, async (route) => {
    await wait;
    await route.continue();
  });
  return go;
};
const opened = async (page, address = '/') => {
  await page.goto(address);
  await page.locator('html[data-live]').waitFor({ state: 'attached' });
};

test.describe('on a first visit', () => {
  test('it comes when the reader comes near, once, and the program knows it', async ({ page }) => {
    const times = await asked(page);
    await opened(page);
    await page.waitForTimeout(500);
    expect(times, 'who only opens the page does not load it').toEqual([]);
    await page.locator('#self-check').scrollIntoViewIfNeeded();
    await first(page).waitFor();
    await expect(page.locator('#self-check')).toHaveCount(0);
    await page.locator('#opening').scrollIntoViewIfNeeded();
    await page.locator('[id="quiz-oom.copy"]').scrollIntoViewIfNeeded();
    const question = page.locator('[id="quiz-roofline.three"]');
    await question.locator('input[value="0"]').check();
    await question.getByRole('button', { name: 'Check' }).click();
    await expect(question.locator('.quiz-said')).toHaveText('Right.');
    await expect(page.locator('.scores [data-b$="/roofline"]')).toHaveText('1 of 1');
    expect(times).toHaveLength(1);
    const ids = await page.locator('[id]').evaluateAll((all) => all.map((one) => one.id));
    expect(new Set(ids).size, 'no id twice').toBe(ids.length);
    const lost = await page.locator('a[href^="#"]').evaluateAll((all) => all.filter((one) => !document.getElementById(decodeURIComponent(one.hash.slice(1)))).map((one) => one.href));
    expect(lost).toEqual([]);
    await expect(page.locator('#check a[href^="./"]')).toHaveCount(0);
  });

  for (const place of ['quiz-oom.copy', 'figure-claims', 'spot-the-wrong-claim']) {
    test(`a link to ${place} arrives there`, async ({ page }) => {
      await opened(page, `/#${place}`);
      await expect(page.locator(`[id="${place}"]`)).toBeInViewport();
      await opened(page, '/#roofline');
      await page.evaluate((place) => (location.hash = place), place);
      await expect(page.locator(`[id="${place}"]`)).toBeInViewport();
    });
  }

  test('before the page is searched or printed it is there', async ({ page }) => {
    await opened(page);
    await page.keyboard.press('Control+f');
    await first(page).waitFor({ state: 'attached' });
    await opened(page);
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    await first(page).waitFor({ state: 'attached' });
  });

  test('what was answered is counted before it comes, and a line about no question is set aside once it has', async ({ page }) => {
    await opened(page);
    await page.evaluate(() => {
      const line = (id) => `quiz ${id} right slip= variant=0 asked=1 right=1 day=60000 step=0 given=memory`;
      localStorage.setItem('memory-wall.v1.progress', `memory-wall progress 1\n${line('roofline.three')}\n${line('nothing.here')}`);
    });
    await opened(page);
    const done = page.locator('.contents a[href="#check"] + .done');
    await expect(done).toHaveText(/^1 of \d+/);
    await page.locator('#check').scrollIntoViewIfNeeded();
    await first(page).waitFor();
    await expect(done).toHaveText(/^1 of \d+/);
    await expect.poll(() => page.evaluate(() => localStorage.getItem('memory-wall.v1.progress'))).toContain('? quiz nothing.here');
  });

  test('who goes somewhere in it while it comes arrives there, and who goes on reading is left alone', async ({ page }) => {
    const go = await held(page);
    await opened(page);
    await page.keyboard.press('Control+f');
    await page.evaluate(() => (location.hash = 'quiz-oom.copy'));
    go();
    await expect(page.locator('[id="quiz-oom.copy"]')).toBeInViewport();
    await page.unroute(PAGE);
    await page.route(PAGE, async (route) => {
      await page.waitForTimeout(1_500);
      await route.continue();
    });
    await opened(page, '/?v=1#figure-claims');
    await page.mouse.wheel(0, -3_000);
    await page.waitForTimeout(200);
    const place = await page.evaluate(() => scrollY);
    await expect(first(page), 'it is still to come').toHaveCount(0);
    await first(page).waitFor({ state: 'attached' });
    await page.waitForTimeout(200);
    expect(Math.abs((await page.evaluate(() => scrollY)) - place)).toBeLessThan(50);
  });

  test('a reload and the way back lead to the question where the reader was', async ({ page }) => {
    await opened(page);
    await page.locator('#self-check').scrollIntoViewIfNeeded();
    await first(page).waitFor();
    const question = page.locator('[id="quiz-training.mixed"]');
    await question.evaluate((one) => one.scrollIntoView());
    await page.waitForTimeout(300);
    const top = () => question.evaluate((one) => one.getBoundingClientRect().top);
    const before = await top();
    const isThere = () => expect.poll(async () => Math.abs((await top()) - before)).toBeLessThan(40);
    await page.reload();
    await first(page).waitFor({ state: 'attached' });
    await isThere();
    await page.goto('/reference.html', { waitUntil: 'networkidle' });
    await page.goBack();
    await first(page).waitFor({ state: 'attached' });
    await isThere();
  });

  test('a reload while a question is waited for leads to it, and paper does not wait', async ({ page, troubles }) => {
    await page.route(PAGE, (route) => route.abort());
    await opened(page, '/#quiz-oom.copy');
    const status = page.locator('#self-check').getByRole('status');
    await expect(status).toContainText('could not be brought here');
    await page.emulateMedia({ media: 'print' });
    await expect(status).toBeHidden();
    await page.emulateMedia({ media: null });
    await page.locator('#self-check').scrollIntoViewIfNeeded();
    await page.waitForTimeout(300);
    await page.unroute(PAGE);
    await page.reload();
    await first(page).waitFor({ state: 'attached' });
    await expect(page.locator('[id="quiz-oom.copy"]')).toBeInViewport();
    forgive(troubles);
  });

  test('the focus that was on the way to it is then on it', async ({ page }) => {
    await opened(page);
    await page.locator('#self-check a').evaluate((one) => one.focus({ preventScroll: true }));
    await page.keyboard.press('Control+f');
    await first(page).waitFor({ state: 'attached' });
    await expect(page.locator('#figure-quiz')).toBeFocused();
  });

  test('a link to a question leads to its place at once, which says that it comes', async ({ page }) => {
    const go = await held(page);
    await opened(page, '/#quiz-oom.copy');
    const place = page.locator('#self-check');
    await expect(place).toBeInViewport();
    await expect(place.getByRole('status')).toHaveText('They are on their way.');
    go();
    await expect(page.locator('.question[id="quiz-oom.copy"]')).toBeInViewport();
  });

  for (const width of [360, 1_280]) {
    test(`the end of the page is where its key leads, at ${width} px`, async ({ page }) => {
      await page.setViewportSize({ width, height: 800 });
      await asked(page, async (route) => {
        await page.waitForTimeout(300);
        await route.continue();
      });
      const left = () => page.evaluate(() => document.documentElement.scrollHeight - innerHeight - scrollY);
      const ends = async () => {
        await page.keyboard.press('End');
        await page.waitForTimeout(700);
        await expect.poll(left).toBeLessThan(2);
      };
      await opened(page);
      await ends();
      await expect(first(page)).toBeAttached();
      // A link that is followed by voice presses nothing.
      await page.locator('.contents a[href="#parallel"]').evaluate((link) => link.click());
      await page.waitForTimeout(500);
      await expect(page.locator('#parallel')).toBeInViewport();
      await page.keyboard.press('Home');
      await expect.poll(() => page.evaluate(() => scrollY)).toBe(0);
      await page.waitForTimeout(300);
      expect(await page.evaluate(() => scrollY), 'the way back is free').toBe(0);
      await page.goto('/reference.html');
      await ends();
    });
  }

  const TROUBLES = {
    'does not come': (route) => route.abort(),
    'is not there': (route) => route.fulfill({ status: 404, contentType: 'text/html', body: '<h1>Not found</h1>' }),
    'is a page to log in at': (route) => route.fulfill({ contentType: 'text/html', body: '<form id="login"></form>' }),
  };
  for (const [what, answer] of Object.entries(TROUBLES)) {
    test(`where it ${what}, that is said beside the way to it, and coming back tries again`, async ({ page, troubles }) => {
      const times = await asked(page, (route, time) => (time === 1 ? answer(route) : route.continue()));
      await opened(page);
      const place = page.locator('#self-check');
      await place.scrollIntoViewIfNeeded();
      await expect(place.getByRole('status')).toContainText('could not be brought here');
      await expect(place.getByRole('link')).toHaveAttribute('href', 'check.html');
      await page.locator('#opening').scrollIntoViewIfNeeded();
      await page.waitForTimeout(200);
      await page.locator('#check').scrollIntoViewIfNeeded();
      await first(page).waitFor();
      expect(times).toHaveLength(2);
      forgive(troubles);
    });
  }
});

test('where another version has come meanwhile, that is said once', async ({ page }) => {
  const times = await asked(page, async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, body: (await answer.text()).replace(/data-of="[^"]+"/, 'data-of="other"') });
  });
  await opened(page);
  const place = page.locator('#self-check');
  await place.scrollIntoViewIfNeeded();
  await expect(place.getByRole('status')).toContainText('newer version');
  await page.keyboard.press('Control+f');
  await page.waitForTimeout(200);
  expect(times).toHaveLength(1);
});

test.describe('once it is kept', () => {
  test.use({ serviceWorkers: 'allow' });

  test('it is there, printed as well, without being asked for, and without a network', async ({ page, context }) => {
    await opened(page);
    await first(page).waitFor({ state: 'attached' });
    expect(await page.evaluate(() => scrollY)).toBe(0);
    await expect(page.locator('#offline-ready')).toBeVisible();
    expect(pages(await page.pdf({ format: 'A4' })).join('')).toContain('LoRAtrainsathousandth');
    // Figures by themselves come after it.
    await ready(page);
    await context.setOffline(true);
    await opened(page);
    await first(page).waitFor({ state: 'attached' });
  });
});

test('by itself it can be read, with nothing that does not answer, and leads to where it can be answered', async ({ page }) => {
  await page.goto('/check.html');
  await expect(page.getByRole('heading', { level: 1, name: 'Check yourself' })).toBeVisible();
  expect(await page.locator('.question').count()).toBeGreaterThanOrEqual(40);
  await expect(page.locator('main :is(button, input, select)').filter({ visible: true })).toHaveCount(0);
  await expect(page.locator('[id="quiz-hierarchy.order"] .quiz-parts')).toContainText('L2 cache');
  await page.locator('[id="quiz-buckets.weights"] summary').click();
  await expect(page.locator('[id="quiz-buckets.weights"] .working').filter({ visible: true })).toContainText('26,031,728,640 bytes');
  await page.getByRole('link', { name: 'Answer them in the tutorial.' }).click();
  await first(page).waitFor();
  await expect(page).toHaveURL(/\/#check$/);
});
