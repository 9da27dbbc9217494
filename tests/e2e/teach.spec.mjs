// The page for teachers: what is chosen becomes a snippet, and the snippet shows the figure in a page of somebody else.

import AxeBuilder from '@axe-core/playwright';
import reader from 'gift-pegjs';
import { expect, test } from './fixtures.mjs';
import { host } from './host.mjs';

const PAGE = '/teach.html';
const RULES = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'];
const STATE = 'model=llama-3.1-8b&seq=32768';

/** The page by its labels. */
const parts = (page) => ({
  field: (name) => page.getByLabel(name, { exact: true }),
  snippet: page.getByLabel('For your page'),
  said: page.locator('#teach-said'),
  error: page.locator('#teach-error'),
  preview: page.frameLocator('.preview iframe'),
  copy: page.getByRole('button', { name: 'Copy' }),
});

test.afterEach(({ troubles }) => {
  // A preview that is followed by another, or left, is given up.
  const kept = troubles.filter((trouble) => !trouble.includes('net::ERR_ABORTED'));
  troubles.splice(0, troubles.length, ...kept);
});

/** Opens the page. */
async function open(page) {
  await page.goto(PAGE);
  return parts(page);
}

test('a link is taken as it is pasted, and one of a figure chooses it with its options', async ({ page, site }) => {
  const teach = await open(page);
  const link = teach.field('State, as a link');
  for (const pasted of ['model=llama-3.1-8b&seq=32768', '?v=1&amp;model=llama-3.1-8b&amp;seq=32768', `${site.origin}/?model=llama-3.1-8b&seq=32768`]) {
    await link.fill('');
    await link.fill(pasted);
    await expect(teach.snippet).toHaveValue(/buckets\.html\?(v=1&amp;)?model=llama-3\.1-8b&amp;seq=32768"/);
    await expect(teach.error).toHaveText('');
  }
  await link.fill(`${site.origin}/embed/quiz.html?v=1&only=oom&theme=dark`);
  await expect(teach.field('Figure')).toHaveValue('quiz');
  await expect(teach.snippet).toHaveValue(/quiz\.html\?v=1&amp;theme=dark&amp;only=oom"/);
  await link.fill('?v=1&model=nonsense');
  await expect(teach.error).toHaveText(/cannot use all of this link.*nonsense/);
  // Nothing scrolls inside a frame where there is none.
  await teach.field('Host').selectOption('latex');
  await expect(page.locator('#teach-phone')).toHaveText('');
});

test('the snippet and the preview follow what is chosen', async ({ page, site }) => {
  const teach = await open(page);
  await expect(teach.snippet).toHaveValue(new RegExp(`^<iframe src="${site.origin}/embed/buckets.html" title="The memory calculator"`));
  await teach.field('Figure').selectOption('trips');
  await teach.field('Width of your column').selectOption('480');
  await teach.field('Colours').selectOption('dark');
  await teach.field('Prediction before the figure').selectOption('off');
  await teach.field('Around the figure').selectOption('min');
  await teach.field('Show the answers at once').check();
  await teach.field('State, as a link').fill(`${site.origin}/index.html?${STATE}&theme=light#figure-trips`);
  const high = Number(await page.locator('tr[data-figure="trips"] [data-width="320"]').textContent());
  const more = high - Number(await page.locator('tr[data-figure="trips"] [data-width="480"]').textContent());
  expect(more).toBeGreaterThan(0);
  const query = `${STATE}&theme=dark&predict=off&ui=min&reveal=1`;
  const height = await page.locator('tr[data-figure="trips"] [data-width="480"]').textContent();
  const address = `${site.origin}/embed/trips.html?${query.replaceAll('&', '&amp;')}`;
  await expect(teach.snippet).toHaveValue(
    `<iframe src="${address}" title="Fused kernels: what goes to memory and back" width="100%" height="${height}" frameborder="0" style="border:0;max-width:480px;height:calc(${height}px + clamp(0px, (480px - 100vw) * 9999, ${more}px))" loading="lazy"></iframe>\n<p><a href="${address}">Fused kernels: what goes to memory and back</a></p>`,
  );
  await expect(teach.said).toHaveText(`HTML, a plain frame: Fused kernels: what goes to memory and back, 480 px wide and ${height} px high.`);
  await expect(page.locator('.preview iframe')).toHaveAttribute('width', '480');
  await page.locator('.preview iframe').scrollIntoViewIfNeeded();
  await expect(teach.preview.locator('html[data-live][data-theme="dark"]')).toBeAttached();
  await expect(teach.preview.locator('#figure-trips')).toBeVisible();
  await expect(teach.preview.locator('#notice .notice'), 'nothing in the link is strange to the figure').toBeHidden();
  // One section of the self-check can be chosen where there is one.
  await expect(teach.field('Questions about')).toBeHidden();
  await teach.field('Figure').selectOption('quiz');
  await teach.field('Questions about').selectOption('oom');
  await expect(teach.snippet).toHaveValue(/embed\/quiz\.html\?.*only=oom"/);
  const few = Number(await page.locator('tr[data-figure="quiz?only=oom"] [data-width="480"]').textContent());
  await expect(page.locator('.preview iframe')).toHaveAttribute('height', String(few));
});

test('a host proposes the width of its column, and a page that is always light a light figure', async ({ page }) => {
  const teach = await open(page);
  await teach.field('Host').selectOption('starlight');
  await expect(teach.field('Width of your column')).toHaveValue('640');
  await expect(teach.snippet).not.toHaveValue(/theme=/);
  await teach.field('Host').selectOption('moodle');
  await expect(teach.field('Width of your column')).toHaveValue('800');
  await expect(teach.snippet).toHaveValue(/buckets\.html\?theme=light"/);
  await teach.field('Colours').selectOption('dark');
  await expect(teach.snippet).toHaveValue(/buckets\.html\?theme=dark"/);
});

test('for every host the script writes what stands there as its example', async ({ page, baseURL }) => {
  const teach = await open(page);
  await teach.field('Figure').selectOption('kv_cache');
  await teach.field('State, as a link').fill(`?${STATE}`);
  const hosts = await teach.field('Host').locator('option').evaluateAll((all) => all.map((option) => option.value));
  expect(hosts.length).toBeGreaterThan(15);
  for (const name of hosts) {
    await teach.field('Host').selectOption(name);
    const example = (await page.locator(`#host-${name} .snippet`).textContent()).replaceAll('https://example.org/memory-wall/', `${baseURL}/`);
    await expect(teach.snippet, name).toHaveValue(example);
    await expect(page.locator('#teach-notes p').first()).toHaveText(await page.locator(`#host-${name} .notes p`).first().textContent());
  }
});

test('what is pasted into a page of another origin shows the figure', async ({ page, browser, site }) => {
  test.slow();
  const teach = await open(page);
  await teach.field('Figure').selectOption('kv_cache');
  await teach.field('State, as a link').fill(`${site.origin}/?${STATE}`);
  const snippets = {};
  for (const name of ['html', 'script', 'element', 'moodle']) {
    await teach.field('Host').selectOption(name);
    await expect(teach.snippet).toHaveValue(new RegExp(name === 'element' ? '^<script.*<memory-wall figure="kv_cache" model' : 'llama-3.1-8b', 's'));
    snippets[`/${name}`] = await teach.snippet.inputValue();
  }
  // What WordPress and others make of a frame.
  snippets['/sandboxed'] = snippets['/html'].replace('<iframe', '<iframe sandbox="allow-scripts" security="restricted"');
  const other = await host(snippets);
  const context = await browser.newContext({ viewport: { width: 900, height: 900 }, reducedMotion: 'reduce' });
  const visit = await context.newPage();
  for (const path of Object.keys(snippets)) {
    await visit.goto(other.origin + path);
    const frame = visit.frameLocator('iframe');
    await frame.locator('html[data-live]').waitFor({ state: 'attached' });
    await expect(frame.locator('#figure-kv_cache'), path).toContainText('32,768');
    // At the height that was promised, or followed, nothing is cut off.
    await expect.poll(() => frame.locator('html').evaluate((root) => root.scrollHeight - root.clientHeight), path).toBeLessThanOrEqual(0);
    await expect(visit.locator('iframe')).toHaveAttribute('title', 'The KV cache, token by token');
  }
  await context.close();
  await other.close();
});

test('a link from elsewhere, or a strange one, is refused with a sentence at the field', async ({ page, site }) => {
  const teach = await open(page);
  const field = teach.field('State, as a link');
  const refused = [
    ['https://example.com/?seq=4096', site.origin],
    [`${site.origin}.example.com/?seq=4096`, site.origin],
    ['javascript:alert(1)', site.origin],
    [`${site.origin}/other.html?seq=4096`, site.origin],
    [`${site.origin}/?seq="><script>alert(1)</script>`, 'letters'],
    [`${site.origin}/?seq=4096;x`, 'letters'],
    [`?seq=${'9'.repeat(2_000)}`, '2000 characters'],
  ];
  for (const [link, sentence] of refused) {
    await field.fill(link);
    await expect(teach.error, link.slice(0, 60)).toContainText(sentence);
    await expect(field).toHaveAttribute('aria-invalid', 'true');
    await expect(teach.snippet).toHaveValue(/buckets\.html" title/);
  }
  for (const link of ['?seq=4096', 'seq=4096', `${site.origin}?seq=4096`, `${site.origin}/embed/trips.html?seq=4096&id=a`]) {
    await field.fill(link);
    await expect(teach.snippet, link).toHaveValue(/buckets\.html\?seq=4096" title/);
    await expect(teach.error).toHaveText('');
    await expect(field).toHaveAttribute('aria-invalid', 'false');
  }
});

test('copying says what happened, and where it is not allowed the text is selected', async ({ page, visitor, site }) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: site.origin });
  const teach = await open(page);
  await teach.copy.click();
  await expect(teach.said).toHaveText('Copied.');
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(await teach.snippet.inputValue());
  const without = (await visitor({})).page;
  await without.addInitScript(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
  const other = await open(without);
  await other.copy.click();
  await expect(other.said).toContainText('Ctrl+C');
  await expect(other.snippet).toBeFocused();
  expect(await other.snippet.evaluate((area) => area.value.slice(area.selectionStart, area.selectionEnd) === area.value)).toBe(true);
});

test('all of it works by keyboard', async ({ page, baseURL }) => {
  const teach = await open(page);
  await teach.field('Figure').focus();
  await page.keyboard.type('The KV cache, token');
  await page.keyboard.press('Tab');
  await page.keyboard.type(`${baseURL}/?seq=4096`);
  for (let stop = 0; stop < 4; stop += 1) await page.keyboard.press('Tab');
  await page.keyboard.press('Space');
  await expect(teach.field('Show the answers at once')).toBeChecked();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.type('Moodle');
  await expect(teach.snippet).toHaveValue(/kv_cache\.html\?seq=4096&amp;theme=light&amp;reveal=1"/);
  await page.keyboard.press('Tab');
  await expect(teach.snippet).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(teach.copy).toBeFocused();
  expect(await teach.copy.evaluate((button) => getComputedStyle(button).outlineStyle)).toBe('solid');
});

test('without JavaScript every figure and every host stands there, and nothing that does not work', async ({ visitor }) => {
  const still = (await visitor({ javaScriptEnabled: false })).page;
  await still.goto(PAGE);
  await expect(still.locator('#heights tbody tr')).toHaveCount(51);
  expect(await still.locator('button:visible, input:visible, select:visible, textarea:visible, iframe').count()).toBe(0);
  for (const article of await still.locator('.host').all()) {
    await expect(article.locator('.snippet')).toContainText('https://example.org/memory-wall/');
    await expect(article.locator('p').first()).not.toBeEmpty();
  }
  await expect(still.locator('.no-script').first()).toBeVisible();
});

test('its links arrive, and the tutorial and the reference lead here', async ({ page, request, baseURL }) => {
  await page.goto(PAGE);
  const links = await page.locator('a[href]').evaluateAll((all) => [...new Set(all.map((link) => link.href.split('#')[0]))]);
  expect(links.length).toBeGreaterThan(30);
  const isOwn = (link) => link.startsWith(baseURL);
  expect(links.filter((link) => !isOwn(link)), 'a source, which nothing is fetched from').toEqual(['https://doi.org/10.1016/j.jml.2019.104047']);
  for (const link of links.filter(isOwn)) {
    expect((await request.get(link)).status(), link).toBe(200);
  }
  for (const from of ['/', '/reference.html']) {
    await page.goto(from, { waitUntil: 'networkidle' });
    await page.locator('.colophon a[href="teach.html"]').click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('For teachers');
  }
});

test('each figure names its oEmbed file', async ({ request }) => {
  const html = await (await request.get('/embed/trips.html')).text();
  const href = /<link rel="alternate" type="application\/json\+oembed" href="([^"]+)"/.exec(html)[1];
  const answer = await (await request.get(new URL(href, 'http://x/embed/trips.html').pathname)).json();
  expect(answer).toMatchObject({ version: '1.0', type: 'rich', width: 640, provider_name: 'The Memory Wall' });
  expect(answer.html).toContain(`height="${answer.height}"`);
});

for (const [width, colorScheme] of [[360, 'light'], [768, 'light'], [1280, 'dark']]) {
  test(`it is accessible and nothing moves sideways at ${width} px, ${colorScheme}`, async ({ visitor }) => {
    test.setTimeout(90_000);
    const { page } = await visitor({ viewport: { width, height: 900 }, colorScheme });
    const teach = await open(page);
    await teach.field('State, as a link').fill('https://example.com/');
    await expect(teach.error).not.toBeEmpty();
    expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0);
    const { violations } = await new AxeBuilder({ page }).withTags(RULES).exclude('.preview iframe').analyze();
    expect(violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(' ')}`))).toEqual([]);
  });
}

test('every question bank is a file of its format, with the questions that the page counts', async ({ page, site, request }) => {
  await open(page);
  const links = page.locator('#bank-files a');
  const files = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href')));
  expect(files).toEqual(['banks/memory-wall.gift', 'banks/memory-wall-moodle.xml', 'banks/memory-wall-canvas.zip', 'banks/memory-wall-qti21.zip']);
  const count = Number(/as (\d+) questions/.exec(await page.locator('#banks').textContent())[1]);
  expect(count).toBeGreaterThan(150);
  const [gift, xml, canvas, zip] = await Promise.all(
    files.map(async (file) => {
      const answer = await request.get(`${site.origin}/${file}`);
      expect(answer.status(), file).toBe(200);
      return answer.body();
    }),
  );
  expect(gift.toString().match(/^::/gm)).toHaveLength(count);
  // An independent reader of the format takes all of it, and finds in each question an answer that counts.
  const asked = reader.parse(gift.toString()).filter(({ type }) => type !== 'Category');
  expect(asked).toHaveLength(count);
  const full = ({ type, isTrue, choices, matchPairs }) =>
    type === 'TF' ? typeof isTrue === 'boolean'
    : type === 'Matching' ? matchPairs.length > 2
    : choices.reduce((sum, { isCorrect, weight }) => sum + Math.max(weight ?? (isCorrect ? 100 : 0), 0), 0) >= 99.9;
  expect(asked.filter((one) => !full(one)).map(({ title }) => title)).toEqual([]);
  // The browser's own reader of XML finds no fault.
  const read = await page.evaluate((text) => {
    const whole = new DOMParser().parseFromString(text, 'application/xml');
    return [whole.querySelectorAll('parsererror').length, whole.querySelectorAll('question:not([type="category"])').length];
  }, xml.toString());
  expect(read).toEqual([0, count]);
  for (const archive of [canvas, zip]) expect(archive.subarray(0, 4).toString('latin1')).toBe('PK\u0003\u0004');
  // At the end of an archive stands how many files it has: here the items, the test and the manifest.
  expect(zip.readUInt16LE(zip.length - 22 + 10)).toBe(count + 2);
  // A link saves its file rather than showing it.
  const [download] = await Promise.all([page.waitForEvent('download'), links.nth(1).click()]);
  expect(download.suggestedFilename()).toBe('memory-wall-moodle.xml');
});
