/** When a qualification looks at what goes on around it: before its first launch, and when all of the first attempt are measured. */
import type { MachineDescription } from '../../machine/types.js';
import type { Aftermath, Context, Surroundings } from '../../qualify/criteria/criterion.js';
import type { PiBenchRecord } from '../../record/schema.js';
import type { Seconds } from '../../units.js';
import { lookAgain, withGpusNow } from './surroundings.js';
import { type Times, timeToAsk } from './times.js';

export interface ToLook extends Times {
  readonly machine: MachineDescription;
  /** Before anything is measured; what another campaign does that is waited for is not looked at. */
  readonly lookAround: () => Promise<Surroundings>;
}

/** What it is judged by beside what is measured. */
export type Looked<T extends ToLook> = T & Pick<Context, 'surroundings'>;

/** @param waited for another campaign: what went on until then was its work, on the GPUs, too */
export async function lookAt<T extends ToLook>(input: T, waited: Seconds): Promise<Looked<T>> {
  const machine = waited > 0 ? withGpusNow(input.machine, timeToAsk(input)) : input.machine;
  return { ...input, machine, surroundings: await input.lookAround() };
}

/** What the counters have come to; null: nothing was measured. */
export const afterwards = (input: ToLook, { batches }: Pick<PiBenchRecord, 'batches'>): Aftermath | null =>
  batches.length === 0 ? null : lookAgain(input.machine, timeToAsk(input));
