// Runs the check programs of the native code: each compares parts of it with what they promise, without Node.
import { beforeAll, describe, expect, test } from 'vitest';
import { isTold, runsHere } from '../../scripts/lib/cpu-flags.mjs';
import { HOST } from '../../scripts/lib/native-programs.mjs';
import { buildChecks, checkPrograms, runCheck, TIMELESS } from '../../scripts/native-checks.mjs';
import { addonSources } from '../../scripts/native-sources.mjs';
import { native } from '../../src/native.js';

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

/** Of an instruction set, by the flags that its source of a folder is compiled with: no word of kernels/cpu/cpu_features.cc is taken. */
function linuxHas(folder: 'gemm' | 'memory' | 'collective', isa: string): boolean {
  const path = `kernels/cpu/${folder}/${isa.replace('-', '_')}.cc`;
  const source = addonSources().find((one) => one.path === path);
  if (source === undefined) throw new Error(`no source ${path}`);
  return runsHere(source);
}

/** The instruction sets that a program says it left out, although this CPU executes what products in them take. */
function leftOutWrongly(informed: readonly string[]): readonly string[] {
  const leftOut = informed
    .map((line) => /^(\S+) does not run here$/.exec(line)?.[1])
    .filter((isa) => isa !== undefined);
  return isTold ? leftOut.filter((isa) => linuxHas('gemm', isa)) : [];
}

async function findsNothingWrong(program: string): Promise<void> {
  const binary = binaries[programs.indexOf(program)] ?? '';
  const { checks, failed, trouble, informed } = await runCheck(binary);
  expect(trouble).toBeNull();
  expect(failed).toEqual([]);
  expect(checks).toBeGreaterThan(0);
  expect(leftOutWrongly(informed)).toEqual([]);
}

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

// These take longest, and do not mind each other.
describe('the native check program', () => {
  test.concurrent.each([...TIMELESS])('%s finds nothing wrong', findsNothingWrong, RUN_TIMEOUT_MS);
});

describe('the native check program, alone,', () => {
  const alone = programs.filter((program) => !TIMELESS.includes(program));
  test.each(alone)('%s finds nothing wrong', findsNothingWrong, RUN_TIMEOUT_MS);
});
