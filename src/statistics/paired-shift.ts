/**
 * How far the launches of one batch lie from those of another that took turns with them: round by round, so that whatever
 * changes slowly on the machine is in both launches of a round and cancels.
 *
 * The median of all means of two differences (Hodges & Lehmann 1963) with the interval of Wilcoxon's signed ranks. That is
 * exact for differences that are symmetric, as those of two batches are whose launches scatter alike, whatever their shape.
 */
import { quantileSorted } from './quantile.js';
import { logarithms, type Shift, untold } from './shift.js';
import { signedRankAtMost, walshAverages, walshRank } from './signed-ranks.js';

/**
 * Fewest rounds: signs of n differences tell a risk of 2^(1-n) and no smaller, so of few rounds even a large difference
 * would not be told among several comparisons, where launches that are not paired tell it.
 */
export const LEAST_ROUNDS = 10;

const NO_SPREAD_OF_RATIOS = 'none: rounds whose ratios are all equal do not tell how far they spread';

/** Equal launches count on both sides, so that ties never make a difference surer. */
function signedRankP(averages: Float64Array, n: number): number {
  let [notAbove, notBelow] = [0, 0];
  for (const value of averages) {
    if (value <= 0) notAbove++;
    if (value >= 0) notBelow++;
  }
  return Math.min(1, 2 * Math.min(signedRankAtMost(notAbove, n), signedRankAtMost(notBelow, n)));
}

/**
 * @param reference launch medians, above 0, in the order of the rounds; `values` those of the same rounds, in the same unit
 * @throws RangeError for fewer than `LEAST_ROUNDS`, sides that have not the same rounds, or a median that is not above 0
 */
export function pairedShift(reference: ArrayLike<number>, values: ArrayLike<number>): Shift {
  const [a, b] = [logarithms(reference), logarithms(values)];
  const n = a.length;
  if (n !== b.length || n < LEAST_ROUNDS) {
    throw new RangeError(`${n} and ${b.length} launches are no ${LEAST_ROUNDS} rounds of two`);
  }
  const averages = walshAverages(b.map((value, i) => value - (a[i] ?? 0)));
  const estimate = quantileSorted(averages, 0.5);
  const [least = 0, most = 0] = [averages[0], averages.at(-1)];
  if (least === most) {
    return untold(estimate, NO_SPREAD_OF_RATIOS);
  }
  return {
    estimate,
    interval: (level) => {
      const d = walshRank(n, level) ?? 1;
      return { low: averages[d - 1] ?? Number.NaN, high: averages[averages.length - d] ?? Number.NaN };
    },
    p: signedRankP(averages, n),
    method: 'Hodges-Lehmann centre of the log ratios within rounds, Wilcoxon signed-rank interval',
  };
}
