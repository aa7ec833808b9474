import { defineConfig } from 'vitest/config';

/** Tests that launch campaigns need the machine for themselves: one file at a time, after all others. */
const MACHINE = [
  'test/e2e/**/*.test.ts',
  'test/gpu/**/*.test.ts',
  'test/execution/machine-lock.test.ts', 'test/native/**/*.test.ts'];

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: MACHINE,
          pool: 'forks',
          testTimeout: 60_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'machine',
          include: MACHINE,
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
