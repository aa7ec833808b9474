/** How wide the kernel of a density estimate is, from binned counts: ten million values cost what a thousand do. */
import { bisect } from 'simple-statistics';

/** Linearly binned values: `counts[i]` of them at `low + i * step`. */
export interface Binned {
  readonly counts: Float64Array;
  readonly low: number;
  readonly step: number;
  readonly n: number;
}

/** From here on every second, third, ... of the sorted values stands for its neighbours, a millionth of the whole. */
const MOST_BINNED = 1_000_000;

/**
 * Linear binning: each value is shared between the two nearest centres, so that the mean is kept.
 * @param sorted in ascending order
 */
export function bin(
  sorted: Float64Array,
  low: number,
  high: number,
  bins: number,
  transform: (x: number) => number,
): Binned {
  const counts = new Float64Array(bins);
  const step = (high - low) / (bins - 1);
  const n = sorted.length;
  const taken = Math.min(n, MOST_BINNED);
  const weight = n / taken;
  for (let i = 0; i < taken; i++) {
    const value = transform(sorted[Math.floor((i + 0.5) * weight)] ?? 0);
    const place = Math.min(bins - 1, Math.max(0, (value - low) / step));
    const below = Math.min(bins - 2, Math.floor(place));
    const share = place - below;
    counts[below] = (counts[below] ?? 0) + weight * (1 - share);
    counts[below + 1] = (counts[below + 1] ?? 0) + weight * share;
  }
  return { counts, low, step, n };
}

/** Standard deviation of what was binned. */
function deviation({ counts, step, n }: Binned): number {
  let [first, second] = [0, 0];
  // In steps from the middle bin, so that no squares of far places cancel.
  const origin = (counts.length - 1) / 2;
  for (let i = 0; i < counts.length; i++) {
    const count = counts[i] ?? 0;
    first += count * (i - origin);
    second += count * (i - origin) ** 2;
  }
  return step * Math.sqrt(Math.max(0, second - (first * first) / n) / (n - 1));
}

/** How many pairs of values are so many bins apart: all that the functionals below need, computed once. */
function pairCounts({ counts }: Binned): Float64Array {
  const bins = counts.length;
  const pairs = new Float64Array(bins);
  for (let i = 0; i < bins; i++) {
    const own = counts[i] ?? 0;
    if (own === 0) continue;
    for (let j = i; j < bins; j++)
      pairs[j - i] = (pairs[j - i] ?? 0) + own * (counts[j] ?? 0) * (i === j ? 1 : 2);
  }
  return pairs;
}

/** Estimate of the integral of f^(r) f with pilot bandwidth g (Sheather & Jones 1991, S_D and -T_D), r = 4 or 6. */
function psi(pairs: Float64Array, { step, n }: Binned, g: number, r: 4 | 6): number {
  let sum = 0;
  for (let lag = 0; lag < pairs.length; lag++) {
    const x = (lag * step) / g;
    const x2 = x * x;
    if (x2 > 80) break;
    const hermite = r === 4 ? x2 * x2 - 6 * x2 + 3 : x2 ** 3 - 15 * x2 * x2 + 45 * x2 - 15;
    sum += (pairs[lag] ?? 0) * hermite * Math.exp(-x2 / 2);
  }
  return sum / (Math.sqrt(2 * Math.PI) * n * (n - 1) * g ** (r + 1));
}

/**
 * The smaller of standard deviation and IQR / 1.349, which are the same for a normal distribution; where one of them is 0
 * (half of the values equal, or a single one in the middle) the other.
 */
export const spreadOf = (binned: Binned, iqr: number): number =>
  Math.min(...[deviation(binned), iqr / 1.349].filter((spread) => spread > 0));

/**
 * Solve-the-equation bandwidth of Sheather & Jones (1991), as R's bw.SJ(method = "ste"); it keeps modes that Silverman's
 * rule smears. null when the equation has no root between a bin and twice the spread (many equal values, for example).
 * simple-statistics' kernel density has Silverman's rule (nrd) only.
 * @param spread as `spreadOf` has it: the unit of the result
 */
export function sheatherJones(binned: Binned, spread: number): number | null {
  const { n, step } = binned;
  const pairs = pairCounts(binned);
  const sd = psi(pairs, binned, 1.24 * spread * n ** (-1 / 7), 4);
  const td = -psi(pairs, binned, 1.23 * spread * n ** (-1 / 9), 6);
  if (!(sd > 0) || !(td > 0)) return null;
  const excess = (h: number): number => {
    const pilot = 1.357 * (sd / td) ** (1 / 7) * h ** (5 / 7);
    const curvature = psi(pairs, binned, pilot, 4);
    return curvature > 0 ? (1 / (2 * Math.sqrt(Math.PI) * n * curvature)) ** (1 / 5) - h : Number.NaN;
  };
  const [low, high] = [step, 2 * spread];
  if (!(excess(low) > 0) || !(excess(high) < 0)) return null;
  return Math.exp(bisect((logH) => excess(Math.exp(logH)), Math.log(low), Math.log(high), 60, 1e-4));
}

/** Silverman's rule of thumb (1986, eq. 3.31), for a shape that nothing is known of. */
export const silverman = (spread: number, n: number): number => 0.9 * spread * n ** (-1 / 5);
