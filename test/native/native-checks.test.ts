// Runs the check programs of the native code: each compares parts of it with what they promise, without Node.
import { beforeAll, describe, expect, test } from 'vitest';
import { buildChecks, checkPrograms, runCheck } from '../../scripts/native-checks.mjs';

const COMPILE_TIMEOUT_MS = 600_000;
const RUN_TIMEOUT_MS = 120_000;

const programs = checkPrograms();
let binaries: readonly string[] = [];

beforeAll(async () => {
  binaries = await buildChecks(programs);
}, COMPILE_TIMEOUT_MS);

test('there are check programs', () => {
  expect(programs).toContain('gemm');
});

describe.each(programs)('the native check program %s', (program) => {
  test(
    'finds nothing wrong',
    async () => {
      const binary = binaries[programs.indexOf(program)] ?? '';
      const { checks, failed, trouble } = await runCheck(binary);
      expect(trouble).toBeNull();
      expect(failed).toEqual([]);
      expect(checks).toBeGreaterThan(0);
    },
    RUN_TIMEOUT_MS,
  );
});
