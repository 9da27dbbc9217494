// Packs a part of this site for a learning platform: the templates and lists are those of `rules.json`, and the archive has the
// layout of `archive.rs`.

const CRC = Uint32Array.from({ length: 256 }, (_, number) => {
  let rest = number;
  for (let bit = 0; bit < 8; bit += 1) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1;
  return rest;
});
const sum = (bytes) => {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = CRC[(crc ^ byte) & 0xff] ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
};

/** Numbers of two or four bytes, the lowest byte first. */
const low = (...numbers) => Uint8Array.from(numbers.flatMap(([number, bytes]) => Array.from({ length: bytes }, (_, at) => (number >>> (8 * at)) & 0xff)));

const deflated = async (bytes) => {
  if (!globalThis.CompressionStream) return bytes;
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
};

/** An archive of files, each with its name. */
const zip = async (files) => {
  const [out, list] = [[], []];
  const size = (all) => all.reduce((length, bytes) => length + bytes.length, 0);
  for (const [name, bytes] of files) {
    const letters = new TextEncoder().encode(name);
    const small = await deflated(bytes);
    const packed = small.length < bytes.length ? small : bytes;
    const method = packed === bytes ? 0 : 8;
    // The version, names in UTF-8, and the first day that the format knows.
    const head = low([20, 2], [0x800, 2], [method, 2], [0, 2], [0x21, 2], [sum(bytes), 4], [packed.length, 4], [bytes.length, 4], [letters.length, 2]);
    list.push(low([0x02014b50, 4], [20, 2]), head, new Uint8Array(12), low([size(out), 4]), letters);
    out.push(low([0x04034b50, 4]), head, new Uint8Array(2), letters, packed);
  }
  const count = files.length;
  const end = low([0x06054b50, 4], [0, 4], [count, 2], [count, 2], [size(list), 4], [size(out), 4], [0, 2]);
  return new Blob([...out, ...list, end], { type: 'application/zip' });
};

const fill = (template, values) => template.replace(/@\{(\w+)\}/g, (_, name) => values[name]);
const HTML = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text) => text.replace(/[&<>"]/g, (letter) => HTML[letter]);

/** A page without links to other pages of the site, and without its entry for sites that look links up. */
const unlinked = (page) =>
  page
    .replace(/<a ([^>]*)>([^]*?)<\/a>/g, (link, attributes, inside) => (attributes.includes('href="../') ? inside : link))
    .replace(/<link rel="alternate"[^]*? \/>/, '');

/** Packs the part with this name in a standard, passed at `mastery` percent. */
export const pack = async (base, part, standard, mastery) => {
  const asked = async (name, integrity) => {
    const answer = await fetch(new URL(name, base), { integrity });
    if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
    return answer;
  };
  const rules = await (await asked('kit/rules.json')).json();
  const { id, title, activity, scores, files, data } = rules.parts.find(({ id }) => id === part);
  const { manifest, template, file, scored, unscored, fixed, script, connect } = rules.standards[standard];
  const listed = [...new Set([...files, ...fixed, 'launch.html'])].sort().map((name) => fill(file, { file: name }));
  const values = { id, title: escaped(title), language: rules.language, activity, files: listed.join(''), mastery, measure: mastery / 100, data, standard, script, connect };
  values.scored = fill(scores ? scored : unscored, values);
  const own = [[manifest, fill(template, values)], ['launch.html', fill(rules.launch, values)]].map(([name, text]) => [name, new TextEncoder().encode(text)]);
  const others = [...fixed, ...files].map(async (name) => {
    const answer = await asked(name, rules.files[name]);
    const bytes = new Uint8Array(await answer.arrayBuffer());
    if (!name.endsWith('.html') || !files.includes(name)) return [name, bytes];
    return [name, new TextEncoder().encode(unlinked(new TextDecoder().decode(bytes)))];
  });
  return zip([...own, ...(await Promise.all(others))]);
};
