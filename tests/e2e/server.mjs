// A small static server for the built page: on a free local port, with the right types and the day of each file, as
// any static server says it, and no header beyond, so that what works here works on any static host. The same folder is served at the root and under two deeper paths.

import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize, sep } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';

/** The folder that is served; `DIST_DIR` names another. */
export const DIST = process.env.DIST_DIR || fileURLToPath(new URL('../../dist', import.meta.url));

/** The page in one file, as it is opened from a disk. */
export const ONE_FILE = pathToFileURL(join(DIST, 'memory-wall.html')).href;

/** Where the page lies on the server. */
export const PREFIXES = ['/memory-wall/', '/a/b/c/', '/'];

const TYPES = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

/** The file that a path asks for; nothing when there is none or when it lies outside the folder. */
async function found(root, path, prefixes) {
  const prefix = prefixes.find((prefix) => path.startsWith(prefix));
  if (prefix === undefined) return undefined;
  const file = normalize(join(root, path.slice(prefix.length).replace(/(^|\/)$/, '$1index.html')));
  if (!file.startsWith(root + sep)) return undefined;
  const data = await stat(file).catch(() => undefined);
  return data?.isFile() ? { file, size: data.size, changed: data.mtime.toUTCString() } : undefined;
}

/** What was packed, by file: hosts pack a file once and not for every reader. */
const PACKED = new Map();

async function packed({ file, changed }) {
  const known = PACKED.get(file);
  if (known?.changed === changed) return known.bytes;
  const bytes = gzipSync(await readFile(file));
  PACKED.set(file, { changed, bytes });
  return bytes;
}

/** Sends bytes over a line in turn with everyone else's. */
async function drip(response, bytes, line) {
  const SHARE = 4_000;
  for (let sent = 0; sent < bytes.length && !response.destroyed; sent += SHARE) {
    const share = bytes.subarray(sent, sent + SHARE);
    line.free = Math.max(line.free ?? 0, performance.now()) + (share.length / line.rate) * 1_000;
    await wait(line.free - performance.now());
    response.write(share);
  }
  response.end();
}

/**
 * Starts the server; `close` ends it and every connection. What `trouble` is set to stands between a request and its answer:
 * it gets the path and the response, may wait, and says true when it has dealt with the request itself.
 * With a `line` everything goes over one: compressed as hosts do, each answer after `latency` milliseconds, all of them
 * together at `rate` bytes a second. A folder may lie under other paths than this site does.
 */
export async function serve(folder = DIST, line, prefixes = PREFIXES) {
  const root = normalize(folder).replace(/[/\\]+$/, '');
  if (!(await found(root, prefixes.at(-1), prefixes))) throw new Error(`${root} holds no index.html: run \`cargo xtask build\` first`);
  // Long links belong to the tests; Node's own limit would answer 431 for the page.
  const site = { trouble: undefined };
  const server = createServer({ maxHeaderSize: 256 * 1024 }, async (request, response) => {
    let path;
    try {
      path = decodeURIComponent(new URL(request.url, 'http://localhost').pathname);
    } catch {
      path = undefined;
    }
    if (await site.trouble?.(path, response)) return;
    const answer = path === undefined || path.includes('\0') ? undefined : await found(root, path, prefixes);
    if (!answer) {
      // As static hosts do, whatever is asked for.
      const lost = await readFile(join(root, '404.html')).catch(() => 'Not found\n');
      response.writeHead(404, { 'Content-Type': TYPES['.html'] }).end(lost);
      return;
    }
    const head = { 'Content-Type': TYPES[extname(answer.file)] ?? 'application/octet-stream', 'Last-Modified': answer.changed };
    if (line) await wait(line.latency);
    if (line && request.headers['if-modified-since'] === answer.changed) {
      response.writeHead(304, head).end();
      return;
    }
    response.writeHead(200, { ...head, ...(line ? { 'Content-Encoding': 'gzip' } : { 'Content-Length': answer.size }) });
    if (request.method === 'HEAD') response.end();
    else if (line) await drip(response, await packed(answer), line);
    else createReadStream(answer.file).pipe(response);
  });
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return Object.assign(site, {
    origin: `http://127.0.0.1:${server.address().port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  });
}
