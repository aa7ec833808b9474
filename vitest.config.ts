import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** Tests that need the machine for themselves, because they measure it or look at what others do: one file at a time. */
const MACHINE = [
  'test/e2e/**/*.test.ts',
  'test/gpu/**/*.test.ts',
  'test/execution/machine-lock.test.ts',
  'test/native/**/*.test.ts',
];

/** Those among them that do not mind what else is running: what they look at depends on no time. */
const BESIDE = [
  'test/e2e/{bad-input,fleet,import,own-stacks,report,show,thoth-postgres}.test.ts',
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
          maxWorkers: WORKERS,
          testTimeout: 60_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'command',
          include: BESIDE,
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
