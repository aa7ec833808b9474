/** Makes a campaign of one batch from flags, checked against the machine before anything is allocated. */
import { randomBytes, randomInt } from 'node:crypto';
import { UserError } from '../errors.js';
import type { Flags, Indicator } from '../indicators/indicator.js';
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
  const parameters = indicator.fromFlags(flags, machine);
  const stack = parseStack(String(flags.stack));
  findStack(stack.provider).check(stack.variant, indicator.dtype(parameters));
  const batch: BatchSpec = {
    case: { indicator: indicator.name, parameters },
    stack,
    device: 'cpu',
    inspections: inspectionsOf(flags),
    sampling: samplingOf(flags),
    warmup: warmupOf(flags),
    timeout: timeoutOf(flags),
  };
  checkMemory(indicator, batch, machine);
  const createdAt = new Date().toISOString();
  return {
    id: makeId(indicator.name, createdAt),
    createdAt,
    command: [...command],
    seed: seedOf(flags) ?? randomInt(2 ** 32),
    batches: [batch],
    fault: null,
  };
}
