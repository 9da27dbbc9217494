// Lists of models and GPUs can be filtered: a combobox with a list, by pointer, keyboard and screen reader. The control of the page
// stays what the program knows, and it is all that there is without the program, and where a reader touches.

import AxeBuilder from '@axe-core/playwright';
import { expect, test } from './fixtures.mjs';

/** What belongs to the control of an id. */
const finder = (page, id) => ({
  control: page.locator(`#${id}`),
  panel: page.locator(`#${id}-panel`),
  field: page.locator(`#${id}-find`),
  options: page.locator(`#${id}-list [role="option"]`),
  marked: page.locator(`#${id}-list [aria-selected="true"]`),
  said: page.locator(`#${id}-panel [role="status"]`),
});

/** The calculator, hydrated. */
async function calculator(wall, id, query = '') {
  await wall.goto(query);
  await wall.page.locator('[data-levers="calculator-rig"][data-hydrated]').waitFor({ state: 'attached' });
  return finder(wall.page, `control-${id}`);
}

test('what is typed filters a list, and Enter chooses', async ({ wall, page }) => {
  const { control, panel, field, options, marked, said } = await calculator(wall, 'gpu');
  await control.click();
  await expect(field).toBeFocused();
  await expect(page.getByRole('combobox', { name: 'GPU', exact: true }).and(field)).toHaveAttribute('aria-expanded', 'true');
  // What is chosen already is marked and in sight.
  await expect(marked).toHaveText('A100 SXM4 80GB');
  await expect(marked).toBeInViewport();
  await expect(page.getByRole('group', { name: 'NVIDIA' }).getByRole('option').first()).toHaveText(/B200|B300/);
  await field.fill('5060 16');
  await expect(options).toHaveText(['GeForce RTX 5060 Ti 16GB']);
  await expect(said).toHaveText(/^1 of \d+$/);
  await expect(field).toHaveAttribute('aria-activedescendant', 'control-gpu-0');
  await page.keyboard.press('Enter');
  await expect(control).toHaveValue('rtx5060ti-16');
  await expect(control).toBeFocused();
  await expect(panel).toBeHidden();
  await expect.poll(() => wall.query()).toContain('gpu=rtx5060ti-16');
});

test('a list is worked by the keyboard alone', async ({ wall, page }) => {
  const { control, panel, field, options, marked, said } = await calculator(wall, 'gpu', 'v=1&gpu=h100-sxm');
  await control.focus();
  // A letter opens the field, with the letter in it.
  await page.keyboard.press('r');
  await expect(field).toBeFocused();
  await page.keyboard.type('adeon');
  await expect(field).toHaveValue('radeon');
  const names = await options.allTextContents();
  // 2025 before 2022 and 2019.
  expect(names.indexOf('Radeon RX 9070 XT')).toBeLessThan(names.indexOf('Radeon RX 7900 XTX'));
  expect(names.at(-1)).toBe('Radeon VII');
  await page.keyboard.press('ArrowUp');
  await expect(marked).toHaveText('Radeon VII');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await expect(marked).toHaveText(names[1]);
  // Escape leaves everything as it was.
  await page.keyboard.press('Escape');
  await expect(control).toBeFocused();
  await expect(control).toHaveValue('h100-sxm');
  await page.keyboard.press('Alt+ArrowDown');
  await page.keyboard.type('nothing like it');
  await expect(said).toHaveText('Nothing here is called “nothing like it”.');
  await page.keyboard.press('Enter');
  await expect(field).toBeFocused();
  // The keyboard goes on behind the list.
  await page.keyboard.press('Tab');
  await expect(panel).toBeHidden();
  await expect(control).toHaveValue('h100-sxm');
});

test('models are found as people write them, and short lists stay as they are', async ({ wall, page }) => {
  const { control, field, options } = await calculator(wall, 'model');
  await control.focus();
  await page.keyboard.press('Enter');
  for (const [typed, name] of [['qwen3 8b', 'Qwen3 8B'], ['llama3.1 70b', 'Llama 3.1 70B'], ['deepseek-v3', 'DeepSeek-V3 and R1']]) {
    await field.fill(typed);
    await expect(options.filter({ hasText: name }).first()).toHaveText(name);
  }
  await field.fill('qwen3 8b');
  await options.getByText('Qwen3 8B', { exact: true }).click();
  await expect(control).toHaveValue('qwen3-8b');
  await expect(page.locator('.finder:popover-open')).toHaveCount(0);
  await expect(page.locator('#control-weights-panel')).toHaveCount(0);
});

test('a click elsewhere leaves a list as it was, and nothing moves while it is open', async ({ wall, page }) => {
  const { control, panel } = await calculator(wall, 'model');
  const height = () => page.evaluate(() => document.documentElement.scrollHeight);
  const before = await height();
  await control.click();
  await expect(panel).toBeVisible();
  expect(await height()).toBe(before);
  await page.mouse.click(5, 5);
  await expect(panel).toBeHidden();
});

for (const width of [320, 360, 768, 1280]) {
  for (const colorScheme of ['light', 'dark']) {
    test(`it has no barrier that axe finds, and fits ${width} pixels, ${colorScheme}`, async ({ wall, page }) => {
      await page.setViewportSize({ width, height: 640 });
      await page.emulateMedia({ colorScheme });
      const { control, panel, field } = await calculator(wall, 'model');
      await control.focus();
      await page.keyboard.press('Enter');
      await expect(field).toBeFocused();
      const { violations } = await new AxeBuilder({ page }).include('#control-model-panel').analyze();
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).slice(0, 2).join(' ')}`)).toEqual([]);
      const box = await panel.boundingBox();
      expect(box.x).toBeGreaterThanOrEqual(0);
      expect(box.x + box.width).toBeLessThanOrEqual(width);
      expect(box.y).toBeGreaterThanOrEqual(0);
      expect(box.y + box.height).toBeLessThanOrEqual(640);
    });
  }
}

test.describe('in the planner', () => {
  const open = async (page) => {
    await page.goto('/plan.html');
    await page.locator('html[data-live]').waitFor({ state: 'attached' });
    return finder(page, 'plan-model');
  };

  test('the field of a name shows the names like it', async ({ page }) => {
    const { control, panel, options, marked, said } = await open(page);
    await expect(control).toHaveRole('combobox');
    await control.click();
    // All of them, since nothing was typed yet, with what the plan says marked.
    await expect(marked).toHaveText(await control.inputValue());
    await control.fill('gemma 27');
    await expect(options.first()).toHaveText('Gemma 3 27B (text)');
    await expect(control).toHaveAttribute('aria-activedescendant', 'plan-model-0');
    await page.keyboard.press('Enter');
    await expect(panel).toBeHidden();
    await expect(control).toHaveValue('Gemma 3 27B (text)');
    await expect(page).toHaveURL(/gemma-3-27b-text/);
    // A checkpoint of the hub is shown as the model that it is.
    await control.fill('meta-llama/Llama-3.1-8B-Instruct');
    await expect(options).toHaveText(['Llama 3.1 8B']);
    await control.fill('no such thing');
    await expect(said).toHaveText('Nothing here is called “no such thing”.');
    // Escape closes the list, and leaves what was typed.
    await page.keyboard.press('Escape');
    await expect(panel).toBeHidden();
    await expect(control).toHaveValue('no such thing');
  });

  test('it has no barrier that axe finds, and the list stays in the window', async ({ page }) => {
    await page.setViewportSize({ width: 360, height: 640 });
    await open(page);
    const { control, panel, marked } = finder(page, 'plan-gpu');
    await control.focus();
    await page.keyboard.press('ArrowDown');
    await expect(marked).toHaveCount(1);
    const { violations } = await new AxeBuilder({ page }).include('#plan-gpu-panel').include('#plan-gpu').analyze();
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).slice(0, 2).join(' ')}`)).toEqual([]);
    const box = await panel.boundingBox();
    expect(box.x + box.width).toBeLessThanOrEqual(360);
    expect(box.y).toBeGreaterThanOrEqual(0);
    expect(box.y + box.height).toBeLessThanOrEqual(640);
  });
});

test.describe('where a reader touches', () => {
  test.use({ hasTouch: true });

  test('a list opens the picker of the device', async ({ wall, page }) => {
    const { control, panel } = await calculator(wall, 'gpu');
    await control.scrollIntoViewIfNeeded();
    await control.tap();
    await expect(panel).toBeHidden();
  });
});
