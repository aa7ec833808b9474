/** What a candidate of an exploration is measured as: its batches, on its stack; and what it cannot be measured as. */
import { UserError } from '../errors.js';
import type { Flags, Indicator } from '../indicators/indicator.js';
import type { MachineDescription } from '../machine/types.js';
import type { BatchSpec, OwnStack } from '../record/schema.js';
import { findStack } from '../stacks/index.js';
import type { Candidate } from '../stacks/own/candidates.js';
import { type Hooks, makeOwnStack } from '../stacks/own/provision.js';
import { splitStack } from '../stacks/own/request.js';
import type { AskedStack } from '../stacks/own/stack-file.js';
import type { Resolved } from './exploration.js';
import { namesOf } from './own-stack-names.js';
import { checkBatch, settle } from './own-stacks.js';
import { sweptBatches } from './swept-batches.js';

export interface Measuring {
  readonly indicator: Indicator;
  readonly flags: Flags;
}

export interface CandidateBatches {
  readonly batches: readonly BatchSpec[];
  /** null: its packages were not unpacked. */
  readonly stack: OwnStack | null;
}

interface Making {
  readonly measuring: Measuring;
  readonly machine: MachineDescription;
  /** Of the stack file. */
  readonly folder: string;
  /** Whether packages are unpacked, so that it is known what is in them. */
  readonly unpack: boolean;
  readonly hooks: Hooks;
}

/** @throws UserError for threads that nothing would have: left out they would make two candidates one. */
function checkThreads(
  { file, stacks }: { readonly file: string; readonly stacks: readonly AskedStack[] },
  { indicator, flags }: Measuring,
): void {
  const having = stacks.filter(({ threads }) => threads.length > 0);
  const [one] = having;
  if (one !== undefined && !('threads' in indicator.options))
    throw new UserError(
      `threads: ${one.threads[0]} of ${one.name}: ${indicator.name} has no threads; leave them out of the stack file`,
    );
  if (flags.threads !== undefined && having.length === stacks.length)
    throw new UserError(
      `--threads ${flags.threads}: every stack of ${file} says its own threads; leave one of the two out`,
    );
}

/**
 * What no candidate can be asked for is a mistake in the flags, and not one of the candidates.
 * @throws UserError, QuantityError
 */
export function checkMeasuring(
  described: { readonly file: string; readonly stacks: readonly AskedStack[] },
  measuring: Measuring,
  machine: MachineDescription,
): void {
  checkThreads(described, measuring);
  const { indicator, flags } = measuring;
  const [first] = described.stacks;
  if (first === undefined) return;
  const { name, stacks } = first;
  const choice = { ...splitStack(stacks[0] ?? ''), variant: null, own: name };
  sweptBatches(indicator, { ...flags, stack: name }, machine, new Map([[name, choice]]));
}

/** @throws UserError, QuantityError for flags of which the candidate cannot be asked */
export function batchesOfCandidate(
  { name, request, threads }: Candidate,
  { indicator, flags }: Measuring,
  machine: MachineDescription,
): readonly BatchSpec[] {
  const asked = { ...flags, ...(threads === null ? {} : { threads }), stack: request.name };
  return sweptBatches(indicator, asked, machine, namesOf([request])).map((batch) => ({
    ...batch,
    labels: { candidate: name },
  }));
}

/** Makes a candidate. @throws what there is to say when it cannot be asked for it here, be made, or execute it */
export function makerOf({
  measuring,
  machine,
  folder,
  unpack,
  hooks,
}: Making): (one: Resolved) => Promise<CandidateBatches> {
  const { indicator } = measuring;
  const stacks = new Map<string, Promise<OwnStack>>();
  return async ({ candidate, lock }) => {
    const { request } = candidate;
    const batches = batchesOfCandidate(candidate, measuring, machine);
    for (const { case: one, device } of batches) {
      const dtype = indicator.dtype(one.parameters);
      findStack(request.provider).checkCase(request.variant, indicator.name, dtype, one.parameters, device);
    }
    if (lock !== null && !unpack) return { batches, stack: null };
    const making = stacks.get(request.name) ?? makeOwnStack({ request, folder }, lock, hooks);
    stacks.set(request.name, making);
    const stack = await making;
    const settled = settle(batches, [stack]);
    for (const batch of settled) checkBatch(batch, stack);
    return { batches: settled, stack };
  };
}
