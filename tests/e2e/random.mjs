// Chance with a seed, so that what fails comes again.

/** A small generator; it stands by itself, since it is handed into pages too. */
export function random(seed) {
  let state = seed;
  /** From nothing to just under one. */
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (n) => Math.floor(next() * n);
  const pick = (list) => list[below(list.length)];
  return { next, below, pick };
}

/** Gives a page the same generator, as `window.random`. */
export const handOut = (page) => page.evaluate(`window.random = ${random}`);
