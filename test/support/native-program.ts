/** A check program of the native code, as a test. */
import { expect } from 'vitest';
import { isTold, runsHere } from '../../scripts/lib/cpu-flags.mjs';
import { HOST } from '../../scripts/lib/native-programs.mjs';
import { runCheck } from '../../scripts/native-checks.mjs';
import { addonSources } from '../../scripts/native-sources.mjs';

/** Against what hangs only; a program has a limit of its own, and then says so. */
export const COMPILE_TIMEOUT_MS = 1_200_000;
export const RUN_TIMEOUT_MS = HOST.timeLimit + 60_000;

/** Of an instruction set, by the flags that its source of a folder is compiled with: no word of kernels/cpu/cpu_features.cc is taken. */
export function linuxHas(folder: 'gemm' | 'memory' | 'collective', isa: string): boolean {
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

/** @param binary where it was compiled to */
export async function findsNothingWrong(binary: string): Promise<void> {
  const { checks, failed, trouble, informed } = await runCheck(binary);
  expect(trouble).toBeNull();
  expect(failed).toEqual([]);
  expect(checks).toBeGreaterThan(0);
  expect(leftOutWrongly(informed)).toEqual([]);
}
