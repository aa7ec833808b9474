/** The programs of nccl-tests by the operation that each measures. Pure. */
import type { Operation } from '../../indicators/collective-cases.js';

export const OPERATIONS: Readonly<Record<string, Operation>> = {
  all_reduce: 'all-reduce',
  all_gather: 'all-gather',
  reduce_scatter: 'reduce-scatter',
  alltoall: 'all-to-all',
  broadcast: 'broadcast',
  sendrecv: 'send-recv',
  reduce: 'reduce',
  gather: 'gather',
  scatter: 'scatter',
};

/**
 * The first of these within a name, `reduce_scatter` before `reduce`; a file may be called after it without
 * its underscore.
 */
const NAMES = Object.keys(OPERATIONS);
const OPERATION = new RegExp(NAMES.map((one) => `${one.replace('_', '_?')}(?!v)`).join('|'));

/** Of which program a text tells, be it the name of a file; undefined: of none. */
export function programOf(text: string): string | undefined {
  const found = OPERATION.exec(text)?.[0].replace('_', '');
  return NAMES.find((one) => one.replace('_', '') === found);
}
