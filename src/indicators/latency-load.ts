/** Threads that read main memory while the loads of another one are timed: how many, and what each of them reads. Pure. */
import type { Options } from 'yargs';
import { UserError } from '../errors.js';
import { availableMemory, usableCpus } from '../machine/capacity.js';
import type { CpuDescription, MachineDescription } from '../machine/types.js';
import { expandValues } from '../quantities/expand.js';
import { formatBytes, plural } from '../quantities/format.js';
import { parseQuantity, QuantityError } from '../quantities/parse.js';
import type { Bytes } from '../units.js';
import type { Flags } from './indicator.js';
import { pastAllCaches } from './memory-sizes.js';
import { MOST_THREADS } from './threads.js';

export interface Load {
  /** Threads beside the one whose loads are timed. */
  readonly load: number;
  /** Of the set that each of them reads. */
  readonly loadBytes: Bytes;
}

export const MOST_LOAD = MOST_THREADS - 1;
/** Whole huge pages, which are whole pieces as the addon reads them. */
export const LOAD_STEP: Bytes = 2 * 2 ** 20;

/** Of a loading thread’s set, what it takes beside itself: its sums, and when the thread was off its CPU. */
const BESIDE_SET: Bytes = 2 * 2 ** 20;
/** Less would hold no working set at all. */
const LEAST_LEFT: Bytes = 2 * 2 ** 20;

/** What the loading threads take of the memory. */
export const loadedBytes = ({ load, loadBytes }: Load): Bytes => load * (loadBytes + BESIDE_SET);

/** What is left for the working set beside the most loading threads; null: not known. What does not fit is refused as a launch. */
export function freeBeside(loads: readonly Load[], machine: MachineDescription): Bytes | null {
  const free = availableMemory(machine);
  const taken = Math.max(0, ...loads.map(loadedBytes));
  return free === null ? null : Math.max(LEAST_LEFT, free - taken);
}

export const loadOption: Options = {
  type: 'string',
  group: 'Case:',
  describe:
    'Numbers of other threads that meanwhile read main memory as fast as they can, each on a CPU of its own: 0,1,3',
  defaultDescription: 'no such case: the machine is left at rest',
};

/** `3 loading threads`. */
export const loadText = (load: number): string => plural(load, 'loading thread');

function countsIn(text: string): readonly number[] {
  const counts = expandValues(text, '--load').map((value) => parseQuantity(value));
  return counts.map((count) => {
    if (count === null || !Number.isInteger(count))
      throw new QuantityError(`--load takes whole numbers of threads, such as 0,1,3; got "${text}"`);
    return count;
  });
}

/**
 * null: nobody asks for any.
 * @param cpu of which one thread’s caches are told
 * @throws UserError, QuantityError
 */
export function askedLoads(
  flags: Flags,
  machine: MachineDescription,
  cpu: CpuDescription,
): readonly Load[] | null {
  if (flags.load === undefined) return null;
  const counts = countsIn(String(flags.load)).toSorted((a, b) => a - b);
  const most = counts.at(-1) ?? 0;
  const cpus = usableCpus(machine);
  if (most > 0 && flags.pin === false)
    throw new UserError(
      '--no-pin: a loading thread could come to the CPU of the one whose loads are timed: leave --no-pin or --load out',
    );
  if (most >= cpus)
    throw new UserError(
      `--load ${most} takes ${plural(most + 1, 'CPU')}, one for each thread that reads memory and one for that whose loads are timed, and ${cpus} may be used here: ask for ${cpus - 1} at most`,
    );
  const loadBytes = Math.ceil(pastAllCaches(cpu) / LOAD_STEP) * LOAD_STEP;
  const free = availableMemory(machine);
  if (free !== null && most * loadBytes > free)
    throw new UserError(
      `--load ${most}: ${loadText(most)}, each with ${formatBytes(loadBytes)} to be past the caches, need ${formatBytes(most * loadBytes)} of memory and ${formatBytes(free)} is free: ask for fewer`,
    );
  return counts.map((load) => ({ load, loadBytes }));
}
