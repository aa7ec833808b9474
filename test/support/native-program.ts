/** A check program of the native code, as a test. */
import { expect } from 'vitest';
import { HOST } from '../../scripts/lib/native-programs.mjs';
import { leftOutWrongly, runCheck } from '../../scripts/native-checks.mjs';

/** Against what hangs only; a program has a limit of its own, and then says so. */
export const COMPILE_TIMEOUT_MS = 1_200_000;
export const RUN_TIMEOUT_MS = HOST.timeLimit + 60_000;

/**
 * @param binary where it was compiled to
 * @param args what it is asked for
 */
export async function findsNothingWrong(binary: string, args: readonly string[] = []): Promise<void> {
  const result = await runCheck(binary, args);
  expect(result.trouble).toBeNull();
  expect(result.failed).toEqual([]);
  expect(result.checks).toBeGreaterThan(0);
  expect(leftOutWrongly(result)).toEqual([]);
}
