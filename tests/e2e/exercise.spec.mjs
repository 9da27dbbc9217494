// The exercise of the tutorial: stretch the sequence from 2k to 128k tokens and see what eats the memory.

import { expect, test } from './fixtures.mjs';
import { plain } from './page.mjs';

const SHORT = { size: '1.07 GB', bytes: 1_073_741_824n };
const LONG = { tokens: 128_000, size: '67.1 GB', bytes: 67_108_864_000n };
/** What engineers call 128k. */
const MARK = { tokens: 131_072, size: '68.7 GB', bytes: 68_719_476_736n };

async function largest(wall) {
  const { total, ...parts } = await wall.bytes();
  expect(Object.values(parts).reduce((sum, bytes) => sum + bytes)).toBe(total);
  return Object.entries(parts).sort(([, a], [, b]) => Number(b - a))[0][0];
}

/** Does the exercise by one way of setting the length and checks what a reader should find. */
async function exercise(wall, stretch, { tokens, ...cache } = LONG) {
  await wall.goto('model=llama-2-7b&seq=2048');
  expect(await wall.bucket('kv_cache')).toEqual(SHORT);
  expect(await largest(wall)).toBe('weights');
  const before = await wall.courseHeight('kv_cache');
  expect(before).toBeGreaterThan(1);

  await stretch();
  await wall.settle();

  expect(await wall.bucket('kv_cache')).toEqual(cache);
  expect(await largest(wall)).toBe('kv_cache');
  expect(await wall.courseHeight('kv_cache')).toBeGreaterThan(30 * before);
  await expect(wall.rig.getByRole('link')).toContainText(`${tokens.toLocaleString('en-US')} tokens`);
  await expect(wall.page.locator('#buckets p:not(.figure p) > .live.sentence')).toContainText(new RegExp(`${cache.size.replace(' ', '\\s')}: 82%`));
}

test('typing 128000 makes the KV cache 67.1 GB and the largest part', async ({ wall }) => {
  await exercise(wall, () => wall.seq.field.fill('128000'));
});

test('the mark at 128k does the same for 131,072 tokens', async ({ wall }) => {
  await exercise(wall, () => wall.seq.mark(131_072).click(), MARK);
  await expect(wall.seq.mark(131_072)).toHaveAttribute('aria-pressed', 'true');
  await expect(wall.seq.mark(2_048)).toHaveAttribute('aria-pressed', 'false');
});

test('dragging the slider does the same', async ({ wall, page }) => {
  await exercise(wall, async () => {
    await wall.seq.slider.scrollIntoViewIfNeeded();
    const track = await wall.seq.slider.boundingBox();
    const mark = await wall.seq.mark(131_072).boundingBox();
    // One stop left of the mark; the thumb's centre travels the track less its own width.
    const stop = (track.width - 24) / Number(await wall.seq.slider.getAttribute('max'));
    const y = track.y + track.height / 2;
    const thumb = await wall.seq.mark(2_048).boundingBox();
    await page.mouse.move(thumb.x + thumb.width / 2, y);
    await page.mouse.down();
    // The mark stands where the thumb stands at its value.
    await page.mouse.move(mark.x + mark.width / 2 - stop, y, { steps: 12 });
    await page.mouse.up();
  });
});

test('the slider alone does the same from the keyboard', async ({ wall, page }) => {
  const spoken = () => wall.seq.slider.getAttribute('aria-valuetext').then(plain);
  await exercise(wall, async () => {
    for (let presses = 0; presses < 120; presses += 1) {
      await page.keyboard.press('Tab');
      if (await wall.seq.slider.evaluate((slider) => slider === document.activeElement)) break;
    }
    await expect(wall.seq.slider).toBeFocused();
    expect(await spoken()).toBe('2,048 tokens, KV cache 1.07 GB, total 15.3 GB. It fits');

    await page.keyboard.press('ArrowRight');
    await expect(wall.seq.slider).toHaveAttribute('aria-valuetext', /^2,304 tokens, KV cache 1\.21\sGB/);
    await page.keyboard.press('ArrowLeft');
    await expect(wall.seq.slider).toHaveAttribute('aria-valuetext', /^2,048 tokens/);
    await page.keyboard.press('PageUp');
    await wall.settle();
    expect(Number((await spoken()).split(' ')[0].replaceAll(',', ''))).toBeGreaterThan(2_304);
    await page.keyboard.press('Home');
    await expect(wall.seq.slider).toHaveAttribute('aria-valuetext', /^128 tokens, KV cache 67\.1\sMB/);
    await page.keyboard.press('End');
    await expect(wall.seq.slider).toHaveAttribute('aria-valuetext', /^2,097,152 tokens, KV cache 1\.10\sTB, .*It does not fit$/);
    for (let presses = 0; presses < 60 && !(await spoken()).startsWith('128,000 '); presses += 1) {
      await page.keyboard.press('ArrowLeft');
      await wall.settle();
    }
    expect(await spoken()).toBe('128,000 tokens, KV cache 67.1 GB, total 81.9 GB. It fits, barely');
  });
});

test('an arrow takes the slider from a value between two stops to the next one', async ({ wall, page }) => {
  await wall.goto('seq=2500');
  await wall.seq.slider.focus();
  await page.keyboard.press('ArrowRight');
  await expect(wall.seq.slider).toHaveAttribute('aria-valuetext', /^2,560 tokens/);
  await wall.seq.field.fill('2500');
  await wall.seq.slider.focus();
  await page.keyboard.press('ArrowLeft');
  await expect(wall.seq.slider).toHaveAttribute('aria-valuetext', /^2,304 tokens/);
});
