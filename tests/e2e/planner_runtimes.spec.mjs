// Plans that are served by SGLang, TensorRT-LLM, Ollama, or llama.cpp with layers in host memory.

import AxeBuilder from '@axe-core/playwright';
import { expect, test } from './fixtures.mjs';
import { layOut } from './page.mjs';

const RULES = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'];

/** Opens the page with plans, `&` between their options, and waits until it is live. */
async function open(page, ...plans) {
  await page.goto(`/plan.html?v=1${plans.map((options, nth) => `&plan=${'abcd'[nth]}&${options}`).join('')}`);
  await page.locator('html[data-live]').waitFor({ state: 'attached' });
  await layOut(page);
  return {
    plan: (nth) => page.locator('.plan').nth(nth),
    verdict: (nth) => page.locator('.plan').nth(nth).locator('.verdict'),
    field: (name) => page.locator(`#plan-${name}`),
    figure: (id, nth) => page.locator(`tr[data-figure="${id}"] td`).nth(nth),
  };
}

test('70B in four bits on one GPU and 64 GB of RAM: how many layers, one press away', async ({ page }) => {
  const planner = await open(page, 'model=llama-3.3-70b&weights=q4_k&gpu=rtx4090&engine=llamacpp&seq=8192');
  await expect(planner.verdict(0)).toContainText('It does not fit');
  await expect(planner.field('ngl')).toBeVisible();
  await planner.field('host_memory').fill('64');
  await planner.field('host_bandwidth').fill('80');
  await expect(planner.verdict(0)).toContainText('81 of 81 layers are on the GPU');
  const offer = planner.plan(0).locator('.offer:visible').first();
  await expect(offer).toContainText('As many layers on the GPU as fit');
  await offer.click();
  const layers = Number(await planner.field('ngl').inputValue());
  expect(layers).toBeGreaterThan(30);
  expect(layers).toBeLessThan(60);
  await expect(planner.verdict(0)).toContainText(`${layers} of 81 layers are on the GPU`);
  await expect(planner.verdict(0)).toContainText('which it has');
  await expect(planner.figure('layers', 0)).toHaveText(`${layers} of 81`);
  await expect(planner.figure('per_user', 0)).not.toBeEmpty();
  await expect(planner.figure('longest', 0)).toHaveText(/^[\d,]+$/);
  // One more does not fit, and a computer with less memory is said to have less.
  await planner.field('ngl').fill(String(layers + 3));
  await expect(planner.verdict(0)).toContainText('lacks at least');
  await planner.field('ngl').fill(String(layers));
  await planner.field('host_memory').fill('8');
  await expect(planner.verdict(0)).toContainText('each token waits for the drive');
  await expect(page).toHaveURL(/ngl=\d+&host_memory=8&host_bandwidth=80/);
});

test('servers with a pool say its tokens as a range, and what they refuse', async ({ page }) => {
  const options = 'model=llama-3.1-8b&gpu=h100-sxm&seq=8192&batch=64';
  const planner = await open(page, `${options}&engine=sglang`, `${options}&engine=trtllm`);
  for (const nth of [0, 1]) {
    await expect(planner.verdict(nth)).toContainText(/The pool has room for \d+ to \d+ requests|requests run at once at most/);
    await expect(planner.figure('pool', nth)).toHaveText(/^[\d,]+ to [\d,]+$/);
    await expect(planner.figure('longest', nth)).toHaveText(/^[\d,]+$/);
  }
  // Each has its own settings, in its own words.
  await expect(planner.field('kv_cache_free_gpu_memory_fraction')).toBeAttached();
  await page.locator('[data-group="runtime"] summary').click();
  await expect(planner.field('kv_cache_free_gpu_memory_fraction')).toBeVisible();
  await expect(planner.field('mem_fraction_static')).toBeHidden();
  await expect(planner.field('max_model_len')).toBeHidden();
  await planner.plan(0).getByRole('button', { name: /^Change this plan/ }).click();
  await expect(planner.field('mem_fraction_static')).toBeVisible();
  const before = await planner.figure('pool', 0).textContent();
  await planner.field('mem_fraction_static').fill('50');
  await expect(planner.figure('pool', 0)).not.toHaveText(before);
  await planner.field('gpu').fill('t4');
  await planner.field('gpu').press('Enter');
  await planner.field('engine').selectOption('trtllm');
  await expect(planner.verdict(0)).toContainText('TensorRT-LLM runs on NVIDIA GPUs of compute capability 8.0 or newer');
  await planner.field('gpu').fill('');
  await planner.field('gpu').press('Enter');
  await expect(planner.verdict(0)).toContainText('Choose a GPU');
});

test('Ollama takes its own context, and contradictions are sentences', async ({ page }) => {
  const planner = await open(page, 'model=llama-3.1-8b&weights=q4_k&gpu=rtx4090&engine=ollama', 'model=llama-3.1-8b&weights=q4_k&gpu=rtx4090&engine=llamacpp&ngl=3&fit=1');
  await expect(planner.verdict(0)).toContainText('num_ctx is 32,768');
  await expect(planner.verdict(1)).toContainText('--fit finds how many layers go on the GPU');
  // Other GPUs are asked as the runtime runs there.
  await planner.plan(0).getByRole('button', { name: /^Change this plan/ }).click();
  await page.getByRole('button', { name: 'Which other GPUs hold it?' }).click();
  await expect(page.locator('.gpus tbody tr').nth(10)).toBeVisible();
});

for (const [width, colorScheme] of [[360, 'dark'], [768, 'light'], [1280, 'light']]) {
  test.describe(`${width} px, ${colorScheme}`, () => {
    test.use({ viewport: { width, height: 900 }, colorScheme });
    test('no violation, and nothing to scroll sideways', async ({ page }, info) => {
      const base = 'model=llama-3.3-70b&seq=8192';
      await open(page, `${base}&weights=q4_k&gpu=rtx4090&engine=llamacpp&ngl=40&host_memory=64`, `${base}&gpu=h100-sxm&tp=4&engine=sglang`, `${base}&gpu=h100-sxm&tp=4&engine=trtllm`, `${base}&weights=q4_k&gpu=rtx4090&engine=ollama`);
      await page.locator('details').evaluateAll((all) => all.forEach((one) => (one.open = true)));
      const { violations } = await new AxeBuilder({ page }).withTags(RULES).analyze();
      expect(violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(' ')}`))).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBeLessThanOrEqual(0);
      await page.screenshot({ path: info.outputPath('page.png'), fullPage: true });
    });
  });
}
