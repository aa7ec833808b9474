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
  // Shares at x, and how they grow with it; they jump where several quantiles are equal, and only there.
  let f = 0;
  let g = 0;
  let fSlope = 0;
  let gSlope = 0;
  let nextA = av[a0] as number;
  let nextB = bv[b0] as number;
  let x = nextA < nextB ? nextA : nextB;
  let jumped = true;
  let last = 0;
  // No closures, no tuples and few divisions in here: a fleet of ten thousand nodes passes it millions of times.
  for (;;) {
    if (nextA <= x) {
      const before = i;
      while (i < KNOTS && (av[a0 + i] as number) <= x) i++;
      jumped ||= i > before + 1;
      f = SHARES[i - 1] as number;
      nextA = i < KNOTS ? (av[a0 + i] as number) : Number.POSITIVE_INFINITY;
      fSlope = i < KNOTS ? ((SHARES[i] as number) - f) / (nextA - (av[a0 + i - 1] as number)) : 0;
    }
    if (nextB <= x) {
      const before = j;
      while (j < KNOTS && (bv[b0 + j] as number) <= x) j++;
      jumped ||= j > before + 1;
      g = SHARES[j - 1] as number;
      nextB = j < KNOTS ? (bv[b0 + j] as number) : Number.POSITIVE_INFINITY;
      gSlope = j < KNOTS ? ((SHARES[j] as number) - g) / (nextB - (bv[b0 + j - 1] as number)) : 0;
    }
    const end = nextA < nextB ? nextA : nextB;
    if (end === Number.POSITIVE_INFINITY) break;
    const width = end - x;
    const fEnd = f + fSlope * width;
    const gEnd = g + gSlope * width;
    const first = jumped ? quotient(f, g, chance) : last;
    jumped = false;
    const middle = 4 * quotient((f + fEnd) / 2, (g + gEnd) / 2, chance);
    last = quotient(fEnd, gEnd, chance);
    const sixth = width / 6;
    slower += sixth * ((first > 0 ? first : 0) + (middle > 0 ? middle : 0) + (last > 0 ? last : 0));
    faster -= sixth * ((first < 0 ? first : 0) + (middle < 0 ? middle : 0) + (last < 0 ? last : 0));
    f = fEnd;
    g = gEnd;
    x = end;
  }
  return { slower: Math.min(1, slower / scale), faster: Math.min(1, faster / scale) };
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
