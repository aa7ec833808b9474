import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** Tests that need the machine for themselves, because they measure it or look at what others do: one file at a time. */
const MACHINE = [
  'test/e2e/**/*.test.ts',
  'test/gpu/**/*.test.ts',
  'test/execution/machine-lock.test.ts',
  'test/native/**/*.test.ts',
];

/**
 * Those among them that do not mind what else is running: what they look at depends on no time. Their campaigns wait for each
 * other; most of what such a file takes is the start of commands, and Slurm.
 */
const BESIDE = [
  'test/e2e/{bad-input,first-part,fleet,gpu,import,matmul,memory,nccl,nccl-processes,own-stacks,recipes}.test.ts',
  'test/e2e/{report,show,submit,thoth-postgres}.test.ts',
  'test/native/cuda-check.test.ts',
];

/** Builds everything once more, which takes a minute: `npm run check:package`. */
const APART = 'test/e2e/package.test.ts';

/** Takes minutes: `npm run check:long`. */
const LONG = 'test/long/**/*.test.ts';

/** All of them: vitest by itself leaves a CPU idle, which is half of two. */
const WORKERS = availableParallelism();

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [...MACHINE, LONG],
          pool: 'forks',
          // They leave nothing behind in their process, and a process for each would take longer than most of their tests.
          isolate: false,
          maxWorkers: WORKERS,
          testTimeout: 60_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'command',
          include: BESIDE,
          env: { TESTS_BESIDE: 'yes' },
          pool: 'forks',
          maxWorkers: WORKERS,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'machine',
          include: MACHINE,
          exclude: [...BESIDE, APART],
          pool: 'forks',
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
