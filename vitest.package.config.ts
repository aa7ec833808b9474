import { defineConfig } from 'vitest/config';

/**
 * npm run check:package: the packed tarball, built and used as somebody who installs it does; the kernels for GPUs that it has; and
 * doctor --self-test, in this clone.
 */
export default defineConfig({
  test: {
    include: ['test/e2e/{package,self-test}.test.ts', 'test/scripts/cuda-kernels-compiled.test.ts'],
    pool: 'forks',
    // Two of them compile these kernels, and the second finds those of the first; one measures.
    fileParallelism: false,
    testTimeout: 120_000,
  },
});
