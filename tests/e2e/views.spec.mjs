// The pictures of memory snapshots: what they say, by pointer and by keyboard alone, at any width and in both themes, without a network,
// for a million events, and for files that mean harm.

import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import AxeBuilder from '@axe-core/playwright';
import { expect, test } from './fixtures.mjs';
import { ready } from './kept.mjs';
import { plain } from './page.mjs';
import { pickle, snapshot } from './snapshot.mjs';

const figure = (page) => page.locator('#figure-profile');
const views = (page) => figure(page).locator('.views');
const choose = (page) => figure(page).getByLabel('Or choose files, or drop them here');
const line = (page) => views(page).getByRole('slider', { name: 'Moment on the time line' });
const graph = (page) => views(page).getByRole('application', { name: 'Flame graph: what allocated the memory' });
const map = (page) => views(page).getByRole('slider', { name: 'Segment' });
const title = (page) => views(page).locator('.figure-title').filter({ hasText: 'What memory consisted of' });
const file = (name, content) => ({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(content) });
/** The programs come with the first file. */
const FIRST = { timeout: 15_000 };
const SMALL = JSON.stringify(snapshot(2_000));

/** Hands a snapshot over and waits for its pictures. */
async function open(wall, page, ...files) {
  await wall.goto();
  await wall.near('#figure-profile', '#explain');
  await choose(page).setInputFiles(files.length ? files : [file('snapshot.json', SMALL)]);
  await expect(views(page).locator('.view')).toHaveCount(5, FIRST);
  await expect(line(page)).toHaveAttribute('aria-valuetext', /allocated/);
  await expect(graph(page)).toBeVisible();
  await expect(map(page)).toHaveAttribute('aria-valuetext', /Segment 1 /);
}
/** Opens every table. */
const unfold = (page) => views(page).locator('details').evaluateAll((all) => all.forEach((one) => (one.open = true)));
const text = async (place) => plain(await place.innerText());
/** How many colours a canvas has, white and black included. */
const shades = (canvas) =>
  canvas.evaluate((canvas) => {
    const copy = Object.assign(document.createElement('canvas'), { width: canvas.width, height: canvas.height }).getContext('2d', { willReadFrequently: true });
    copy.drawImage(canvas, 0, 0);
    const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
    const found = new Set();
    for (let at = 0; at < data.length; at += 4) if (data[at + 3]) found.add(`${data[at]},${data[at + 1]},${data[at + 2]}`);
    return [...found];
  });

test('a snapshot is drawn, said in words and listed in tables, with no directory in any of it', async ({ wall, page }) => {
  const asked = [];
  page.on('request', (request) => request.url().includes('/explain-') && asked.push(request.url()));
  await wall.goto();
  await wall.near('#figure-profile', '#explain');
  expect(asked).toEqual([]);
  await open(wall, page);
  await expect(views(page)).toContainText(/The snapshot recorded 2,\d+ events on GPU 0\. Tensors took 77\.7\sMB at the peak \(after event [\d,]+, backward pass\)/);
  await expect(title(page)).toHaveText(/^What memory consisted of at the peak, after event/);
  await expect(views(page)).toContainText('torch.cuda.empty_cache() gives back');
  await expect(views(page)).toContainText('2.10 MB has been freed, but a stream may still work on it.');
  await expect(views(page)).toContainText('One line allocates in nearly every part of the recording and frees nothing.');
  await unfold(page);
  const tables = await views(page).locator('table').evaluateAll((tables) => tables.map((table) => table.tBodies[0].rows.length));
  // Stretches, categories, lines, segments, and what grows; nothing stands beside an estimate yet.
  expect(tables).toHaveLength(5);
  for (const rows of tables) expect(rows).toBeGreaterThan(0);
  const said = await text(views(page));
  expect(said).toContain('forward (model.py:1');
  expect(said).not.toMatch(/alice|\/srv|\/usr|site-packages/);
  // A category's colour, with text and lines.
  for (const canvas of [line(page), graph(page), map(page)]) await expect.poll(async () => (await shades(canvas)).length).toBeGreaterThan(3);
});

/** A model of 2 MiB a layer in 16 bits, as the run in the snapshot has eight of. */
const CONFIG = JSON.stringify({ model_type: 'llama', hidden_size: 256, intermediate_size: 1024, num_hidden_layers: 8, num_attention_heads: 4, num_key_value_heads: 4, vocab_size: 1024, tie_word_embeddings: true });
const beside = (page) => views(page).locator('.view').filter({ hasText: 'The peak beside the estimate' });

test('the peak stands beside the estimate once the model is known, and what is missing can be chosen', async ({ wall, page }) => {
  await open(wall, page);
  await expect(beside(page)).toContainText('The model is not known. Hand over its config.json', FIRST);
  await expect(beside(page).locator('table')).toHaveCount(0);
  await beside(page).getByLabel('Model').selectOption('Llama 3.2 1B');
  await beside(page).getByLabel('Batch').fill('1');
  await beside(page).getByLabel('Sequence length').fill('16');
  await beside(page).getByRole('button', { name: 'Compare with the estimate' }).press('Enter');
  await expect(beside(page).locator('caption')).toHaveText('Llama 3.2 1B: each category at the peak of the snapshot beside the estimate of the same moment');
  const heads = await beside(page).locator('thead th').allInnerTexts();
  expect(heads).toEqual(['Part', 'Measured', 'Estimated', 'Difference', 'Likeliest reason']);
  await expect(beside(page).getByRole('row', { name: /^Weights 16\.8\sMB 2\.47\sGB −2\.45\sGB/ })).toBeVisible();
  await expect(beside(page)).toContainText(/At the peak \(backward pass\) tensors took 77\.7\sMB; the estimate of that moment is/);
  await expect(beside(page)).toContainText('The largest difference is in');

  // Its config.json, handed over together with it: the states, and a sentence on the rest.
  await open(wall, page, file('snapshot.json', SMALL), file('config.json', CONFIG));
  await expect(beside(page).getByRole('row', { name: /^Weights 16\.8\sMB 17\.3\sMB/ })).toBeVisible(FIRST);
  await expect(beside(page)).toContainText('Batch and sequence length are not known');
  // Settings of the same run say them.
  const settings = `per_device_train_batch_size=2\nmax_seq_length=128\n`;
  await open(wall, page, file('snapshot.json', SMALL), file('config.json', CONFIG), file('run.log', `TrainingArguments(\n${settings}gradient_checkpointing=False,\n)\n`));
  await expect(beside(page)).toContainText('tensors took', FIRST);
  const { violations } = await new AxeBuilder({ page }).withTags(['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa']).include('.views').analyze();
  expect(violations).toEqual([]);
});

test('what listens for a snapshot goes when another one is drawn', async ({ wall, page }) => {
  await page.addInitScript(() => {
    window.heard = 0;
    window.watched = 0;
    const { addEventListener } = Worker.prototype;
    Worker.prototype.addEventListener = function (name, act, options) {
      return addEventListener.call(this, name, (event) => {
        window.heard += 1;
        act(event);
      }, options);
    };
    const Before = ResizeObserver;
    window.ResizeObserver = class extends Before {
      observe(place) {
        window.watched += place.className === 'view-canvas';
        this.own = place.className === 'view-canvas';
        super.observe(place);
      }
      disconnect() {
        window.watched -= this.own;
        super.disconnect();
      }
    };
  });
  await open(wall, page, file('one.json', SMALL), file('two.json', JSON.stringify(snapshot(1_000))));
  await expect(beside(page)).toContainText('The model is not known', FIRST);
  const watched = await page.evaluate(() => window.watched);
  expect(watched).toBeGreaterThan(0);
  const which = views(page).getByLabel('Snapshot');
  for (const name of ['two.json', 'one.json', 'two.json', 'one.json']) {
    await which.selectOption(name);
    await expect(views(page)).toContainText(name === 'two.json' ? /recorded 1,\d+ events/ : /recorded 2,\d+ events/);
    await expect(beside(page)).toContainText('The model is not known');
    await expect(map(page)).toHaveAttribute('aria-valuetext', /Segment 1 /);
  }
  expect(await page.evaluate(() => window.watched)).toBe(watched);
  // One answer is heard once.
  await map(page).focus();
  await expect.poll(async () => {
    const before = await page.evaluate(() => window.heard);
    await page.waitForTimeout(300);
    return (await page.evaluate(() => window.heard)) - before;
  }).toBe(0);
  const before = await page.evaluate(() => window.heard);
  await page.keyboard.press('ArrowRight');
  await expect(map(page)).toHaveAttribute('aria-valuetext', /Segment 2 /);
  expect((await page.evaluate(() => window.heard)) - before).toBe(1);
});

test('the programs are on their way once somebody reaches for a file', async ({ wall, page }) => {
  await wall.goto();
  await wall.near('#figure-profile', '#explain');
  const programs = ['explain-', 'explain-run-', 'explain-views-'].map((name) => page.waitForEvent('requestfinished', (request) => new RegExp(`/${name}[^-]*\\.wasm`).test(request.url())));
  await choose(page).focus();
  await Promise.all(programs);
  await expect(views(page)).toHaveCount(0);
  await choose(page).setInputFiles([file('snapshot.json', SMALL)]);
  await expect(views(page).locator('.view')).toHaveCount(5);
});

test('every picture is operated by keyboard alone', async ({ wall, page }) => {
  await open(wall, page);
  await line(page).focus();
  await page.keyboard.press('Home');
  await expect(line(page)).toHaveAttribute('aria-valuenow', '0');
  await expect(line(page)).toHaveAttribute('aria-valuetext', /after event 0, 0.* forward pass: weights 16\.8/);
  await page.keyboard.press('End');
  const last = await line(page).getAttribute('aria-valuemax');
  await expect(views(page).getByRole('button', { name: 'Back to the peak' })).toBeHidden();
  await expect(line(page)).toHaveAttribute('aria-valuenow', last);
  const now = async () => Number(await line(page).getAttribute('aria-valuenow'));
  // Zoomed in, an arrow goes less far.
  await page.keyboard.press('ArrowLeft');
  const far = Number(last) - (await now());
  for (const key of ['+', '+', '+']) await page.keyboard.press(key);
  const before = await now();
  await page.keyboard.press('ArrowLeft');
  expect(before - (await now())).toBeLessThan(far);
  await page.keyboard.press('PageUp');
  await page.keyboard.press('-');
  await page.keyboard.press('Enter');
  await expect(title(page)).toHaveText(`What memory consisted of after event ${(await now()).toLocaleString('en')}`);
  await page.keyboard.press('Escape');
  await views(page).getByRole('button', { name: 'Back to the peak' }).press('Enter');
  await expect(title(page)).toContainText('at the peak');

  const said = views(page).locator('#view-flame-said');
  await graph(page).focus();
  await expect(said).toContainText('All of it: 77.7 MB');
  await page.keyboard.press('ArrowDown');
  // The worker answers when it can.
  await expect.poll(() => text(said)).toMatch(/^(Optimizer states|Activations|Weights): [\d.]+ MB, \d+% of all\.$/);
  const first = await text(said);
  await page.keyboard.press('ArrowRight');
  await expect(said).not.toHaveText(first);
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(said).toContainText('Called from: main (train.py:30)');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Home');
  await expect(said).toContainText('All of it');
  // What C++ adds is deeper than what Python has.
  const tall = () => graph(page).evaluate((canvas) => canvas.clientHeight);
  const python = await tall();
  await views(page).getByRole('checkbox', { name: 'Show C++ functions too' }).press('Space');
  await expect.poll(tall).toBeGreaterThan(python);

  await map(page).focus();
  await page.keyboard.press('End');
  await expect(map(page)).toHaveAttribute('aria-valuenow', await map(page).getAttribute('aria-valuemax'));
  await expect(map(page)).toHaveAttribute('aria-valuetext', /No tensor is in it\.$/);
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  await expect(map(page)).toHaveAttribute('aria-valuetext', /^Segment 2 \(large\), 4\.19/);
});

test('a pointer points, a click asks, a drag moves and a wheel zooms', async ({ wall, page }) => {
  await open(wall, page);
  await line(page).scrollIntoViewIfNeeded();
  const { x, y, width } = await line(page).boundingBox();
  await page.mouse.move(x + width / 4, y + 100);
  const now = async () => Number(await line(page).getAttribute('aria-valuenow'));
  const all = Number(await line(page).getAttribute('aria-valuemax')) + 1;
  await expect.poll(async () => Math.abs((await now()) - all / 4)).toBeLessThan(all / 100);
  await page.mouse.click(x + width / 2, y + 100);
  await expect(title(page)).toHaveText(`What memory consisted of after event ${(await now()).toLocaleString('en')}`);
  // The page scrolls by the wheel until the time line has the focus, which a click gave it.
  for (let turn = 0; turn < 6; turn += 1) await page.mouse.wheel(0, -200);
  const zoomed = async (at) => {
    await page.mouse.move(x + width * at, y + 90);
    await page.mouse.move(x + width * at, y + 100);
    await page.waitForTimeout(50);
    return now();
  };
  const [left, right] = [await zoomed(0.1), await zoomed(0.9)];
  expect(right - left).toBeLessThan(all / 16);
  await page.mouse.down();
  await page.mouse.move(x + width * 0.5, y + 100, { steps: 5 });
  await page.mouse.up();
  // What was under the pointer still is.
  expect(Math.abs((await zoomed(0.5)) - right)).toBeLessThan(all / 100);
  await views(page).getByRole('button', { name: 'Show everything' }).click();
  await expect.poll(() => zoomed(0.9)).toBeGreaterThan(all * 0.8);
  const { x: left_, y: top } = await graph(page).boundingBox();
  await page.mouse.click(left_ + 10, top + 30);
  await expect(views(page).locator('#view-flame-said')).toContainText('% of all.');
});

test('colours follow the theme', async ({ wall, page }) => {
  await page.emulateMedia({ colorScheme: 'light' });
  await open(wall, page);
  const light = await shades(line(page));
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect.poll(async () => (await shades(line(page))).filter((shade) => light.includes(shade)).length).toBeLessThan(light.length / 2);
  expect(light).toContain('31,95,168');
  expect(await shades(line(page))).toContain('79,151,232');
});

for (const width of [360, 1280]) {
  for (const colorScheme of ['light', 'dark']) {
    test.describe(`${width} px, ${colorScheme}`, () => {
      test.use({ viewport: { width, height: 900 }, colorScheme });
      test('the pictures violate nothing of WCAG that is known, and nothing scrolls sideways', async ({ wall, page }) => {
        await open(wall, page);
        await unfold(page);
        const axe = new AxeBuilder({ page }).withTags(['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa']).include('.views');
        const { violations } = await axe.analyze();
        expect(violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target}`))).toEqual([]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0);
        const edge = await views(page).evaluate((views) => Math.max(...[...views.querySelectorAll('p, canvas, button')].map((one) => one.getBoundingClientRect().right)));
        expect(edge).toBeLessThanOrEqual(width);
      });
    });
  }
}

test('several snapshots are shown one at a time, and one without events has its segments', async ({ wall, page }) => {
  const { segments } = JSON.parse(SMALL);
  await open(wall, page, file('first.json', SMALL), file('second.json', JSON.stringify({ segments, device_traces: [] })));
  await views(page).getByLabel('Snapshot').selectOption('second.json');
  await expect(views(page).locator('.view')).toHaveCount(1);
  await expect(map(page)).toHaveAttribute('aria-valuetext', /^Segment 1 /);
  await views(page).getByLabel('Snapshot').selectOption('first.json');
  await expect(views(page).locator('.view')).toHaveCount(5);
});

test('files that mean harm are answered in words, draw nothing and run nothing', async ({ wall, page }) => {
  await wall.goto();
  await wall.near('#figure-profile', '#explain');
  const broken = Buffer.from('x\x04cos\nsystem\n(S"echo"\ntR.');
  broken[0] = 0x80;
  await choose(page).setInputFiles([file('code.pickle', broken), file('cut.json', SMALL.slice(0, 5_000)), file('lying.json', '{"segments": 5, "device_traces": {"a": []}}')]);
  for (const name of ['code.pickle', 'cut.json', 'lying.json']) await expect(figure(page).locator('.explain-found')).toContainText(`${name}, not read: `, FIRST);
  await expect(views(page)).toHaveCount(0);
  // JSON that only looks like one is read as what it is.
  await choose(page).setInputFiles([file('index.json', '{"metadata": {"total_size": 16384}, "weight_map": {"lm_head.weight": "model-1.safetensors"}}')]);
  await expect(figure(page).locator('.explain-said')).toHaveText("Recognised: index of a checkpoint's files.");
  // A function may be called anything.
  await open(wall, page);
  await expect(views(page)).toContainText('<img src=x onerror="window.hit=1"> (train.py:41)');
  expect(await page.evaluate(() => [window.hit ?? 0, document.querySelectorAll('main img').length])).toEqual([0, 0]);
});

test('a million events open, and a drag over them stays smooth', async ({ wall, page }) => {
  test.setTimeout(120_000);
  const folder = mkdtempSync(join(tmpdir(), 'memory-wall-views-'));
  const path = join(folder, 'million.pickle');
  const target = openSync(path, 'w');
  pickle(1_000_000, (bytes) => writeSync(target, bytes));
  closeSync(target);
  try {
    await wall.goto();
    await wall.near('#figure-profile', '#explain');
    const start = Date.now();
    await choose(page).setInputFiles(path);
    await expect(views(page).locator('.view')).toHaveCount(5, { timeout: 30_000 });
    await expect(line(page)).toHaveAttribute('aria-valuemax', /^1000\d\d\d$/);
    test.info().annotations.push({ type: 'opened', description: `${Date.now() - start} ms` });
    await line(page).scrollIntoViewIfNeeded();
    await views(page).getByRole('button', { name: 'Zoom in' }).click();
    const { x, y, width } = await line(page).boundingBox();
    await page.mouse.move(x + width * 0.8, y + 100);
    // How long the page itself works on each frame of a drag: how often frames come is up to the machine.
    const work = page.evaluate(
      () =>
        new Promise((done) => {
          const frames = [];
          const step = (begin) => {
            // Behind the drawing, which was asked for earlier.
            frames.push(performance.now() - begin);
            if (frames.length < 60) requestAnimationFrame(step);
            else done(frames.sort((a, b) => a - b));
          };
          requestAnimationFrame(step);
        }),
    );
    await page.mouse.down();
    await page.mouse.move(x + width * 0.2, y + 100, { steps: 60 });
    await page.mouse.up();
    const frames = await work;
    test.info().annotations.push({ type: 'frames', description: `median ${frames[30].toFixed(1)} ms, nine of ten ${frames[54].toFixed(1)} ms` });
    expect(frames[30]).toBeLessThan(16);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.describe('offline', () => {
  test.use({ serviceWorkers: 'allow' });

  test('the pictures come with the first snapshot, and are there without a network from then on', async ({ wall, page, context }) => {
    await wall.goto();
    await wall.near('#figure-profile', '#explain');
    // All of it: what still came when the network goes would be told of as missing.
    await ready(page);
    // The page is in the hands of the worker that keeps it.
    await page.reload();
    await wall.near('#figure-profile', '#explain');
    const third = page.waitForEvent('requestfinished', (request) => request.url().includes('/explain-run-'));
    await choose(page).setInputFiles([file('snapshot.json', SMALL)]);
    await expect(views(page).locator('.view')).toHaveCount(5, FIRST);
    await third;
    await context.setOffline(true);
    await page.reload();
    await wall.near('#figure-profile', '#explain');
    await choose(page).setInputFiles([file('snapshot.json', SMALL)]);
    await expect(views(page).locator('.view')).toHaveCount(5);
    await expect(line(page)).toHaveAttribute('aria-valuetext', /allocated/);
    await expect(views(page).locator('.view').first()).toHaveCSS('display', 'grid');
  });
});
