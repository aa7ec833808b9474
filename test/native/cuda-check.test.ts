// The program that checks every CUDA kernel on a GPU, here on a driver that is a fake: it must call right what is right and wrong what
// is wrong, and one case that fails must not end the others.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildCudaCheck, exitCodeOf } from '../../scripts/cuda-check.mjs';
import { fakeEnvironment, fakeGpu } from '../support/fake-gpu.js';
import { root } from '../support/pi-bench.js';

// Against what hangs only.
const COMPILE_TIMEOUT_MS = 1_200_000;

interface Line {
  readonly case?: string;
  readonly right?: boolean;
  readonly skipped?: string;
  readonly wrong?: readonly string[] | number;
  readonly cases?: number;
  readonly leftOut?: number;
}

let program = '';
let folder = '';

beforeAll(async () => {
  folder = fakeGpu();
  program = join(root, await buildCudaCheck());
}, COMPILE_TIMEOUT_MS);

const check = (settings: string, ...args: readonly string[]) => checkIn({}, settings, ...args);

function checkIn(more: NodeJS.ProcessEnv, settings: string, ...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(
    program,
    ['--kernels', join(folder, 'kernels'), '--quick', ...args],
    { encoding: 'utf8', env: { ...fakeEnvironment(folder, settings), ...more } },
  );
  const lines = stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
  return { status, stderr, cases: lines.slice(0, -1), sum: lines.at(-1) };
}

describe('the check of the CUDA kernels', () => {
  test('calls a device right whose kernels do what the contract says', () => {
    for (const only of ['support', 'bfloat16_float32_wgmma_256', 'int8_int32_mma_any', 'memory_triad']) {
      const { status, cases, sum } = check('', '--only', only);
      expect(cases.length).toBeGreaterThan(0);
      for (const line of cases)
        expect(line).toMatchObject({ right: true, device: expect.stringMatching(/fake/i) });
      expect(sum).toMatchObject({ cases: cases.length, wrong: 0 });
      expect(status).toBe(0);
    }
  });

  test('times no launch that waits for its kernel, which would wait for the gate', () => {
    const { status, cases } = checkIn({ CUDA_LAUNCH_BLOCKING: '1' }, '', '--only', 'peak_float32');
    expect(cases).toMatchObject([{ case: 'pibench_peak_float32_scalar', right: true }]);
    expect(status).toBe(0);
  });

  test('verifies what every workload leaves, of several calls and of one more', () => {
    const { status, cases } = check('', '--only', 'workload_');
    expect(cases.map((line) => [line.case, line.right, line.wrong])).toEqual(
      ['matmul', 'peak', 'memory', 'kernel_launch'].map((name) => [`workload_${name}`, true, undefined]),
    );
    expect(status).toBe(0);
  });

  test('finds one wrong element of a product', () => {
    const { status, cases } = check('wrong=1', '--only', 'float32_float32_scalar');
    expect(cases).toHaveLength(2);
    for (const line of cases) {
      expect(line.right).toBe(false);
      expect(JSON.stringify(line.wrong)).toMatch(/rows are wrong/);
    }
    expect(status).toBe(1);
  });

  test('goes on after a launch that failed, and says what the driver said', () => {
    const { status, cases } = check('launch-fails=2', '--only', 'mma_any');
    expect(cases.length).toBeGreaterThan(5);
    for (const line of cases) expect(JSON.stringify(line.wrong)).toMatch(/CUDA_ERROR_LAUNCH_FAILED/);
    expect(status).toBe(1);
  });

  test('checks several at a time where it times nothing, one line each', () => {
    const { status, cases, sum } = check('', '--only', 'pibench_memory', '--jobs', '4');
    const names = cases.map((line) => line.case);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThan(10);
    for (const line of cases) expect(line).toMatchObject({ right: true });
    expect(sum).toMatchObject({ cases: names.length, wrong: 0 });
    expect(status).toBe(0);
    const timed = spawnSync(program, ['--kernels', folder, '--jobs', '4'], { encoding: 'utf8' });
    expect(timed.status).toBe(64);
    expect(timed.stderr).toMatch(/--jobs N\]/);
  });

  test('tries what is by wgmma last, and leaves the rest out after a third case that hangs', () => {
    const { status, cases } = check('hangs=1', '--only', 'bfloat16_float32', '--seconds', '1');
    const names = cases.map((line) => line.case ?? '');
    expect(names.findIndex((name) => name.includes('wgmma'))).toBe(
      names.length - names.filter((name) => name.includes('wgmma')).length,
    );
    expect(cases.filter(({ wrong }) => JSON.stringify(wrong)?.includes('did not end in time'))).toHaveLength(
      3,
    );
    expect(cases.slice(3).map(({ skipped }) => skipped)).toEqual(
      names.slice(3).map(() => 'not in time: three cases before it hung'),
    );
    expect(status).toBe(1);
  });

  test('counts what it had no time for, and does not end as if that were right', () => {
    const { status, cases, sum } = check('', '--only', 'pibench_memory_copy', '--all-seconds', '0');
    expect(cases.length).toBeGreaterThan(1);
    for (const { skipped } of cases) expect(skipped).toBe('the time for all cases is over');
    expect(sum).toMatchObject({ cases: 0, wrong: 0, leftOut: cases.length });
    expect(status).toBe(2);
  });

  test('is not right with a module that could not be built', () => {
    expect(exitCodeOf([], 0)).toBe(0);
    expect(exitCodeOf(['gemm_mma.cu could not be compiled'], 0)).toBe(1);
    expect(exitCodeOf(['gemm_mma.cu could not be compiled'], 2)).toBe(1);
    expect(exitCodeOf([], 2)).toBe(2);
    expect(exitCodeOf([], null)).toBe(70);
  });

  test('skips what the device does not have', () => {
    const { status, cases } = check('capability=80', '--only', 'bfloat16_float32_wgmma');
    expect(cases.map(({ skipped }) => skipped)).toEqual(Array(2).fill('needs compute capability 90'));
    expect(status).toBe(0);
  });

  test('says how it is used', () => {
    const { status, stderr } = spawnSync(program, ['--quick'], { encoding: 'utf8' });
    expect(status).toBe(64);
    expect(stderr).toMatch(/^usage: cuda_check --kernels FOLDER/);
  });
});
