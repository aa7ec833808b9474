/**
 * A job of a few repetitions for the addon, as a worker would send it.
 * @param {string} workload
 * @param {import('../../src/native.js').NativeJob['parameters']} parameters
 * @param {Partial<import('../../src/native.js').NativeJob>} [more] what is otherwise, such as the fault
 * @returns {import('../../src/native.js').NativeJob}
 */
export const shortJob = (workload, parameters, more = {}) => ({
  workload,
  parameters,
  warmup: { kind: 'count', count: 2 },
  repetitions: 3,
  budgetSeconds: 0,
  least: 1,
  most: 1,
  cold: false,
  ceilings: false,
  timeLimitSeconds: 30,
  snapshotPaths: [],
  fault: null,
  ...more,
});
