// Levers are components that are hydrated after the page is live: they work before their turn, and hydrating changes nothing
// that is seen. That hydration has nothing to complain of is what every test here watches for, see fixtures.mjs.

import { readdirSync } from 'node:fs';
import { expect, test } from './fixtures.mjs';
import { LATE } from './page.mjs';
import { DIST } from './server.mjs';

/** Does something in the page as soon as it is live, which is before any group of levers is hydrated. */
const atOnce = (page, act) =>
  page.addInitScript({
    content: `new MutationObserver((_, observer) => {
      if (!document.documentElement?.hasAttribute('data-live')) return;
      observer.disconnect();
      window.hydratedBefore = document.querySelectorAll('[data-hydrated]').length;
      (${act})();
    }).observe(document, { attributes: true, subtree: true, attributeFilter: ['data-live'] });`,
  });

const hydratedBefore = (page) => page.evaluate(() => window.hydratedBefore);

test('a lever that is used before it is hydrated works', async ({ wall, page }) => {
  await atOnce(page, () => {
    const change = (selector, type, set) => {
      const control = document.querySelector(selector);
      set(control);
      control.dispatchEvent(new Event(type, { bubbles: true }));
    };
    change('#control-training-recipe', 'change', (list) => (list.value = 'pure'));
    change('#control-kv-seq', 'input', (slider) => (slider.value = String(Number(slider.value) + 8)));
    change('#control-batch-number', 'input', (field) => (field.value = '3'));
    change('[data-control="cards"] input[value="64"]', 'change', (radio) => (radio.checked = true));
    document.querySelector('[data-levers="rig"] button[data-unit="gib"]').click();
  });
  await wall.goto();
  expect(await hydratedBefore(page)).toBe(0);
  await expect(page.locator('#control-training-recipe')).toHaveValue('pure');
  await expect(page.locator('#control-recipe')).toHaveValue('pure');
  await expect(wall.seq.field).toHaveValue('4,096');
  await expect(page.locator('#control-roofline-batch-number')).toHaveValue('3');
  await expect(page.locator('[data-control="cards"] input[value="64"]')).toBeChecked();
  await expect(wall.unit('GiB')).toHaveAttribute('aria-pressed', 'true');
  await expect.poll(() => wall.query()).toBe('?v=1&batch=3&seq=4096&unit=gib&cards=64&recipe=pure');
});

test('a key in a lever that is not hydrated yet is heard', async ({ wall, page }) => {
  await atOnce(page, () => {
    const slider = document.querySelector('#control-seq');
    slider.focus();
    slider.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true, cancelable: true }));
  });
  await wall.goto();
  expect(await hydratedBefore(page)).toBe(0);
  await expect(wall.seq.field).toHaveValue('2,304');
  await expect(wall.seq.slider).toBeFocused();
});

test('what is changed before the program is there counts, on top of the link', async ({ wall, page }) => {
  await page.addInitScript(() => {
    document.addEventListener('DOMContentLoaded', () => {
      document.querySelector('#control-seq').value = '0';
      document.querySelector('#control-batch-number').value = 'many';
      document.querySelector('#control-optimizer').value = 'sgd';
    });
  });
  await wall.goto('v=1&batch=8&gpu=h100-sxm');
  await expect(wall.seq.field).toHaveValue('128');
  await expect(page.locator('#control-gpu')).toHaveValue('h100-sxm');
  await expect(page.locator('#control-training-optimizer')).toHaveValue('sgd');
  // What cannot be used stays to be mended.
  await expect(wall.batch.field).toHaveValue('many');
  await expect(wall.batch.field).toHaveAttribute('aria-invalid', 'true');
  await expect(page.locator('#control-roofline-batch-number')).toHaveValue('8');
});

test('every group is hydrated, and says what it said', async ({ wall, page, visitor }) => {
  const groups = (page) =>
    page.locator('[data-levers]').evaluateAll((all, late) => {
      const shown = Object.fromEntries(late.map((id) => [id, document.getElementById(id).selectedOptions[0].text]));
      return all.map((place) => {
        const copy = place.cloneNode(true);
        copy.removeAttribute('data-hydrated');
        for (const list of copy.querySelectorAll('select')) if (list.id in shown) list.textContent = shown[list.id];
        return copy.outerHTML;
      });
    }, Object.keys(LATE).map((name) => `control-${name}`));
  const still = await visitor({ javaScriptEnabled: false });
  await still.goto('', { live: false });
  const arrived = await groups(still.page);
  expect(arrived.length).toBeGreaterThan(10);
  await wall.goto();
  await expect(page.locator('[data-levers]:not([data-hydrated])')).toHaveCount(0);
  expect(await groups(page)).toEqual(arrived);
});

test('long lists of figures are whole once the page is live', async ({ wall, page }) => {
  await wall.goto();
  const choices = (name) => page.locator(`#control-${name} option`).evaluateAll((all) => all.map((one) => one.value));
  expect((await choices('model')).length).toBeGreaterThan(100);
  for (const [list, whole] of Object.entries(LATE)) {
    const none = list.startsWith('vs') ? [''] : [];
    await expect.poll(() => choices(list), list).toEqual([...none, ...(await choices(whole))]);
  }
});

test('levers of every figure by itself are hydrated, at the state of its link', async ({ page }) => {
  test.setTimeout(120_000);
  let all = 0;
  for (const file of readdirSync(`${DIST}/embed`).filter((file) => file.endsWith('.html'))) {
    await page.goto(`/embed/${file}?batch=8&gpu=h100-sxm`);
    await page.locator('html[data-live]').waitFor({ state: 'attached' });
    await expect(page.locator('[data-levers]:not([data-hydrated])')).toHaveCount(0);
    all += await page.locator('[data-levers]').count();
    for (const field of await page.locator('input[id$="batch-number"]').all()) await expect(field, file).toHaveValue('8');
    for (const list of await page.locator('select[id$="gpu"]').all()) await expect(list, file).toHaveValue('h100-sxm');
  }
  expect(all).toBeGreaterThan(10);
});
