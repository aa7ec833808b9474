/** A cache that a curve implies, in words. */
import type { ImpliedCache } from '../../machine/implied-caches.js';
import { formatBytes, significant } from '../../quantities/format.js';

const GIGA = 1e9;

const boundsText = ({ low, high }: { readonly low: number; readonly high: number }): string =>
  low === high ? formatBytes(low) : `${formatBytes(low)} to ${formatBytes(high)}`;

export function impliedText({ level, size, perThread, rate }: ImpliedCache): string {
  const held = size === null ? `${boundsText(perThread)} a thread` : boundsText(size);
  const name = level === null ? 'a cache that the system does not report' : `L${level}`;
  return `${name} ${held} at ${significant(rate / GIGA, 3)} GB/s`;
}
