// Says which engines are not tried and why, once and before anything runs.

import { engine, NAMES } from './engines.mjs';

export default () => {
  for (const name of NAMES) {
    const { skipped } = engine(name);
    if (skipped) console.log(skipped);
  }
};
