// Training on what a model generates (GRPO), in the planner: its fields, the moments of a step, what is refused, and what helps.

import AxeBuilder from '@axe-core/playwright';
import { expect, test } from './fixtures.mjs';
import { layOut } from './page.mjs';

const RULES = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'];
const SEVEN = 'model=qwen2.5-7b&mode=training&gpu=h100-sxm&dp=8&zero=3&batch=4&seq=1024';

/** Opens the page with a plan and waits until it is live. */
async function open(page, options) {
  await page.goto(`/plan.html?v=1&plan=a&${options}`);
  await page.locator('html[data-live]').waitFor({ state: 'attached' });
  await layOut(page);
  return {
    verdict: page.locator('#plan-0 .verdict'),
    field: (name) => page.locator(`#plan-${name}`),
    row: (id) => page.locator(`tr[data-figure="${id}"]`),
    figure: (id) => page.locator(`tr[data-figure="${id}"] td`).first(),
    more: page.locator('[data-group="rollout"] summary'),
  };
}

test('GRPO is chosen among the inputs, and its moments are rows', async ({ page, visitor }) => {
  const planner = await open(page, SEVEN);
  await expect(planner.row('fullest')).toBeHidden();
  await expect(planner.more).toBeHidden();
  await planner.field('rl').selectOption('grpo');
  await expect(planner.verdict).toContainText('It fits');
  await expect(planner.verdict).toContainText('Fullest moment: training step, ');
  await expect(planner.figure('fullest')).toHaveText('training step');
  for (const moment of ['generate', 'log_probs', 'trains', 'sync']) {
    await expect(planner.figure(moment)).toHaveText(/GB$/);
  }
  await expect(planner.figure('total')).toHaveText(await planner.figure('trains').textContent());
  await expect(planner.figure('completion')).toHaveText(/^[\d,]+$/);
  // No time of a step is said, since generation is not timed.
  await expect(planner.row('step')).toBeHidden();
  await planner.more.click();
  await expect(planner.field('num_generations')).toHaveAttribute('placeholder', '8');
  await expect(planner.field('vllm_gpu_memory_utilization')).toHaveAttribute('placeholder', '30');
  await planner.field('vllm_gpu_memory_utilization').fill('75');
  await expect(planner.verdict).toContainText('It does not fit');
  await planner.field('vllm_enable_sleep_mode').check();
  await expect(planner.verdict).toContainText('Fullest moment: while vLLM generates, ');
  await expect(page).toHaveURL(/rl=grpo&vllm_gpu_memory_utilization=75&vllm_enable_sleep_mode=1/);
  // The link says the same to somebody else.
  const other = await visitor();
  await other.page.goto(page.url());
  await other.page.locator('html[data-live]').waitFor({ state: 'attached' });
  await expect(other.page.locator('#plan-rl')).toHaveValue('grpo');
  await expect(other.page.locator('#plan-vllm_enable_sleep_mode')).toBeChecked();
  await expect(other.page.locator('#plan-0 .verdict')).toContainText('Fullest moment: while vLLM generates, ');
  // Where vLLM is on other GPUs, what it takes of these is no question.
  await planner.field('vllm_enable_sleep_mode').uncheck();
  await planner.field('vllm_mode').selectOption('server');
  await expect(planner.field('vllm_gpu_memory_utilization')).toBeHidden();
  await expect(planner.verdict).toContainText('It fits');
  // A plan that serves has none of this.
  await planner.field('mode').selectOption('inference');
  await expect(planner.field('rl')).toBeHidden();
  await expect(planner.row('fullest')).toBeHidden();
});

test('what TRL refuses stands at its field, and whole groups are one press away', async ({ page }) => {
  const planner = await open(page, 'model=qwen2.5-7b&mode=qlora&gpu=h100-sxm&seq=1024&rl=grpo');
  await expect(planner.verdict).toContainText('These settings do not go together');
  await planner.more.click();
  await expect(page.locator('#plan-num_generations-error')).toContainText('TRL refuses incomplete groups');
  const offer = page.locator('#plan-0 .offer:visible').first();
  await expect(offer).toContainText('Micro-batches');
  await offer.click();
  await expect(planner.field('micro_batches')).toHaveValue('8');
  await expect(page.locator('#plan-num_generations-error')).toBeEmpty();
  await planner.field('vllm_max_model_length').fill('512');
  await expect(page.locator('#plan-vllm_max_model_length-error')).toContainText('longer than the 512 that vLLM accepts');
});

test('a vLLM that sleeps is offered where it makes room', async ({ page }) => {
  const planner = await open(page, `${SEVEN}&rl=grpo&vllm_gpu_memory_utilization=75&reference=resident`);
  await expect(planner.verdict).toContainText('It does not fit');
  const offer = page.locator('#plan-0 .offer:visible', { hasText: 'A vLLM that sleeps during the training step' });
  await offer.click();
  await expect(planner.verdict).toContainText('It fits');
  await expect(page).toHaveURL(/vllm_enable_sleep_mode=1/);
});

for (const [width, colorScheme] of [[360, 'dark'], [1280, 'light']]) {
  test.describe(`${width} px, ${colorScheme}`, () => {
    test.use({ viewport: { width, height: 900 }, colorScheme });
    test('no violation, and nothing to scroll sideways', async ({ page }) => {
      const planner = await open(page, `${SEVEN}&rl=grpo&reference=resident`);
      await expect(planner.figure('completion')).not.toBeEmpty();
      await page.locator('details').evaluateAll((all) => all.forEach((one) => (one.open = true)));
      const { violations } = await new AxeBuilder({ page }).withTags(RULES).analyze();
      expect(violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(' ')}`))).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBeLessThanOrEqual(0);
    });
  });
}
