// Measures the page in the browser. Each line is a measurement: name, value, unit and bound with tabs between them.
// Without a bound (`-`) a figure informs: it depends on the machine, and a slow one is no fault of the page.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { chromium } from '@playwright/test';
import { launchOptions } from './browser.mjs';
import { DIST, serve } from './server.mjs';

/** The measured visits; the median is printed. */
const VISITS = 9;

const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];
/** The value that this part of the list does not exceed. */
const percentile = (list, part) => list.toSorted((a, b) => a - b)[Math.floor((list.length - 1) * part)];
const line = (name, value, unit, bound = '-') => console.log([name, value, unit, bound].join('\t'));

const site = await serve();
const browser = await chromium.launch(launchOptions);
try {
  await visits();
  await slowLine();
  await edits();
  await drags();
  await presses();
  await plans();
  await rests();
} finally {
  await browser.close();
  await site.close();
}

/** First visits, each with an empty cache: when the page is live, when its largest content is there, what blocks. */
async function visits() {
  const seen = [];
  let files;
  for (let visit = 0; visit < VISITS; visit += 1) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    const page = await context.newPage();
    const paths = new Set();
    page.on('response', (response) => paths.add(new URL(response.url()).pathname));
    await page.addInitScript(() => {
      window.measured = { paint: 0, blocked: 0, live: 0 };
      new PerformanceObserver((list) => {
        window.measured.paint = list.getEntries().at(-1).startTime;
      }).observe({ type: 'largest-contentful-paint', buffered: true });
      new PerformanceObserver((list) => {
        for (const task of list.getEntries()) window.measured.blocked += Math.max(0, task.duration - 50);
      }).observe({ type: 'longtask', buffered: true });
      new MutationObserver(() => {
        if (!window.measured.live && document.documentElement?.hasAttribute('data-live')) window.measured.live = performance.now();
      }).observe(document, { attributes: true, subtree: true, attributeFilter: ['data-live'] });
    });
    await page.goto(`${site.origin}/`);
    await page.waitForFunction(() => window.measured.live > 0);
    await page.waitForTimeout(500);
    seen.push(await page.evaluate(() => window.measured));
    files = paths;
    await context.close();
  }
  for (const [name, key, bound] of [
    ['page: from navigation until live', 'live'],
    ['page: largest contentful paint', 'paint', '1200'],
    ['page: total blocking time at load', 'blocked', '30'],
  ]) {
    line(name, median(seen.map((one) => one[key])).toFixed(0), 'ms', bound);
  }
  let transferred = 0;
  for (const path of files) {
    const data = await readFile(join(DIST, path === '/' ? 'index.html' : path)).catch(() => Buffer.alloc(0));
    transferred += gzipSync(data, { level: 9 }).length;
  }
  // `cargo xtask build` holds the files that count as a first visit against their budget.
  line('page: first visit after gzip, with what is kept meanwhile', (transferred / 1_000).toFixed(1), 'kB');
  // What a browser has to have before it can show the first screen: the page up to the second section, and its style sheets.
  const html = await readFile(join(DIST, 'index.html'), 'utf8');
  const second = html.indexOf('<section', html.indexOf('<section') + 1);
  const sheets = [...files].filter((path) => path.endsWith('.css')).map((path) => readFile(join(DIST, path)));
  const screen = [Buffer.from(html.slice(0, second)), ...(await Promise.all(sheets))].map((part) => gzipSync(part, { level: 9 }).length);
  line('page: HTML and CSS of the first screen after gzip', (screen.reduce((sum, part) => sum + part, 0) / 1_000).toFixed(1), 'kB', '60');
}

/** A first visit over a slow phone line, until everything is kept for use without a network. The line is the server's: the worker has to use it too. */
async function slowLine() {
  const line4G = await serve(DIST, { latency: 150, rate: 1_600_000 / 8 });
  const context = await browser.newContext({ viewport: { width: 360, height: 800 } });
  const page = await context.newPage();
  const begin = performance.now();
  await page.goto(`${line4G.origin}/`, { waitUntil: 'commit' });
  await page.locator('html[data-live]').waitFor({ state: 'attached' });
  const live = performance.now() - begin;
  await page.locator('#offline-ready').waitFor({ state: 'visible' });
  line('page: live on slow 4G (1.6 Mbit/s, 150 ms)', live.toFixed(0), 'ms');
  line('page: kept for use without a network on slow 4G', (performance.now() - begin).toFixed(0), 'ms', '7000');
  await context.close();
  await line4G.close();
}

/** Edits by the slider: the event, the engine and the controls; what follows in a frame is measured by `drags`. */
async function edits() {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' });
  await page.goto(`${site.origin}/`);
  await page.locator('html[data-live]').waitFor({ state: 'attached' });
  const measured = await page.evaluate(async () => {
    const slider = document.getElementById('control-seq');
    const stops = [slider.value, String(Number(slider.value) + 20)];
    const table = document.querySelector('tr[data-bucket="kv_cache"] [data-bytes]');
    // A message to oneself comes back after everything that an edit has queued; timers would wait longer.
    const { port1, port2 } = new MessageChannel();
    const queued = () =>
      new Promise((done) => {
        port1.onmessage = done;
        port2.postMessage(0);
      });
    // The clock of a page ticks every tenth of a millisecond, so ten edits are measured together.
    const rounds = async (act) => {
      const times = [];
      for (let round = 0; round < 30; round += 1) {
        const start = performance.now();
        for (let edit = 0; edit < 10; edit += 1) {
          act(stops[(edit + 1) % 2]);
          await queued();
        }
        times.push(((performance.now() - start) / 10) * 1_000);
      }
      return times;
    };
    const edit = (stop) => {
      slider.value = stop;
      slider.dispatchEvent(new Event('input', { bubbles: true }));
    };
    // Warm, and sure that something happens.
    const texts = new Set();
    for (const stop of [...stops, ...stops]) {
      edit(stop);
      // What is off the screen follows when the changes rest.
      await new Promise((done) => setTimeout(done, 200));
      texts.add(table.dataset.bytes);
    }
    if (texts.size < 2) throw new Error('the slider changed nothing');
    const empty = await rounds(() => {});
    const full = await rounds(edit);
    // The handler alone: the state is set and what reads it at once is computed.
    const handler = [];
    for (let round = 0; round < 30; round += 1) {
      const start = performance.now();
      for (let place = 0; place < 10; place += 1) edit(stops[(place + 1) % 2]);
      handler.push(((performance.now() - start) / 10) * 1_000);
      await queued();
    }
    return { empty, full, handler };
  });
  const whole = median(measured.full) - median(measured.empty);
  line('page: one edit, what is computed before its frame', whole.toFixed(0), 'µs');
  line('page: one edit, its event alone', median(measured.handler).toFixed(0), 'µs');
  // The engine by itself, if the program offers it to be measured.
  const engine = await page.evaluate(() => {
    const recompute = window.wasmBindings?.bench;
    if (typeof recompute !== 'function') return undefined;
    recompute(1_000);
    const times = [];
    for (let round = 0; round < 21; round += 1) {
      const start = performance.now();
      recompute(1_000);
      times.push(performance.now() - start);
    }
    // A thousand recomputes: milliseconds of all are microseconds of one.
    return times;
  });
  if (engine) line('page: one whole recompute in wasm', median(engine).toFixed(2), 'µs', '100');
  await page.close();
}

/** A drag of the roofline's batch, a step a frame: what one frame costs the page, on a processor four times as slow. */
async function drags() {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' });
  await page.goto(`${site.origin}/`);
  await page.locator('html[data-live]').waitFor({ state: 'attached' });
  await page.locator('.roofline-canvas').scrollIntoViewIfNeeded();
  await page.evaluate(() => {
    // The first and the last call of each drawing, by the clock.
    window.drawings = [];
    const context = CanvasRenderingContext2D.prototype;
    window.unwatched = {};
    for (const name of ['stroke', 'fill', 'fillText']) {
      const real = context[name];
      window.unwatched[name] = real;
      context[name] = function (...call) {
        const begin = performance.now();
        real.apply(this, call);
        const last = window.drawings.at(-1);
        // Each step of a drag is drawn at most once.
        if (window.stepped || !last) window.drawings.push({ begin, end: performance.now() });
        else last.end = performance.now();
        window.stepped = false;
      };
    }
  });
  const drag = (steps) =>
    page.evaluate(async (steps) => {
      const slider = document.getElementById('control-roofline-batch');
      const { port1, port2 } = new MessageChannel();
      const queued = () =>
        new Promise((done) => {
          port1.onmessage = done;
          port2.postMessage(0);
        });
      const frames = [];
      for (let step = 0; step < steps; step += 1) {
        await queued();
        // Asked for before the page asks: it runs first in the next frame. A message from there comes after the painting.
        const frame = new Promise((done) => {
          requestAnimationFrame(() => {
            const begin = performance.now();
            queued().then(() => done(performance.now() - begin));
          });
        });
        window.stepped = true;
        const begin = performance.now();
        // There and back, as a hand drags: from one end to the other in one step is a jump.
        slider.value = String(Math.abs((step % (2 * slider.max)) - slider.max));
        slider.dispatchEvent(new Event('input', { bubbles: true }));
        const handler = performance.now() - begin;
        const painted = await frame;
        // What was put off until the frame is on the screen counts as well: it has to be done before the next one.
        const behind = performance.now();
        await queued();
        frames.push(handler + painted + performance.now() - behind);
      }
      return frames;
    }, steps);
  await drag(40);
  await page.evaluate(() => (window.drawings = []));
  const plain = await drag(150);
  const drawings = await page.evaluate(() => window.drawings.map(({ begin, end }) => end - begin));
  // On a machine that is late with its frames every other one draws.
  if (drawings.length < 60) throw new Error('the drag drew nothing');
  line('roofline: drawing the canvas, 95% of the time at most', percentile(drawings, 0.95).toFixed(2), 'ms', '4');
  line('roofline: a frame of a drag, 95% of the time at most', percentile(plain, 0.95).toFixed(1), 'ms');
  // A clock around every stroke is work too, and four times as much of it is another measurement.
  await page.evaluate(() => Object.assign(CanvasRenderingContext2D.prototype, window.unwatched));
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  await drag(20);
  const slow = await drag(150);
  line('roofline: a frame of a drag, processor slowed 4 times, median', percentile(slow, 0.5).toFixed(1), 'ms');
  line('roofline: a frame of a drag, processor slowed 4 times, 95% at most', percentile(slow, 0.95).toFixed(1), 'ms', '16');
  await page.close();
}

/** Presses of arrow keys on two levers, on a processor four times as slow: how long each waits for what it changes, and what moves that should not. */
async function presses() {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' });
  await page.addInitScript(() => {
    window.waits = new Map();
    window.shifts = 0;
    // What takes less than the threshold is not told of.
    new PerformanceObserver((list) => {
      for (const { interactionId, duration } of list.getEntries()) {
        if (interactionId) window.waits.set(interactionId, Math.max(duration, window.waits.get(interactionId) ?? 0));
      }
    }).observe({ type: 'event', durationThreshold: 16, buffered: true });
    new PerformanceObserver((list) => {
      for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) window.shifts += value;
    }).observe({ type: 'layout-shift', buffered: true });
  });
  await page.goto(`${site.origin}/`);
  await page.locator('html[data-live]').waitFor({ state: 'attached' });
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  const PRESSES = 200;
  for (const lever of ['#control-seq', '#control-roofline-batch']) {
    await page.locator(lever).focus();
    for (let press = 0; press < PRESSES / 2; press += 1) {
      // There and back, some thirty times a second as a key that is held.
      await page.keyboard.press(press % 60 < 30 ? 'ArrowRight' : 'ArrowLeft');
      await page.waitForTimeout(33);
    }
  }
  await page.waitForTimeout(500);
  const { waits, shifts } = await page.evaluate(() => ({ waits: [...window.waits.values()], shifts: window.shifts }));
  const all = [...waits, ...Array(Math.max(0, PRESSES - waits.length)).fill(16)].toSorted((a, b) => a - b);
  line('page: from a key to the next paint, processor slowed 4 times, 98% at most', all[Math.ceil(all.length * 0.98) - 1].toFixed(0), 'ms', '50');
  line('page: layout shift over load and 200 presses', shifts.toFixed(4), '', '0.01');
  await page.close();
}

/** Changes of every input of the planner with four plans, on a processor four times as slow: how long each waits for the next paint. */
async function plans() {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' });
  await page.goto(`${site.origin}/plan.html`);
  await page.locator('html[data-live]').waitFor({ state: 'attached' });
  await page.getByRole('button', { name: /^Duplicate/ }).first().click();
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  const waits = await page.evaluate(async () => {
    const rested = () => new Promise((done) => setTimeout(done, 600));
    const painted = () =>
      new Promise((done) =>
        requestAnimationFrame(() => {
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = done;
          port2.postMessage(null);
        }),
      );
    const fields = [...document.querySelectorAll('.inputs :is(input[id^=plan-]:not([type=file]), select)')].filter((field) => field.offsetParent);
    const waits = [];
    for (const field of fields) {
      const was = field.value;
      const other = field.options ? [...field.options].find(({ value }) => value !== was)?.value : /^\d+$/.test(was) && String(Number(was) + 1);
      if (!other && field.type !== 'checkbox') continue;
      for (let change = 0; change < 6; change += 1) {
        await rested();
        const begin = performance.now();
        if (field.type === 'checkbox') field.click();
        else {
          field.value = change % 2 ? was : other;
          for (const name of ['input', 'change']) field.dispatchEvent(new Event(name, { bubbles: true }));
        }
        await painted();
        waits.push(performance.now() - begin);
      }
    }
    return waits;
  });
  line('planner: from a change to the next paint, four plans, processor slowed 4 times, median', percentile(waits, 0.5).toFixed(0), 'ms');
  line('planner: from a change to the next paint, four plans, processor slowed 4 times, 95% at most', percentile(waits, 0.95).toFixed(0), 'ms', '50');
  await page.close();
}

/** What the page does when nobody does anything, and what it holds on to when somebody does a lot. */
async function rests() {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' });
  await page.addInitScript(() => {
    window.asked = 0;
    for (const name of ['requestAnimationFrame', 'setTimeout', 'setInterval', 'requestIdleCallback']) {
      const real = window[name];
      window[name] = (...call) => {
        window.asked += 1;
        return real.apply(window, call);
      };
    }
    const real = WebAssembly.instantiateStreaming;
    WebAssembly.instantiateStreaming = async (...call) => {
      const made = await real.apply(WebAssembly, call);
      window.memory = made.instance.exports.memory;
      return made;
    };
  });
  await page.goto(`${site.origin}/`);
  await page.locator('html[data-live]').waitFor({ state: 'attached' });
  await page.locator('.roofline-canvas').scrollIntoViewIfNeeded();
  await page.waitForTimeout(2_000);
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  const metric = async (name) => (await session.send('Performance.getMetrics')).metrics.find((one) => one.name === name).value;
  const [asked, busy] = [await page.evaluate(() => window.asked), await metric('TaskDuration')];
  await page.waitForTimeout(3_000);
  const spent = ((await metric('TaskDuration')) - busy) * 1_000;
  line('page: frames and timers asked for in three idle seconds', (await page.evaluate(() => window.asked)) - asked, '', '0');
  line('page: work in three idle seconds', spent.toFixed(1), 'ms', '10');
  const interact = (times) =>
    page.evaluate(async (times) => {
      const levers = ['control-seq', 'control-batch', 'control-roofline-batch'].map((id) => document.getElementById(id));
      const button = document.querySelector('.mark');
      for (let time = 0; time < times; time += 1) {
        const lever = levers[time % levers.length];
        lever.value = String((time * 7) % Number(lever.max));
        lever.dispatchEvent(new Event('input', { bubbles: true }));
        if (time % 10 === 0) button.click();
        await new Promise((done) => requestAnimationFrame(done));
      }
      await new Promise((done) => setTimeout(done, 300));
    }, times);
  const held = async () => {
    await session.send('HeapProfiler.collectGarbage');
    return { heap: await metric('JSHeapUsedSize'), nodes: await metric('Nodes'), program: await page.evaluate(() => window.memory.buffer.byteLength) };
  };
  await interact(200);
  const before = await held();
  await interact(1_000);
  const after = await held();
  line('page: growth of the heap over 1,000 steps', (((after.heap - before.heap) / before.heap) * 100).toFixed(1), '%', '5');
  line('page: growth of the program over 1,000 steps', (((after.program - before.program) / before.program) * 100).toFixed(1), '%', '0');
  line('page: elements that 1,000 steps left behind', after.nodes - before.nodes, '', '10');
  await page.close();
}
