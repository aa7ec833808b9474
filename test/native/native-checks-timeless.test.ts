// Runs the check programs of the native code that take longest and do not mind what else is running.
import { beforeAll, describe, test } from 'vitest';
import { buildChecks, TIMELESS } from '../../scripts/native-checks.mjs';
import { COMPILE_TIMEOUT_MS, findsNothingWrong, RUN_TIMEOUT_MS } from '../support/native-program.js';

let binaries: readonly string[] = [];

beforeAll(async () => {
  binaries = await buildChecks(TIMELESS);
}, COMPILE_TIMEOUT_MS);

describe('the native check program', () => {
  test.each([...TIMELESS.entries()].map(([index, program]) => [program, index] as const))(
    '%s finds nothing wrong',
    (_, index) => findsNothingWrong(binaries[index] ?? ''),
    RUN_TIMEOUT_MS,
  );
});
