// The kernels for NVIDIA GPUs before nvcc makes them: what the contract names, and for which targets an nvcc compiles it. What it
// makes of them cuda-kernels-compiled.test.ts looks at, which is part of `npm run check:package`.
import { describe, expect, test } from 'vitest';
import { buildCudaKernels, CUDA_MODULES, targetsFor } from '../../scripts/lib/cuda-kernels.mjs';
import { contractSymbols } from '../support/cuda-contract.js';

test('the contract is read whole', () => {
  const symbols = contractSymbols();
  // 14 of wgmma, 16 of mma, 2 scalar; 13 peak loops; 24 passes over memory; 6 beside them.
  expect(symbols).toHaveLength(32 + 13 + 24 + 6);
  expect(new Set(symbols.map(({ symbol }) => symbol)).size).toBe(symbols.length);
  for (const { module } of symbols) expect(Object.keys(CUDA_MODULES)).toContain(module);
});

test('an nvcc that does not run is told, and is no exception', () => {
  const { built, failed } = buildCudaKernels({ nvcc: '/nowhere/nvcc' });
  expect(built).toEqual([]);
  expect(failed).toEqual(['/nowhere/nvcc does not run']);
});

describe('targets', () => {
  const knowing =
    (...names: string[]) =>
    (target: string) =>
      names.includes(target);
  const wanted = ['sm_89', 'sm_90', 'sm_100', 'compute_100'];

  test('are all that an nvcc knows', () => {
    expect(targetsFor(wanted, () => true)).toEqual(wanted);
    expect(targetsFor(['sm_90a'], knowing('sm_90a'))).toEqual(['sm_90a']);
    expect(targetsFor(wanted, () => false)).toEqual([]);
  });

  test('of an nvcc that does not know the newest still have PTX, for what comes later', () => {
    const older = knowing('sm_80', 'sm_89', 'sm_90', 'compute_80', 'compute_89', 'compute_90');
    expect(targetsFor(wanted, older)).toEqual(['sm_89', 'sm_90', 'compute_90']);
    expect(targetsFor(['sm_80', 'compute_100'], knowing('sm_80', 'compute_80'))).toEqual([
      'sm_80',
      'compute_80',
    ]);
    // The fp8 instructions are not in PTX for 8.0.
    expect(targetsFor(wanted, knowing('sm_89', 'compute_80'))).toEqual(['sm_89']);
    expect(targetsFor(['sm_90a'], older)).toEqual([]);
  });
});
