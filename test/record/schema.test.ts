import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, digestOf } from '../../src/record/digest.js';
import { jsonSchemas } from '../../src/record/json-schema.js';
import { root } from '../support/pi-bench.js';

describe('the shipped JSON Schemas', () => {
  it.each(
    Object.entries(jsonSchemas()),
  )('%s is what the code generates (npm run build:schema)', (name, schema) => {
    const shipped = JSON.parse(readFileSync(join(root, 'schema', `${name}.schema.json`), 'utf8'));
    expect(shipped).toEqual(JSON.parse(JSON.stringify(schema)));
  });
});

describe('a digest', () => {
  it('does not depend on the order of keys', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (document) => {
        const turned = Object.fromEntries(Object.entries(document).reverse());
        return digestOf(turned) === digestOf(document);
      }),
    );
  });
  it('survives writing and reading', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (document) => {
        return digestOf(JSON.parse(JSON.stringify(document))) === digestOf(document);
      }),
    );
  });
  it('changes with any value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        fc.pre(canonicalJson(a) !== canonicalJson(b));
        return digestOf({ value: a }) !== digestOf({ value: b });
      }),
    );
  });
});
