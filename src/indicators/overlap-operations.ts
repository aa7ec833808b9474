/** The collectives that overlap measures beside products. Pure. */
import { UserError } from '../errors.js';
import type { Flags } from './indicator.js';

export const OVERLAPPING = ['all-reduce', 'all-gather', 'reduce-scatter', 'all-to-all'] as const;

/** @throws UserError */
export function overlappingNamed(flags: Flags): (typeof OVERLAPPING)[number] {
  const asked = String(flags.operation ?? OVERLAPPING[0]);
  const operation = OVERLAPPING.find((name) => name === asked);
  if (operation !== undefined) return operation;
  throw new UserError(`--operation ${asked} does not overlap; there is ${OVERLAPPING.join(', ')}`);
}
