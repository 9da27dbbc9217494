// Lighthouse on every page: the median of some visits, in the lines that bench.rs reads.
// A page's name as an argument chooses it, `RUNS=1` visits it once: `RUNS=1 node lighthouse.mjs index embed/oom`.

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DIST, serve } from '../e2e/server.mjs';
import { measured, score, visits } from './visits.mjs';

/** What is at least asked of each category. */
const SCORES = { performance: 98, accessibility: 100, 'best-practices': 100, seo: 100 };

/** A page that is where nothing is asks not to be found, and Lighthouse takes that for a mistake. */
const ASKS_NOT_TO_BE_FOUND = '404';

const pages = ['index', 'plan', 'check', 'teach', 'lessons', 'problems', 'worksheet', 'test', 'lab', 'slides', 'reference', '404'];
pages.push(...(await readdir(join(DIST, 'embed'))).sort().map((file) => `embed/${file.replace('.html', '')}`));
const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => !pages.includes(name));
if (unknown.length > 0) throw new Error(`there is no page ${unknown.join(', ')}; there are ${pages.join(', ')}`);

const line = (name, value, unit, bound) => console.log([name, value, unit, bound].join('\t'));

// Lighthouse slows line and processor itself; files arrive packed, as from any host.
const site = await serve(DIST, { latency: 0, rate: Infinity });
try {
  for (const name of pages.filter((name) => chosen.length === 0 || chosen.includes(name))) await measure(name);
} finally {
  await site.close();
}

async function measure(name) {
  const all = await visits(`${site.origin}/${name === 'index' ? '' : `${name}.html`}`);
  for (const [category, least] of Object.entries(SCORES)) {
    if (category === 'seo' && name === ASKS_NOT_TO_BE_FOUND) continue;
    line(`${name}: ${category}`, score(all, category).toFixed(0), '', `>=${least}`);
    if (category !== 'performance') failures(all[0], category).forEach((failure) => console.log(`  ${name}: ${failure}`));
  }
  for (const [audit, unit, digits, bound] of [
    ['largest-contentful-paint', 'ms', 0, '1200'],
    // On cores that are busy with other things it is several times as long; the bench has a bound for it.
    ['total-blocking-time', 'ms', 0, '-'],
    ['cumulative-layout-shift', '', 3, '0.01'],
  ]) {
    line(`${name}: ${audit.replaceAll('-', ' ')}`, measured(all, audit).toFixed(digits), unit, bound);
  }
}

/** What a category counts against a page, in Lighthouse's words. */
function failures({ audits, categories }, category) {
  const counted = categories[category].auditRefs.filter(({ id, weight }) => weight > 0 && audits[id].score !== null && audits[id].score < 1);
  return counted.map(({ id }) => `${id}: ${audits[id].title}`);
}
