// Writes the pages that are made from the code. Needs a build: npm run docs makes one.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { withFolders } from './docs/folders.mjs';
import { securityPage } from './docs/threats.mjs';

const root = new URL('..', import.meta.url);
const built = (path) => import(new URL(`dist/src/${path}`, root).href);
const { configReference } = await built('config/reference.js');
const { configFileJsonSchema } = await built('config/file-json-schema.js');

const folder = new URL('docs/reference/', root);
await mkdir(folder, { recursive: true });
await writeFile(new URL('config.md', folder), configReference());
await writeFile(
  new URL('longrun.schema.json', folder),
  `${JSON.stringify(configFileJsonSchema(), null, 2)}\n`,
);
await writeFile(new URL('docs/security.md', root), securityPage(fileURLToPath(root)));
const architecture = new URL('docs/architecture.md', root);
await writeFile(architecture, withFolders(await readFile(architecture, 'utf8')));
console.log(
  'Wrote docs/reference/config.md, docs/reference/longrun.schema.json, docs/security.md and docs/architecture.md.',
);
