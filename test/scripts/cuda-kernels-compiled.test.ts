// The kernels for NVIDIA GPUs as nvcc makes them: every kernel of the contract is in its module, for every target, made of the
// instructions that it is for. Compiling them takes minutes, so it is part of `npm run check:package`, which packs them.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildCudaKernels, CUDA_FOLDER, CUDA_MODULES, findNvcc } from '../../scripts/lib/cuda-kernels.mjs';
import { contractSymbols } from '../support/cuda-contract.js';

const COMPILE_TIMEOUT_MS = 400_000;
const nvcc = findNvcc();

const fatbin = (module: string) => readFileSync(join(CUDA_FOLDER, `${module}.fatbin`)).toString('latin1');
const count = (text: string, part: string) => text.split(part).length - 1;

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
