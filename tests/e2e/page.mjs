// The page as a reader knows it: controls by role and label, outcomes by the data attributes that the page carries.

/** Long lists whose choices come with the program, and the list of the calculator that has the same. */
export const LATE = { model: 'model', gpu: 'gpu', 'roofline-weights': 'weights', 'scaling-weights': 'weights', 'scaling-gpu': 'gpu', 'train-gpu': 'gpu', 'train-model': 'model', vs: 'gpu', 'vs-also': 'gpu' };

/** The parts of the wall, in the order of the table. */
export const BUCKETS = ['weights', 'gradients', 'optimizer', 'kv_cache', 'activations', 'logits', 'overhead'];

/** White space made plain: the page separates numbers from units by a thin space. */
export const plain = (text) => text.replace(/\s+/g, ' ').trim();

/** Has a whole page laid out, also what is far from the screen. */
export const layOut = (page) =>
  page.evaluate(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(':is(.section, .answers, .maps, .take) { content-visibility: visible !important; }');
    document.adoptedStyleSheets.push(sheet);
  });

/** What something says to who has come to it: what is not laid out has no text to be copied. */
export const spoken = async (place) => {
  await layOut(place.page());
  return plain(await place.innerText());
};

export class MemoryWall {
  constructor(page, home = '/') {
    this.page = page;
    this.home = home;
    this.calculator = page.locator('#calculator');
    this.rig = page.getByRole('group', { name: 'What is being computed' });
    this.svg = this.calculator.locator('.calculator-wall').getByRole('img');
    this.plot = page.locator('.plot');
    this.hierarchy = page.locator('#figure-hierarchy');
    this.trips = page.locator('#figure-trips');
    const roofline = page.locator('#figure-roofline');
    this.roofline = {
      figure: roofline,
      canvas: roofline.locator('.roofline-canvas'),
      batch: roofline.getByRole('textbox', { name: 'Batch, in sequences', exact: true }),
    };
    this.notice = page.locator('#notice').getByRole('alert');
    this.announcer = page.locator('#announcer');
    this.verdict = this.calculator.locator('.answer-verdict');
    this.seq = this.lever('Sequence length', 'tokens');
    this.batch = this.lever('Batch', 'sequences');
  }

  /** Opens the page and waits until it is live; `laidOut` has it laid out like for who has scrolled to where the test goes on. */
  async goto(query = '', { under = this.home, live = true, laidOut = true } = {}) {
    await this.page.goto(query ? `${under}?${query}` : under);
    if (live) await this.live({ laidOut });
    else if (laidOut) await layOut(this.page);
    return this;
  }

  async reload() {
    await this.page.reload();
    await this.live();
  }

  async live({ laidOut = true } = {}) {
    await this.page.locator('html[data-live]').waitFor({ state: 'attached' });
    await this.whole();
    if (laidOut) await layOut(this.page);
    await this.settle();
  }

  /** Comes near an element whose script comes then, and waits for what that shows. */
  async near(place, shown) {
    await this.page.locator(place).scrollIntoViewIfNeeded();
    await this.page.locator(shown).waitFor();
  }

  /** Has the self-check taken into the tutorial, as whoever searches the page does. */
  async whole() {
    await this.page.evaluate(() => document.dispatchEvent(new KeyboardEvent('keydown', { ctrlKey: true, bubbles: true })));
    await this.page.locator('#self-check').waitFor({ state: 'detached' });
    // For a moment after that, sections further down are not displayed.
    await this.page.locator('html:not([data-arriving])').waitFor({ state: 'attached' });
    // And the program with it, which comes in two parts, see far.spec.mjs; or not at all.
    if ((await this.page.locator('html[data-live]').count()) === 0) return;
    await this.page.evaluate(() => document.dispatchEvent(new Event('memory-wall:far-asked')));
    await this.page.locator('html:not([data-far])').waitFor({ state: 'attached' });
  }

  /** Waits until what an edit started has reached the page: what is not looked at follows when changes rest, until there is nothing left to do, and two frames cover the drawing. */
  async settle() {
    await this.page.waitForTimeout(130);
    await this.page.evaluate(async () => {
      await scheduler.postTask(() => {}, { priority: 'background' });
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())));
    });
  }

  /** The parts of a slider with its field, its step buttons and its marks. */
  lever(label, unit) {
    const { calculator } = this;
    return {
      slider: calculator.getByRole('slider', { name: label, exact: true }),
      field: calculator.getByRole('textbox', { name: `${label}, in ${unit}`, exact: true }),
      less: calculator.getByRole('button', { name: `${label}: one step less`, exact: true }),
      more: calculator.getByRole('button', { name: `${label}: one step more`, exact: true }),
      mark: (value) => calculator.getByRole('button', { name: new RegExp(`^${label} (.* \\()?${value.toLocaleString('en-US')}\\)?$`) }),
    };
  }

  /** A list by its label. */
  list(label) {
    return this.calculator.getByRole('combobox', { name: label, exact: true });
  }

  async choose(label, value) {
    await this.list(label).selectOption(value);
    await this.settle();
  }

  /** The ids that a list offers. */
  offered(label) {
    return this.list(label).locator('option').evaluateAll((options) => options.filter((option) => !option.disabled).map((option) => option.value));
  }

  mode(name) {
    return this.calculator.getByRole('radio', { name, exact: true });
  }

  /** Where the weights lie, in the section on the hierarchy. */
  tier(name) {
    return this.hierarchy.getByRole('radio', { name, exact: true });
  }

  async setMode(name) {
    await this.mode(name).check({ force: true });
    await this.settle();
  }

  unit(name) {
    return this.rig.getByRole('button', { name, exact: true });
  }

  async setUnit(name) {
    await this.unit(name).click();
    await this.settle();
  }

  /** Types a sequence length, as a reader would. */
  async setSeq(tokens) {
    await this.seq.field.fill(String(tokens));
    await this.settle();
  }

  dimension(name) {
    return this.calculator.getByRole('textbox', { name, exact: true });
  }

  /** Opens whatever can be opened. */
  async openDetails() {
    await this.page.locator('details').evaluateAll((all) => all.forEach((details) => (details.open = true)));
    await this.settle();
  }

  more() {
    return this.calculator.locator('summary', { hasText: 'More settings' });
  }

  /** The row of the table for a part. */
  row(bucket) {
    return this.calculator.locator(`tr.bucket-row[data-bucket="${bucket}"]`);
  }

  /** A part's size as shown and its exact bytes; `total` is the sum. */
  async bucket(bucket) {
    const row = bucket === 'total' ? this.calculator.locator('table.buckets tfoot tr') : this.row(bucket);
    const cell = row.locator('[data-bytes]');
    return { size: await spoken(cell), bytes: BigInt(await cell.getAttribute('data-bytes')) };
  }

  /** The exact bytes of every part and of the total. */
  async bytes() {
    const cells = await this.calculator.locator('table.buckets [data-bytes]').evaluateAll((cells) => cells.map((cell) => cell.dataset.bytes));
    const ids = await this.calculator.locator('tr.bucket-row').evaluateAll((rows) => rows.map((row) => row.dataset.bucket));
    return Object.fromEntries([...ids, 'total'].map((id, place) => [id, BigInt(cells[place])]));
  }

  /** `fits`, `tight` or `does_not_fit`. */
  fit() {
    return this.verdict.getAttribute('data-verdict');
  }

  /** An answer of the calculator as text: `context` or `batch`. */
  async answer(name) {
    return spoken(this.calculator.locator(`[data-answer="${name}"] dd strong`));
  }

  /** The height of a segment of the wall in pixels. */
  courseHeight(bucket) {
    return this.svg.locator(`.layer[data-bucket="${bucket}"] rect.ground`).evaluate((rect) => rect.getBoundingClientRect().height);
  }

  /** All visible text, as a reader could copy it. */
  async text() {
    await layOut(this.page);
    return plain(await this.page.locator('body').innerText());
  }

  /** The query of the address. */
  query() {
    return new URL(this.page.url()).search;
  }

  /** What the page keeps on this device. */
  stored() {
    return this.page.evaluate(() => Object.fromEntries(Object.entries(localStorage)));
  }
}
