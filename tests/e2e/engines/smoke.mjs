// What every engine must do: show the page and bring it to life, answer the exercise and a question, live in frames, and go without a network.

import { expect, test, until, WATCHED } from './fixtures.mjs';

const KV_128K = '67108864000';

test('the page comes alive without a complaint, and says then what it said before', async ({ driver, wall }) => {
  await wall.open(WATCHED);
  const [arrived, live] = await driver.run(async () => {
    const html = await (await fetch(location.href)).text();
    const parsed = new DOMParser().parseFromString(html, 'text/html');
    // The self-check comes later.
    for (const root of [parsed, document]) for (const place of root.querySelectorAll('noscript, #check')) place.remove();
    return [parsed, document].map((root) => root.querySelector('main').textContent.replace(/\s+/g, ' ').trim());
  });
  expect(live).toBe(arrived);
  // What is drawn and not written: the roofline, once it is looked at.
  await driver.run(() => document.querySelector('.roofline-canvas').scrollIntoView());
  const colours = () =>
    driver.run(() => {
      const canvas = document.querySelector('.roofline-canvas');
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      return new Set(new Uint32Array(data.buffer)).size;
    });
  await until(colours).toBeGreaterThan(4);
  expect(await driver.run(() => window.complaints)).toEqual([]);
});

test('from 2,048 to 128,000 tokens the KV cache grows past everything else', async ({ driver, wall }) => {
  await wall.open(`${WATCHED}?model=llama-2-7b&seq=2048`);
  const largest = (parts) => Object.keys(parts).sort((a, b) => parts[b] - parts[a])[0];
  const height = () => driver.run(() => document.querySelector('.calculator-wall .layer[data-bucket="kv_cache"] rect.ground').getBoundingClientRect().height);
  expect(largest(await wall.bytes())).toBe('weights');
  const before = await height();
  expect(before).toBeGreaterThan(1);
  await wall.setSeq(128_000);
  await until(wall.bytes).toMatchObject({ kv_cache: KV_128K });
  expect(largest(await wall.bytes())).toBe('kv_cache');
  // The wall grows in its own time.
  await until(height).toBeGreaterThan(30 * before);
  await until(() => wall.text('#calculator .answer-verdict')).toContain('barely');
  // The lever stands where the number is, and an arrow moves it to the next stop.
  const spoken = () => driver.run(() => document.getElementById('control-seq').getAttribute('aria-valuetext'));
  expect(await spoken()).toMatch(/^128,000 tokens, KV cache 67\.1\sGB/);
  await driver.press('#control-seq', 'ArrowLeft');
  await until(spoken).toMatch(/^1[12]\d,\d{3} tokens/);
  expect(await driver.run(() => window.complaints)).toEqual([]);
});

test('a question is answered, and the answer is explained', async ({ driver, wall }) => {
  await wall.open(WATCHED);
  const question = '[id="quiz-roofline.three"]';
  await driver.run(() => document.getElementById('check').scrollIntoView());
  await until(() => driver.run(() => document.querySelectorAll('.question').length)).toBeGreaterThan(40);
  const choose = async (option) => {
    await driver.click(`${question} [value="${option}"]`);
    await driver.click(`${question} .reveal .check`);
  };
  await choose(1);
  await until(() => wall.text(`${question} .quiz-said`)).toBe('Not this. Here is a hint, and you have one more try.');
  await choose(2);
  await until(() => wall.text(`${question} .quiz-said`)).toBe('Not this. The reasons are below.');
  expect(await wall.text(`${question} .reason[data-right]`)).toContain('6.12 TFLOP/s');
  expect(await driver.run(() => window.complaints)).toEqual([]);
});

for (const [name, attributes] of [
  ['a frame', 'data-memory-wall'],
  ['a sandbox that allows scripts and nothing else', 'data-memory-wall sandbox="allow-scripts"'],
]) {
  test(`a figure lives in ${name} of a page of somebody else, as wide as a telephone and as high as it must be`, async ({ driver, site, hosted, wall }) => {
    await hosted(
      `<script src="${site.origin}/embed.js"></script>
       <iframe ${attributes} src="${site.origin}/embed/buckets.html?model=llama-2-7b&seq=4096" style="width:360px;border:0" title="t"></iframe>`,
    );
    await driver.frame('iframe');
    await wall.live();
    expect(await wall.bytes()).toMatchObject({ kv_cache: '2147483648' });
    await wall.setSeq(128_000);
    await until(wall.bytes).toMatchObject({ kv_cache: KV_128K });
    const beyond = () =>
      driver.run(() => {
        const root = document.documentElement;
        return [root.scrollWidth - root.clientWidth, root.scrollHeight - root.clientHeight];
      });
    await until(beyond).toEqual([0, 0]);
  });
}

test('the second visit needs no server', async ({ driver, site, wall }) => {
  await wall.open();
  test.skip(!(await driver.run(() => 'serviceWorker' in navigator)), 'this engine has no service workers here');
  await until(() => driver.run(() => document.getElementById('offline-ready').hidden), 'the page is kept').toBe(false);
  await site.close();
  await wall.open('/?seq=2048');
  await wall.setSeq(128_000);
  await until(wall.bytes).toMatchObject({ kv_cache: KV_128K });
});
