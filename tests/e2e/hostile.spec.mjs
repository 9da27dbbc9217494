// Links come from anywhere: what cannot be used is named, the rest applies, and nothing of it becomes part of the page.

import { expect, test } from './fixtures.mjs';
import { plain, spoken } from './page.mjs';
import { handOut, random } from './random.mjs';

const IMAGE = '<img src=x onerror=window.hit=1>';
const junk = 'x'.repeat(10_000);

/** A query, and what the notice says about it. */
const LINKS = [
  ['a negative length', 'seq=-1', ['seq: “-1” is not a whole number from 1 to 10,000,000. Kept 2,048.']],
  ['a length beyond all bounds', 'seq=1e99', ['seq: “1e99” is not a whole number']],
  ['no number', 'seq=NaN', ['seq: “NaN” is not a whole number']],
  ['an empty value', 'seq=', ['seq: “” is not a whole number']],
  ['a key alone', 'seq', ['seq: “” is not a whole number']],
  ['a zero byte', 'seq=%00', ['seq: “” is not a whole number']],
  ['a broken escape', 'seq=%zz%', ['seq: “%zz%” is not a whole number']],
  ['a number too large for any machine', `seq=${'9'.repeat(60)}`, [`seq: “${'9'.repeat(40)}…” is not a whole number`]],
  ['an unknown key', 'colour=red', ['It has a part that is not known here: colour.']],
  ['many unknown keys', 'a=1&b=2&c=3&d=4&e=5', ['not known here: a.', 'It has 2 more parts that are not known here.']],
  ['an unknown model', 'model=gpt-99', ['model: “gpt-99” is not known. Kept Llama 2 7B.']],
  ['markup as a value', `model=${encodeURIComponent(IMAGE)}`, ['model: “<img src=x onerror=window.hit=1>” is not known.']],
  ['a script as a value', `mode=${encodeURIComponent('<script>window.hit=1</script>')}`, ['mode: “<script>window.hit=1</script>” is not known.']],
  ['markup as a key', `${encodeURIComponent(IMAGE)}=1`, ['not known here: <img src=x onerror=window.hit=1>.']],
  ['a key twice', 'seq=4096&seq=8192', ['It names seq twice; the first is used.']],
  ['heads that do not divide', 'kv_heads=5', ['kv_heads 5 does not divide heads 32', 'Kept those of Llama 2 7B.']],
  ['a version of the future', 'v=2', ['It says version 2; this page reads version 1']],
  ['weights that cannot be trained', 'mode=training&weights=int4', ['weights: int4 cannot be trained, so training uses bf16.']],
  ['names of built-in properties', 'model=__proto__&gpu2=constructor', ['model: “__proto__” is not known.']],
];

/** Elements that no part of the page's body has of its own but its words, what asks for its program and, in one file, the script of a figure, and what a script of the link would have left behind. */
const injected = (page) =>
  page.evaluate(() => [
    ...[...document.body.querySelectorAll('img, script:not(#words, #words + script, #words + script + script, #later + script), iframe, object, embed, style, link, form, #notice :not(div, p, ul, li, button)')].map(
      (one) => one.outerHTML,
    ),
    ...(window.hit === undefined ? [] : ['a script of the link ran']),
  ]);

for (const [name, query, sentences] of LINKS) {
  test(`a link with ${name}`, async ({ wall, page }) => {
    await wall.goto(`${query}&gpu=h100-sxm&batch=3`);
    const notice = plain(await wall.notice.innerText());
    for (const sentence of sentences) expect(notice).toContain(sentence);
    // The rest applies.
    await expect(wall.list('GPU')).toHaveValue('h100-sxm');
    await expect(wall.batch.field).toHaveValue('3');
    if (!query.includes('seq=4096')) await expect(wall.seq.field).toHaveValue('2,048');
    else await expect(wall.seq.field).toHaveValue('4,096');
    expect(await injected(page)).toEqual([]);
  });
}

test('a link of ten thousand characters is read as far as is reasonable', async ({ wall, page }) => {
  await wall.goto(`gpu=h100-sxm&${junk}&batch=3`);
  const notice = plain(await wall.notice.innerText());
  expect(notice).toContain('It is longer than 2,000 characters; the rest was not read.');
  expect(notice.length).toBeLessThan(400);
  await expect(wall.list('GPU')).toHaveValue('h100-sxm');
  await expect(wall.batch.field).toHaveValue('1');
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth)).toBe(true);
});

test('the notice is closed by keyboard and does not come back', async ({ wall, page }) => {
  await wall.goto('seq=-1');
  const close = wall.notice.getByRole('button', { name: 'Close this message' });
  for (let presses = 0; presses < 8 && !(await close.evaluate((button) => button === document.activeElement)); presses += 1) {
    await page.keyboard.press('Tab');
  }
  await expect(close).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(wall.notice).toHaveCount(0);
  await wall.setSeq(4_096);
  await expect(wall.notice).toHaveCount(0);
});

test('a good link brings no notice', async ({ wall }) => {
  await wall.goto('v=1&model=llama-3.1-8b&kv_heads=4&seq=128000&gpu=h100-sxm&unit=gib');
  await expect(wall.notice).toBeHidden();
  await wall.openDetails();
  await expect(wall.dimension('kv_heads')).toHaveValue('4');
});

const KEYS = ['v', 'model', 'mode', 'batch', 'seq', 'weights', 'kv', 'optimizer', 'checkpointing', 'attention', 'gpu', 'unit'];
const DIMENSIONS = ['layers', 'hidden_size', 'heads', 'kv_heads', 'head_dim', 'intermediate_size', 'vocab_size'];
const GOOD = {
  v: ['1'],
  model: ['llama-3.1-405b', 'gpt2-small', 'mistral-7b-v0.1', 'generic-7b', 'llama-3.2-1b', 'gpt3-175b'],
  mode: ['inference', 'training'],
  weights: ['fp32', 'fp16', 'fp8', 'int8', 'int4', 'nf4', 'nf4-dq', 'mxfp4'],
  kv: ['fp32', 'int4', 'fp8'],
  optimizer: ['adamw', 'adamw8bit', 'sgd', 'sgd-momentum'],
  checkpointing: ['none', 'selective', 'full'],
  attention: ['flash', 'eager'],
  gpu: ['t4', 'h100-sxm', 'b300', 'rtx4090'],
  unit: ['gb', 'gib'],
};
const BAD = ['', '-1', '0', '1e99', 'NaN', 'Infinity', '%00', '%F0%28', '<b>', '"', "'", '%22%3E', '１２', '4294967296', '18446744073709551616', '+5', '%', '&', '=', '#', '🧱'];

function query({ next, pick }) {
  const parts = Array.from({ length: 1 + Math.floor(next() * 8) }, () => {
    const key = next() < 0.9 ? pick([...KEYS, ...DIMENSIONS]) : pick(['x', '', '__proto__', '<i>', 'SEQ']);
    const digits = Math.floor(next() * 8);
    const number = String(Math.floor(next() * 10 ** digits));
    const value = next() < 0.25 ? pick(BAD) : pick(GOOD[key] ?? [number, number, String(2 ** Math.floor(next() * 20))]);
    return next() < 0.95 ? `${key}=${value}` : key;
  });
  return parts.join(pick(['&', '&', '&', '&&']));
}

// Thirty are looked at closely; ten thousand are read below, and far more in tests/query.rs, without a browser.
test('thirty random links', async ({ wall, page }) => {
  test.slow();
  await page.setViewportSize({ width: 800, height: 300 });
  await wall.goto();
  const source = random(1);
  for (let round = 0; round < 30; round += 1) {
    const search = query(source);
    await page.evaluate((search) => history.replaceState(null, '', `?${search.replaceAll('#', '%23')}`), search);
    await page.reload({ waitUntil: 'commit' });
    const { said, bytes, below } = await page.evaluate(async () => {
      while (!document.documentElement?.hasAttribute('data-live')) await new Promise((done) => setTimeout(done, 5));
      // What a notice quotes is the link's own text, so it is left out.
      // Text that is hidden now belongs to it too.
      const texts = [...document.querySelectorAll('main, .rig')].map((part) => part.textContent);
      const values = (selector, names) =>
        [...document.querySelectorAll(selector)].flatMap((one) => names.map((name) => one.getAttribute(name) ?? ''));
      return {
        said: [
          ...texts,
          ...values('main [aria-label], main [aria-valuetext], main [title]', ['aria-label', 'aria-valuetext', 'title']),
          ...values(':is(.wall, .plot) :is(rect, line, circle, polyline, text)', ['x', 'x1', 'y', 'y1', 'y2', 'cx', 'cy', 'height', 'points']),
        ].join('\n'),
        // Where a segment of the wall would hang in the air or below the ground.
        below: values('.calculator-wall rect', ['y', 'height']).filter((measure) => measure.startsWith('-')),
        bytes: values('table.buckets [data-bytes]', ['data-bytes']),
      };
    });
    expect(said.replaceAll("Infinity Cache", "").match(/^.*(\bNaN\b|\bundefined\b|\binf(inity)?\b|\bnull\b|\{\{).*$/gim) ?? [], search).toEqual([]);
    expect(below, search).toEqual([]);
    const [total, ...parts] = bytes.map(BigInt).reverse();
    expect(parts.reduce((sum, one) => sum + one), search).toBe(total);
  }
});

test('ten thousand random queries: no exception, and each is read as what is written of it', async ({ wall, page }) => {
  test.slow();
  await wall.goto();
  await handOut(page);
  const wrong = await page.evaluate(async () => {
    const { below, pick: one } = window.random(20_413);
    const keys = [
      'v', 'model', 'mode', 'batch', 'seq', 'weights', 'kv', 'optimizer', 'checkpointing', 'attention', 'gpu', 'unit', 'tier', 'dots', 'pass',
      'kernels', 'accounting', 'precisions', 'vs', 'roof', 'op', 'gemm', 'rate', 'tape', 'features', 'rows', 'tokens', 'step', 'card', 'cards',
      'scale', 'recipe', 'targets', 'adapters', 'gpus', 'train_tokens', 'mfu', 'price', 'layers', 'hidden_size', 'heads', 'kv_heads', 'head_dim', 'intermediate_size', 'vocab_size', 'theme', '__proto__', '',
    ];
    const options = [...document.querySelectorAll('option, [type=radio]')].map((option) => option.value);
    const values = () =>
      one([
        () => one(options),
        () => one(options),
        () => String(below(2_000_000)),
        () => String(2 ** below(80)),
        () => `${below(99)},${below(99)}.${below(99)},${below(9)}e${below(400)}`,
        () => one(['-1', '0', 'NaN', '1e999', '%00', '%', '%zz', '\u202e', '<b>', '🙂', '', ' ', 'null', '1_000', '+5', '0x10', 'x'.repeat(3_000)]),
      ])();
    let state;
    const notices = [];
    document.addEventListener('memory-wall:state', ({ detail }) => (state = detail));
    document.addEventListener('memory-wall:notices', ({ detail }) => notices.push(detail));
    const ask = (name, detail) => document.dispatchEvent(new CustomEvent(`memory-wall:${name}`, { detail }));
    const read = (query) => {
      ask('set', query);
      ask('ask');
      return state;
    };
    const wrong = [];
    for (let n = 0; n < 10_000; n += 1) {
      const query = Array.from({ length: 1 + below(8) }, () => `${one(keys)}=${values()}`).join('&');
      const once = read(query);
      notices.length = 0;
      const twice = read(once);
      if (once !== twice || notices.length > 0 || once.length > 2_000) wrong.push({ query, once, twice, notices: [...notices] });
      // The page keeps up between.
      if (n % 500 === 0) await new Promise((done) => setTimeout(done, 50));
    }
    return wrong.slice(0, 3);
  });
  expect(wrong).toEqual([]);
  await wall.settle();
  const text = await spoken(page.locator('main'));
  expect(text).not.toMatch(/NaN|Infinity|undefined/);
});
