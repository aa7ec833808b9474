// What this CPU executes, as Linux names it, beside what sources are compiled for.
import { readFileSync } from 'node:fs';
import { addonSources } from '../native-sources.mjs';

/** The instruction set that a flag of the compiler allows, without what Linux and the compiler write differently; undefined: none. */
const allowed = (flag) => /^-m([a-z][a-z0-9-]*)$/.exec(flag)?.[1].replaceAll('-', '');

/** All that this CPU has; null where Linux does not say. */
function instructionSets() {
  try {
    const [, words] = /^flags\s*:(.*)$/m.exec(readFileSync('/proc/cpuinfo', 'utf8')) ?? [];
    return words === undefined ? null : new Set(words.trim().replaceAll('_', '').split(/\s+/));
  } catch {
    return null;
  }
}

const here = instructionSets();

/** Whether Linux says what this CPU has, in the words of x86. */
export const isTold = here !== null;

/**
 * Whether this CPU can execute what a source becomes with its flags; true where that is not known.
 * @param {{ flags: readonly string[] }} source
 */
export const runsHere = ({ flags }, sets = here) =>
  sets === null ||
  flags
    .map(allowed)
    .filter((set) => set !== undefined)
    .every((set) => sets.has(set));

/**
 * The same of an instruction set, by the flags that its source of a folder is compiled with: no word of kernels/cpu/cpu_features.cc
 * is taken.
 * @param {'gemm' | 'memory' | 'collective'} folder
 * @param {string} isa
 */
export function linuxHas(folder, isa) {
  const path = `kernels/cpu/${folder}/${isa.replace('-', '_')}.cc`;
  const source = addonSources().find((one) => one.path === path);
  if (source === undefined) throw new Error(`no source ${path}`);
  return runsHere(source);
}
