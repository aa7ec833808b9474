/** Threads and their binding, for every indicator on the CPU. */
import type { Options } from 'yargs';
import { UserError } from '../errors.js';
import { usableCpus } from '../machine/capacity.js';
import { parseCpuList } from '../machine/linux/cpu-list.js';
import type { MachineDescription } from '../machine/types.js';
import { parseCount } from '../quantities/parse.js';
import type { Flags } from './indicator.js';

export const MOST_THREADS = 4096;

/**
 * @param what the threads do: `Threads of the multiplication`
 * @param usual how many there are where nobody says
 */
export const threadOptions = (
  what: string,
  usual = 'the CPUs that a launch may use',
): Readonly<Record<'threads' | 'pin', Options>> => ({
  threads: {
    type: 'string',
    group: 'Case:',
    describe: what,
    defaultDescription: usual,
  },
  pin: {
    type: 'boolean',
    group: 'Case:',
    describe: 'Bind each thread to a CPU of its own',
    defaultDescription: 'true where there is a CPU for each thread',
  },
});

/** @throws UserError for flags that are for the CPU only */
export function refuseCpuFlags(flags: Flags, names: readonly string[]): void {
  const given = names.find((name) => flags[name] !== undefined && flags[name] !== false);
  if (given !== undefined)
    throw new UserError(`--${given} is for the CPU: leave it out with --device ${flags.device}`);
}

/** @throws UserError, QuantityError */
export function threadsOf(
  flags: Flags,
  machine: MachineDescription,
): { readonly threads: number; readonly pin: boolean } {
  const available = usableCpus(machine);
  const threads =
    flags.threads === undefined ? available : parseCount(String(flags.threads), '--threads', MOST_THREADS);
  const cpus = parseCpuList(machine.limits.allowedCpus)?.length ?? available;
  if (flags.pin === true && threads > cpus) {
    throw new UserError(
      `--pin needs a CPU for each of ${threads} threads, and ${cpus} may be used here: leave it out`,
    );
  }
  return { threads, pin: typeof flags.pin === 'boolean' ? flags.pin : threads <= available };
}
