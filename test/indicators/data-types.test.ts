import { describe, expect, it } from 'vitest';
import { DATA_TYPES, dataTypeNamed, ELEMENT, rateUnitOf } from '../../src/indicators/data-types.js';

describe('the data types', () => {
  it('are found by their names, and by no other', () => {
    for (const name of DATA_TYPES) expect(dataTypeNamed(name)).toBe(name);
    for (const name of ['float16', '', 'FLOAT32', 'toString', ' float32']) {
      expect(() => dataTypeNamed(name)).toThrow(/is unknown; there is float32, float64, bfloat16, int8/);
    }
  });

  it('have the elements that their kernels read and write', () => {
    expect(ELEMENT).toEqual({
      float32: { operand: 4, result: 4 },
      float64: { operand: 8, result: 8 },
      bfloat16: { operand: 2, result: 4 },
      int8: { operand: 1, result: 4 },
    });
  });

  it('count floating-point operations, and integer ones as such', () => {
    expect(DATA_TYPES.map(rateUnitOf)).toEqual(['FLOP/s', 'FLOP/s', 'FLOP/s', 'OP/s']);
  });
});
