// Ten thousand steps of someone who presses, moves and types whatever there is, in no order: nothing breaks, and the page can still
// be used afterwards. Where it starts is said with every failure, so that it can be walked again.

import { expect, test } from './fixtures.mjs';
import { handOut } from './random.mjs';

const SEED = 20_413;
const STEPS = 10_000;

test(`a random walk of ${STEPS} steps over all controls breaks nothing`, async ({ wall, page }) => {
  // A slow machine takes its time: only a walk that never ends fails by it.
  test.setTimeout(600_000);
  await wall.goto();
  await wall.openDetails();
  await handOut(page);
  const walked = await page.evaluate(
    async ([seed, steps]) => {
      const { below, pick: one } = window.random(seed);
      const TEXTS = ['', '0', '1', '7', '4096', '128k', '1e9', '-3', 'NaN', '9'.repeat(60), '<b>x</b>', '3.5', '2,048', '80 GB', '1 MiB', '🧱', ' ', '١٢', '\u202e1', "{'allocated_bytes.all.peak': 9663676416}"];
      // What hands out files or leaves the page is pressed elsewhere.
      const OUT = '[data-act^="export"], [data-act^="keep"], [data-keep], [download], #share-native, [type=file]';
      const all = () =>
        [...document.querySelectorAll(':is(main, .rig, #notice) :is(button, select, input, textarea, summary, [data-dot])')].filter(
          (one) => !one.matches(OUT) && !one.disabled && !one.readOnly && one.checkVisibility(),
        );
      const fire = (place, ...kinds) => kinds.forEach((kind) => place.dispatchEvent(new Event(kind, { bubbles: true })));
      const KEYS = ['ArrowRight', 'ArrowLeft', 'ArrowUp', 'ArrowDown', 'Home', 'End', 'Enter', 'Escape', 'PageUp'];
      const kinds = {};
      const step = (place) => {
        const { tagName: tag, type } = place;
        if (below(8) === 0) {
          kinds.keys = (kinds.keys ?? 0) + 1;
          place.focus({ preventScroll: true });
          place.dispatchEvent(new KeyboardEvent('keydown', { key: one(KEYS), bubbles: true, cancelable: true }));
          return;
        }
        const kind = `${tag} ${type ?? ''}`.trim();
        kinds[kind] = (kinds[kind] ?? 0) + 1;
        if (tag === 'SELECT') {
          place.selectedIndex = below(place.options.length);
          fire(place, 'input', 'change');
        } else if (type === 'range') {
          place.value = String(Number(place.min) + below(Number(place.max) - Number(place.min) + 1));
          fire(place, 'input', 'change');
        } else if (tag === 'TEXTAREA' || type === 'text' || type === 'search') {
          place.value = one([() => one(TEXTS), () => String(below(3_000_000)), () => String(2 ** below(40))])();
          fire(place, 'input', 'change');
          if (below(3) === 0) place.blur();
        } else if (place.dataset.dot) {
          fire(place, one(['focusin', 'pointerover', 'pointerout']));
        } else place.click();
      };
      const { port1, port2 } = new MessageChannel();
      const queued = () =>
        new Promise((done) => {
          port1.onmessage = done;
          port2.postMessage(0);
        });
      const foul = [];
      const look = (after) => {
        const text = document.querySelector('main').textContent.replaceAll('Infinity Cache', '').replaceAll('“NaN”', 'what was typed');
        foul.push(...(text.match(/.{0,60}(\bNaN\b|\bundefined\b|\bInfinity\b|\{\{).{0,60}/g) ?? []).map((part) => `after ${after}: ${part}`));
      };
      let controls = [];
      for (let n = 0; n < steps && foul.length === 0; n += 1) {
        // What can be pressed changes with what was.
        if (n % 25 === 0) controls = all();
        const place = one(controls);
        if (!place.isConnected || place.disabled) continue;
        step(place);
        await queued();
        if (n % 20 === 0) await new Promise((done) => requestAnimationFrame(done));
        if (n % 500 === 0) {
          await new Promise((done) => setTimeout(done, 150));
          look(n);
        }
      }
      return { foul, kinds };
    },
    [SEED, STEPS],
  );
  expect(walked.foul, `seed ${SEED}`).toEqual([]);
  // Of everything that can be worked, much was.
  for (const kind of ['keys', 'BUTTON button', 'INPUT range', 'INPUT text', 'INPUT radio', 'INPUT checkbox', 'SELECT select-one', 'SUMMARY', 'TEXTAREA textarea']) {
    expect(walked.kinds[kind] ?? 0, kind).toBeGreaterThan(5);
  }
  await wall.goto('v=1&model=llama-2-7b&seq=128000&gpu=a100-80-sxm');
  await expect(wall.calculator.locator('table.buckets')).toContainText('67.1 GB');
});
