// npm run build:schema: writes the JSON Schemas of the documents from the code that writes them (after npm run build:ts).
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jsonSchemas } from '../dist/record/json-schema.js';
import { packageRoot } from './lib/tree.mjs';

const folder = join(packageRoot, 'schema');
mkdirSync(folder, { recursive: true });
for (const [name, schema] of Object.entries(jsonSchemas())) {
  writeFileSync(join(folder, `${name}.schema.json`), `${JSON.stringify(schema, null, 2)}\n`);
}
