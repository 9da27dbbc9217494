// The text of a PDF that Chromium has written, page by page: enough of the format for that, and no more.

import { inflateSync } from 'node:zlib';

/** A text without white space, and ligatures taken apart: on paper lines, words and letters are only shapes at places. */
export const squeezed = (text) => text.normalize('NFKC').replace(/\s+/g, '');

/** The objects of a file by their numbers: what each says, and its stream. */
function objects(pdf) {
  const text = pdf.toString('latin1');
  const all = new Map();
  for (const match of text.matchAll(/^(\d+) 0 obj\s([\s\S]*?)(?:stream\r?\n|endobj)/gm)) {
    const [whole, number, head] = match;
    const length = whole.endsWith('endobj') ? 0 : Number(/\/Length (\d+)/.exec(head)?.[1] ?? 0);
    const start = match.index + whole.length;
    const bytes = pdf.subarray(start, start + length);
    const stream = () => (/\/FlateDecode/.test(head) ? inflateSync(bytes) : bytes).toString('latin1');
    all.set(number, { head, stream });
  }
  return all;
}

/** What the codes of a font mean. */
function letters(cmap) {
  const known = new Map();
  const text = (hex) => Buffer.from(hex, 'hex').swap16().toString('utf16le');
  for (const [, block] of cmap.matchAll(/beginbfchar([\s\S]*?)endbfchar/g)) {
    for (const [, code, hex] of block.matchAll(/<(\w+)>\s*<(\w+)>/g)) known.set(parseInt(code, 16), text(hex));
  }
  for (const [, block] of cmap.matchAll(/beginbfrange([\s\S]*?)endbfrange/g)) {
    for (const [, from, to, first] of block.matchAll(/<(\w+)>\s*<(\w+)>\s*<(\w+)>/g)) {
      const [start, end] = [parseInt(from, 16), parseInt(to, 16)];
      for (let code = start; code <= end; code++) known.set(code, String.fromCodePoint(parseInt(first, 16) + code - start));
    }
  }
  return known;
}

/** The text of each page, squeezed. */
export function pages(pdf) {
  const all = objects(pdf);
  const fonts = new Map();
  const font = (number) => {
    if (!fonts.has(number)) {
      const cmap = /\/ToUnicode (\d+) 0 R/.exec(all.get(number)?.head ?? '')?.[1];
      fonts.set(number, letters(cmap ? all.get(cmap).stream() : ''));
    }
    return fonts.get(number);
  };
  return [...all.values()]
    .filter(({ head }) => /\/Type\s*\/Page\b(?!s)/.test(head))
    .map(({ head }) => {
      const names = new Map([...head.matchAll(/\/(F\d+) (\d+) 0 R/g)].map(([, name, number]) => [name, number]));
      const content = /\/Contents (\d+) 0 R/.exec(head)[1];
      let current;
      let text = '';
      for (const [, name, codes] of all.get(content).stream().matchAll(/\/(F\d+) [\d.]+ Tf|<([0-9A-Fa-f]+)>(?=[^>\]]*\]?\s*(?:TJ|Tj|<|-?\d))/g)) {
        if (name) current = names.get(name);
        else if (current) for (const code of codes.match(/.{4}/g) ?? []) text += font(current).get(parseInt(code, 16)) ?? '';
      }
      return squeezed(text);
    });
}
