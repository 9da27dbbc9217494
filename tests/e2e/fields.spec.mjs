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
async function refuses(wall, field, { texts, range, first, good, times }) {
  const before = await wall.bytes();
  const line = await wall.rig.getByRole('link').innerText();
  for (const text of texts) {
    await test.step(`“${text}”`, async () => {
      await field.fill(text);
      const said = await message(field);
      await expect(said).toBeVisible();
      await expect(said).toHaveText(`“${text}” is not a whole number from ${range}. Still ${first}.`);
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
    range: '1 to 1,024',
    first: '32',
    good: '16',
    times: 0.5,
  });
});

test('numbers are read as people write them', async ({ wall, page }) => {
  await wall.goto();
  for (const [text, value] of [
    ['128k', '128,000'],
    ['1.5M', '1,500,000'],
    ['2^17', '131,072'],
    ['128 000', '128,000'],
    ['64,000', '64,000'],
  ]) {
    await wall.seq.field.fill(text);
    await accepted(wall.seq.field);
    // While it is typed the text stays as typed.
    await expect(wall.seq.field).toHaveValue(text);
    await page.keyboard.press('Tab');
    await expect(wall.seq.field).toHaveValue(value);
    await expect(wall.rig.getByRole('link')).toContainText(`${value} tokens`);
  }
});

test('another control ends a mistake in the field', async ({ wall }) => {
  await wall.goto();
  await wall.seq.field.fill('many');
  await message(wall.seq.field);
  await wall.seq.mark(8_000).click();
  await expect(wall.seq.field).toHaveValue('8,000');
  await accepted(wall.seq.field);
});

test('so does the control that sets the value that is still in force', async ({ wall }) => {
  await wall.goto('seq=2000');
  await wall.seq.field.fill('many');
  await message(wall.seq.field);
  await wall.seq.mark(2_000).click();
  await expect(wall.seq.field).toHaveValue('2,000');
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
  await expect(said).toContainText('Still 32.');
  expect(await wall.bytes()).toEqual(before);
  await field.fill('4');
  await accepted(field);
  await wall.settle();
  expect((await wall.bucket('kv_cache')).bytes).toBe(before.kv_cache / 8n);
});

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
