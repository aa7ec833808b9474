/** The collectives that overlap measures beside products, and the cases that they are. Pure. */
import { UserError } from '../errors.js';
import type { Bytes } from '../units.js';
import { NO_ROOT } from './collective-cases.js';
import type { Flags, Parameters } from './indicator.js';

export const OVERLAPPING = ['all-reduce', 'all-gather', 'reduce-scatter', 'all-to-all'] as const;
type Overlapping = (typeof OVERLAPPING)[number];

/** @throws UserError */
export function overlappingNamed(flags: Flags): Overlapping {
  const asked = String(flags.operation ?? OVERLAPPING[0]);
  const operation = OVERLAPPING.find((name) => name === asked);
  if (operation !== undefined) return operation;
  throw new UserError(`--operation ${asked} does not overlap; there is ${OVERLAPPING.join(', ')}`);
}

interface Exchange {
  readonly operation: Overlapping;
  /** What a rank gives or gets, whichever is more. */
  readonly bytes: Bytes;
  readonly dtype: string;
  readonly ranks: number;
}

/**
 * The case of `collective` that an overlap measures: every rank is a thread, and each repetition has inputs of its own.
 * @param pin whether the threads that communicate are bound to CPUs
 */
export const exchangeBy = (
  transport: 'shm' | 'nccl',
  { operation, bytes, dtype, ranks }: Exchange,
  pin: boolean,
): Parameters => ({
  operation,
  bytes,
  dtype,
  redop: operation === 'all-reduce' || operation === 'reduce-scatter' ? 'sum' : 'none',
  root: NO_ROOT,
  inPlace: false,
  pattern: 'none',
  ranks,
  workers: 'threads',
  pin,
  sync: 'barrier',
  inputs: 'fresh',
  transport,
  algorithm: 'auto',
});
