import { defineConfig } from 'vitest/config';

/** npm run check:package: the packed tarball, built and used as somebody who installs it does. */
export default defineConfig({
  test: { include: ['test/e2e/package.test.ts'], pool: 'forks' },
});
