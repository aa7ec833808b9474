import { defineConfig } from 'vitest/config';

/** Part of `npm run check:long`: what takes too long for every change, or has to be tried many times. */
export default defineConfig({
  test: {
    include: ['test/long/**/*.test.ts'],
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 1_200_000,
  },
});
