// Packages for learning platforms, in the runtime of an open implementation of SCORM: what is answered in one reaches the platform,
// and comes back at the next visit.

import { mkdtemp, readFile, rm, writeFile, mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { expect, test } from './fixtures.mjs';
import { CMI5, MOVE_ON, store } from './lrs.mjs';
import { faults } from './manifests.mjs';
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

/** A package on a site of its own. */
async function laid(files) {
  const folder = await mkdtemp(join(tmpdir(), 'memory-wall-package-'));
  for (const [path, bytes] of [...files, ['index.html', '<!doctype html><title>-</title>']]) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), bytes);
  }
  const site = await serve(folder, undefined, ['/']);
  return { folder, origin: site.origin, close: () => site.close().then(() => rm(folder, { recursive: true })) };
}

/** A page that a record store answers: the units of packages in cmi5 are pages by themselves. */
async function visited(browser, address) {
  const context = await browser.newContext({ reducedMotion: 'reduce' });
  const page = await context.newPage();
  const troubles = [];
  // What the store does not have is no fault.
  page.on('console', (message) => message.type() === 'error' && !message.text().includes('404') && troubles.push(message.text()));
  await page.goto(address);
  return { page, troubles, shown: page.frameLocator('#view'), close: () => context.close() };
}

/** The categories of statements by their verbs. */
const categories = (statements) => statements.map(({ verb, context }) => [verb.id.split('/').at(-1), (context.contextActivities.category ?? []).map(({ id }) => id).sort()]);

/** The page of the package, and the page that it shows. */
async function opened(page) {
  const launch = page.frameLocator('iframe[title="Unit"]');
  await expect(launch.locator('body[data-live]')).toBeAttached({ timeout: 20_000 });
  return { launch, shown: launch.frameLocator('#view') };
}

const value = (page, standard, name) =>
  page.evaluate(([api, get, name]) => window[api][get](name), standard === 'scorm12' ? ['API', 'LMSGetValue', name] : ['API_1484_11', 'GetValue', name]);

for (const standard of ['scorm12', 'scorm2004-3', 'scorm2004-4']) {
  test(`${standard}: manifests are what its schemas allow`, async ({ page }) => {
    test.setTimeout(90_000);
    // With questions and without.
    for (const part of ['course', 'oom', 'figure-claims', 'figure-buckets']) {
      const manifest = (await packed(page, part, standard)).get('imsmanifest.xml').toString();
      expect(await faults(manifest, standard), part).toEqual([]);
      expect(await faults(manifest.replace('identifierref="resource"', 'identifierref="resource" colour="red"'), standard)).toEqual([expect.stringContaining("'colour' is not allowed")]);
      if (standard !== 'scorm12') expect(await faults(manifest.replace('flow="true"', 'flow="perhaps"'), standard)).toEqual([expect.stringContaining('perhaps')]);
    }
  });
}

test('scorm12: who was called failed on the way is not, and who has passed has passed', async ({ page, browser }) => {
  test.setTimeout(90_000);
  const lms = await platform(await packed(page, 'figure-claims', 'scorm12', '80'), 'scorm12');
  for (const [before, after] of [['failed', 'incomplete'], ['passed', 'passed']]) {
    const context = await browser.newContext({ reducedMotion: 'reduce' });
    await context.addInitScript((status) => localStorage.setItem('lms', JSON.stringify({ core: { lesson_status: status } })), before);
    const visit = await context.newPage();
    await visit.goto(lms.origin);
    const { launch, shown } = await opened(visit);
    await shown.locator('[data-act="claim claims.kv13 true"]').click();
    await expect(launch.locator('#said')).toContainText('1 of ');
    await expect.poll(() => value(visit, 'scorm12', 'cmi.core.score.raw')).toBe('0');
    expect(await value(visit, 'scorm12', 'cmi.core.lesson_status')).toBe(after);
    await context.close();
  }
  await lms.close();
});

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

test('cmi5: statements reach the record store in their order, and answers come back', async ({ page, browser }) => {
  test.setTimeout(120_000);
  const files = await packed(page, 'figure-claims', 'cmi5', '5');
  expect([...files.keys()].includes('cmi5.xml')).toBe(true);
  expect(files.get('cmi5.xml').toString()).toContain('moveOn="Passed" masteryScore="0.05"');
  const [unit, lrs] = [await laid(files), await store({ mastery: 0.05 })];
  const first = await visited(browser, `${unit.origin}/launch.html${lrs.visit()}`);
  await expect(first.page.locator('body[data-live]')).toBeAttached({ timeout: 20_000 });
  const answer = (id, option) => first.shown.locator(`[data-act="claim ${id} ${option}"]`).click();
  await answer('claims.kv13', true);
  await answer('claims.mla', true);
  await answer('claims.quadratic', false);
  await expect(first.page.locator('#said')).toContainText('Passed: 2 of ');
  await expect(first.page.locator('#home')).toHaveAttribute('href', 'https://lms.example/course');
  await expect.poll(() => lrs.verbs()).toEqual(['initialized', 'answered', 'answered', 'answered', 'passed']);
  await expect.poll(() => JSON.parse(lrs.documents.get('memory-wall') ?? '{}').passed).toBe(true);
  await first.page.goto('about:blank');
  await expect.poll(() => lrs.verbs().at(-1)).toBe('terminated');
  const total = files.get('launch.html').toString().match(/"id":"claims\./g).length;
  const [, wrong, right, , passed, ended] = lrs.statements;
  expect([wrong.result, right.result]).toEqual([{ success: false, response: 'true' }, { success: true, response: 'true' }]);
  expect(wrong.object.definition).toMatchObject({ interactionType: 'true-false', correctResponsesPattern: ['false'] });
  expect(wrong.context.contextActivities).toMatchObject({ parent: [{ id: 'https://lms.example/units/1' }], grouping: [{ id: 'urn:uuid:publisher' }] });
  expect(passed.result.score).toEqual({ scaled: 2 / total, raw: 2, min: 0, max: total });
  expect(passed.context.extensions['https://w3id.org/xapi/cmi5/context/extensions/masteryscore']).toBe(0.05);
  expect(ended.result.duration).toMatch(/^PT\d+(\.\d+)?S$/);
  expect(first.troubles).toEqual([]);
  await first.close();
  // Another visit, with another browser: what was answered comes from the store, and what was said of the whole is not said again.
  const again = await visited(browser, `${unit.origin}/launch.html${lrs.visit()}`);
  await expect(again.shown.locator('[data-quiz="claims.mla"]')).toHaveAttribute('data-state', 'right', { timeout: 20_000 });
  await expect(again.shown.locator('[data-quiz="claims.kv13"]')).toHaveAttribute('data-state', 'wrong');
  await again.shown.locator('[data-act="claim claims.token true"]').click();
  await expect.poll(() => lrs.verbs().slice(6)).toEqual(['initialized', 'answered']);
  // A page that is loaded again has no token: the platform has to open it.
  await again.page.reload();
  await expect(again.page.locator('#trouble')).toContainText('nothing is recorded');
  await expect.poll(() => lrs.verbs().at(-1)).toBe('terminated');
  expect(lrs.faults).toEqual([]);
  await again.close();
  await Promise.all([unit.close(), lrs.close()]);
});

test('cmi5: a part without questions is completed when it is opened, and one that is looked at is not', async ({ page, browser }) => {
  const unit = await laid(await packed(page, 'figure-layer', 'cmi5'));
  for (const [mode, verbs] of [['Normal', ['initialized', 'completed']], ['Review', ['initialized']], ['Browse', ['initialized']]]) {
    const lrs = await store({ mode });
    const { page: visit, close } = await visited(browser, `${unit.origin}/launch.html${lrs.visit()}`);
    await expect(visit.locator('body[data-live]')).toBeAttached({ timeout: 20_000 });
    await expect.poll(() => lrs.verbs()).toEqual(verbs);
    if (mode !== 'Normal') await expect(visit.locator('#trouble')).toContainText('nothing is recorded');
    await visit.goto('about:blank');
    await expect.poll(() => lrs.verbs()).toEqual([...verbs, 'terminated']);
    expect(lrs.faults).toEqual([]);
    await close();
    await lrs.close();
  }
  const alone = await visited(browser, `${unit.origin}/launch.html?endpoint=x&fetch=javascript:1&actor=no&registration=r&activityId=a`);
  await expect(alone.page.locator('#trouble')).toContainText('nothing is recorded');
  await alone.close();
  await unit.close();
});

test('cmi5: the record store takes the statements of an open client of the standard, and ours have the same categories', async ({ browser }) => {
  const folder = new Map([['client.js', await readFile(require.resolve('@xapi/cmi5/dist/Cmi5.umd.js'))], ['unit.html', '<!doctype html><link rel="icon" href="data:,"><script src="client.js"></script>']]);
  const [unit, lrs] = [await laid(folder), await store({ mastery: 0.5 })];
  const { page: visit, close } = await visited(browser, `${unit.origin}/unit.html${lrs.visit()}`);
  await visit.evaluate(async () => {
    const client = new globalThis.Cmi5();
    await client.initialize();
    await client.pass({ scaled: 0.9 });
    await client.complete();
    await client.terminate();
  });
  expect(categories(lrs.statements)).toEqual([
    ['initialized', [CMI5]],
    ['passed', [CMI5, MOVE_ON]],
    ['completed', [CMI5, MOVE_ON]],
    ['terminated', [CMI5]],
  ]);
  expect(lrs.faults).toEqual([]);
  await close();
  await Promise.all([unit.close(), lrs.close()]);
  // The same script as in a package, without the page that it stands in.
  const own = await laid(new Map([['cmi5.js', await readFile(join(DIST, 'kit/cmi5.js'))], ['unit.html', '<!doctype html><html lang="en"><link rel="icon" href="data:,"><script src="cmi5.js"></script></html>']]));
  const other = await store({ mastery: 0.5 });
  const mine = await visited(browser, `${own.origin}/unit.html${other.visit()}`);
  await mine.page.evaluate(async () => {
    const platform = await globalThis.memoryWallPlatform();
    platform.answer({ id: 'walk', kind: 'numeric' }, { given: '60', right: '64.730', isRight: true });
    platform.answer({ id: 'hierarchy.order', kind: 'sequencing' }, { given: '3 2 4 1 0', right: '3 2 4 1 0', isRight: true });
    platform.answer({ id: 'sides', kind: 'choice' }, { given: '2 0', right: '0 2', isRight: true });
    platform.result({ total: 3, right: 3, done: 3, isComplete: true, isPassed: true });
    await platform.keep('text', 'place');
    platform.close();
  });
  await expect.poll(() => other.verbs()).toEqual(['initialized', 'answered', 'answered', 'answered', 'completed', 'passed', 'terminated']);
  expect(categories(other.statements)).toEqual([
    ['initialized', [CMI5]],
    ['answered', []],
    ['answered', []],
    ['answered', []],
    ['completed', [CMI5, MOVE_ON]],
    ['passed', [CMI5, MOVE_ON]],
    ['terminated', [CMI5]],
  ]);
  const [, dial, order, choice] = other.statements;
  const [least, most] = dial.object.definition.correctResponsesPattern[0].split('[:]').map(Number);
  expect(least).toBeCloseTo(51.784, 2);
  expect(most).toBeCloseTo(80.9125, 2);
  expect(order.result.response).toBe('3[,]2[,]4[,]1[,]0');
  expect(choice.result.response).toBe('0[,]2');
  expect(choice.object.definition.choices).toEqual([{ id: '0' }, { id: '2' }]);
  expect(other.faults).toEqual([]);
  await mine.close();
  await Promise.all([own.close(), other.close()]);
});

for (const standard of Object.keys(KINDS)) {
  test(`${standard}: a section tells of its dial, its order and its choices`, async ({ page, browser }) => {
    test.setTimeout(120_000);
    const lms = await platform(await packed(page, 'hierarchy', standard), standard);
    const { page: visit, troubles, close } = await visited(browser, lms.origin);
    const { launch } = await opened(visit);
    const shown = launch.frameLocator('#view');
    const said = async () => {
      const all = await visit.evaluate((name) => JSON.parse(JSON.stringify(window[name].cmi)).interactions, standard === 'scorm12' ? 'API' : 'API_1484_11');
      return Object.values(all).map(({ id, type, result, student_response: old, learner_response: given = old }) => ({ id, type, given, result }));
    };
    // The dial stands in the text, the questions behind a tab.
    const dial = shown.locator('#dial-walk');
    await dial.getByRole('textbox').fill('60');
    await dial.locator('[data-act="check-dial walk"]').click();
    await expect.poll(async () => (await said()).at(-1)).toMatchObject({ id: 'walk', type: 'numeric', result: 'correct' });
    expect(Number((await said())[0].given)).toBe(60);
    await launch.getByRole('button', { name: 'Questions' }).click();
    await expect(launch.locator('body[data-live="1"]')).toBeAttached({ timeout: 20_000 });
    const order = shown.locator('[data-quiz="hierarchy.order"]');
    await expect(order).toBeVisible({ timeout: 20_000 });
    const right = (await order.getAttribute('data-answer')).split(' ');
    for (const [at, part] of right.entries()) await order.locator('select').nth(at).selectOption(part);
    await order.locator('[data-act="quiz hierarchy.order"]').click();
    await expect.poll(async () => (await said()).at(-1)?.id).toBe('hierarchy.order');
    const told = (await said()).at(-1);
    expect([told.type, told.result]).toEqual(['sequencing', 'correct']);
    expect(told.given.split(standard === 'scorm12' ? ',' : '[,]')).toEqual(right);
    expect(troubles).toEqual([]);
    await close();
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
