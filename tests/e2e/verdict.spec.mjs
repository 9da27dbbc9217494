// Does it fit, how long a context does, how large a batch does: one answer everywhere, and an honest one.

import { expect, test } from './fixtures.mjs';
import { plain } from './page.mjs';

const WORDS = { fits: 'It fits', tight: 'It fits, barely', does_not_fit: 'It does not fit' };

/** The verdict, after checking that every place on the page gives the same one. */
async function verdict(wall) {
  await wall.settle();
  const fit = await wall.fit();
  await expect(wall.verdict.locator('strong')).toHaveText(WORDS[fit]);
  await expect(wall.rig.locator('.rig-verdict')).toHaveText(WORDS[fit]);
  expect(await wall.rig.locator('.rig-total').getAttribute('data-verdict')).toBe(fit);
  expect((await wall.svg.getAttribute('data-over')) !== null).toBe(fit === 'does_not_fit');
  expect(plain(await wall.seq.slider.getAttribute('aria-valuetext'))).toMatch(new RegExp(`${WORDS[fit]}$`));
  // The picture says the same: the wall is higher than the line exactly when it does not fit.
  const [top, line] = await wall.svg.evaluate((svg) => {
    const tops = [...svg.querySelectorAll('.layer:not([data-empty]) rect.ground')].map((rect) => rect.getBoundingClientRect().top);
    return [Math.min(...tops), svg.querySelector('.capacity').getBoundingClientRect().top];
  });
  if (Math.abs(top - line) > 2) expect(top < line).toBe(fit === 'does_not_fit');
  return fit;
}

test('200,000 tokens do not fit on an A100 with 80 GB', async ({ wall }) => {
  await wall.goto('seq=2048&gpu=a100-80-sxm');
  expect(await verdict(wall)).toBe('fits');
  await wall.setSeq(200_000);
  expect(await verdict(wall)).toBe('does_not_fit');
  await expect(wall.verdict).toContainText('too much for this GPU');
  await expect(wall.calculator.locator('.summary').first()).toContainText('It does not fit');
});

test('the last tenth of the GPU is called tight', async ({ wall }) => {
  await wall.goto('seq=128000&gpu=a100-80-sxm');
  expect(await verdict(wall)).toBe('tight');
});

for (const [name, query] of [
  ['Llama 2 7B on an A100', 'model=llama-2-7b'],
  ['Llama 3.1 8B in int4 on an RTX 4090', 'model=llama-3.1-8b&weights=int4&kv=fp8&gpu=rtx4090'],
  ['a sliding window, attention scores written', 'model=mistral-7b-v0.1&attention=eager&gpu=t4&weights=nf4'],
  ['GPT-2 in training', 'model=gpt2-xl&mode=training&gpu=a100-80-sxm'],
  ['Llama 3.2 1B in training with full checkpointing', 'model=llama-3.2-1b&mode=training&checkpointing=full&gpu=h100-sxm'],
]) {
  test(`the longest context is honest: ${name}`, async ({ wall }) => {
    await wall.goto(query);
    const longest = Number((await wall.answer('context')).match(/^([\d,]+) tokens$/)[1].replaceAll(',', ''));
    expect(longest).toBeGreaterThan(1);
    await wall.setSeq(longest);
    expect(await verdict(wall)).not.toBe('does_not_fit');
    await wall.setSeq(longest + 1);
    expect(await verdict(wall)).toBe('does_not_fit');
    // The question does not depend on where the reader stands.
    expect(await wall.answer('context')).toContain(longest.toLocaleString('en-US'));
    await expect(wall.page.locator('#buckets p:not(.figure p) > .live:not([data-at], .sentence)')).toHaveText(longest.toLocaleString('en-US'));
  });

  test(`the largest batch is honest: ${name}`, async ({ wall }) => {
    await wall.goto(`${query}&seq=512`);
    const largest = Number((await wall.answer('batch')).replaceAll(',', ''));
    expect(largest).toBeGreaterThan(0);
    await wall.batch.field.fill(String(largest));
    expect(await verdict(wall)).not.toBe('does_not_fit');
    await wall.batch.field.fill(String(largest + 1));
    expect(await verdict(wall)).toBe('does_not_fit');
  });
}

test('a model that can never fit is told so in words', async ({ wall }) => {
  await wall.goto('model=llama-3.1-405b&gpu=t4');
  expect(await verdict(wall)).toBe('does_not_fit');
  expect(await wall.answer('context')).toBe('not even one token');
  expect(await wall.answer('batch')).toBe('not even one sequence');
});
