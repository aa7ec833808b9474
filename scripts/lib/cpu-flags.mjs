// What this CPU executes, as Linux names it, beside what sources are compiled for.
import { readFileSync } from 'node:fs';

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
