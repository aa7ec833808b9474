// What the exercises of ranks share.
import assert from 'node:assert/strict';

/** What a collective is asked for, where nothing else is said. */
export const EXCHANGE = {
  transport: 'shm',
  workers: 'threads',
  ranks: 2,
  operation: 'all-reduce',
  dtype: 'float32',
  redop: 'sum',
  pattern: 'ring',
  root: 0,
  inPlace: 0,
  count: 3000,
  sync: 'barrier',
  fresh: 1,
  algorithm: '',
  patienceSeconds: 60,
  cpus: [],
  isa: '',
  seed: 3,
};
/** Inspects, and has a result that is right. */
export async function right(addon, job) {
  const outcome = await addon.inspect(job).result;
  assert.equal(outcome.verification.passed, true, outcome.verification.firstWrong);
  return outcome;
}
