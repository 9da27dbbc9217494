// What is typed is never lost: a field that cannot use its text says why, keeps the last good value, and recovers.

import { expect, test } from './fixtures.mjs';

/** The message at a field, found the way a screen reader finds it. */
async function message(field) {
  await expect(field).toHaveAttribute('aria-invalid', 'true');
  const id = await field.getAttribute('aria-describedby');
  return field.page().locator(`[id="${id}"]`);
}

async function accepted(field) {
  await expect(field).not.toHaveAttribute('aria-invalid', /.*/);
  await expect(field).not.toHaveAttribute('aria-describedby', /.*/);
}

/** Types each bad text, then a good one that scales the cache by `times`, then the first value again. */
async function refuses(wall, field, { texts, range, first, good, times, named = '' }) {
  const before = await wall.bytes();
  const line = await wall.rig.getByRole('link').innerText();
  for (const text of texts) {
    await test.step(`“${text}”`, async () => {
      await field.fill(text);
      const said = await message(field);
      await expect(said).toBeVisible();
      await expect(said).toHaveText(`${named}“${text}” is not a whole number from ${range}. Still ${first}.`);
      await expect(field).toHaveValue(text);
      expect(await wall.bytes()).toEqual(before);
      await expect(wall.rig.getByRole('link')).toHaveText(line);
      // Leaving the field loses neither the text nor the message.
      await wall.page.keyboard.press('Tab');
      await expect(field).toHaveValue(text);
      await expect(said).toBeVisible();
      // A good number mends it.
      await field.fill(good);
      await accepted(field);
      await expect(said).toBeHidden();
      await wall.settle();
      expect(Number((await wall.bucket('kv_cache')).bytes)).toBe(Number(before.kv_cache) * times);
      await field.fill(first);
      await wall.page.keyboard.press('Tab');
      await expect(field).toHaveValue(first);
      await wall.settle();
      expect(await wall.bytes()).toEqual(before);
    });
  }
}

test('a bad sequence length is refused in words and kept in the field', async ({ wall }) => {
  await wall.goto();
  await refuses(wall, wall.seq.field, {
    texts: ['abc', '-5', '99999999999', '1e5', '', '0', '2.5', '1,2,3x'],
    range: '1 to 10,000,000',
    first: '2,048',
    good: '4096',
    times: 2,
  });
});

test('a bad dimension is refused in words and kept in the field', async ({ wall }) => {
  await wall.goto();
  await wall.openDetails();
  await refuses(wall, wall.dimension('layers'), {
    texts: ['abc', '-5', '99999999999', '1e5', ''],
    named: 'layers: ',
    range: '1 to 1,024',
    first: '32',
    good: '16',
    times: 0.5,
  });
});

test('numbers are read as people write them', async ({ wall, page }) => {
  await wall.goto();
  for (const [text, value] of [
    ['32k', '32,768'],
    ['32K', '32,768'],
    ['32Ki', '32,768'],
    ['32768', '32,768'],
    ['32,768', '32,768'],
    ['32_768', '32,768'],
    ['128k', '131,072'],
    ['1.5M', '1,572,864'],
    ['2^17', '131,072'],
    ['128 000', '128,000'],
    ['64,000', '64,000'],
  ]) {
    await wall.seq.field.fill(text);
    await accepted(wall.seq.field);
    // While it is typed the text stays as typed.
    await expect(wall.seq.field).toHaveValue(text);
    // What a letter stands for is said at once, under the field.
    const said = page.locator('#control-seq-number-error');
    await expect(said).toHaveText(/[a-z^]/i.test(text) ? `= ${value}` : '');
    await page.keyboard.press('Tab');
    await expect(wall.seq.field).toHaveValue(value);
    await expect(said).toBeHidden();
    await expect(wall.rig.getByRole('link')).toContainText(`${value} tokens`);
  }
});

test('another control ends a mistake in the field', async ({ wall }) => {
  await wall.goto();
  await wall.seq.field.fill('many');
  await message(wall.seq.field);
  await wall.seq.mark(8_192).click();
  await expect(wall.seq.field).toHaveValue('8,192');
  await accepted(wall.seq.field);
});

test('so does the control that sets the value that is still in force', async ({ wall }) => {
  await wall.goto('seq=8192');
  await wall.seq.field.fill('many');
  await message(wall.seq.field);
  await wall.seq.mark(8_192).click();
  await expect(wall.seq.field).toHaveValue('8,192');
  await accepted(wall.seq.field);
});

test('five KV heads do not divide 32 heads, and the field says so', async ({ wall }) => {
  await wall.goto();
  await wall.openDetails();
  const before = await wall.bytes();
  const field = wall.dimension('kv_heads');
  await field.fill('5');
  const said = await message(field);
  await expect(said).toContainText('kv_heads 5 does not divide heads 32');
  await expect(said).toContainText('every figure stands for heads 32, kv_heads 32');
  expect(await wall.bytes()).toEqual(before);
  await field.fill('4');
  await accepted(field);
  await wall.settle();
  expect((await wall.bucket('kv_cache')).bytes).toBe(before.kv_cache / 8n);
});

test('heads and kv_heads are judged together: nothing is called fitting in between', async ({ wall, page }) => {
  await wall.goto('model=phi-3-mini-4k');
  await wall.openDetails();
  const before = await wall.bytes();
  const [heads, kvHeads] = ['heads', 'kv_heads'].map((name) => wall.dimension(name));
  await heads.fill('40');
  await wall.settle();
  for (const field of [heads, kvHeads]) await expect(await message(field)).toContainText('kv_heads 32 does not divide heads 40');
  // No verdict anywhere, and every figure is that of the last model.
  await expect(wall.verdict).toHaveAttribute('data-verdict', 'waits');
  await expect(wall.verdict).toContainText('No verdict yet');
  await expect(wall.verdict).toContainText('every figure stands for heads 32, kv_heads 32');
  await expect(wall.rig).toContainText('No verdict yet');
  await expect(wall.rig).not.toContainText('It fits');
  await expect(wall.calculator.locator('.summary')).not.toContainText('It fits');
  await expect(wall.seq.slider).toHaveAttribute('aria-valuetext', /No verdict yet$/);
  expect(await wall.bytes()).toEqual(before);
  expect(wall.query(), 'a link has the last model').not.toContain('heads');
  // Leaving the field changes nothing of it.
  await page.keyboard.press('Tab');
  await expect(heads).toHaveValue('40');
  await kvHeads.fill('10');
  await wall.settle();
  for (const field of [heads, kvHeads]) await accepted(field);
  await expect(wall.verdict).toHaveAttribute('data-verdict', 'fits');
  await expect(wall.rig.getByRole('link')).toContainText('Phi-3 mini 4k, edited');
  await expect.poll(() => wall.query()).toBe('?v=1&model=phi-3-mini-4k&heads=40&kv_heads=10');
  // What was trained for 4,096 tokens is another model.
  await expect(wall.calculator.locator('[data-answer="context"]')).not.toContainText('made for');
  await expect(wall.calculator.locator('.assumptions')).not.toContainText('was made for');
  // And back, the other way round.
  await kvHeads.fill('32');
  await message(heads);
  await heads.fill('32');
  await wall.settle();
  await accepted(kvHeads);
  await expect(wall.rig.getByRole('link')).toContainText('Phi-3 mini 4k, bf16');
  await expect(wall.calculator.locator('[data-answer="context"]')).toContainText('made for');
});

test('another model takes the place of dimensions that did not go together', async ({ wall }) => {
  await wall.goto();
  await wall.openDetails();
  await wall.dimension('heads').fill('33');
  await message(wall.dimension('kv_heads'));
  await wall.choose('Model', 'llama-2-13b');
  await expect(wall.dimension('heads')).toHaveValue('40');
  for (const name of ['heads', 'kv_heads']) await accepted(wall.dimension(name));
  await expect(wall.verdict).toHaveAttribute('data-verdict', 'fits');
});

for (const width of [360, 768, 1280]) {
  test(`labels stand over their fields, and messages move none of them, at ${width} px`, async ({ wall, page }) => {
    await page.setViewportSize({ width, height: 900 });
    await wall.goto();
    await wall.openDetails();
    const names = ['layers', 'hidden_size', 'heads', 'kv_heads', 'head_dim', 'intermediate_size', 'vocab_size'];
    const places = () =>
      page.evaluate((names) => {
        const grid = document.querySelector('.dimensions .field-grid').getBoundingClientRect();
        return names.map((name) => {
          const input = document.getElementById(`control-${name}`);
          const [label, field] = [document.querySelector(`label[for="control-${name}"]`), input].map((one) => one.getBoundingClientRect());
          return { over: label.bottom <= field.top + 1 && Math.abs(label.left - field.left) < 2, left: field.left - grid.left, top: field.top - grid.top };
        });
      }, names);
    const before = await places();
    expect(before.every(({ over }) => over)).toBe(true);
    expect(new Set(before.map(({ left }) => left)).size, 'columns').toBeLessThanOrEqual(width === 360 ? 2 : 4);
    await wall.dimension('layers').fill('abc');
    await wall.dimension('heads').fill('33');
    expect(await places()).toEqual(before);
    for (const name of ['layers', 'heads']) await expect(await message(wall.dimension(name))).toBeVisible();
  });
}

test('choosing another model replaces changed dimensions and their mistakes', async ({ wall }) => {
  await wall.goto();
  await wall.openDetails();
  await wall.dimension('kv_heads').fill('5');
  await message(wall.dimension('kv_heads'));
  await wall.dimension('layers').fill('10');
  await wall.choose('Model', 'llama-3.1-8b');
  await expect(wall.dimension('layers')).toHaveValue('32');
  await expect(wall.dimension('kv_heads')).toHaveValue('8');
  await accepted(wall.dimension('kv_heads'));
});

for (const width of [320, 1280]) {
  test(`a message is inside the page at ${width} px`, async ({ wall, page }) => {
    await page.setViewportSize({ width, height: 800 });
    await wall.goto();
    await wall.openDetails();
    for (const field of [wall.seq.field, wall.dimension('layers'), wall.dimension('hidden_size'), wall.dimension('kv_heads')]) {
      await field.fill('99999999999');
      const box = await (await message(field)).boundingBox();
      expect(box.x).toBeGreaterThanOrEqual(0);
      expect(box.x + box.width).toBeLessThanOrEqual(width);
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0);
  });
}

test('a message under one of the roofline’s own fields leaves the others in their line', async ({ wall, page }) => {
  await wall.goto();
  await wall.openDetails();
  const field = (name) => page.locator(`#control-${name}`);
  const left = () => Promise.all(['gemm-m', 'gemm-n', 'gemm-k'].map((name) => field(name).boundingBox().then(({ x, width }) => [x, width])));
  await field('gemm-m').scrollIntoViewIfNeeded();
  const before = await left();
  await field('gemm-m').fill('x1');
  await expect(await message(field('gemm-m'))).toBeVisible();
  expect(await left()).toEqual(before);
  // A side of a matrix is a count, and 4k of it are 4,096.
  await field('gemm-m').fill('4k');
  await page.keyboard.press('Tab');
  await expect(field('gemm-m')).toHaveValue('4,096');
});
