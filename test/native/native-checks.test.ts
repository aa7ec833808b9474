// Runs the check programs of the native code: each compares parts of it with what they promise, without Node.
import { beforeAll, describe, expect, test } from 'vitest';
import { HOST } from '../../scripts/lib/native-programs.mjs';
import { buildChecks, checkPrograms, runCheck, TIMELESS } from '../../scripts/native-checks.mjs';

// Against what hangs only; a program has a limit of its own, and then says so.
const COMPILE_TIMEOUT_MS = 1_200_000;
const RUN_TIMEOUT_MS = HOST.timeLimit + 60_000;

const programs = checkPrograms();
let binaries: readonly string[] = [];

beforeAll(async () => {
  binaries = await buildChecks(programs);
}, COMPILE_TIMEOUT_MS);

test('there are check programs', () => {
  expect(programs).toContain('gemm');
});

async function findsNothingWrong(program: string): Promise<void> {
  const binary = binaries[programs.indexOf(program)] ?? '';
  const { checks, failed, trouble } = await runCheck(binary);
  expect(trouble).toBeNull();
  expect(failed).toEqual([]);
  expect(checks).toBeGreaterThan(0);
}

// These take longest, and do not mind each other.
describe('the native check program', () => {
  test.concurrent.each([...TIMELESS])('%s finds nothing wrong', findsNothingWrong, RUN_TIMEOUT_MS);
});

describe('the native check program, alone,', () => {
  const alone = programs.filter((program) => !TIMELESS.includes(program));
  test.each(alone)('%s finds nothing wrong', findsNothingWrong, RUN_TIMEOUT_MS);
});
