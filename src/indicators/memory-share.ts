/** Working sets as a share of the memory that is free: `70%` in the place of bytes. Pure. */
import { UserError } from '../errors.js';
import { formatBytes, formatShare } from '../quantities/format.js';
import { parseShare } from '../quantities/parse.js';
import type { Bytes, Ratio } from '../units.js';

const MIB: Bytes = 2 ** 20;
/** Sizes are multiples of it. */
const STEP: Bytes = 64 * MIB;

/**
 * The share that a text asks for; null: it is sizes.
 * @throws UserError for several
 */
export function parseMemoryShare(text: string): Ratio | null {
  if (!text.includes('%')) return null;
  if (text.includes(','))
    throw new UserError(
      `--bytes takes sizes such as 1GiB,4GiB, or one share of the free memory such as 70%; got "${text}"`,
    );
  return parseShare(text, '--bytes');
}

/**
 * The whole steps in a share of what is free.
 * @param free null: nothing tells
 * @param most that it may be in any case
 * @throws UserError where that is not known, or too little
 */
export function bytesOfShare(share: Ratio, free: Bytes | null, most: Bytes): Bytes {
  if (free === null)
    throw new UserError('--bytes: how much memory is free is not known here: give a size, such as 1GiB');
  const bytes = Math.floor(Math.min(share * free, most) / STEP) * STEP;
  if (bytes < STEP)
    throw new UserError(`--bytes: a share of ${share} of what is free is less than 64 MiB: give a size`);
  return bytes;
}

/** A working set in a case's title, with the share that made it. */
export const sizeText = (bytes: Bytes, share: Ratio | undefined): string =>
  share === undefined ? formatBytes(bytes) : `${formatBytes(bytes)} (${formatShare(share)} of the free)`;
