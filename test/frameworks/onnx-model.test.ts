import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Product } from '../../src/frameworks/adapter.js';
import { matmulModel, operatorOf } from '../../src/frameworks/onnx-model.js';

/** A field of a protocol buffer: its number, and a number or the bytes that it holds. */
interface Field {
  readonly number: number;
  readonly value: number | Uint8Array;
}

/** Reads what any protocol buffer of these two wire types is, knowing nothing of ONNX. */
function fieldsOf(bytes: Uint8Array): readonly Field[] {
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let place = 1; ; place *= 128) {
      const byte = bytes[at++];
      if (byte === undefined) throw new Error('it ends inside a number');
      value += (byte & 127) * place;
      if (byte < 128) return value;
    }
  };
  const fields: Field[] = [];
  while (at < bytes.length) {
    const key = varint();
    const number = Math.floor(key / 8);
    if (key % 8 === 0) {
      fields.push({ number, value: varint() });
      continue;
    }
    if (key % 8 !== 2) throw new Error(`a wire type ${key % 8}`);
    const length = varint();
    if (at + length > bytes.length) throw new Error('it ends inside a field');
    fields.push({ number, value: bytes.subarray(at, at + length) });
    at += length;
  }
  return fields;
}

const all = (bytes: Uint8Array, ...path: readonly number[]): readonly (number | Uint8Array)[] =>
  path.reduce<readonly (number | Uint8Array)[]>(
    (found, number) =>
      found.flatMap((one) =>
        typeof one === 'number'
          ? []
          : fieldsOf(one).flatMap((field) => (field.number === number ? [field.value] : [])),
      ),
    [bytes],
  );
const textAt = (bytes: Uint8Array, ...path: readonly number[]): readonly string[] =>
  all(bytes, ...path).map((value) => Buffer.from(value as Uint8Array).toString('utf8'));

const PRODUCT: Product = {
  m: 3,
  n: 5,
  k: 7,
  transposeA: false,
  transposeB: false,
  batch: 1,
  dtype: 'float32',
};
// graph 7: node 1 (operator 4, attribute 5), input 11, output 12; a value: name 1, type 2 > tensor 1 > shape 2 > dim 1 > value 1
const SHAPE = [2, 1, 2, 1, 1] as const;

describe('the model of a product', () => {
  it('has one node, two inputs and one output of the shapes in memory', () => {
    fc.assert(
      fc.property(
        fc.record({
          m: fc.integer({ min: 1, max: 2 ** 40 }),
          n: fc.integer({ min: 1, max: 2 ** 20 }),
          k: fc.integer({ min: 1, max: 2 ** 20 }),
          batch: fc.integer({ min: 1, max: 300 }),
        }),
        ({ m, n, k, batch }) => {
          const model = matmulModel({ ...PRODUCT, m, n, k, batch });
          const front = batch === 1 ? [] : [batch];
          expect(textAt(model, 7, 1, 4)).toEqual(['MatMul']);
          expect(textAt(model, 7, 1, 1)).toEqual(['A', 'B']);
          expect(textAt(model, 7, 1, 2)).toEqual(['C']);
          expect(textAt(model, 7, 11, 1)).toEqual(['A', 'B']);
          expect(all(model, 7, 11, ...SHAPE)).toEqual([...front, m, k, ...front, k, n]);
          expect(all(model, 7, 12, ...SHAPE)).toEqual([...front, m, n]);
        },
      ),
    );
  });

  it('multiplies transposed operands with Gemm, whose flags say which', () => {
    const model = matmulModel({ ...PRODUCT, transposeB: true });
    expect(textAt(model, 7, 1, 4)).toEqual(['Gemm']);
    expect(textAt(model, 7, 1, 5, 1)).toEqual(['transB']);
    expect(all(model, 7, 11, ...SHAPE)).toEqual([3, 7, 5, 7]);
  });

  it('takes bytes and gives 32-bit sums where the data are int8', () => {
    const model = matmulModel({ ...PRODUCT, dtype: 'int8' });
    expect(textAt(model, 7, 1, 4)).toEqual(['MatMulInteger']);
    // TensorProto.DataType: INT8 3, INT32 6
    expect(all(model, 7, 11, 2, 1, 1)).toEqual([3, 3]);
    expect(all(model, 7, 12, 2, 1, 1)).toEqual([6]);
  });

  it('has its operands in it where they are to stay on a device', () => {
    const model = matmulModel({ ...PRODUCT, batch: 2 }, 'constants');
    expect(textAt(model, 7, 11, 1)).toEqual([]);
    expect(textAt(model, 7, 12, 1)).toEqual(['C']);
    // TensorProto: dims 1, name 8, external_data 13 (key 1, value 2), data_location 14: EXTERNAL
    expect(textAt(model, 7, 5, 8)).toEqual(['A', 'B']);
    expect(all(model, 7, 5, 1)).toEqual([2, 3, 7, 2, 7, 5]);
    expect(textAt(model, 7, 5, 13, 1)).toEqual(['location', 'length', 'location', 'length']);
    expect(textAt(model, 7, 5, 13, 2)).toEqual(['A', String(2 * 21 * 4), 'B', String(2 * 35 * 4)]);
    expect(all(model, 7, 5, 14)).toEqual([1, 1]);
  });

  it.each([
    ['transposed bytes', { dtype: 'int8', transposeA: true }],
    ['a batch of transposed operands', { transposeA: true, batch: 2 }],
    ['bfloat16', { dtype: 'bfloat16' }],
  ] as const)('does not exist for %s', (_, change) => {
    const product = { ...PRODUCT, ...change };
    expect(operatorOf(product)).toBeNull();
    expect(() => matmulModel(product)).toThrow(/no operator/);
  });
});
