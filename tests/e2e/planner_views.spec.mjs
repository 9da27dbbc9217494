// Models of one's own, what a change did, what contradicts the rest, and the drawings of the planner.

import { readFile } from 'node:fs/promises';

import { expect, test } from './fixtures.mjs';
import { layOut } from './page.mjs';

const CONFIG = new URL('../../core/tests/configs/qwen2.5-7b.json', import.meta.url);

async function open(page, query = '') {
  await page.goto(`/plan.html${query}`);
  await page.locator('html[data-live]').waitFor({ state: 'attached' });
  await layOut(page);
}

const verdict = (page, nth) => page.locator('.plan').nth(nth).locator('.verdict');

test('a model of one’s own comes from its config.json, and goes into the link', async ({ page, visitor }) => {
  await open(page, '?v=1&plan=a&model=llama-3.1-8b&gpu=rtx4090&seq=8192');
  await page.locator('.own-model summary').click();
  await page.locator('#plan-config').fill(await readFile(CONFIG, 'utf8'));
  await expect(page.locator('.own-model-name')).toContainText('qwen2 with 28 layers and 7.6');
  await expect(page.locator('#plan-model')).toHaveValue('');
  await expect(verdict(page, 0)).toContainText('It fits');
  // The link has the fields that give the model its shape, and no others.
  await expect(page).toHaveURL(/config=%7B/);
  expect(page.url()).not.toContain('bos_token_id');
  await page.locator('#out-format').selectOption('command');
  await expect(page.locator('#out-text')).toHaveValue(/--config '\{"/);
  const other = await visitor();
  await open(other.page, new URL(page.url()).search);
  await expect(other.page.locator('.own-model-name')).toContainText('qwen2 with 28 layers');
  // A mistake is said where it is, and dimensions can be typed.
  await page.locator('#plan-config').fill('{ "model_type": "no-such-family" }');
  await page.locator('#plan-seq').click();
  await expect(page.locator('#plan-config-error')).toContainText('no-such-family');
  await page.getByRole('button', { name: 'Start from the dimensions of an 8B' }).click();
  await expect(page.locator('#plan-config-error')).toHaveText('');
  await page.locator('#plan-config').fill((await page.locator('#plan-config').inputValue()).replace('"num_hidden_layers":32', '"num_hidden_layers":64'));
  await expect(page.locator('.own-model-name')).toContainText('64 layers');
  // A file does the same, and a model of the table takes its place.
  await page.locator('#plan-config-file').setInputFiles(CONFIG.pathname);
  await expect(page.locator('.own-model-name')).toContainText('28 layers');
  await page.locator('#plan-model').fill('gpt2-xl');
  await page.locator('#plan-model').press('Enter');
  await expect(page.locator('.own-model-name')).toBeHidden();
});

test('a config among the plans that are brought is a plan', async ({ page }) => {
  await open(page);
  await page.locator('#in-text').fill(await readFile(CONFIG, 'utf8'));
  await expect(page.locator('.plan').nth(3)).toBeVisible();
  await expect(page.locator('.own-model-name')).toContainText('qwen2 with 28 layers');
});

test('what a change did is one sentence, seen and heard', async ({ page }) => {
  await open(page);
  await expect(page.locator('.changed')).toBeHidden();
  await page.locator('#plan-batch').fill('64');
  await expect(page.locator('.changed')).toContainText('int4: Sequences at once (each replica) 64 instead of 32. Some requests wait; before: It fits.');
  await expect(page.locator('.changed')).toContainText('more on the fullest GPU');
  await expect(page.locator('#planner > .desk > [role="status"]')).toContainText('int4: Sequences at once (each replica) 64 instead of 32.');
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await expect(page.locator('.changed')).toContainText('Sequences at once (each replica) 32 instead of 64');
  await page.locator('.plan').nth(0).getByRole('button', { name: /^Duplicate/ }).click();
  await expect(page.locator('.changed')).toHaveText('bf16 2 was added.');
});

test('what contradicts the rest is said at its field', async ({ page }) => {
  await open(page);
  await page.locator('#plan-tp').fill('7');
  await expect(page.locator('#plan-tp-error')).toContainText('does not divide');
  await expect(page.locator('#plan-tp')).toHaveAttribute('aria-invalid', 'true');
  await expect(page.locator('#plan-batch-error')).toHaveText('');
  await page.locator('#plan-tp').fill('4');
  await expect(page.locator('#plan-tp-error')).toHaveText('');
  await expect(page.locator('#plan-tp')).not.toHaveAttribute('aria-invalid');
});

test('a change that was offered for an older plan is looked for anew', async ({ page }) => {
  await open(page, '?v=1&plan=a&model=llama-3.3-70b&weights=bf16&gpu=h100-sxm&tp=2&seq=8192&batch=32&engine=vllm');
  const offer = page.locator('.offer:visible').first();
  await expect(offer).toBeVisible();
  // Both in one task: the changes of the new plan have not come yet.
  await page.evaluate(() => {
    const field = document.querySelector('#plan-seq');
    field.value = '4096';
    field.dispatchEvent(new Event('input', { bubbles: true }));
    document.querySelector('.offer:not([hidden])').click();
  });
  await expect(page.locator('#plan-seq')).toHaveValue('4096');
});

test('throughput against latency: a line for each plan, and the same in words and as a table', async ({ page }) => {
  await open(page);
  const lines = page.locator('.frontier-chart .slow');
  await expect.poll(() => lines.evaluateAll((all) => all.filter((line) => line.getAttribute('d')).length)).toBe(3);
  await expect(page.locator('#frontier-summary')).toContainText('int4: ');
  await page.getByText('As a table').click();
  const row = page.locator('#frontier tbody tr').filter({ hasText: /^32/ });
  await expect(row.locator('td').nth(2)).toHaveText(/ to .*; .* in all$/);
  // The most that fit is the figure above.
  const most = await page.locator('tr[data-figure="sequences"] td').nth(2).textContent();
  await expect(page.locator('#frontier tbody tr').last().locator('td').nth(2)).toContainText(`${most} at once`);
  // Training has none.
  for (const nth of [0, 1, 2]) {
    await page.locator('.plan').nth(nth).getByRole('button', { name: /^Change this plan/ }).click();
    await page.locator('#plan-mode').selectOption('training');
  }
  await expect(page.locator('.frontier')).toBeHidden();
});
