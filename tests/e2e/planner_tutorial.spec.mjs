// From the tutorial into the planner with the settings, and back.

import { expect, test } from './fixtures.mjs';

async function live(page) {
  await page.locator('html[data-live]').waitFor({ state: 'attached' });
}

test('the share panel leads into the planner with the settings', async ({ page }) => {
  await page.goto('/?v=1&model=llama-3.1-8b&seq=32768&kv=fp8&gpu=l40s#share');
  const panel = page.locator('#share');
  await panel.locator('summary').first().click();
  const way = panel.getByRole('link', { name: 'Open in the planner' });
  await expect(way).toHaveAttribute('href', /^plan\.html\?from=tutorial&v=1&model=llama-3\.1-8b/);
  await way.click();
  await live(page);
  await expect(page.locator('#plan-model')).toHaveValue('Llama 3.1 8B');
  await expect(page.locator('#plan-seq')).toHaveValue('32768');
  await expect(page.locator('#plan-kv')).toHaveValue('fp8');
  await expect(page.locator('#plan-gpu')).toHaveValue('L40S');
  await expect(page.locator('.notice')).toBeHidden();
  await expect(page.locator('.plan:visible')).toHaveCount(1);
});

test('a figure by itself leads there with what it shows', async ({ page, context }) => {
  await page.goto('/embed/buckets.html?v=1&model=llama-3.1-8b&gpu=l4');
  const way = page.getByRole('link', { name: 'Open in the planner' });
  await expect.poll(async () => {
    await way.dispatchEvent('pointerdown');
    return way.getAttribute('href');
  }).toContain('from=tutorial&v=1&model=llama-3.1-8b');
  const [opened] = await Promise.all([context.waitForEvent('page'), way.click()]);
  await live(opened);
  await expect(opened.locator('#plan-gpu')).toHaveValue('L4');
});

test('the planner leads back to the tutorial with the plan that is shown', async ({ page }) => {
  await page.goto('/plan.html?v=1&model=llama-3.1-8b&weights=fp8&seq=16384&gpu=l40s');
  await live(page);
  const way = page.getByRole('link', { name: 'See this plan taught in the tutorial' });
  await expect(way).toHaveAttribute('href', /index\.html\?v=1&model=llama-3\.1-8b.*&seq=16384.*#calculator/);
  await page.locator('#plan-seq').fill('8192');
  await expect(way).toHaveAttribute('href', /&seq=8192/);
  await way.click();
  await expect(page).toHaveURL(/index\.html\?v=1&model=llama-3\.1-8b/);
  await expect(page.locator('.rig-line')).toContainText('Llama 3.1 8B');
});

test('a model or GPU that the tutorial does not have has no way back', async ({ page }) => {
  await page.goto('/plan.html?v=1&model=llama-3.1-8b&gpu=own&gpu_memory=24');
  await live(page);
  await expect(page.getByRole('link', { name: 'See this plan taught in the tutorial' })).toBeHidden();
});
