/** Stacks are named as libraries write themselves, too, and a slip is answered by the one that is meant. */
import { describe, expect, it } from 'vitest';
import { parseStack } from '../../src/stacks/index.js';

describe('the name of a stack', () => {
  it('is taken in any case; a path or a variant is kept as it is', () => {
    expect(parseStack('OpenBLAS')).toEqual({ provider: 'openblas', variant: null });
    expect(parseStack('MKL:/opt/Lib.so')).toEqual({ provider: 'mkl', variant: '/opt/Lib.so' });
    expect(parseStack('oneDNN').provider).toBe('onednn');
  });

  it('is not that of another where somebody has a stack of nearly this name', () => {
    expect(() => parseStack('OpenBLAS', ['OpenBlas'])).toThrow(
      /^--stack OpenBLAS is unknown; there is OpenBlas, embedded, .*; did you mean OpenBlas\?$/,
    );
  });

  it.each([
    ['opneblas', 'openblas'],
    ['openblass', 'openblas'],
    ['embeded', 'embedded'],
  ])('with a slip is unknown, and the one that is meant is named: %s', (given, meant) => {
    expect(() => parseStack(given)).toThrow(
      new RegExp(`^--stack ${given} is unknown; there is .*; did you mean ${meant}\\?$`),
    );
  });

  it('that is near to none has no suggestion', () => {
    expect(() => parseStack('nothing')).toThrow(/onnxruntime$/);
  });
});
