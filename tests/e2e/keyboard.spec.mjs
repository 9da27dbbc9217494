// Everything by keyboard alone.

import { expect, test } from './fixtures.mjs';

/** What has the focus: its name for a reader, whether the focus shows, and whether anything covers it. */
function focused(page) {
  return page.evaluate(() => {
    const element = document.activeElement;
    if (!element || element === document.body) return null;
    // Nothing chosen yet: the group is one stop, whichever button the browser takes for it.
    const open = element.type === 'radio' && !document.querySelector(`input[name="${element.name}"]:checked`);
    const label = open ? element.closest('fieldset').querySelector('legend').textContent : element.labels?.[0]?.textContent;
    const name = element.getAttribute('aria-label') ?? label ?? element.textContent;
    // A radio button that fills its label is itself invisible: the focus shows on the label or its text.
    const invisible = element.type === 'radio' && getComputedStyle(element).opacity === '0';
    const framed = (one) => getComputedStyle(one).outlineStyle !== 'none';
    const shown = invisible ? [element.nextElementSibling, element.parentElement].find(framed) ?? element : element;
    const style = getComputedStyle(shown);
    const box = shown.getBoundingClientRect();
    const bar = document.querySelector('.rig');
    // What is taller than the screen cannot be seen whole.
    const tall = box.height > innerHeight - bar.getBoundingClientRect().height;
    const covered = !tall && !bar.contains(element) && !element.classList.contains('skip') && box.top < bar.getBoundingClientRect().bottom - 1;
    return {
      name: name.replace(/\s+/g, ' ').trim(),
      tag: element.localName,
      inCalculator: Boolean(element.closest('#calculator')),
      type: element.type,
      outline: style.outlineStyle === 'none' ? 0 : parseFloat(style.outlineWidth),
      inView: box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth && !covered,
    };
  });
}

/** Presses Tab until the focus leaves the page. */
async function tabThrough(page) {
  const stops = [];
  for (let presses = 0; presses < 900; presses += 1) {
    await page.keyboard.press('Tab');
    const stop = await focused(page);
    if (!stop) return stops;
    stops.push(stop);
  }
  throw new Error(`no end of the page after 900 × Tab: ${stops.slice(-3).map((stop) => stop.name)}`);
}

const LEVER = (label, unit, marks) => [
  `${label}: one step less`,
  `${label}, in ${unit}`,
  `${label}: one step more`,
  label,
  ...marks.map((mark) => `${label} ${mark}`),
];

/** The controls of the calculator; what comes before it, section by section, has names of its own. */
const ORDER = [
  'Model',
  'Weights in',
  'GPU',
  ...LEVER('Sequence length', 'tokens', ['2k (2,048)', '8k (8,192)', '32k (32,768)', '128k (131,072)', '1M (1,048,576)']),
  ...LEVER('Batch', 'sequences', ['1', '8', '64', '512', '4k (4,096)']),
  'generating',
  'More settings',
  'KV cache in',
  'Attention',
  'layers',
  'hidden_size',
  'heads',
  'kv_heads',
  'head_dim',
  'intermediate_size',
  'vocab_size',
  'Back to Llama 2 7B',
  'Start over',
  'What this estimate assumes',
  'Sources of every GPU',
];

for (const width of [1280, 360]) {
  test.describe(`at ${width} px`, () => {
    test.use({ viewport: { width, height: 800 } });

    test('Tab reaches every control in the order of the page, shows it, and comes out again', async ({ wall, page }) => {
      test.slow();
      // Who has read a section can have that forgotten: the button for it would else come in the middle of this.
      await page.addInitScript(() => localStorage.setItem('memory-wall.v1.read', 'hierarchy'));
      await wall.goto();
      await wall.openDetails();
      if (await page.locator('script[src*="progress-"]').count()) await expect(page.locator('.contents .forget button')).toBeVisible();
      // The controls of these figures come when they come near.
      await wall.near('.minute', '.minute-controls');
      // The page in one file reads no reports, and shares nothing.
      if (await page.locator('script[data-near="figure-profile"]').count()) {
        await wall.near('#figure-profile', '#explain-files');
        await page.locator('#figure-share').scrollIntoViewIfNeeded();
      }
      await page.waitForTimeout(500);
      await page.evaluate(() => scrollTo(0, 0));
      await page.evaluate(() => {
        window.reached = new Set();
        document.addEventListener('focusin', ({ target }) => window.reached.add(target));
      });
      const stops = await tabThrough(page);
      const names = stops.map((stop) => stop.name);
      // What else can be reached in it opens or scrolls parts of its tables.
      const scrolled = /terms, largest first|^Part|What is in the memory/;
      const known = stops.filter((stop) => stop.inCalculator && !scrolled.test(stop.name));
      expect(known.map((stop) => stop.name)).toEqual(await page.locator('#calculator a[href^="reference"]').count() ? ORDER : ORDER.slice(0, -1));
      expect(names.slice(0, 4)).toEqual(['Skip to the calculator', 'Llama 2 7B, bf16, batch 1, 2,048 tokens, A100 SXM4 80GB', 'GB', 'GiB']);
      for (const { name } of stops) expect(name.length).toBeGreaterThan(0);
      for (const stop of stops) {
        expect.soft(stop.outline, `outline of ${stop.name}`).toBeGreaterThanOrEqual(2);
        expect.soft(stop.inView, `${stop.name} can be seen while it has the focus`).toBe(true);
      }
      // Nothing that can be operated is left out; a group of radio buttons is one stop.
      const left = await page.locator('button:enabled, select, input, summary, a[href]').evaluateAll((all) =>
        all
          .filter((one) => {
            if (window.reached.has(one) || !one.checkVisibility()) return false;
            return one.type !== 'radio' || ![...document.querySelectorAll(`input[name="${one.name}"]`)].some((other) => window.reached.has(other));
          })
          .map((one) => one.outerHTML),
      );
      expect(left).toEqual([]);
      // And back the same way.
      const back = [];
      for (const _ of names) {
        await page.keyboard.press('Shift+Tab');
        back.unshift((await focused(page))?.name);
      }
      expect(back).toEqual(names);
    });
  });
}

test('the skip link leads to the calculator', async ({ wall, page }) => {
  await wall.goto();
  await page.keyboard.press('Tab');
  const skip = page.getByRole('link', { name: 'Skip to the calculator' });
  await expect(skip).toBeFocused();
  expect((await skip.boundingBox()).height).toBeGreaterThan(20);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/#calculator$/);
  await expect(wall.calculator).toBeInViewport();
  await page.keyboard.press('Tab');
  await expect(wall.list('Model')).toBeFocused();
});

test('lists change with the arrow keys', async ({ wall, page }) => {
  await wall.goto();
  await wall.list('Model').focus();
  await page.keyboard.press('ArrowUp');
  await expect(wall.list('Model')).toHaveValue('llama-2-13b');
  await expect(wall.rig.getByRole('link')).toContainText('Llama 2 13B');
  await wall.list('Weights in').focus();
  await page.keyboard.press('ArrowDown');
  await expect(wall.rig.getByRole('link')).toContainText('fp8');
  await wall.list('GPU').focus();
  await page.keyboard.press('ArrowUp');
  await expect(wall.list('GPU')).toHaveValue('a100-40-pcie');
  await expect(wall.rig.getByRole('link')).toContainText('A100 PCIe 40GB');
});

test('a key with Alt, Ctrl or Meta steps nothing, and Alt with the left arrow goes back', async ({ wall, page }) => {
  await wall.goto('seq=4096');
  await wall.goto('seq=8192');
  const sliders = ['#control-seq', '#control-roofline-batch', '#dial-walk input[type="range"]', '#oom-place'];
  for (const slider of sliders) {
    const place = page.locator(slider);
    await place.focus();
    const before = await place.inputValue();
    for (const keys of ['Control+ArrowRight', 'Control+ArrowLeft', 'Control+Alt+ArrowUp', 'Alt+ArrowUp', 'Meta+ArrowDown', 'Alt+Shift+ArrowLeft']) {
      await page.keyboard.press(keys);
      expect(await place.inputValue(), `${slider} after ${keys}`).toBe(before);
    }
  }
  await wall.batch.field.focus();
  for (const modifier of ['Control', 'Alt', 'Meta']) await page.keyboard.press(`${modifier}+ArrowUp`);
  await expect(wall.batch.field).toHaveValue('1');
  // A point of the roofline keeps its place.
  const point = page.locator('.roofline-dots [tabindex="0"]');
  const chosen = await point.getAttribute('data-dot');
  await point.focus();
  for (const modifier of ['Control', 'Alt', 'Meta']) await page.keyboard.press(`${modifier}+ArrowRight`);
  await expect(page.locator('.roofline-dots [aria-selected="true"]')).toHaveAttribute('data-dot', chosen);
  await wall.mode('generating').focus();
  for (const modifier of ['Control', 'Alt', 'Meta']) await page.keyboard.press(`${modifier}+ArrowRight`);
  await expect(wall.mode('generating')).toBeChecked();
  // With the enter key too: a guess is not checked.
  await page.locator('#dial-walk-number').fill('60');
  await page.keyboard.press('Control+Enter');
  await expect(page.locator('#dial-walk-number')).toBeEnabled();
  await expect(page.locator('#dial-walk-number')).not.toHaveAttribute('readonly', /.*/);
  await wall.seq.slider.focus();
  await page.keyboard.press('Alt+ArrowLeft');
  await expect(page).toHaveURL(/seq=4096$/);
  await wall.live();
  await wall.seq.slider.focus();
  await page.keyboard.press('Alt+ArrowRight');
  await expect(page).toHaveURL(/seq=8192$/);
  await wall.live();
  await expect(wall.seq.field).toHaveValue('8,192');
});

test('the mode changes with the arrow keys', async ({ wall, page }) => {
  await wall.goto();
  await wall.mode('generating').focus();
  await page.keyboard.press('ArrowRight');
  await expect(wall.mode('training')).toBeChecked();
  await expect(wall.mode('training')).toBeFocused();
  await wall.settle();
  expect((await wall.bucket('gradients')).bytes).toBeGreaterThan(0n);
  await page.keyboard.press('ArrowLeft');
  await expect(wall.mode('generating')).toBeChecked();
  await wall.settle();
  expect((await wall.bucket('gradients')).bytes).toBe(0n);
});

test('step buttons work with Enter and Space and keep the focus', async ({ wall, page }) => {
  await wall.goto();
  await wall.batch.more.focus();
  await page.keyboard.press('Enter');
  await expect(wall.batch.field).toHaveValue('2');
  await page.keyboard.press('Space');
  await expect(wall.batch.field).toHaveValue('3');
  await expect(wall.batch.more).toBeFocused();
  await wall.batch.less.focus();
  await page.keyboard.press('Enter');
  await expect(wall.batch.field).toHaveValue('2');
});

test('arrow keys step a number field and Start over takes everything back', async ({ wall, page }) => {
  await wall.goto();
  await wall.batch.field.focus();
  await page.keyboard.press('ArrowUp');
  await expect(wall.batch.field).toHaveValue('2');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await expect(wall.batch.field).toHaveValue('1');
  await wall.seq.field.fill('5000');
  await page.getByRole('button', { name: 'Start over' }).focus();
  await page.keyboard.press('Enter');
  await expect(wall.seq.field).toHaveValue('2,048');
  await expect(wall.rig.getByRole('link')).toContainText('2,048 tokens');
});

test('details open with Enter and the dimensions in them can be changed and restored', async ({ wall, page }) => {
  await wall.goto();
  await expect(wall.dimension('kv_heads')).toBeHidden();
  await wall.more().focus();
  await page.keyboard.press('Enter');
  await expect(wall.dimension('kv_heads')).toBeVisible();
  await wall.dimension('kv_heads').focus();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type('8');
  await wall.settle();
  expect((await wall.bucket('kv_cache')).bytes).toBe(1_073_741_824n / 4n);
  await expect(wall.rig.getByRole('link')).toContainText('Llama 2 7B, edited');
  const restore = page.getByRole('button', { name: 'Back to Llama 2 7B' });
  await restore.focus();
  await page.keyboard.press('Enter');
  await expect(wall.dimension('kv_heads')).toHaveValue('32');
  await expect(restore).toHaveAttribute('aria-disabled', 'true');
});
