// A program line by line: forward fits, backward does not, and every switch says why.

import { expect, test } from './fixtures.mjs';
import { layOut, plain, spoken } from './page.mjs';

const figure = (page) => page.locator('#figure-oom');
const sentence = (page) => spoken(figure(page).locator('.oom-sentence'));
const verdict = async (page) => plain(await figure(page).locator('.oom-verdict').textContent());
const step = (page, id) => figure(page).locator(`.oom-step:has(input[value="${id}"])`);
const steps = (page) => figure(page).locator('.oom-step:visible input').evaluateAll((all) => all.map((one) => one.value));
/** What is live at the step that is looked at, by name and size. */
const ledger = async (page) =>
  (await figure(page).locator('.oom-ledger tbody tr:visible').evaluateAll((rows) => rows.map((row) => row.innerText))).map(plain);

const WRITTEN = ['model', 'input', 'forward', 'loss', 'seed', 'weight-grad', 'weight-copy', 'bias-grad', 'end'];

test('one walks through it by keyboard, and it dies where the hidden copy is made', async ({ wall, page }) => {
  await wall.goto();
  expect(await steps(page)).toEqual(WRITTEN);
  expect(await sentence(page)).toBe('Line 4: 18.3 GB in use, 6.97 GB of GeForce RTX 4090 left.');
  // What has not run is not given away.
  await expect(step(page, 'loss').locator('.oom-total')).toBeVisible();
  await expect(step(page, 'weight-copy').locator('.oom-total')).toBeHidden();
  await expect(figure(page).locator('.oom-verdict')).toBeHidden();
  await step(page, 'loss').locator('input').focus();
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown']) await page.keyboard.press(key);
  await wall.settle();
  await expect(step(page, 'weight-copy').locator('input')).toBeFocused();
  await expect(step(page, 'weight-copy')).toContainText('out of memory');
  expect(await sentence(page)).toBe('Line 5: 27.9 GB in use, 2.70 GB more than GeForce RTX 4090 has. Out of memory.');
  expect(await ledger(page)).toEqual([
    'W, the weights 1.07 GB',
    'b, the bias 65.5 kB',
    'x 8.59 GB',
    'y 8.59 GB',
    'the loss 4 B',
    '∇loss, the number 1 4 B',
    '∇W 1.07 GB',
    'hidden copy of ∇y 8.59 GB new then freed',
  ]);
  await expect(wall.announcer).toContainText('Out of memory');
  await expect.poll(() => wall.query()).toBe('?v=1&step=weight-copy');
  // Buttons and slider walk the same steps.
  const slider = figure(page).getByRole('slider', { name: 'Step of the program' });
  await expect(slider).toHaveValue('6');
  await figure(page).getByRole('button', { name: 'Back' }).click();
  await wall.settle();
  await expect(slider).toHaveValue('5');
  await slider.focus();
  await page.keyboard.press('End');
  await wall.settle();
  await expect(step(page, 'end').locator('input')).toBeChecked();
  await expect(figure(page).locator('.oom-verdict')).toBeVisible();
  expect(await verdict(page)).toBe('On GeForce RTX 4090 it dies in line 5. Its peak would be 27.9 GB, in line 5.');
});

test('switches change the program, its steps and its end', async ({ wall, page }) => {
  await wall.goto('step=end&unit=gib&card=a100-40-sxm');
  const flip = async (name) => {
    await figure(page).getByRole('button', { name, exact: true }).click();
    await wall.settle();
  };
  for (const [name, said] of [
    ['no name y', 'On A100 SXM4 40GB it runs. Its peak is 18.0 GiB, in line 5.'],
    ['x needs a gradient', 'On A100 SXM4 40GB it runs. Its peak is 34.0 GiB, in line 5.'],
    ['mean of squares', 'On A100 SXM4 40GB it dies in line 5. Its peak would be 49.0 GiB, in line 5.'],
    ['batch 64', 'On A100 SXM4 40GB it dies in line 5. Its peak would be 50.0 GiB, in line 5.'],
  ]) {
    await flip(name);
    expect(await verdict(page), name).toBe(said);
    await flip(name);
  }
  expect(await verdict(page)).toContain('26.0 GiB');
  for (const name of ['no name y', 'x needs a gradient', 'mean of squares', 'batch 64']) await flip(name);
  expect(await steps(page)).toHaveLength(14);
  await expect(step(page, 'input').locator('code')).toHaveText('x = torch.randn(64, 4096, 16384, requires_grad=True)', { useInnerText: true });
  await expect(step(page, 'forward').locator('code')).toHaveText('loss = (model(x)', { useInnerText: true });
  await expect.poll(() => wall.query()).toBe('?v=1&unit=gib&tape=no-name,x-grad,squares&rows=64&step=end&card=a100-40-sxm');
  // Own sizes, and what cannot be one.
  await wall.openDetails();
  await figure(page).getByRole('textbox', { name: 'features' }).fill('4096');
  await wall.settle();
  expect(await verdict(page)).toContain('it runs');
  await figure(page).getByRole('textbox', { name: 'features' }).fill('0');
  await expect(figure(page).getByText('is not a whole number from 1')).toBeVisible();
  expect(await spoken(page.locator('body'))).not.toContain('NaN');
});

test('the line and the peak are guessed, and every option has its reason', async ({ wall, page }) => {
  await wall.goto();
  await layOut(page);
  const guess = page.locator('#figure-oom_guess');
  await guess.getByRole('radio', { name: 'line 3, y' }).check({ force: true });
  await guess.getByRole('button', { name: 'Check' }).click();
  await wall.settle();
  await expect(guess.locator('.oom-outcome')).toHaveText('Not quite. The answer is: line 5, backward.');
  await expect(guess.locator('.reason')).toHaveCount(4);
  await expect(guess.locator('.reason[data-right]')).toContainText('26.0 GiB');
  // Then the whole trace is shown.
  await expect(step(page, 'weight-copy').locator('.oom-total')).toBeVisible();
  const dial = page.locator('#dial-tape');
  await dial.getByRole('textbox').fill('17');
  await dial.getByRole('button', { name: 'Check' }).click();
  await expect(dial.locator('.dial-said')).toContainText('it is 26.0 GiB, within a factor of two');
  await expect(page.getByText('So the story is wrong')).toBeVisible();
});

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('the whole trace is there, with every line as a table, and says what the live page says', async ({ wall, page, visitor }) => {
    await wall.goto('', { live: false });
    await expect(step(page, 'weight-copy')).toContainText('27.9 GB');
    await expect(step(page, 'weight-copy').locator('.oom-total')).toBeVisible();
    await expect(figure(page).locator('.oom-verdict')).toBeVisible();
    const live = await visitor();
    await live.goto();
    const totals = (page) => figure(page).locator('.oom-step').evaluateAll((all) => all.map((one) => one.textContent.replace(/\s+/g, ' ')));
    expect(await totals(page)).toEqual(await totals(live.page));
    await figure(page).getByText('in numbers').click();
    const rows = await figure(page).locator('.oom-table').first().locator('tbody tr').evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent)));
    expect(rows).toHaveLength(WRITTEN.length);
    expect(rows.map((row) => row[4])).toEqual(['1.00', '9.00', '17.0', '17.0', '17.0', '18.0', '26.0', '18.0', '18.0']);
    const variants = await figure(page).locator('.oom-table').nth(1).locator('tbody tr').allInnerTexts();
    expect(variants.map(plain)).toEqual([
      'nothing 17.0 26.0 dies in line 5 runs',
      'no name y 17.0 18.0 runs runs',
      'x needs a gradient 17.0 34.0 dies in line 5 runs',
      'mean of squares 25.0 49.0 dies in line 4 dies in line 5',
      'batch 64 33.0 50.0 dies in line 3 dies in line 5',
    ]);
  });
});

for (const width of [320, 360, 768, 1280]) {
  for (const query of ['step=end', 'tape=no-name,x-grad,squares,bf16&step=end&card=own', 'features=1000000&rows=1000000&tokens=10000000&step=end', 'features=1&rows=1&tokens=1&step=end']) {
    test(`at ${width} px, ${query}: nothing goes beyond the page`, async ({ wall, page }) => {
      await page.setViewportSize({ width, height: 800 });
      await wall.goto(query);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      for (const part of await figure(page).locator('.oom-step:visible, .oom-ledger, .oom-switch:visible, .oom-step:visible b').all()) {
        const box = await part.boundingBox();
        expect.soft(box.x).toBeGreaterThanOrEqual(0);
        expect.soft(box.x + box.width).toBeLessThanOrEqual(width + 0.5);
      }
    });
  }
}
