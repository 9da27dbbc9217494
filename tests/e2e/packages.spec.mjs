// Packages for learning platforms, in the runtime of an open implementation of SCORM: what is answered in one reaches the platform,
// and comes back at the next visit.

import { mkdtemp, readFile, rm, writeFile, mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { expect, test } from './fixtures.mjs';
import { DIST, serve } from './server.mjs';

const require = createRequire(import.meta.url);

/** The files of an archive, by the list at its end. */
function unpacked(zip) {
  const files = new Map();
  const end = zip.length - 22;
  expect(zip.readUInt32LE(end)).toBe(0x06054b50);
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left -= 1) {
    expect(zip.readUInt32LE(at)).toBe(0x02014b50);
    const [method, packed, letters] = [zip.readUInt16LE(at + 10), zip.readUInt32LE(at + 20), zip.readUInt16LE(at + 28)];
    const start = zip.readUInt32LE(at + 42);
    const name = zip.toString('utf8', at + 46, at + 46 + letters);
    const data = start + 30 + zip.readUInt16LE(start + 26) + zip.readUInt16LE(start + 28);
    const bytes = zip.subarray(data, data + packed);
    files.set(name, method === 8 ? inflateRawSync(bytes) : bytes);
    at += 46 + letters;
  }
  return files;
}

/** Chooses on the page for teachers, and takes what is saved. */
async function packed(page, part, standard, mastery = '80') {
  await page.goto('/teach.html');
  await page.getByLabel('What you assign').selectOption(part);
  await page.getByLabel('Standard', { exact: true }).selectOption(standard);
  await page.getByLabel('Passed from, in percent').fill(mastery);
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Make the package' }).click()]);
  expect(download.suggestedFilename()).toBe(`memory-wall-${part}-${standard}.zip`);
  return unpacked(await readFile(await download.path()));
}

const KINDS = { scorm12: ['scorm12', 'API', 'Scorm12API'], 'scorm2004-4': ['scorm2004', 'API_1484_11', 'Scorm2004API'] };

/** A platform of its own that shows a package in a frame, with the data of an earlier visit. */
async function platform(files, standard) {
  const [file, name, maker] = KINDS[standard];
  const folder = await mkdtemp(join(tmpdir(), 'memory-wall-package-'));
  for (const [path, bytes] of files) {
    await mkdir(dirname(join(folder, 'package', path)), { recursive: true });
    await writeFile(join(folder, 'package', path), bytes);
  }
  await writeFile(join(folder, 'lms.js'), await readFile(require.resolve(`scorm-again/${file}/min`)));
  await writeFile(join(folder, 'start.js'), `
    const api = new (window.${maker} ?? window.${maker}.${maker})({ autocommit: false, logLevel: 5 });
    const kept = localStorage.getItem('lms');
    if (kept) api.loadFromJSON(JSON.parse(kept), '');
    window.${name} = api;
    window.keep = () => localStorage.setItem('lms', JSON.stringify(api.cmi.toJSON()));
  `);
  await writeFile(join(folder, 'index.html'), '<!doctype html><html lang="en"><title>LMS</title><link rel="icon" href="data:,"><script src="lms.js"></script><script src="start.js"></script><iframe title="Unit" src="package/launch.html" width="1000" height="800"></iframe></html>');
  const site = await serve(folder, undefined, ['/']);
  return { origin: site.origin, close: () => site.close().then(() => rm(folder, { recursive: true })) };
}

/** The page of the package, and the page that it shows. */
async function opened(page) {
  const launch = page.frameLocator('iframe[title="Unit"]');
  await expect(launch.locator('body[data-live]')).toBeAttached({ timeout: 20_000 });
  return { launch, shown: launch.frameLocator('#view') };
}

const value = (page, standard, name) =>
  page.evaluate(([api, get, name]) => window[api][get](name), standard === 'scorm12' ? ['API', 'LMSGetValue', name] : ['API_1484_11', 'GetValue', name]);

for (const standard of Object.keys(KINDS)) {
  test(`${standard}: answers reach the platform, and come back`, async ({ page, browser }) => {
    test.setTimeout(120_000);
    const files = await packed(page, 'figure-claims', standard, '5');
    const lms = await platform(files, standard);
    const context = await browser.newContext({ reducedMotion: 'reduce' });
    const visit = await context.newPage();
    const troubles = [];
    visit.on('console', (message) => message.type() === 'error' && troubles.push(message.text()));
    await visit.goto(lms.origin);
    const { launch, shown } = await opened(visit);
    const isOld = standard === 'scorm12';
    const status = isOld ? 'cmi.core.lesson_status' : 'cmi.completion_status';
    await expect.poll(() => value(visit, standard, status)).toBe('incomplete');
    // One wrong answer, then two right ones: with 5% needed of some twenty claims that is enough.
    const answer = (id, option) => shown.locator(`[data-act="claim ${id} ${option}"]`).click();
    await answer('claims.kv13', true);
    await expect(launch.locator('#said')).toContainText('1 of ');
    await expect(launch.locator('#said')).toContainText('0 right');
    await answer('claims.mla', true);
    await answer('claims.quadratic', false);
    await expect(launch.locator('#said')).toContainText('Passed: 2 of ');
    await expect.poll(() => value(visit, standard, isOld ? 'cmi.core.lesson_status' : 'cmi.success_status')).toBe('passed');
    const total = Number(/of (\d+)/.exec(await launch.locator('#said').textContent())[1]);
    const raw = Number(await value(visit, standard, isOld ? 'cmi.core.score.raw' : 'cmi.score.raw'));
    expect(raw).toBeCloseTo(200 / total, 1);
    if (!isOld) expect(Number(await value(visit, standard, 'cmi.score.scaled'))).toBeCloseTo(2 / total, 3);
    const interactions = await visit.evaluate((name) => JSON.parse(JSON.stringify(window[name].cmi)).interactions, isOld ? 'API' : 'API_1484_11');
    const said = Object.values(interactions);
    const told = said.map(({ id, type, result, student_response: old, learner_response: given = old }) => [id, type, given, result]);
    const yes = isOld ? 't' : 'true';
    const no = isOld ? 'f' : 'false';
    expect(told).toEqual([
      ['claims.kv13', 'true-false', yes, isOld ? 'wrong' : 'incorrect'],
      ['claims.mla', 'true-false', yes, 'correct'],
      ['claims.quadratic', 'true-false', no, 'correct'],
    ]);
    await expect.poll(() => value(visit, standard, 'cmi.suspend_data')).toMatch(/^z/);
    expect((await value(visit, standard, 'cmi.suspend_data')).length).toBeLessThan(4096);
    await visit.evaluate(() => window.keep());
    // Another browser tells nothing of its own: what comes back is the platform's.
    await visit.frames()[1].evaluate(() => {
      const own = [...Object.keys(localStorage)].filter((key) => key !== 'lms');
      for (const key of own) localStorage.removeItem(key);
    });
    await visit.reload();
    const again = await opened(visit);
    await expect(again.shown.locator('[data-quiz="claims.mla"]')).toHaveAttribute('data-state', 'right');
    await expect(again.shown.locator('[data-quiz="claims.kv13"]')).toHaveAttribute('data-state', 'wrong');
    await expect(again.launch.locator('#said')).toContainText('Passed: 2 of ');
    expect(troubles).toEqual([]);
    await context.close();
    await lms.close();
  });
}

test('the browser packs what the build packs, and every file is listed', async ({ page }) => {
  const ready = unpacked(await readFile(join(DIST, 'kit/memory-wall-scorm12.zip')));
  const made = await packed(page, 'course', 'scorm12');
  expect([...made.keys()]).toEqual([...ready.keys()]);
  for (const [name, bytes] of ready) expect(made.get(name).equals(bytes), name).toBe(true);
  const section = await packed(page, 'kv_cache', 'scorm2004-4', '60');
  const manifest = section.get('imsmanifest.xml').toString();
  const listed = [...manifest.matchAll(/<file href="([^"]+)"/g)].map(([, name]) => name);
  expect(listed.sort()).toEqual([...section.keys()].filter((name) => name !== 'imsmanifest.xml').sort());
  expect(manifest).toContain('<imsss:minNormalizedMeasure>0.6</imsss:minNormalizedMeasure>');
  expect(section.has('memory-wall.html') && section.has('embed/quiz.html')).toBe(true);
});

test('a share that is no percentage is refused with a sentence', async ({ page }) => {
  await page.goto('/teach.html');
  await page.getByLabel('Passed from, in percent').fill('0');
  await page.getByRole('button', { name: 'Make the package' }).click();
  await expect(page.locator('#pack-said')).toHaveText('Give a whole number from 1 to 100.');
  await expect(page.getByLabel('Passed from, in percent')).toBeFocused();
});
