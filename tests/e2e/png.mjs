// Reads the pixels of a screenshot: 8-bit PNG without interlacing, as Chromium writes it.

import { inflateSync } from 'node:zlib';

/** Width, height, and a function from a place to its `[red, green, blue]`. */
export function pixels(png) {
  const chunks = [];
  let [width, height, kind] = [0, 0, 0];
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const name = png.toString('latin1', at + 4, at + 8);
    const data = png.subarray(at + 8, at + 8 + length);
    if (name === 'IHDR') {
      [width, height, kind] = [data.readUInt32BE(0), data.readUInt32BE(4), data[9]];
      if (data[8] !== 8 || data[12] !== 0 || ![2, 6].includes(kind)) throw new Error('a PNG of another kind');
    }
    if (name === 'IDAT') chunks.push(data);
    at += length + 12;
  }
  const raw = inflateSync(Buffer.concat(chunks));
  const step = kind === 6 ? 4 : 3;
  const row = width * step;
  const out = Buffer.alloc(row * height);
  for (let y = 0; y < height; y += 1) {
    const filter = raw[y * (row + 1)];
    for (let x = 0; x < row; x += 1) {
      const left = x < step ? 0 : out[y * row + x - step];
      const up = y === 0 ? 0 : out[(y - 1) * row + x];
      const corner = x < step || y === 0 ? 0 : out[(y - 1) * row + x - step];
      out[y * row + x] = raw[y * (row + 1) + 1 + x] + predicted(filter, left, up, corner);
    }
  }
  return { width, height, at: (x, y) => [0, 1, 2].map((part) => out[y * row + x * step + part]) };
}

/** What a filter of the format expects at a place, from its neighbours. */
function predicted(filter, left, up, corner) {
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  if (filter === 4) {
    const guess = left + up - corner;
    const [a, b, c] = [left, up, corner].map((one) => Math.abs(guess - one));
    return a <= b && a <= c ? left : b <= c ? up : corner;
  }
  return 0;
}
