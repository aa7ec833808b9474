import { defineConfig } from 'vitest/config';

/** npm run check:package: the packed tarball, built and used as somebody who installs it does, and the kernels for GPUs that it has. */
export default defineConfig({
  test: {
    include: ['test/e2e/package.test.ts', 'test/scripts/cuda-kernels-compiled.test.ts'],
    pool: 'forks',
    // Both compile these kernels, and the second finds those of the first.
    fileParallelism: false,
  },
});
