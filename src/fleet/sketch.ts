/**
 * A distribution in seventeen numbers: the quantiles of a node's repetitions, dense at the slow end, where defects show. With
 * them ten thousand nodes fit into memory, and one line of text holds a node.
 */
import { quantileSorted } from '../statistics/quantile.js';

/**
 * Shares of the repetitions that are slower than the quantile. The fastest hundredth is left out: only slowness is a defect,
 * and one impossibly fast repetition would shrink every distance that is measured in shares of the fastest.
 */
export const SHARES = [
  0, 0.001, 0.0025, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.15, 0.25, 0.4, 0.5, 0.6, 0.75, 0.9, 0.99,
] as const;

export const KNOTS = SHARES.length;
export const MEDIAN_KNOT = SHARES.indexOf(0.5);
export const P05_KNOT = SHARES.indexOf(0.05);

/** @param sorted rates (higher is better), ascending, at least one */
export const sketchOf = (sorted: ArrayLike<number>): Float64Array =>
  Float64Array.from(SHARES, (share) => quantileSorted(sorted, share));

/**
 * Draws from a sketch what it stands for: values at evenly spread shares, ascending, on the straight lines between its
 * quantiles. For pictures: what lies beyond the last quantile is not there.
 */
export function valuesOf(sketch: ArrayLike<number>, count: number): Float64Array {
  const values = new Float64Array(count);
  const last = SHARES[KNOTS - 1] ?? 1;
  let knot = 1;
  for (let i = 0; i < count; i++) {
    const share = ((i + 0.5) / count) * last;
    while (knot < KNOTS - 1 && (SHARES[knot] ?? 1) < share) knot++;
    const [from, to] = [SHARES[knot - 1] ?? 0, SHARES[knot] ?? 1];
    const [low, high] = [sketch[knot - 1] ?? 0, sketch[knot] ?? 0];
    values[i] = low + ((high - low) * (share - from)) / (to - from);
  }
  return values;
}
