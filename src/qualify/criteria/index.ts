/** The registry of criteria: a new one is its file, its member in the suite's schema and its line here. */
import type { CheckKind, SuiteCheck } from '../suite-file.js';
import { complete, correctness } from './correctness.js';
import type { Context, Criterion, Judgement } from './criterion.js';
import { clock, counters } from './events.js';
import { driver, ecc, link, mig, powerLimit } from './gpus.js';
import { counts, governor, identity, numa, quota, swap } from './host.js';
import { load } from './load.js';
import { floor, history, peers } from './references.js';
import { remappedRows } from './remapped-rows.js';
import { efficiency, stability, sustained } from './speed.js';
import { together } from './together.js';

const criteria: { readonly [K in CheckKind]: Criterion<K> } = {
  counts,
  identity,
  driver,
  link,
  ecc,
  'remapped-rows': remappedRows,
  'power-limit': powerLimit,
  mig,
  governor,
  quota,
  numa,
  swap,
  load,
  correctness,
  complete,
  efficiency,
  sustained,
  stability,
  floor,
  peers,
  together,
  history,
  clock,
  counters,
};

/** Whether a failure has to be seen again before it counts. */
export const repeats = (kind: CheckKind): boolean => criteria[kind].repeats;

/** What one check of a suite comes to, for each device and part that it is about. */
export function judgementsOf(check: SuiteCheck, context: Context): readonly Judgement[] {
  // The registry pairs each kind with its criterion, which the compiler cannot follow through the union.
  const criterion = criteria[check.check] as Criterion;
  return criterion.judge(check, context);
}
