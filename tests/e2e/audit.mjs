// Every page in every dress: what axe-core knows of WCAG 2.2 A and AA, nothing to scroll sideways, and nothing lost when text is
// spaced out. A page is loaded once for each of its states, and widths and themes change while it is open.
// Words as arguments choose pages: `node audit.mjs index roofline`.

import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { chromium } from '@playwright/test';
import { launchOptions } from './browser.mjs';
import { MemoryWall, layOut } from './page.mjs';
import { DIST, serve } from './server.mjs';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
/** The rules among them that look at colours. */
const COLOURS = ['color-contrast', 'link-in-text-block'];

const WIDTHS = [320, 768, 1280];
const THEMES = {
  light: { colorScheme: 'light', forcedColors: 'none' },
  dark: { colorScheme: 'dark', forcedColors: 'none' },
  'forced colours': { colorScheme: 'dark', forcedColors: 'active' },
};

/** What is done to a page that is open, and the query that it is opened with. */
const STATES = {
  default: { query: '', act: () => {} },
  answered: { query: '', act: answer },
  mistaken: { query: '?seq=-1&colour=red&model=Wrong', act: mistake },
};

/** WCAG 1.4.12: the least that text must bear. */
const SPACING = `
  * { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important; }
  p { margin-block-end: 2em !important; }`;

const wanted = process.argv.slice(2);
const figures = (await readdir(join(DIST, 'embed'))).filter((file) => file.endsWith('.html')).toSorted();
const pages = ['index.html', 'check.html', 'reference.html', 'teach.html', 'lessons.html', 'problems.html', 'worksheet.html', 'test.html', 'lab.html', 'slides.html', 'plan.html', '404.html', ...figures.map((file) => `embed/${file}`)];
const counts = { passed: 0, failed: 0 };

const site = await serve();
const browser = await chromium.launch(launchOptions);
try {
  for (const path of pages) {
    const name = path.replace(/\.html$/, '');
    if (wanted.length === 0 || wanted.some((word) => word === name || `embed/${word}` === name)) await audit(path, name);
  }
} finally {
  await browser.close();
  await site.close();
}
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = counts.failed === 0 && counts.passed > 0 ? 0 : 1;

/** One check: the faults it found, each once however often it is there. */
function check(name, faults) {
  counts[faults.length === 0 ? 'passed' : 'failed'] += 1;
  if (faults.length > 0) console.log(`FAILED ${name}`);
  for (const fault of new Set(faults)) console.log(`  ${fault}`);
}

async function audit(path, name) {
  const start = performance.now();
  const context = await browser.newContext({ reducedMotion: 'reduce', serviceWorkers: 'block' });
  const page = await context.newPage();
  const alive = !['check', 'reference', 'teach', 'lessons', 'problems', 'worksheet', 'test', 'lab', 'slides', '404'].includes(name);
  for (const [state, { query, act }] of Object.entries(STATES)) {
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.emulateMedia(THEMES.light);
    await page.goto(`${site.origin}/${path}${query}`);
    if (alive) await new MemoryWall(page).live();
    await layOut(page);
    await page.evaluate(act);
    await page.evaluate(() => document.querySelectorAll('details').forEach((details) => (details.open = true)));
    await page.evaluate(AXE);
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      // Where the page is scrolled to, what stays in sight lies over something else, which can be scrolled from under it.
      await page.evaluate(() => scrollTo(0, 0));
      for (const [theme, media] of Object.entries(THEMES)) {
        await page.emulateMedia(media);
        await new MemoryWall(page).settle();
        // Another theme has other colours and nothing else.
        check(`${name}, ${state}, ${theme}, ${width} px`, await violations(page, theme === 'light' ? { type: 'tag', values: TAGS } : { type: 'rule', values: COLOURS }));
      }
      check(`${name}, ${state}, ${width} px: nothing to scroll sideways`, await sideways(page));
      check(`${name}, ${state}, ${width} px: text spaced out`, await spaced(page));
    }
  }
  await context.close();
  console.log(`${name}: ${((performance.now() - start) / 1_000).toFixed(0)} s`);
}

function violations(page, runOnly) {
  return page.evaluate(async (runOnly) => {
    const { violations } = await window.axe.run(document, {
      runOnly,
      // Off unless it is asked for.
      rules: runOnly.type === 'tag' ? { 'target-size': { enabled: true } } : {},
      resultTypes: ['violations'],
    });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map((node) => `${id}: ${node.target.join(' ')}: ${(node.any[0] ?? node.all[0] ?? node.none[0])?.message}`),
    );
  }, runOnly);
}

function sideways(page) {
  return page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    const out = [...document.querySelectorAll('body *')].filter(
      (one) => !one.closest('.table-scroll') && one.getBoundingClientRect().right > clientWidth + 1,
    );
    return [`${scrollWidth - clientWidth} px: ${out.slice(0, 5).map((one) => `${one.localName}.${one.getAttribute('class')}`)}`];
  });
}

/** Spaces text out; what is then cut off that was not before, or makes the page scroll sideways. */
async function spaced(page) {
  const before = new Set(await cut(page));
  await page.evaluate((text) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    document.adoptedStyleSheets.push(sheet);
  }, SPACING);
  await new MemoryWall(page).settle();
  const faults = [...(await sideways(page)), ...(await cut(page)).filter((one) => !before.has(one))];
  await page.evaluate(() => void document.adoptedStyleSheets.pop());
  return faults;
}

/** Text that its own box, or its drawing, does not show all of. */
function cut(page) {
  return page.evaluate(() => {
    const name = (one) => `${one.localName}.${one.getAttribute('class')} “${one.textContent.trim().replace(/\s+/g, ' ').slice(0, 40)}” is cut off`;
    const seen = (one) => one.checkVisibility({ visibilityProperty: true }) && !one.closest('.visually-hidden');
    const boxes = [...document.querySelectorAll('body *')].filter((one) => {
      if (!seen(one) || !one.textContent.trim() || one.closest('svg, math')) return false;
      const { overflowX, overflowY } = getComputedStyle(one);
      const clips = (overflow) => ['hidden', 'clip'].includes(overflow);
      return (clips(overflowX) && one.scrollWidth > one.clientWidth + 1) || (clips(overflowY) && one.scrollHeight > one.clientHeight + 1);
    });
    const labels = [...document.querySelectorAll('svg text')].filter((label) => {
      const drawing = label.ownerSVGElement;
      if (!seen(label) || !label.textContent.trim()) return false;
      const [inner, outer] = [label.getBoundingClientRect(), drawing.getBoundingClientRect()];
      const clipped = getComputedStyle(drawing).overflow !== 'visible';
      const page = { left: 0, right: document.documentElement.clientWidth };
      const { left, right } = clipped ? outer : page;
      return inner.left < left - 1 || inner.right > right + 1;
    });
    return [...boxes, ...labels].map(name);
  });
}

/** In the page: every prediction and every question answered, as it happens wrongly, and looked up. */
function answer() {
  const fire = (place, value) => {
    place.value = value;
    for (const kind of ['input', 'change']) place.dispatchEvent(new Event(kind, { bubbles: true }));
  };
  const fill = (within) => {
    const groups = new Set();
    for (const one of within.querySelectorAll('input, select')) {
      if (one.disabled) continue;
      if (one.type === 'radio' && !groups.has(one.name)) {
        groups.add(one.name);
        one.click();
      } else if (one.type === 'checkbox' && !one.checked) one.click();
      else if (one.tagName === 'SELECT') fire(one, one.options[1]?.value ?? '');
      else if (one.type === 'text') fire(one, '5');
    }
  };
  const press = (selector) => document.querySelectorAll(`main ${selector}`).forEach((one) => one.checkVisibility() && one.click());
  document.querySelectorAll('[data-quiz], .dial, .sort, .guess').forEach(fill);
  press('[data-act^="quiz "]');
  press('[data-act^="claim "][data-act$=" true"]');
  press('[data-act^="check-dial "]');
  // Guesses that stand in no form of their own are looked up, as most readers will.
  press('[data-act^="show "]');
}

/** In the page: every field holds a word where a number should be, and every question is asked for without an answer. */
function mistake() {
  for (const one of document.querySelectorAll('main input[type=text], main input[type=search], main textarea')) {
    if (one.disabled || one.readOnly) continue;
    one.value = 'many';
    for (const kind of ['input', 'change']) one.dispatchEvent(new Event(kind, { bubbles: true }));
  }
  document.querySelectorAll('main :is([data-act^="quiz "], [data-act^="check"])').forEach((one) => one.click());
}
