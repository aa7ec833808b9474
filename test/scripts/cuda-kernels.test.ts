// The kernels for NVIDIA GPUs as nvcc makes them: every kernel of the contract is in its module, for every target, made of the
// instructions that it is for.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  buildCudaKernels,
  CUDA_FOLDER,
  CUDA_MODULES,
  findNvcc,
  targetsFor,
} from '../../scripts/lib/cuda-kernels.mjs';

const COMPILE_TIMEOUT_MS = 400_000;
const nvcc = findNvcc();

/** The symbols that the contract names, with the module that each must be in. */
function contractSymbols(): { symbol: string; module: string }[] {
  const read = (name: string) => readFileSync(join('kernels', 'cuda', name), 'utf8');
  const found: { symbol: string; module: string }[] = [];
  for (const [, engine, symbol] of read('contract_gemm.h').matchAll(/(wgmma|mma|scalar)\("(pibench_\w+)"/g)) {
    const fp8 = engine === 'mma' && symbol?.includes('float8') ? '_fp8' : '';
    found.push({ symbol: symbol ?? '', module: `gemm_${engine}${fp8}` });
  }
  const contract = read('contract.h');
  for (const [, symbol, module] of contract.matchAll(/"(pibench_\w+)",\s*"(\w+)"/g))
    found.push({ symbol: symbol ?? '', module: module ?? '' });
  for (const [, symbol] of contract.matchAll(/Support k\w+\{"(pibench_\w+)"/g))
    found.push({ symbol: symbol ?? '', module: 'support' });
  return found;
}

const fatbin = (module: string) => readFileSync(join(CUDA_FOLDER, `${module}.fatbin`)).toString('latin1');
const count = (text: string, part: string) => text.split(part).length - 1;

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

describe('nvcc', () => {
  beforeAll(() => {
    if (nvcc !== undefined) expect(buildCudaKernels()).toMatchObject({ failed: [], warned: [] });
  }, COMPILE_TIMEOUT_MS);

  test('compiles every kernel for every target of its module', (context) => {
    if (nvcc === undefined) return context.skip('nvcc is not installed here');
    for (const { symbol, module } of contractSymbols()) {
      const targets = CUDA_MODULES[module] ?? [];
      // Machine code is one ELF file for each target; PTX, which comes behind or before them, declares its kernels.
      const [, ...images] = fatbin(module).split('\x7fELF');
      expect(images, module).toHaveLength(targets.filter((target) => target.startsWith('sm_')).length);
      for (const image of images)
        expect(image.includes(`.text.${symbol}\0`), `${symbol} in ${module}`).toBe(true);
      const intermediate = targets.filter((target) => target.startsWith('compute_')).length;
      expect(count(fatbin(module), `.entry ${symbol}(`), `${symbol} as PTX`).toBe(intermediate);
    }
  });

  const cuobjdump = nvcc === undefined ? '' : join(dirname(nvcc), 'cuobjdump');
  const expected: [string, string[]][] = [
    ['gemm_wgmma', ['HGMMA', 'QGMMA', 'IGMMA', 'UTMALDG', 'MULTICAST', 'UTMASTG']],
    ['gemm_mma', ['HMMA', 'IMMA', 'DMMA', 'LDGSTS', 'LDSM']],
    ['gemm_scalar', ['FFMA', 'LDS.128', 'LDGSTS']],
    ['peak_wgmma', ['HGMMA', 'QGMMA', 'IGMMA']],
    ['memory', ['LDG.E.128', 'STG.E.128']],
    ['memory_bulk', ['UBLKCP']],
  ];
  test.for(expected)('makes %s of the instructions that it is for', ([module, instructions], context) => {
    if (!existsSync(cuobjdump)) return context.skip('cuobjdump is not installed here');
    const { stdout } = spawnSync(cuobjdump, ['--dump-sass', join(CUDA_FOLDER, `${module}.fatbin`)], {
      encoding: 'utf8',
      maxBuffer: 1 << 30,
    });
    for (const instruction of instructions) expect(stdout).toContain(instruction);
    // No array of registers went to memory.
    expect(stdout).not.toMatch(/\b(LDL|STL)\b/);
  });
});
