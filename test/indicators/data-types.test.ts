import { describe, expect, it } from 'vitest';
import {
  cpuDataTypesNamed,
  DATA_TYPES,
  dataTypeNamed,
  ELEMENT,
  GPU_DATA_TYPES,
  ONLY_ON_GPUS,
  rateUnitOf,
} from '../../src/indicators/data-types.js';

describe('the data types', () => {
  it('are found by their names, and by no other', () => {
    for (const name of DATA_TYPES) expect(dataTypeNamed(name)).toBe(name);
    for (const name of ['float128', '', 'FLOAT32', 'toString', ' float32']) {
      expect(() => dataTypeNamed(name)).toThrow(/is unknown; there is float32, float64, bfloat16, int8/);
    }
  });

  it.each([
    ['fp32', 'float32'],
    ['Single', 'float32'],
    ['double', 'float64'],
    ['bf16', 'bfloat16'],
    ['FLOAT32', 'float32'],
    ['flaot64', 'float64'],
  ])('are suggested for what others call them, and for slips: %s', (name, meant) => {
    expect(() => dataTypeNamed(name)).toThrow(`int8; did you mean ${meant}?`);
    expect(() => cpuDataTypesNamed(`int8,${name}`)).toThrow(`int8; did you mean ${meant}?`);
  });

  it('are no suggestion where they are not of that device', () => {
    expect(() => dataTypeNamed('fp16')).toThrow(/int8$/);
    expect(() => dataTypeNamed('fp16', true)).toThrow('did you mean float16?');
    expect(() => dataTypeNamed('toString')).toThrow(/int8$/);
  });

  it('of GPUs are found where a GPU is meant, and refused by name on the CPU', () => {
    for (const name of GPU_DATA_TYPES) expect(dataTypeNamed(name, true)).toBe(name);
    for (const name of ONLY_ON_GPUS)
      expect(() => dataTypeNamed(name)).toThrow(`--dtype ${name} is for GPUs; on the CPU there is`);
    expect(ONLY_ON_GPUS).toEqual(['tf32', 'float16', 'float8_e4m3']);
  });

  it('have the elements that their kernels read and write', () => {
    expect(ELEMENT).toEqual({
      float32: { operand: 4, result: 4 },
      float64: { operand: 8, result: 8 },
      bfloat16: { operand: 2, result: 4 },
      int8: { operand: 1, result: 4 },
      tf32: { operand: 4, result: 4 },
      float16: { operand: 2, result: 4 },
      float8_e4m3: { operand: 1, result: 4 },
    });
  });

  it('count floating-point operations, and integer ones as such', () => {
    expect(DATA_TYPES.map(rateUnitOf)).toEqual(['FLOP/s', 'FLOP/s', 'FLOP/s', 'OP/s']);
  });
});
