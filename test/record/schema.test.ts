import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestOf } from '../../src/record/digest.js';
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

const written = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

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
        fc.pre(!isDeepStrictEqual(written(a), written(b)));
        return digestOf({ value: a }) !== digestOf({ value: b });
      }),
    );
  });
  it('tells documents apart that are nearly alike', () => {
    const alike = [1, '1', true, 'true', null, 'null', [], {}, [[]], [{}], [1], ['1'], [1, 1], [11], '1,1'];
    const documents = [
      {},
      ...alike.flatMap((leaf) => [{ a: leaf }, { b: leaf }, { a: { b: leaf } }, { a: leaf, b: null }]),
      ...[
        { a: 1, b: 2 },
        { a: 2, b: 1 },
        { a: [1, 2] },
        { a: [2, 1] },
        { a: [1, null] },
        { a: '1,b:2' },
        { 'a:1,b': 2 },
      ],
    ];
    expect(new Set(documents.map(digestOf)).size).toBe(documents.length);
  });
});
