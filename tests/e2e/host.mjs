// Pages of somebody else: a second server, so another origin, whose pages show figures of the site.

import { createServer } from 'node:http';

/** Starts a server that answers each path with the HTML given for it. */
export async function host(pages) {
  const server = createServer((request, response) => {
    const html = pages[new URL(request.url, 'http://localhost').pathname];
    response.writeHead(html ? 200 : 404, { 'Content-Type': 'text/html; charset=utf-8' });
    response.end(html ? `<!doctype html><html lang="en"><head><title>Host</title><link rel="icon" href="data:,"></head><body>${html}</body></html>` : '');
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
}
