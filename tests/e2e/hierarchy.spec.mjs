// The hierarchy: the tier that holds the weights sets the ceiling; and the round trips that fused kernels save.

import { expect, test } from './fixtures.mjs';
import { expectLabelsApart } from './labels.mjs';
import { plain, spoken } from './page.mjs';

const sentence = (wall) => spoken(wall.hierarchy.locator('.tier-sentence'));

/** The table of the tiers, row by row. */
const table = async (wall) =>
  (await wall.page.locator('.tier-table tbody tr').evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent)))).map((row) =>
    row.map(plain),
  );

const TABLE = [
  ['Registers', '28.3 MB', 'not published', 'not known', 'not known', 'not known'],
  ['L1 and shared', '21.2 MB', '19,492 GB/s', '16–24 ns', '9.56× faster', '1,475'],
  ['L2 cache', '41.9 MB', '7,219 GB/s', '120–150 ns', '3.54× faster', '546'],
  ['Own memory, HBM2e', '85.0 GB', '2,039 GB/s', '250–440 ns', 'the measure', '154'],
  ['Another GPU', '85.0 GB', '300 GB/s', 'not known', '6.80× slower', '22.7'],
  ['Host memory', 'as installed', '31.5 GB/s', 'not known', '64.7× slower', '2.38'],
  ['NVMe drive', 'as installed', '7.00 GB/s', 'not known', '291× slower', '0.530'],
];

test('choosing a tier by keyboard changes the ceiling, the drawing and the link, and is said', async ({ wall, page }) => {
  await wall.goto();
  const own = 'Own memory, HBM2e, 2,039 GB/s: at most 154 tokens a second for one sequence of Llama 2 7B, since each token reads 13.2 GB of weights.';
  expect(await sentence(wall)).toBe(own);
  await wall.tier('Own memory').focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await wall.settle();
  await expect(wall.tier('Host memory')).toBeChecked();
  await expect(wall.tier('Host memory')).toBeFocused();
  const host = await sentence(wall);
  expect(host).toContain('Host memory, 31.5 GB/s: at most 2.38 tokens a second');
  expect(host).toContain('It is 64.7× slower than own memory.');
  await expect(wall.hierarchy.locator('.tier[data-chosen]')).toHaveAttribute('data-tier', 'host');
  await expect.poll(() => wall.query()).toBe('?v=1&tier=host');
  await expect(wall.announcer).toContainText('Host memory');
  // The calculator has the weights on the GPU, wherever they are thought to lie here.
  expect((await wall.bucket('total')).size).toBe('15.3 GB');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  await wall.settle();
  expect(await sentence(wall)).toBe(own);
  await expect.poll(() => wall.query()).toBe('');
});

test('it follows the GPU and the model', async ({ wall }) => {
  await wall.goto('tier=peer');
  expect(await sentence(wall)).toContain('Another GPU, 300 GB/s');
  await wall.choose('GPU', 't4');
  expect(await sentence(wall)).toBe('Another GPU: T4 has none.');
  await expect(wall.hierarchy.locator('.tier[data-tier="peer"]')).toHaveAttribute('data-absent', '');
  await wall.choose('GPU', 'h100-sxm');
  await wall.choose('Weights in', 'int8');
  expect(await sentence(wall)).toContain('Another GPU, 450 GB/s');
});

test('the trips follow the sequence length and say when they are not made', async ({ wall, page }) => {
  await wall.goto();
  const said = () => spoken(wall.trips.locator('.summary'));
  expect(await said()).toContain('three kernels move 355 MB and take 691 µs');
  expect(await said()).toContain('1.17× as fast');
  const room = page.locator('#hierarchy p .live').filter({ hasText: /fits? into/ });
  await expect(room).toHaveText('does not fit into');
  await wall.setSeq(1_024);
  await expect(room).toHaveText('fits into');
});

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('drawing, sentence, answer and tables are there, and say what the live page says', async ({ wall, page, visitor }) => {
    await wall.goto('', { live: false });
    const live = await visitor();
    await live.goto();
    expect(await table(wall)).toEqual(TABLE);
    expect(await table(live)).toEqual(TABLE);
    expect(await sentence(wall)).toBe(await sentence(live));
    const sums = (wall) => wall.trips.locator('.cut').allInnerTexts().then((all) => all.map(plain));
    expect(await sums(wall)).toEqual(await sums(live));
    await expect(wall.hierarchy.getByRole('img', { name: /^The memories of A100 SXM4 80GB Own memory, HBM2e/ })).toBeVisible();
    await expect(wall.trips.getByRole('img', { name: /three kernels move/ })).toBeVisible();
    // The guess opens without a program.
    await expect(page.getByText('minutes, about an hour')).toBeHidden();
    await page.locator('summary', { hasText: 'The walk' }).click();
    await expect(page.getByText('minutes, about an hour')).toBeVisible();
    await expect(page.getByText('minutes, about an hour')).toContainText('64.7');
  });
});

for (const query of ['', 'gpu=b200&tier=cache', 'gpu=rtxpro6000', 'gpu=gb10&unit=gib', 'gpu=t4&seq=1']) {
  test(`${query || 'as it starts'}: at any width no label lies upon another`, async ({ wall }) => {
    await wall.goto(query);
    await expectLabelsApart(wall, '.tiers, .trip', [320, 360, 768, 1280]);
  });
}
