// The same files work under any path of any host.

import { expect, test } from './fixtures.mjs';

for (const under of ['/memory-wall/', '/a/b/c/']) {
  test(`the exercise works under ${under}`, async ({ wall, page, baseURL }) => {
    const loaded = [];
    page.on('response', (response) => loaded.push(new URL(response.url()).pathname));
    await wall.goto('model=llama-2-7b&seq=2048', { under });
    expect((await wall.bucket('kv_cache')).bytes).toBe(1_073_741_824n);
    await wall.setSeq(128_000);
    expect((await wall.bucket('kv_cache')).bytes).toBe(67_108_864_000n);
    await expect.poll(() => page.url()).toBe(`${baseURL}${under}?v=1&seq=128000`);
    await wall.reload();
    expect((await wall.bucket('kv_cache')).bytes).toBe(67_108_864_000n);
    expect(loaded.length).toBeGreaterThan(3);
    for (const path of loaded) expect(path.startsWith(under), path).toBe(true);
  });
}

test('what is not there is answered with 404', async ({ request }) => {
  for (const path of ['/nothing.js', '/a/b/c/nothing', '/memory-wall/%2e%2e/%2e%2e/package.json', '/../playwright.config.mjs']) {
    expect((await request.get(path)).status(), path).toBe(404);
  }
});
