// Builds a page with each host, with a figure in it as the page for teachers says, and looks at it in a browser.
//
// `node check.mjs HOME [HOST…]`: HOME has what is installed (`cargo xtask hosts` sees to it), a host's name chooses it.
// One line a host: `ok` with the width of its frame, `FAILED` with what is wrong, `could not` with the reason why it is not
// built here. Exit code 1 if any failed, or none is ok.

import { spawn } from 'node:child_process';
import { cp, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { basename, delimiter, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { chromium } from '../e2e/node_modules/@playwright/test/index.mjs';
import { launchOptions } from '../e2e/browser.mjs';
import { serve } from '../e2e/server.mjs';
import { MISSING, PROJECTS } from './projects.mjs';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const [home, ...chosen] = process.argv.slice(2);
const unknown = chosen.filter((id) => !PROJECTS.some((project) => project.id === id));
if (!home || unknown.length > 0) throw new Error(`usage: check.mjs HOME [HOST…]; there is no host ${unknown.join(', ')}`);

const FIGURE = 'kv_cache';
const STATE = 'model=llama-3.1-8b&seq=32768';
const WIDTHS = [1280, 390];
const MINUTES = 5 * 60_000;

/** No program is here. */
class Missing extends Error {}

/** Where programs are found: those of npm, of PyPI and of this machine. */
const bin = { node: join(home, 'node_modules', '.bin'), python: join(home, 'python', 'bin'), own: undefined };

/** Starts a program; `ended` says its exit code and `said` is what it has printed. */
function started([kind, program, ...words], folder) {
  const PATH = [bin[kind], process.env.PATH].filter(Boolean).join(delimiter);
  const env = { ...process.env, PATH, CI: '1', NO_COLOR: '1', ASTRO_TELEMETRY_DISABLED: '1', PYDEVD_DISABLE_FILE_VALIDATION: '1' };
  const child = spawn(program, words, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const run = { child, said: '' };
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (run.said += data));
  run.ended = new Promise((ended, failed) => {
    child.on('error', (error) => failed(error.code === 'ENOENT' ? new Missing(`${program} is not installed here`) : error));
    child.on('close', ended);
  });
  return run;
}

async function finished(words, folder) {
  const run = started(words, folder);
  const end = setTimeout(() => run.child.kill(), MINUTES);
  const code = await run.ended.finally(() => clearTimeout(end));
  if (code !== 0) throw new Error(`${words[1]} ends with ${code}: ${run.said.trim().slice(-600)}`);
}

/** A copy of a host's files with what the page for teachers says in them. */
async function filled(id, snippet) {
  const folder = join(home, 'work', id);
  await rm(folder, { recursive: true, force: true });
  await cp(join(HERE, id), folder, { recursive: true });
  const [, file, setting] = /Once, in (\S+): (.*) (?:-->|\*\/)/.exec(snippet) ?? [];
  const values = { snippet, 'snippet|json': JSON.stringify(snippet), setting };
  const used = new Set();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const text = (await readFile(path, 'utf8')).replace(/@\{([\w|]+)\}/g, (_, name) => {
      used.add(name === 'setting' ? path : name);
      return values[name] ?? '';
    });
    await writeFile(path, text);
  }
  if (file && !used.has(join(folder, file))) throw new Error(`its snippet speaks of ${file}, which has no place for that`);
  return folder;
}

/** A port that nobody has. */
const free = () =>
  new Promise((found) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => found(port));
    });
  });

/** The page of a host, built and served; `close` ends it. */
async function opened(project, snippet) {
  const folder = await filled(project.id, snippet);
  if (project.run) {
    const port = await free();
    const run = started([...project.run, String(port)], folder);
    const close = () => run.child.kill();
    const origin = `http://127.0.0.1:${port}`;
    for (let tries = 0; tries < 120; tries += 1) {
      if (run.child.exitCode !== null) break;
      const there = await Promise.race([fetch(origin).then(() => true, () => false), run.ended]);
      if (there === true) return { origin, close };
      await wait(500);
    }
    close();
    throw new Error(`it does not start: ${run.said.trim().slice(-600)}`);
  }
  for (const file of project.copy ?? []) await cp(join(home, 'node_modules', file), join(folder, basename(file)));
  if (project.build) await finished(project.build, folder);
  const out = join(folder, project.out);
  await mkdir(out, { recursive: true });
  // The server asks for a start, which not every host makes of one page.
  await writeFile(join(out, 'index.html'), '', { flag: 'a' });
  return serve(out, undefined, ['/']);
}

/** Whether the page is dark behind its frame, and whether the figure is. */
const grounds = (page, frame) =>
  Promise.all([
    page.locator('iframe').evaluate((frame) => {
      const opaque = (place) => /^rgb\(/.test(getComputedStyle(place).backgroundColor);
      let place = frame.parentElement;
      while (place && !opaque(place)) place = place.parentElement;
      const colour = place ? getComputedStyle(place).backgroundColor : getComputedStyle(document.documentElement).colorScheme === 'dark' ? '0' : '255';
      return Number(/\d+/.exec(colour)[0]) < 128;
    }),
    frame.locator('html').evaluate((root) => Number(/\d+/.exec(getComputedStyle(root).backgroundColor)[0]) < 128),
  ]);

/** What is wrong with a visit; empty if nothing is. `how` says which visit it is. */
async function faults(browser, site, project, place, { width, colorScheme = 'light', still = false, walked = false }) {
  const found = [];
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme, reducedMotion: 'reduce' });
  const page = await context.newPage();
  // Hosts have errors of their own, which are theirs.
  page.on('pageerror', (error) => error.stack?.includes(site.origin) && found.push(`an error of ours: ${String(error).slice(0, 200)}`));
  await context.route((url) => url.hostname !== '127.0.0.1' || (still && url.pathname.endsWith('/embed.js')), (route) => route.abort());
  let measured;
  try {
    const address = `${place.origin}/${walked ? project.from : project.page}`;
    await page.goto(address, { waitUntil: 'load' });
    if (walked) {
      // What comes without the page being loaded anew.
      await page.evaluate(() => (window.same = true));
      await page.locator('main a, article a, .vp-doc a').filter({ hasText: 'A figure' }).first().click();
    }
    const element = page.locator('iframe');
    await element.waitFor({ state: 'attached' });
    if (walked && !(await page.evaluate(() => window.same))) found.push('walking there loads the page anew');
    await element.scrollIntoViewIfNeeded();
    const frame = page.frameLocator('iframe');
    await frame.locator('html[data-live]').waitFor({ state: 'attached', timeout: 20_000 });
    const figure = frame.locator(`#figure-${FIGURE}`);
    if (!(await figure.textContent()).includes('32,768')) found.push('the state of the link is lost');
    const follows = !still && /embed\.js/.test(project.snippet);
    const gap = () => frame.locator('html').evaluate((root) => [root.scrollHeight - innerHeight, innerHeight - document.body.offsetHeight]);
    // A height that follows comes a moment later.
    for (let tries = 0; follows && tries < 20 && Math.max(...(await gap())) > 8; tries += 1) await wait(100);
    const [lacks, spare] = await gap();
    const box = await element.boundingBox();
    measured = box.width;
    if (lacks > 0 && !project.slide) found.push(`its height of ${box.height} lacks ${lacks} px`);
    if (spare > (follows ? 8 : box.height * 0.45) && !project.slide) found.push(`its height of ${box.height} has ${spare} px too many`);
    if (box.x + box.width > width + 1) found.push(`it reaches to ${box.x + box.width} of ${width} px`);
    const [behind, before] = await grounds(page, frame);
    // Whoever makes slides chooses their colours, and those of the figure.
    const isChosen = project.slide && !project.snippet.includes('theme=');
    if (!still && !isChosen && behind !== before) found.push(`the figure is ${before ? 'dark' : 'light'} on a page that is not`);
    const number = figure.locator('input[type="range"]').first();
    const text = await figure.innerText();
    await number.press('ArrowRight');
    const isOther = () => figure.innerText().then((now) => now !== text);
    for (let tries = 0; tries < 40 && !(await isOther()); tries += 1) await wait(50);
    if (!(await isOther())) found.push('a lever changes no number');
    const alt = await element.getAttribute('title');
    if (!alt) found.push('it has no title for screen readers');
  } catch (error) {
    found.push(String(error.message).split('\n')[0]);
  }
  if (found.length > 0) await page.screenshot({ path: join(home, 'work', `${project.id}-${width}.png`) }).catch(() => {});
  await context.close();
  const how = [`${width} px`, colorScheme === 'dark' && 'dark', still && 'without embed.js', walked && 'walked to'].filter(Boolean).join(', ');
  return { width: measured, found: [...new Set(found)].map((fault) => `${how}: ${fault}`) };
}

/** Every visit to a host's page: `ok`, or what is wrong. */
async function visited(browser, site, project) {
  const place = await opened(project, project.snippet);
  try {
    const visits = WIDTHS.flatMap((width) => ['light', 'dark'].map((colorScheme) => ({ width, colorScheme })));
    if (/embed\.js/.test(project.snippet)) visits.push(...WIDTHS.map((width) => ({ width, still: true })));
    if (project.from !== undefined) visits.push({ width: WIDTHS[0], walked: true });
    const all = [];
    for (const visit of visits) all.push(await faults(browser, site, project, place, visit));
    const found = all.flatMap(({ found }) => found);
    const width = Math.round(all[0].width ?? 0);
    const fits = project.widths.find((one) => one >= width) ?? project.widths.at(-1);
    if (width && !project.slide && fits !== project.width) found.push(`its column is ${width} px wide: the page for teachers should say ${fits}, not ${project.width}`);
    return { found, width };
  } finally {
    await place.close();
  }
}

const site = await serve();
const browser = await chromium.launch(launchOptions);
const counts = { ok: 0, FAILED: 0, 'could not': 0 };
const tell = (verdict, id, why) => {
  counts[verdict] += 1;
  console.log([verdict, id, why].join('\t'));
};
try {
  // What is to be pasted, as a teacher gets it.
  const teach = await browser.newPage();
  await teach.goto(`${site.origin}/teach.html`);
  await teach.getByLabel('Figure', { exact: true }).selectOption(FIGURE);
  await teach.getByLabel('State, as a link').fill(`?${STATE}`);
  for (const project of PROJECTS.filter(({ id }) => chosen.length === 0 || chosen.includes(id))) {
    await teach.getByLabel('Host', { exact: true }).selectOption(project.id);
    await teach.waitForFunction(() => document.getElementById('teach-snippet').value.includes('seq=32768'));
    project.snippet = await teach.getByLabel('For your page').inputValue();
    const width = teach.getByLabel('Width of your column');
    project.width = Number(await width.inputValue());
    project.widths = await width.locator('option').evaluateAll((all) => all.map((option) => Number(option.value)));
    try {
      const { found, width } = await visited(browser, site, project);
      tell(found.length > 0 ? 'FAILED' : 'ok', project.id, found.join('; ') || `a frame of ${width} px`);
    } catch (error) {
      tell(error instanceof Missing ? 'could not' : 'FAILED', project.id, error.message);
    }
  }
  if (chosen.length === 0) for (const [id, why] of Object.entries(MISSING)) tell('could not', id, why);
} finally {
  await browser.close();
  await site.close();
}
console.log(Object.entries(counts).map(([verdict, count]) => `${count} ${verdict}`).join(', '));
process.exitCode = counts.FAILED > 0 || counts.ok === 0 ? 1 : 0;
