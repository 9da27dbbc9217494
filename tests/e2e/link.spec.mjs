// The state lives in the link: complete, readable, and only when the reader has changed something.

import { expect, test } from './fixtures.mjs';

/** What the controls say. */
async function controls(wall) {
  const values = await wall.calculator.locator('select, input').evaluateAll((all) =>
    all.map((one) => (one.type === 'radio' ? `${one.value} ${one.checked}` : `${one.id} ${one.value}`)),
  );
  return [...values, await wall.unit('GiB').getAttribute('aria-pressed'), await wall.tier('Host memory').isChecked()];
}

test('changes are written with the version, in a fixed order, without defaults', async ({ wall }) => {
  await wall.goto();
  await wall.setUnit('GiB');
  await wall.choose('GPU', 'h100-sxm');
  await wall.setSeq(128_000);
  await wall.choose('Model', 'llama-3.1-8b');
  await expect.poll(() => wall.query()).toBe('?v=1&model=llama-3.1-8b&seq=128000&gpu=h100-sxm&unit=gib');
  await wall.choose('GPU', 'a100-80-sxm');
  await expect.poll(() => wall.query()).toBe('?v=1&model=llama-3.1-8b&seq=128000&unit=gib');
});

test('every setting travels: a reload keeps it and another reader sees the same', async ({ wall, visitor }) => {
  await wall.goto();
  await wall.openDetails();
  await wall.setMode('training');
  for (const [label, value] of [
    ['Optimizer', 'sgd-momentum'],
    ['Checkpointing', 'full'],
    ['Attention', 'eager'],
    ['Weights in', 'fp32'],
    ['GPU', 'b200'],
    ['Model', 'qwen2.5-7b'],
  ]) {
    await wall.choose(label, value);
  }
  await wall.dimension('layers').fill('30');
  await wall.batch.field.fill('6');
  await wall.setSeq(5_000);
  await wall.setMode('generating');
  await wall.choose('KV cache in', 'fp8');
  await wall.setUnit('GiB');
  await wall.tier('Host memory').check({ force: true });
  const query =
    '?v=1&model=qwen2.5-7b&layers=30&batch=6&seq=5000&weights=fp32&kv=fp8&optimizer=sgd-momentum&checkpointing=full&attention=eager&gpu=b200&unit=gib&tier=host';
  await expect.poll(() => wall.query()).toBe(query);
  await wall.seq.field.blur();
  await wall.settle();
  const [state, bytes] = [await controls(wall), await wall.bytes()];

  await wall.reload();
  expect(wall.query()).toBe(query);
  expect(await controls(wall)).toEqual(state);
  expect(await wall.bytes()).toEqual(bytes);
  await expect(wall.notice).toHaveCount(0);

  const other = await visitor();
  await other.goto(query.slice(1));
  expect(await controls(other)).toEqual(state);
  expect(await other.bytes()).toEqual(bytes);
  await expect(other.notice).toHaveCount(0);
});

test('every setting of the roofline travels too', async ({ wall, visitor }) => {
  await wall.goto();
  await wall.openDetails();
  const { figure } = wall.roofline;
  for (const [control, id] of [
    ['pass', 'prefill'],
    ['kernels', 'separate'],
    ['accounting', 'reads-only'],
    ['precisions', 'all'],
  ]) {
    await figure.locator(`[data-control="${control}"] input[value="${id}"]`).check({ force: true });
  }
  await figure.locator('#control-vs').selectOption('h100-sxm');
  await figure.locator('#control-vs-also').selectOption('b200');
  const typed = { 'roof-peak': '1000', 'roof-gbps': '4000.5', 'op-flops': '2e12', 'op-bytes': '1G', 'gemm-m': '16', 'gemm-n': '4096', 'gemm-k': '4096', rate: '55' };
  for (const [control, value] of Object.entries(typed)) await figure.locator(`#control-${control}`).fill(value);
  await wall.page.getByRole('heading', { level: 1 }).click();
  const query =
    '?v=1&pass=prefill&kernels=separate&accounting=reads-only&precisions=all&vs=h100-sxm,b200&roof=1000,4000.5&op=2000000000000,1000000000&gemm=16,4096,4096&rate=55';
  await expect.poll(() => wall.query()).toBe(query);
  const state = (of) =>
    of.roofline.figure.locator('select, input').evaluateAll((all) => all.map((one) => (one.type === 'radio' ? one.checked : one.value)));
  const said = (of) => of.roofline.figure.locator('.summary').allTextContents();
  await wall.settle();
  const other = await visitor();
  await other.goto(query.slice(1));
  expect(await state(other)).toEqual(await state(wall));
  expect(await said(other)).toEqual(await said(wall));
  await expect(other.notice).toHaveCount(0);
});

test('the default state leaves a clean address', async ({ wall, page }) => {
  await wall.goto();
  await wall.setSeq(4_096);
  await expect.poll(() => wall.query()).toBe('?v=1&seq=4096');
  await wall.setSeq(2_048);
  await expect.poll(() => wall.query()).toBe('');
  await wall.choose('Model', 'gpt2-xl');
  await expect.poll(() => wall.query()).toBe('?v=1&model=gpt2-xl');
  await page.getByRole('button', { name: 'Start over' }).click();
  await expect.poll(() => wall.query()).toBe('');
  expect(new URL(page.url()).pathname).toBe('/');
  expect(await wall.stored()).toEqual({});
});

test('edits stay one step of the history and keep the anchor', async ({ wall, page }) => {
  await page.goto('/#what-the-line-means');
  await wall.live();
  const before = await page.evaluate(() => history.length);
  await wall.setSeq(4_096);
  await wall.setSeq(8_192);
  await expect.poll(() => wall.query()).toBe('?v=1&seq=8192');
  expect(new URL(page.url()).hash).toBe('#what-the-line-means');
  expect(await page.evaluate(() => history.length)).toBe(before);
});

test('a link that is only opened stays as it was sent, and nothing is kept of it', async ({ wall, page }) => {
  const query = 'seq=8192&gpu=h100-sxm&v=1';
  await wall.goto(query);
  await page.waitForTimeout(900);
  expect(wall.query()).toBe(`?${query}`);
  expect(await wall.stored()).toEqual({});
  // The first edit writes both.
  await wall.setSeq(9_000);
  await expect.poll(() => wall.query()).toBe('?v=1&seq=9000&gpu=h100-sxm');
  expect(await wall.stored()).toEqual({ 'memory-wall.v1.state': 'v=1&seq=9000&gpu=h100-sxm' });
});

test('without a query the kept state comes back, and a link goes before it', async ({ wall, page }) => {
  await wall.goto();
  await wall.choose('Model', 'llama-3.1-70b');
  await wall.setSeq(32_768);
  await expect.poll(() => wall.query()).toBe('?v=1&model=llama-3.1-70b&seq=32768');
  await wall.goto();
  await expect(wall.list('Model')).toHaveValue('llama-3.1-70b');
  await expect(wall.seq.field).toHaveValue('32,768');
  await page.waitForTimeout(600);
  expect(wall.query()).toBe('');
  await wall.goto('v=1&seq=4096');
  await expect(wall.list('Model')).toHaveValue('llama-2-7b');
  await expect(wall.seq.field).toHaveValue('4,096');
});

test('a page that may keep nothing works all the same', async ({ wall, page }) => {
  await page.addInitScript(() => {
    Object.defineProperty(window, 'localStorage', {
      get() {
        throw new DOMException('blocked', 'SecurityError');
      },
    });
  });
  await wall.goto();
  await wall.setSeq(128_000);
  expect((await wall.bucket('kv_cache')).bytes).toBe(67_108_864_000n);
  await expect.poll(() => wall.query()).toBe('?v=1&seq=128000');
});
