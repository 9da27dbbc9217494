// What somebody who sees the planner for the first time does: types half a name, changes one option after another, and reads.

import AxeBuilder from '@axe-core/playwright';
import { expect, test } from './fixtures.mjs';
import { layOut } from './page.mjs';

async function open(page, query = '') {
  await page.goto(`/plan.html${query}`);
  await page.locator('html[data-live]').waitFor({ state: 'attached' });
}

test('Enter takes what is nearest to half a name', async ({ page }) => {
  await open(page);
  for (const [slot, typed, taken] of [
    ['gpu', '4090', 'GeForce RTX 4090'],
    // Its whole name comes before longer ones that begin with it.
    ['gpu', 'l4', 'L4'],
    // Of names that begin so the shortest, and not a newer one with more memory.
    ['gpu', 'H100', 'H100 SXM5 80GB'],
    ['model', 'mistral 7b', /^Mistral 7B/],
    ['model', 'meta-llama/Llama-3.1-8B', 'Llama 3.1 8B'],
  ]) {
    const field = page.locator(`#plan-${slot}`);
    await field.fill(typed);
    await field.press('Enter');
    await expect(field).toHaveValue(taken);
    await expect(field).toHaveAttribute('aria-expanded', 'false');
    await expect(page.locator(`#plan-${slot}-error`)).toHaveText('');
  }
  await expect(page.locator('.plan[data-chosen]')).toContainText('It fits');
});

test('a model comes as it is published, and what else has to be known stands in the verdict', async ({ page }) => {
  await open(page);
  const chosen = page.locator('.plan[data-chosen]');
  const put = async (slot, typed) => {
    await page.locator(`#plan-${slot}`).fill(typed);
    await page.locator(`#plan-${slot}`).press('Enter');
  };
  await put('model', 'gpt-oss-120b');
  await expect(page.locator('#plan-weights')).toHaveValue('mxfp4');
  await expect(page.locator('.changed')).toContainText('Weights in mxfp4 instead of int4 (group 128)');
  await put('model', 'Qwen3 235B A22B');
  await page.locator('#plan-weights').selectOption('fp8-block');
  await page.locator('#plan-tp').fill('8');
  await expect(chosen.locator('.verdict')).toContainText('vLLM 0.28 refuses this plan');
  await expect(chosen.locator('.verdict')).toContainText('It accepts it with “Expert parallel” set to 8.');
  await put('gpu', 'm4 max');
  await page.locator('#plan-tp').fill('1');
  await page.locator('#plan-engine').selectOption('llamacpp');
  await page.locator('#plan-weights').selectOption('q2_k');
  await expect(chosen.locator('.verdict')).toContainText('This is a computer with 128 GB, of which its system lends the GPU 115 GB.');
});

test('where settings do not go together, what mends them is one press away', async ({ page }) => {
  await open(page);
  const chosen = page.locator('.plan[data-chosen]');
  await page.locator('#plan-mode').selectOption('training');
  await expect(chosen).toContainText('These settings do not go together');
  const mend = chosen.getByRole('button', { name: /Weights in weights bf16/ });
  await expect(mend).toContainText('Even then it does not fit.');
  await mend.click();
  await expect(chosen).toContainText('It does not fit');
  await expect(page.locator('#plan-weights')).toHaveValue('bf16');
  await expect(page.locator('#plan-weights-error')).toHaveText('');
});

test('a plan that is called by its format is called by the new one', async ({ page }) => {
  await open(page);
  const names = () => page.locator('.plan:visible .plan-name').evaluateAll((all) => all.map((one) => one.value));
  await page.locator('#plan-weights').selectOption('q4_k');
  await expect.poll(names).toEqual(['bf16', 'fp8', 'q4_k']);
  await expect(page.locator('.changed')).toContainText('q4_k: Weights in GGUF Q4_K_M instead of int4 (group 128).');
  await expect(page.locator('.side .side-name')).toHaveText('q4_k');
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await expect.poll(names).toEqual(['bf16', 'fp8', 'int4']);
});

test('on a phone the captions of tables are read whole', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await open(page);
  await layOut(page);
  for (const caption of await page.locator('caption:visible').all()) {
    await caption.scrollIntoViewIfNeeded();
    const [words, right] = await caption.evaluate((it) => {
      const text = document.createRange();
      text.selectNodeContents(it);
      return [it.textContent, text.getBoundingClientRect().right];
    });
    expect(right, words).toBeLessThanOrEqual(360);
  }
  await expect(page.locator('#map-caption')).toBeVisible();
});

test('in the reader’s own colours the marked choice and the chosen plan are told from the others', async ({ page }) => {
  await page.emulateMedia({ forcedColors: 'active' });
  await open(page);
  const lines = await page.locator('.plan:visible').evaluateAll((all) => all.map((plan) => getComputedStyle(plan).borderTopColor));
  expect(lines).toHaveLength(3);
  expect(lines[0]).toBe(lines[1]);
  expect(lines[2]).not.toBe(lines[1]);
  const field = page.locator('#plan-gpu');
  await field.fill('h100');
  const options = page.locator('#plan-gpu-list [role="option"]');
  const look = () =>
    options.evaluateAll((all) =>
      all.map((option) => {
        const { outlineStyle, outlineWidth, color } = getComputedStyle(option);
        return { marked: option.ariaSelected === 'true', outlined: outlineStyle === 'solid' && outlineWidth === '2px', color };
      }),
    );
  for (const key of ['ArrowDown', 'ArrowDown']) {
    await field.press(key);
    const all = await look();
    expect(all.filter(({ marked }) => marked)).toHaveLength(1);
    for (const { marked, outlined } of all) expect(outlined).toBe(marked);
  }
  const panel = page.locator('#plan-gpu-panel');
  const [paper, border] = await panel.evaluate((it) => [getComputedStyle(it).backgroundColor, getComputedStyle(it).borderTopColor]);
  expect(border).not.toBe(paper);
  for (const { color } of await look()) expect(color).not.toBe(paper);
  const { violations } = await new AxeBuilder({ page }).include('#plan-gpu-panel').analyze();
  expect(violations.map(({ id }) => id)).toEqual([]);
});
