// Training: what the cache gives way to, and the way back.

import { expect, test } from './fixtures.mjs';
import { spoken } from './page.mjs';

const PARAMETERS = 6_738_415_616n;

test('training keeps no cache, and gradients and optimizer cost 2 and 12 bytes a parameter', async ({ wall }) => {
  await wall.goto('model=llama-2-7b');
  expect(await spoken(wall.row('gradients'))).toContain('nothing in this mode');
  await wall.setMode('training');
  expect(await spoken(wall.row('kv_cache'))).toContain('nothing in this mode');
  expect((await wall.bucket('kv_cache')).bytes).toBe(0n);
  expect((await wall.bucket('weights')).bytes).toBe(2n * PARAMETERS);
  expect((await wall.bucket('gradients')).bytes).toBe(2n * PARAMETERS);
  expect((await wall.bucket('optimizer')).bytes).toBe(12n * PARAMETERS);
  expect((await wall.bucket('activations')).bytes).toBeGreaterThan(1_000_000_000n);
  await expect(wall.svg.locator('.layer[data-bucket="kv_cache"]')).toBeHidden();
  expect(await wall.courseHeight('optimizer')).toBeGreaterThan(5 * (await wall.courseHeight('gradients')));
  await expect(wall.plot).toHaveAttribute('aria-label', /^Training keeps no KV cache/);
});

test('training offers only formats that can be trained and gives the chosen one back afterwards', async ({ wall }) => {
  await wall.goto();
  expect(await wall.offered('Weights in')).toContain('int4');
  await wall.choose('Weights in', 'int4');
  const before = await wall.bytes();

  await wall.setMode('training');
  expect(await wall.offered('Weights in')).toEqual(['fp32', 'fp16', 'bf16']);
  await expect(wall.list('Weights in')).toHaveValue('bf16');
  expect((await wall.bucket('weights')).bytes).toBe(2n * PARAMETERS);

  await wall.setMode('generating');
  await expect(wall.list('Weights in')).toHaveValue('int4');
  expect(await wall.bytes()).toEqual(before);
});

test('QLoRA offers only what adapters are trained beside, and does not take fp8 along', async ({ wall }) => {
  await wall.goto('model=llama-3.1-8b&weights=fp8');
  await wall.setMode('with QLoRA');
  expect(await wall.offered('Weights in')).toEqual(['int8', 'int4', 'int4-g32', 'nf4', 'nf4-dq']);
  await expect(wall.list('Weights in')).toHaveValue('nf4-dq');
  await wall.setMode('generating');
  await expect(wall.list('Weights in')).toHaveValue('fp8');
});

test('each mode shows the settings that matter in it', async ({ wall }) => {
  await wall.goto();
  await wall.openDetails();
  await expect(wall.list('KV cache in')).toBeVisible();
  await expect(wall.list('Optimizer')).toBeHidden();
  await wall.setMode('training');
  await expect(wall.list('KV cache in')).toBeHidden();
  await expect(wall.list('Optimizer')).toBeVisible();
  await expect(wall.list('Checkpointing')).toBeVisible();
});

test('an 8-bit optimizer and checkpointing save what they promise', async ({ wall }) => {
  await wall.goto('mode=training&model=llama-2-7b');
  await wall.openDetails();
  const before = await wall.bytes();
  await wall.choose('Optimizer', 'adamw8bit');
  expect((await wall.bucket('optimizer')).bytes).toBeLessThan(before.optimizer);
  await wall.choose('Checkpointing', 'full');
  const after = await wall.bytes();
  expect(after.activations).toBeLessThan(before.activations);
  expect(after.gradients).toBe(before.gradients);
});
