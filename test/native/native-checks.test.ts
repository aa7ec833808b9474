// The check programs of the native code, each of which compares a part of it with what that promises, without Node: those that
// take seconds. All of them, the two of which there is a share here in full, are `npm run check:native`, a step of .ci/run.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { isTold, linuxHas } from '../../scripts/lib/cpu-flags.mjs';
import { checkPrograms, programAsked } from '../../scripts/lib/native-programs.mjs';
import { buildChecks, programsOf, QUICK } from '../../scripts/native-checks.mjs';
import { native } from '../../src/native.js';
import { COMPILE_TIMEOUT_MS, findsNothingWrong, RUN_TIMEOUT_MS } from '../support/native-program.js';
import { root } from '../support/pi-bench.js';

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

describe('the native check program', () => {
  let binaries: readonly string[] = [];
  beforeAll(async () => {
    binaries = await buildChecks(QUICK.map((program) => programAsked(program).name));
  }, COMPILE_TIMEOUT_MS);

  test.each([...QUICK.entries()].map(([index, program]) => [program, index] as const))(
    '%s finds nothing wrong',
    (program, index) => findsNothingWrong(binaries[index] ?? '', programAsked(program).args),
    RUN_TIMEOUT_MS,
  );
});

test('.ci/run has every check program in full, whatever is run here', () => {
  const steps = readFileSync(join(root, '.ci', 'run'), 'utf8').split('\n');
  expect(
    steps.filter((line) => /^step \d+ '[^']+' node scripts\/native-checks\.mjs$/.test(line)),
  ).toHaveLength(1);
  expect(programsOf('', false)).toEqual(checkPrograms());
  expect(checkPrograms()).toContain('rendezvous');
});
