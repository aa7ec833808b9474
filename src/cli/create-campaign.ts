/** Makes a campaign from flags, a batch for each case, checked against the machine before anything is allocated. */
import { randomBytes, randomInt } from 'node:crypto';
import { UserError } from '../errors.js';
import type { Flags, Indicator, Parameters } from '../indicators/indicator.js';
import { availableMemory } from '../machine/capacity.js';
import type { MachineDescription } from '../machine/types.js';
import { formatBytes } from '../quantities/format.js';
import type { BatchSpec, Campaign } from '../record/schema.js';
import { findStack, parseStack } from '../stacks/index.js';
import { inspectionsOf, samplingOf, seedOf, timeoutOf, warmupOf } from './common-options.js';

/** Bytes that a sample takes in the addon and in JavaScript together. */
const SAMPLE_BYTES = 64;

/** `20261121T073500Z-matmul-1f2e3d`. */
function makeId(indicator: string, createdAt: string): string {
  const moment = createdAt.replace(/\.\d+/, '').replaceAll(/[-:]/g, '');
  return `${moment}-${indicator}-${randomBytes(3).toString('hex')}`;
}

/** @throws UserError when a launch would need more memory than there is. */
function checkMemory(indicator: Indicator, batch: BatchSpec, machine: MachineDescription): void {
  const { sampling } = batch;
  const samples = (sampling.kind === 'fixed' ? sampling.repetitions : sampling.most) * SAMPLE_BYTES;
  const needed = indicator.memory(batch.case.parameters) + samples;
  const there = availableMemory(machine);
  if (there !== null && needed > there) {
    const title = indicator.title(batch.case.parameters);
    throw new UserError(
      `${title} needs ${formatBytes(needed)} of memory and ${formatBytes(there)} is free: choose a smaller size`,
    );
  }
}

/** @throws UserError, QuantityError for flags that make no campaign. */
export function createCampaign(
  indicator: Indicator,
  flags: Flags,
  command: readonly string[],
  machine: MachineDescription,
): Campaign {
  const cases = indicator.fromFlags(flags, machine);
  const stack = parseStack(String(flags.stack));
  const batchOf = (parameters: Parameters): BatchSpec => {
    findStack(stack.provider).check(stack.variant, indicator.name, indicator.dtype(parameters));
    return {
      case: { indicator: indicator.name, parameters },
      stack,
      device: 'cpu',
      inspections: inspectionsOf(flags),
      sampling: samplingOf(flags, indicator.measuring),
      warmup: warmupOf(flags),
      timeout: timeoutOf(flags),
    };
  };
  const batches = cases.map(batchOf);
  for (const batch of batches) checkMemory(indicator, batch, machine);
  const createdAt = new Date().toISOString();
  return {
    id: makeId(indicator.name, createdAt),
    createdAt,
    command: [...command],
    seed: seedOf(flags) ?? randomInt(2 ** 32),
    batches,
    fault: null,
  };
}
