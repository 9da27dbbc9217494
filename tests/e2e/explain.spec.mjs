// What a run left behind, read on the reader's device: pasted, dropped or chosen, hostile or not, with a network or without, by keyboard alone.

import { expect, test } from './fixtures.mjs';
import { plain } from './page.mjs';

const figure = (page) => page.locator('#figure-profile');
const said = (page) => figure(page).locator('.explain-said');
const found = (page) => figure(page).locator('.explain-found');
const box = (page) => figure(page).getByRole('textbox', { name: 'Paste what your run printed' });
const choose = (page) => figure(page).getByLabel('Or choose files, or drop them here');

const MESSAGE =
  'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.96 GiB. GPU 0 has a total capacity of 23.64 GiB of which 512.00 MiB is free. Including non-PyTorch memory, this process has 23.10 GiB memory in use. Of the allocated memory 22.00 GiB is allocated by PyTorch, and 0.60 GiB is reserved by PyTorch but unallocated.';
const LOG = `INFO [utils.py:233] non-default args: {'host': '10.1.2.3', 'api_key': 'sk-secret', 'model': '/srv/alice/Llama-3.1-8B-Instruct'}
INFO [core.py:93] Initializing a V1 LLM engine (v0.19.0) with config: model='/srv/alice/Llama-3.1-8B-Instruct', dtype=torch.bfloat16, max_seq_len=16384, kv_cache_dtype=auto
INFO [worker.py:1] Model loading took 14.99 GiB memory and 3.2 seconds
`;

/** A file as a page takes it. */
const file = (name, content) => ({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(content) });

/** A safetensors file: its header, and as much data as it promises. */
function safetensors(name = 'model.safetensors') {
  const header = Buffer.from('{"model.embed_tokens.weight":{"dtype":"BF16","shape":[128,64],"data_offsets":[0,16384]}}');
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  return file(name, Buffer.concat([length, header, Buffer.alloc(16_384)]));
}

test('a message that is pasted is read line by line, with its likeliest cause', async ({ wall, page }) => {
  await wall.goto('unit=gib');
  await box(page).fill(`step 1\n${MESSAGE}`);
  await expect(said(page)).toHaveText('Recognised: PyTorch ran out of GPU memory.');
  await expect(said(page)).toHaveAttribute('role', 'status');
  await expect(found(page)).toContainText('Likeliest cause: The GPU is full.');
  await found(page).locator('summary').filter({ hasText: 'PyTorch ran out of GPU memory (Line 2)' }).click();
  const rows = (await found(page).locator('details').first().locator('tbody tr').allInnerTexts()).map(plain);
  expect(rows).toContain('asked for when no memory was left 1.96 GiB 2');
  // The figure beside it takes the same numbers, as ever.
  await expect(figure(page).locator('#profile-said')).toContainText('Held when it died: 22.0 GiB.');
  await box(page).fill('');
  await expect(said(page)).toHaveText('');
  await expect(found(page)).toBeHidden();
});

test('a log fills the calculator in, and nothing of it but settings is in the address', async ({ wall, page }) => {
  await wall.goto('unit=gib');
  await choose(page).setInputFiles([file('vllm.log', LOG)]);
  await expect(said(page)).toHaveText('Recognised: log of vLLM 0.19.0.');
  await expect(found(page)).toContainText('Model: Llama 3.1 8B.');
  await found(page).getByRole('button', { name: 'Fill the calculator in with this' }).click();
  await wall.settle();
  await expect(said(page)).toHaveText('The calculator and every figure on this page now use the settings that were read.');
  await expect.poll(() => wall.query()).toContain('model=llama-3.1-8b&seq=16384');
  for (const secret of ['alice', 'srv', 'sk-secret', '10.1.2.3']) {
    expect(decodeURIComponent(page.url())).not.toContain(secret);
    await expect(found(page)).not.toContainText(secret);
  }
  expect(wall.query()).toContain('unit=gib');
  await expect(found(page).getByRole('link', { name: 'See what helps most' })).toHaveAttribute('href', '#figure-fixes');
});

test('files are dropped, several at once, and each says what it holds or why it is not read', async ({ wall, page }) => {
  await wall.goto('unit=gib');
  await box(page).scrollIntoViewIfNeeded();
  const header = [...safetensors().buffer];
  const data = await page.evaluateHandle((header) => {
    const data = new DataTransfer();
    data.items.add(new File([new Uint8Array(header)], 'model.safetensors'));
    data.items.add(new File([new Uint8Array([0x1f, 0x8b, 8, 0, 0, 0])], 'snapshot.gz'));
    data.items.add(new File(['{"schema": "memory-wall-report/7"}'], 'step.json'));
    return data;
  }, header);
  for (const kind of ['dragover', 'drop']) await figure(page).locator('.profile-own').dispatchEvent(kind, { dataTransfer: data });
  await expect(said(page)).toHaveText('Recognised: header of a safetensors file.');
  await expect(found(page)).toContainText('snapshot.gz, not read: this file is packed with gzip: unpack it first.');
  await expect(found(page)).toContainText('step.json, not read: reports of memory-wall-report/7 are not read');
  await found(page).locator('summary').filter({ hasText: 'Tensors (model.safetensors)' }).click();
  const rows = await found(page).locator('details[open] tbody tr').allInnerTexts();
  expect(rows.map(plain)).toEqual(['Embedding, BF16 1 16.0 KiB']);
});

test('hostile files are answered in words and never become part of the page', async ({ wall, page }) => {
  await wall.goto();
  const markup = '<img src=x onerror="window.hit=1"><script>window.hit=1</script>';
  const length = Buffer.alloc(8, 0xff);
  length[7] = 0x7f;
  const files = [
    file(`${markup}.log`, `${markup}\n${MESSAGE}`),
    file('lying.safetensors', Buffer.concat([length, Buffer.from('{"a"')])),
    file('nested.json', '[['.repeat(100_000)),
    file('code.pickle', '\x80\x04cos\nsystem\n(S"echo"\ntR.'.replace('\x80', 'x')),
    file('noise.bin', Buffer.from(Array.from({ length: 5_000 }, (_, at) => (at * 7_919) % 251))),
    file('empty', ''),
  ];
  files[3].buffer[0] = 0x80;
  await choose(page).setInputFiles(files);
  await expect(said(page)).toHaveText('Recognised: PyTorch ran out of GPU memory.');
  for (const name of ['lying.safetensors', 'nested.json', 'code.pickle']) await expect(found(page)).toContainText(`${name}, not read: `);
  await choose(page).setInputFiles(files.slice(3));
  await expect(said(page)).toHaveText('Nothing that is known was found.');
  expect(await page.evaluate(() => [window.hit ?? 0, document.querySelectorAll('main img, main script').length])).toEqual([0, 0]);
});

test('everything is reached by keyboard', async ({ wall, page }) => {
  await wall.goto();
  await box(page).focus();
  await page.keyboard.insertText(LOG);
  await expect(said(page)).toHaveText('Recognised: log of vLLM 0.19.0.');
  await page.keyboard.press('Tab');
  await expect(choose(page)).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(found(page).getByRole('button', { name: 'Fill the calculator in with this' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect.poll(() => wall.query()).toContain('model=llama-3.1-8b');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await expect(found(page).locator('summary').first()).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(found(page).getByRole('region', { name: /log of vLLM/ })).toBeVisible();
});

test('on a narrow screen nothing scrolls sideways but tables in their own regions', async ({ wall, page }) => {
  await page.setViewportSize({ width: 360, height: 800 });
  await wall.goto();
  await choose(page).setInputFiles([safetensors('a-very-long-name-of-a-file-without-any-space-'.repeat(4)), file('vllm.log', LOG)]);
  await expect(found(page)).toBeVisible();
  for (const summary of await found(page).locator('summary').all()) await summary.click();
  expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0);
});

test('without the program nothing stands there that cannot work', async ({ visitor }) => {
  const wall = await visitor({ javaScriptEnabled: false });
  await wall.goto('', { live: false });
  await expect(choose(wall.page)).toBeHidden();
});

test.describe('offline', () => {
  test.use({ serviceWorkers: 'allow' });

  test('the second program comes with the first use, and is there without a network from then on', async ({ wall, page, context }) => {
    const asked = [];
    page.on('worker', (worker) => asked.push(worker.url()));
    await wall.goto();
    await expect(page.locator('#offline-ready')).toBeVisible();
    // The page is in the hands of the worker that keeps it.
    await page.reload();
    await wall.live?.();
    expect(asked).toEqual([]);
    await box(page).fill(MESSAGE);
    await expect(said(page)).toHaveText('Recognised: PyTorch ran out of GPU memory.');
    expect(asked).toHaveLength(1);
    await context.setOffline(true);
    await page.reload();
    await box(page).fill(LOG);
    await expect(said(page)).toHaveText('Recognised: log of vLLM 0.19.0.');
  });
});
