// The settings go elsewhere: as a link, as code for another page, as Markdown, as a picture for a camera.

import jsqrModule from 'jsqr';
import { expect, test } from './fixtures.mjs';

const jsqr = jsqrModule.default ?? jsqrModule;

/** The panel, opened, and what is copied from it. */
async function opened(wall, query = '') {
  await wall.goto(query);
  const panel = wall.page.locator('#share');
  await panel.locator('summary').click();
  return panel;
}

const pasted = (page) => page.evaluate(() => navigator.clipboard.readText());

test.describe('with a clipboard', () => {
  test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

  test('the link carries everything that was chosen, and follows it', async ({ wall, page, baseURL }) => {
    const panel = await opened(wall, 'model=llama-3.1-8b&gpu=h100-sxm');
    const field = panel.getByRole('textbox', { name: 'Link' });
    await expect(field).toHaveValue(`${baseURL}/?v=1&model=llama-3.1-8b&gpu=h100-sxm`);
    await wall.setSeq(128_000);
    await expect(field).toHaveValue(`${baseURL}/?v=1&model=llama-3.1-8b&seq=128000&gpu=h100-sxm`);
    await panel.getByRole('button', { name: 'Copy link' }).click();
    await expect(panel.getByRole('status')).toHaveText('Copied.');
    expect(await pasted(page)).toBe(await field.inputValue());
    await page.goto(await pasted(page));
    await wall.live();
    expect((await wall.bucket('kv_cache')).bytes).toBe(16_777_216_000n);
  });

  test('copied code shows the chosen figure with the same settings', async ({ wall, page, baseURL }) => {
    const panel = await opened(wall, 'seq=128000&batch=2');
    await panel.getByRole('combobox', { name: 'A figure for your own page' }).selectOption('kv_cache');
    await panel.getByRole('button', { name: 'Copy embed code' }).click();
    await expect(panel.getByRole('status')).toHaveText('Copied.');
    const code = await pasted(page);
    expect(code).toContain(`src="${baseURL}/embed/kv_cache.html?v=1&amp;batch=2&amp;seq=128000" title="`);
    await page.route('**/host', (route) => route.fulfill({ contentType: 'text/html', body: `<!doctype html><title>h</title>${code}` }));
    await page.goto('/host');
    await expect(page.frameLocator('iframe').locator('#figure-kv_cache .summary, #figure-kv_cache p').first()).toBeVisible();
    await expect(page.frameLocator('iframe').locator('#control-seq-number, [id$="seq-number"]').first()).toHaveValue('128,000');
  });

  test('as Markdown it is a link with what it is about', async ({ wall, page, baseURL }) => {
    const panel = await opened(wall, 'seq=4096');
    await panel.getByRole('button', { name: 'Copy Markdown' }).click();
    await expect(panel.getByRole('status')).toHaveText('Copied.');
    expect(await pasted(page)).toMatch(/^\[The Memory Wall: Llama 2 7B.*4,096.*\]\(http/);
    expect(await pasted(page)).toContain(`](${baseURL}/?v=1&seq=4096)`);
  });
});

test('without a clipboard the text is there to be copied by hand', async ({ wall, page }) => {
  await page.addInitScript(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
  const panel = await opened(wall);
  await panel.getByRole('button', { name: 'Copy embed code' }).click();
  await expect(panel.getByRole('status')).toContainText('may not write');
  await expect(panel.getByRole('textbox', { name: 'Link' })).toBeFocused();
  await expect(panel.getByRole('textbox', { name: 'Link' })).toHaveValue(/^<iframe src="/);
});

test('a camera reads the link from the code', async ({ wall, page, baseURL }) => {
  const panel = await opened(wall, 'seq=128000');
  const code = panel.getByRole('img', { name: 'QR code of the link' });
  await expect(code).toBeVisible();
  // The picture as a camera has it, read by a library that knows nothing of the one that drew it.
  await code.scrollIntoViewIfNeeded();
  const { width, height, data } = await page.evaluate(async (png) => {
    const image = new Image();
    image.src = `data:image/png;base64,${png}`;
    await image.decode();
    const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height });
    const pen = canvas.getContext('2d');
    pen.drawImage(image, 0, 0);
    return { width: image.width, height: image.height, data: [...pen.getImageData(0, 0, image.width, image.height).data] };
  }, (await code.screenshot()).toString('base64'));
  expect(jsqr(Uint8ClampedArray.from(data), width, height)?.data).toBe(`${baseURL}/?v=1&seq=128000`);
  const [file] = await Promise.all([page.waitForEvent('download'), panel.getByRole('button', { name: 'Save as SVG' }).click()]);
  expect(file.suggestedFilename()).toBe('memory-wall-qr.svg');
});

test('where the system can share, it is offered and gets the link', async ({ wall, page, baseURL }) => {
  await page.addInitScript(() => (navigator.share = async (data) => (window.shared = data)));
  const panel = await opened(wall, 'seq=4096');
  await panel.getByRole('button', { name: 'Share…' }).click();
  expect(await page.evaluate(() => window.shared)).toMatchObject({ title: 'The Memory Wall', url: `${baseURL}/?v=1&seq=4096` });
});
