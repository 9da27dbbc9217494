// Messages held against docs/messages.schema.json; a schema that says what JSON Schema does not know is an error.

import { readFile } from 'node:fs/promises';
import Ajv from 'ajv/dist/2020.js';

const SCHEMA = JSON.parse(await readFile(new URL('../../docs/messages.schema.json', import.meta.url), 'utf8'));

const ajv = new Ajv({ strict: true }).addSchema(SCHEMA, 'messages');

/** Whether a message is of the group `out`, `in` or `height`. */
export const is = (group, message) => ajv.validate(`messages#/$defs/${group}`, message);

/** The types of messages of a group. */
export const types = (group) => {
  const resolved = (schema) => (schema.$ref ? SCHEMA.$defs[schema.$ref.split('/').at(-1)] : schema);
  return SCHEMA.$defs[group].anyOf.map(resolved).flatMap(({ properties }) => properties.type.enum ?? [properties.type.const]);
};
