// A job of a few repetitions of a collective for the addon, as a worker would send it.
/** @param more what is otherwise, such as the fault */
export const collectiveJob = (parameters, more = {}) => ({
  workload: 'collective',
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
