// Questions of the self-check within a page of somebody else: what is kept, what is told, and how answers come.

import { test, live, heard, say } from './embedded.mjs';
import { expect } from './fixtures.mjs';
import { host } from './host.mjs';
import { pages, squeezed } from './pdf.mjs';

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
