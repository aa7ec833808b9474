/**
 * Neighbouring launches of a batch are alike, so that it holds fewer independent ones than it lists, and its interval is
 * too narrow. A flag of the batch: no single launch has it.
 */
import { significant } from '../../quantities/format.js';
import { alikeness, launchDependence } from '../launch-dependence.js';
import type { Flag } from './types.js';

/** One batch in 100 whose launches are independent is called otherwise. */
const RISK = 0.01;

/**
 * @param launchMedians in the order of time
 * @param widened whether the batch's interval is widened for it, or left out, as that of a precision is
 * @returns null where nothing speaks against independence, also where fewer than 6 launches can say nothing
 */
export function launchesNotIndependent(launchMedians: ArrayLike<number>, widened = false): Flag | null {
  const found = launchDependence(launchMedians);
  if (found === null || found.p >= RISK) return null;
  const { launches, lag1, vonNeumannRatio, p } = found;
  // What a precision says of the same launches, and by ranks, as the test: one launch far off decides the correlation of values.
  const { correlation, worth } = alikeness(launchMedians);
  const how = widened ? 'for which the interval is wider, or none' : 'and the interval is too narrow';
  return {
    name: 'launches-not-independent',
    reason: `launches that followed each other are alike (correlation of ranks ${significant(correlation, 2)}, by chance in ${significant(100 * p, 2)} of 100): the ${launches} launches are worth about ${significant(worth, 2)}, ${how}; spread them over more time, or between other cases`,
    evidence: { launches, lag1, rankCorrelation: correlation, vonNeumannRatio, p, worthLaunches: worth },
  };
}
