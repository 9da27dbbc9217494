// Enough of JSON Schema to hold messages against docs/messages.schema.json; a keyword that it does not know is an error.

import { readFile } from 'node:fs/promises';

const SCHEMA = JSON.parse(await readFile(new URL('../../docs/messages.schema.json', import.meta.url), 'utf8'));

const TYPES = {
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  number: (value) => Number.isFinite(value),
  integer: (value) => Number.isInteger(value),
};

/** Keywords: whether a value keeps to them. What is of another type is not theirs to judge. */
const KEYWORDS = {
  $schema: () => true,
  $defs: () => true,
  title: () => true,
  description: () => true,
  $ref: (path, value) => fits(value, path.slice(2).split('/').reduce((at, name) => at[name], SCHEMA)),
  anyOf: (all, value) => all.some((schema) => fits(value, schema)),
  type: (type, value) => TYPES[type](value),
  const: (wanted, value) => value === wanted,
  enum: (wanted, value) => wanted.includes(value),
  minimum: (least, value) => !TYPES.number(value) || value >= least,
  maximum: (most, value) => !TYPES.number(value) || value <= most,
  maxLength: (most, value) => !TYPES.string(value) || value.length <= most,
  pattern: (pattern, value) => !TYPES.string(value) || new RegExp(pattern, 'u').test(value),
  required: (names, value) => !TYPES.object(value) || names.every((name) => value[name] !== undefined),
  properties: (all, value) =>
    !TYPES.object(value) || Object.entries(all).every(([name, schema]) => value[name] === undefined || fits(value[name], schema)),
  additionalProperties: (allowed, value, { properties }) =>
    allowed || !TYPES.object(value) || Object.keys(value).every((name) => value[name] === undefined || Object.hasOwn(properties, name)),
};

function fits(value, schema) {
  return Object.entries(schema).every(([keyword, wanted]) => {
    if (!Object.hasOwn(KEYWORDS, keyword)) throw new Error(`the schema says ${keyword}, which schema.mjs does not know`);
    return KEYWORDS[keyword](wanted, value, schema);
  });
}

/** Whether a message is of the group `out`, `in` or `height`. */
export const is = (group, message) => fits(message, SCHEMA.$defs[group]);

/** The types of messages of a group. */
export const types = (group) => {
  const resolved = (schema) => (schema.$ref ? SCHEMA.$defs[schema.$ref.split('/').at(-1)] : schema);
  return SCHEMA.$defs[group].anyOf.map(resolved).flatMap(({ properties }) => properties.type.enum ?? [properties.type.const]);
};
