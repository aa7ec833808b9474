/**
 * How far two distributions of rates lie apart. F and G are the shares of the repetitions that are slower than x, and the gap is
 *
 *     integral of |F - G| / max(F, G)  over x,  as a share of the fastest
 *
 * in the parts where F lies above G and where it lies below. Dividing by the larger of the two is what makes it see rare
 * defects: where one node has 1 % of its repetitions far below and the other none, the quotient is 1 all the way between. The
 * plain area between F and G (Wasserstein's distance) is 0.6 % there, and equals the difference of the means where one node is
 * slower throughout, so a limit of 5 % on it passes what the mean passes.
 *
 * Two things keep chance from counting like a defect. A share below 1 % is taken for 1 % in the denominator, as one repetition
 * of thousands must not weigh like a hundredth of them; and a difference of up to three repetitions of the shorter series is
 * none, because a stall or two happen to every node.
 */
import { KNOTS, SHARES } from './sketch.js';

/** Shares below this weigh in proportion to it. */
const LEAST_SHARE = 0.01;
/** So many slow repetitions are chance. */
export const CHANCE_REPETITIONS = 3;

export interface Gap {
  /** Where the first has the larger share of slow repetitions. 0 to 1. */
  readonly slower: number;
  /** Where the second has. */
  readonly faster: number;
}

/** A sketch inside a larger array. */
export interface Sketches {
  readonly values: ArrayLike<number>;
  /** Where this one begins. */
  readonly at: number;
  /** Repetitions that it describes. */
  readonly n: number;
}

/**
 * Their quantile functions are straight between the quantiles of a sketch, so F and G are straight between any two neighbours
 * of both; each such piece is integrated by Simpson's rule.
 * @param a,b rates, positive: higher is better
 */
export function gap(a: Sketches, b: Sketches): Gap {
  const [av, bv, a0, b0] = [a.values, b.values, a.at, b.at];
  const scale = Math.max(av[a0 + KNOTS - 1] as number, bv[b0 + KNOTS - 1] as number);
  if (!(scale > 0)) return { slower: 0, faster: 0 };
  const chance = CHANCE_REPETITIONS / Math.max(1, Math.min(a.n, b.n));
  let slower = 0;
  let faster = 0;
  let i = 0;
  let j = 0;
  let x = Math.min(av[a0] as number, bv[b0] as number);
  // No closures and no tuples in here: a fleet of ten thousand nodes passes it millions of times.
  while (i < KNOTS || j < KNOTS) {
    while (i < KNOTS && (av[a0 + i] as number) <= x) i++;
    while (j < KNOTS && (bv[b0 + j] as number) <= x) j++;
    if (i >= KNOTS && j >= KNOTS) break;
    const nextA = i < KNOTS ? (av[a0 + i] as number) : Number.POSITIVE_INFINITY;
    const nextB = j < KNOTS ? (bv[b0 + j] as number) : Number.POSITIVE_INFINITY;
    const end = nextA < nextB ? nextA : nextB;
    const fromA = shareAt(av, a0, i, x);
    const toA = shareAt(av, a0, i, end);
    const fromB = shareAt(bv, b0, j, x);
    const toB = shareAt(bv, b0, j, end);
    const first = quotient(fromA, fromB, chance);
    const middle = 4 * quotient((fromA + toA) / 2, (fromB + toB) / 2, chance);
    const last = quotient(toA, toB, chance);
    const sixth = (end - x) / 6;
    slower += sixth * ((first > 0 ? first : 0) + (middle > 0 ? middle : 0) + (last > 0 ? last : 0));
    faster -= sixth * ((first < 0 ? first : 0) + (middle < 0 ? middle : 0) + (last < 0 ? last : 0));
    x = end;
  }
  return { slower: Math.min(1, slower / scale), faster: Math.min(1, faster / scale) };
}

/** Share slower than x, where `next` is the first quantile above the beginning of the piece that x lies in. */
function shareAt(values: ArrayLike<number>, at: number, next: number, x: number): number {
  if (next === 0) return 0;
  if (next >= KNOTS) return SHARES[KNOTS - 1] as number;
  const low = values[at + next - 1] as number;
  const high = values[at + next] as number;
  const from = SHARES[next - 1] as number;
  return from + (((SHARES[next] as number) - from) * (x - low)) / (high - low);
}

/** Positive where the first share is larger. */
function quotient(f: number, g: number, chance: number): number {
  const difference = f - g;
  const counted = (difference < 0 ? -difference : difference) - chance;
  if (counted <= 0) return 0;
  const larger = f > g ? f : g;
  const share = counted / (larger > LEAST_SHARE ? larger : LEAST_SHARE);
  return difference < 0 ? -share : share;
}

/** Symmetric, 0 for a distribution and itself, at most 1. */
export function distance(a: Sketches, b: Sketches): number {
  const { slower, faster } = gap(a, b);
  return Math.min(1, slower + faster);
}
