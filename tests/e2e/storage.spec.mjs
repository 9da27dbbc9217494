// What is kept on this device may be of another version, cut off, or of somebody else's making: the page starts, takes what it
// understands, and what it does not is set aside.

import { expect, test } from './fixtures.mjs';
import { MemoryWall } from './page.mjs';

const STATE = 'memory-wall.v1.state';
const PROGRESS = 'memory-wall.v1.progress';

/** Puts texts into the storage of the page and opens it anew. */
async function with_kept(wall, page, texts) {
  await page.goto('icon.svg');
  await page.evaluate((texts) => {
    for (const [key, text] of Object.entries(texts)) localStorage.setItem(key, text);
  }, texts);
  await wall.goto();
}

const kept = (page, key) => page.evaluate((key) => localStorage.getItem(key), key);

const FOUL = {
  'of a later version': 'v=7&model=mind-9b&warp=3',
  'cut off': 'v=1&model=llama-3.1-8b&seq=',
  'no query at all': '{"model":"llama-3.1-8b"}',
  'bytes of anything': '\u0000\ufffd<b>&&==%%%',
  'without end': 'seq='.repeat(100_000),
};

for (const [what, text] of Object.entries(FOUL)) {
  test(`a kept state that is ${what} is set aside, and the page starts`, async ({ wall, page }) => {
    await with_kept(wall, page, { [STATE]: text });
    await expect(wall.notice).toBeHidden();
    await expect(wall.seq.field).toHaveValue('2,048');
    expect(await kept(page, `${STATE}.aside`)).toBe(text);
    // The next change writes over what was kept, and not over what was set aside.
    await wall.setSeq(4_096);
    await expect.poll(() => kept(page, STATE)).toContain('seq=4096');
    await page.reload();
    await expect(wall.seq.field).toHaveValue('4,096');
    expect((await kept(page, `${STATE}.aside`))?.length).toBe(text.length);
  });
}

test('what is understood of a kept state applies', async ({ wall, page }) => {
  await with_kept(wall, page, { [STATE]: 'v=1&model=llama-3.1-8b&seq=4096&warp=3' });
  await expect(wall.seq.field).toHaveValue('4,096');
  expect(await kept(page, `${STATE}.aside`)).toContain('warp=3');
});

test('a kept state that is understood is not set aside', async ({ wall, page }) => {
  await with_kept(wall, page, { [STATE]: 'v=1&model=llama-3.1-8b&seq=4096' });
  await expect(wall.seq.field).toHaveValue('4,096');
  expect(await kept(page, `${STATE}.aside`)).toBeNull();
});

const ANSWERS = {
  'longer than a page writes': `memory-wall progress 1\nquiz roofline.three gone\n${'x'.repeat(200_000)}`,
  'of more strange lines than it carries': `memory-wall progress 1\n${Array.from({ length: 90 }, (_, n) => `future ${n}`).join('\n')}`,
};

for (const [what, text] of Object.entries(ANSWERS)) {
  test(`kept answers ${what} are set aside whole, and new ones are kept`, async ({ wall, page }) => {
    await with_kept(wall, page, { [PROGRESS]: text });
    expect(await kept(page, `${PROGRESS}.aside`)).toBe(text);
    await page.locator('.question input[type=radio]').first().check();
    await expect.poll(() => kept(page, PROGRESS)).toContain('\nquiz ');
    // Also on the visits after it.
    await wall.reload();
    expect(await kept(page, `${PROGRESS}.aside`)).toBe(text);
  });
}

test('strange lines among kept answers are carried along', async ({ wall, page }) => {
  await with_kept(wall, page, { [PROGRESS]: 'memory-wall progress 2\nguess relu memory\nfuture 1 2' });
  await page.locator('.question input[type=radio]').first().check();
  await expect.poll(() => kept(page, PROGRESS)).toMatch(/guess relu memory[^]*\? memory-wall progress 2\n\? future 1 2/);
});

test('a page that comes back from memory knows what was answered while it was away', async ({ wall, page }) => {
  await wall.goto();
  const question = page.locator('[data-quiz="roofline.three"]');
  await question.locator('.quiz-option').first().click();
  await question.getByRole('button', { name: 'Check' }).click();
  await expect.poll(() => kept(page, PROGRESS)).toContain('roofline.three');
  // Pages in memory hear nothing of what others keep.
  await page.evaluate((key) => {
    const lines = localStorage.getItem(key).split('\n');
    localStorage.setItem(key, lines.filter((line) => !line.includes('roofline.three')).join('\n'));
    window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
  }, PROGRESS);
  await expect(question).toHaveAttribute('data-state', '');
});

test('what is answered in one tab is not lost by what is answered in another', async ({ wall, page, context }) => {
  await wall.goto();
  const other = await context.newPage();
  await other.goto(page.url());
  await new MemoryWall(other).live();
  const answer = async (tab, id) => {
    const question = tab.locator(`[data-quiz="${id}"]`);
    await question.locator('.quiz-option').first().click();
    await question.getByRole('button', { name: 'Check' }).click();
    await expect(question).toHaveAttribute('data-state', /right|hint/);
  };
  await answer(page, 'roofline.three');
  // The news needs a moment; nobody changes tabs sooner.
  await expect(other.locator('[data-quiz="roofline.three"]')).toHaveAttribute('data-state', /right|hint/);
  await answer(other, 'oom.copy');
  for (const tab of [page, other]) {
    for (const id of ['roofline.three', 'oom.copy']) await expect(tab.locator(`[data-quiz="${id}"]`)).toHaveAttribute('data-state', /right|hint/);
  }
  // What is forgotten in one is forgotten in the other.
  await other.locator('.scores > summary').click();
  await other.locator('[data-act="forget roofline"]').click();
  await expect(page.locator('[data-quiz="roofline.three"]')).toHaveAttribute('data-state', '');
  await wall.reload();
  await expect(page.locator('[data-quiz="oom.copy"]')).toHaveAttribute('data-state', /right|hint/);
  await expect(page.locator('[data-quiz="roofline.three"]')).toHaveAttribute('data-state', '');
});
