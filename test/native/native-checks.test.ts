// Runs the check programs of the native code: each compares parts of it with what they promise, without Node. Those that mind
// what else is running; native-checks-timeless.test.ts has the others.
import { beforeAll, describe, expect, test } from 'vitest';
import { isTold } from '../../scripts/lib/cpu-flags.mjs';
import { buildChecks, checkPrograms, TIMELESS } from '../../scripts/native-checks.mjs';
import { native } from '../../src/native.js';
import {
  COMPILE_TIMEOUT_MS,
  findsNothingWrong,
  linuxHas,
  RUN_TIMEOUT_MS,
} from '../support/native-program.js';

const programs = checkPrograms().filter((program) => !TIMELESS.includes(program));
let binaries: readonly string[] = [];

beforeAll(async () => {
  binaries = await buildChecks(programs);
}, COMPILE_TIMEOUT_MS);

describe('the instruction sets that run here', () => {
  const { kernels, memoryKernels, collectiveKernels } = native();

  test.runIf(isTold).each([
    ['gemm', kernels()],
    ['memory', memoryKernels()],
    ['collective', collectiveKernels()],
  ] as const)('are for %s those whose instructions Linux names', (folder, listed) => {
    expect(listed.length).toBeGreaterThan(1);
    for (const { isa, runsHere: chosen } of listed) expect(chosen, isa).toBe(linuxHas(folder, isa));
  });
});

describe('the native check program, alone,', () => {
  test('is one of several', () => {
    expect(programs).toContain('rendezvous');
  });

  test.each([...programs.entries()].map(([index, program]) => [program, index] as const))(
    '%s finds nothing wrong',
    (_, index) => findsNothingWrong(binaries[index] ?? ''),
    RUN_TIMEOUT_MS,
  );
});
