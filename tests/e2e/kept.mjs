// Which files the service worker keeps, and a wait until it has all of them.

import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from './fixtures.mjs';
import { DIST } from './server.mjs';

/** Every built file, with forward slashes. */
const files = async () => {
  const entries = await readdir(DIST, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name).slice(DIST.length).replace(/^[/\\]/, '').replaceAll('\\', '/'));
};

/** Those that are kept: the worker says which are not, and why. */
export const kept = async () => {
  const worker = await readFile(join(DIST, 'sw.js'), 'utf8');
  const aside = [...worker.matchAll(/^\/\/ ([\w./-]+): \S/gm)].map(([, name]) => name);
  return (await files()).filter((file) => !aside.some((name) => file === name || (/[/-]$/.test(name) && file.startsWith(name))));
};

/** How many files are kept for the folder that a page lies in. */
export const count = (page) =>
  page.evaluate(async () => {
    const own = (await caches.keys()).filter((name) => name.startsWith(`memory-wall ${new URL('./', location).pathname} `));
    const files = await Promise.all(own.map(async (name) => (await caches.open(name)).keys()));
    // With them lies one note of the worker's own.
    return files.flat().filter(({ url }) => !url.endsWith('?turn')).length;
  });

/** Waits until the page says that it is kept, and until what frames show is there too, which comes last. */
export const ready = async (page) => {
  await expect(page.locator('#offline-ready')).toBeVisible();
  await expect.poll(() => count(page)).toBe((await kept()).length);
};
