// What a run left behind, read on the reader's device: pasted, dropped or chosen, hostile or not, with a network or without, by keyboard alone.

import { expect, test } from './fixtures.mjs';
import { ready } from './kept.mjs';
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
  await wall.near('#figure-profile', '#explain');
  await box(page).fill(`step 1\n${MESSAGE}`);
  await expect(said(page)).toHaveText('Recognised: PyTorch ran out of GPU memory.');
  await expect(said(page)).toHaveAttribute('role', 'status');
  await expect(found(page)).toContainText('Likeliest cause: The GPU is full.');
  await found(page).locator('summary').filter({ hasText: 'PyTorch ran out of GPU memory (Line 2)' }).click();
  const rows = (await found(page).locator('details[open] tbody tr').allInnerTexts()).map(plain);
  expect(rows).toContain('asked for when no memory was left 1.96 GiB 2');
  // The figure beside it takes the same numbers, as ever.
  await expect(figure(page).locator('#profile-said')).toContainText('Held when it died: 22.0 GiB.');
  await box(page).fill('');
  await expect(said(page)).toHaveText('');
  await expect(found(page)).toBeHidden();
});

test('what was pasted before the script came is read when it comes', async ({ page }) => {
  let come;
  const wait = new Promise((resolve) => (come = resolve));
  await page.route('**/panel-*.js', async (route) => {
    await wait;
    await route.continue();
  });
  // The page is loaded only once its scripts are.
  await page.goto('/', { waitUntil: 'commit' });
  await box(page).fill(MESSAGE);
  await page.waitForTimeout(500);
  await expect(said(page)).toHaveText('');
  come();
  await expect(said(page)).toHaveText('Recognised: PyTorch ran out of GPU memory.');
});

test('a log fills the calculator in, and nothing of it but settings is in the address', async ({ wall, page }) => {
  await wall.goto('unit=gib');
  await wall.near('#figure-profile', '#explain');
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

test('the estimate stands beside each term of a log, and what would help beside a failure', async ({ wall, page }) => {
  await wall.goto('unit=gib');
  await wall.near('#figure-profile', '#explain');
  await choose(page).setInputFiles([
    file('vllm.log', `${LOG}ERROR ValueError: To serve at least one request with the models's max seq len (16384), (2.00 GiB KV cache is needed, which is larger than the available KV cache memory (1.50 GiB). Based on the available memory, the estimated maximum model length is 12288.\n`),
    file('smi.txt', 'name, memory.total [MiB], memory.used [MiB]\nNVIDIA L4, 23034 MiB, 512 MiB\n'),
  ]);
  await found(page).locator('summary').filter({ hasText: 'Estimated' }).click();
  const rows = (await found(page).locator('details[open] tbody tr').allInnerTexts()).map(plain);
  expect(rows.find((row) => row.startsWith('Weights'))).toContain('Weights 15.0 GiB 15.0 GiB');
  await expect(found(page)).toContainText('What helps most:');
});

const header = (...numbers) => Buffer.concat(numbers.map((number) => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(number));
  return bytes;
}));
const CONFIG = '{"model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128256, "tie_word_embeddings": false}';
const SNAPSHOT = JSON.stringify({
  segments: [{ device: 0, address: 4096, total_size: 2_097_152, allocated_size: 1_048_576, active_size: 1_048_576, requested_size: 1_000_000, stream: 0, segment_type: 'large', frames: [], blocks: [{ address: 4096, size: 1_048_576, requested_size: 1_000_000, state: 'active_allocated', frames: [] }, { address: 1_052_672, size: 1_048_576, requested_size: 0, state: 'inactive', frames: [] }] }],
  device_traces: [[{ action: 'alloc', addr: 4096, size: 1_000_000, stream: 0, time_us: 1, frames: [] }]],
});
const REPORT = '{"schema": "memory-wall-report/1", "torch": "2.9.0", "device": "cpu", "optimizer": "AdamW", "phases": [{"name": "start", "bytes": {"weights": {"bfloat16": 1000}}}], "modules": {}}';
const KINDS = [
  ['a GGUF file', 'model.gguf', Buffer.concat([Buffer.from('GGUF\x03\0\0\0', 'latin1'), header(0, 0)]), 'header of a GGUF file'],
  ['a safetensors file', 'model.safetensors', null, 'header of a safetensors file'],
  ['an index', 'model.safetensors.index.json', '{"metadata": {"total_size": 16384}, "weight_map": {"lm_head.weight": "model-1.safetensors"}}', "index of a checkpoint's files"],
  ['a config', 'config.json', CONFIG, "a model's config.json"],
  ['a snapshot', 'snapshot.json', SNAPSHOT, "PyTorch's memory snapshot"],
  ['a report of a step', 'step.json', REPORT, 'report of memory_report.py 2.9.0'],
  ['a message', 'run.txt', MESSAGE, 'PyTorch ran out of GPU memory'],
  ['a log of vLLM', 'vllm.log', LOG, 'log of vLLM 0.19.0'],
  ['a log of llama.cpp', 'llama.log', 'llama_model_loader: loaded meta data\nload_tensors:        CUDA0 model buffer size =  4403.49 MiB\nllama_kv_cache:      CUDA0 KV buffer size =   512.00 MiB\n', 'log of llama.cpp'],
  ['nvidia-smi', 'smi.csv', 'name, memory.total [MiB], memory.used [MiB]\nNVIDIA L4, 23034 MiB, 512 MiB\n', 'nvidia-smi'],
];
for (const [kind, name, content, told] of KINDS) {
  test(`${kind} is recognised, and what follows from it is said`, async ({ wall, page }) => {
    await wall.goto('unit=gib');
    await wall.near('#figure-profile', '#explain');
    await choose(page).setInputFiles([content ? file(name, content) : safetensors()]);
    await expect(said(page)).toHaveText(`Recognised: ${told}.`);
    await expect(found(page).locator('.explain-run')).toContainText('Model: ');
  });
}

test('files are dropped, several at once, and each says what it holds or why it is not read', async ({ wall, page }) => {
  await wall.goto('unit=gib');
  await wall.near('#figure-profile', '#explain');
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
  await wall.near('#figure-profile', '#explain');
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
  await wall.near('#figure-profile', '#explain');
  await box(page).focus();
  await page.keyboard.insertText(LOG);
  await expect(said(page)).toHaveText('Recognised: log of vLLM 0.19.0.');
  // What follows from the log comes later than what it says.
  const fill = found(page).getByRole('button', { name: 'Fill the calculator in with this' });
  await expect(fill).toBeVisible();
  await page.keyboard.press('Tab');
  await expect(choose(page)).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(fill).toBeFocused();
  await page.keyboard.press('Enter');
  await expect.poll(() => wall.query()).toContain('model=llama-3.1-8b');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await expect(found(page).locator('summary').first()).toBeFocused();
  await page.keyboard.press('Enter');
  // The estimate stands above the facts.
  await expect(found(page).getByRole('region', { name: 'Estimated' })).toBeVisible();
});

test('on a narrow screen nothing scrolls sideways but tables in their own regions', async ({ wall, page }) => {
  await page.setViewportSize({ width: 360, height: 800 });
  await wall.goto();
  await wall.near('#figure-profile', '#explain');
  await choose(page).setInputFiles([safetensors('a-very-long-name-of-a-file-without-any-space-'.repeat(4)), file('vllm.log', LOG)]);
  // The programs come with the first file.
  await expect(found(page)).toBeVisible({ timeout: 15_000 });
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
    await wall.near('#figure-profile', '#explain');
    // All of it: what still came when the network goes would be told of as missing.
    await ready(page);
    // The page is in the hands of the worker that keeps it.
    await page.reload();
    await wall.near('#figure-profile', '#explain');
    await expect(choose(page)).toBeVisible();
    expect(asked).toEqual([]);
    const third = page.waitForEvent('requestfinished', (request) => request.url().includes('/explain-run-'));
    await box(page).fill(MESSAGE);
    await expect(said(page)).toHaveText('Recognised: PyTorch ran out of GPU memory.');
    expect(asked).toHaveLength(1);
    // A reload would break off what still comes.
    await third;
    await context.setOffline(true);
    await page.reload();
    await wall.near('#figure-profile', '#explain');
    // What reads comes after the page.
    await expect(choose(page)).toBeVisible();
    await box(page).fill(LOG);
    await expect(said(page)).toHaveText('Recognised: log of vLLM 0.19.0.');
    await expect(found(page).locator('summary').filter({ hasText: 'Estimated' })).toBeVisible();
  });
});
