// A small static server for the built page: on a free local port, with the right types and no header beyond them,
// so that what works here works on any static host. The same folder is served at the root and under two deeper paths.

import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder that is served; `DIST_DIR` names another. */
export const DIST = process.env.DIST_DIR || fileURLToPath(new URL('../../dist', import.meta.url));

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
async function found(root, path) {
  const prefix = PREFIXES.find((prefix) => path.startsWith(prefix));
  if (prefix === undefined) return undefined;
  const file = normalize(join(root, path.slice(prefix.length) || 'index.html'));
  if (!file.startsWith(root + sep)) return undefined;
  const data = await stat(file).catch(() => undefined);
  return data?.isFile() ? { file, size: data.size } : undefined;
}

/** Starts the server; `close` ends it and every connection. */
export async function serve(folder = DIST) {
  const root = normalize(folder).replace(/[/\\]+$/, '');
  if (!(await found(root, '/'))) throw new Error(`${root} holds no index.html: run \`cargo xtask build\` first`);
  // Long links belong to the tests; Node's own limit would answer 431 for the page.
  const server = createServer({ maxHeaderSize: 256 * 1024 }, async (request, response) => {
    let path;
    try {
      path = decodeURIComponent(new URL(request.url, 'http://localhost').pathname);
    } catch {
      path = undefined;
    }
    const answer = path === undefined || path.includes('\0') ? undefined : await found(root, path);
    if (!answer) {
      response.writeHead(404, { 'Content-Type': 'text/plain; charset=utf-8' }).end('Not found\n');
      return;
    }
    response.writeHead(200, {
      'Content-Type': TYPES[extname(answer.file)] ?? 'application/octet-stream',
      'Content-Length': answer.size,
    });
    if (request.method === 'HEAD') response.end();
    else createReadStream(answer.file).pipe(response);
  });
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
}
