/**
 * The time of a message over its size as latency + size / bandwidth (Hockney 1994), in pieces: a curve over six orders
 * of magnitude has protocols and caches in it, and a single line through all of it describes none. Relative errors are
 * minimised, so that 8 bytes count as much as 64 MiB; the number of pieces is that with the least Bayesian information
 * criterion (Schwarz 1978). Pure.
 */
import type { Bytes, Seconds } from '../units.js';

export interface SizedTime {
  readonly bytes: Bytes;
  readonly seconds: Seconds;
}

export interface Piece {
  /** Smallest and largest size of the piece. */
  readonly from: Bytes;
  readonly to: Bytes;
  /** Seconds for nothing at all; not below nought. */
  readonly alpha: Seconds;
  /** Seconds for each further byte; not below nought. */
  readonly beta: number;
  /** Root of the mean squared relative error. */
  readonly error: number;
}

/** Fewer points than this are on a line by themselves. */
const LEAST_POINTS = 3;
const MOST_PIECES = 4;
/** Alpha, beta and where the piece ends. */
const PARAMETERS = 3;
/** Differences smaller than this between measurements are no knee. */
const LEAST_ERROR = 0.02;

interface Fit {
  readonly alpha: number;
  readonly beta: number;
  /** Sum of squared relative errors. */
  readonly loss: number;
}

const lossOf = (points: readonly SizedTime[], alpha: number, beta: number): number =>
  points.reduce((sum, { bytes, seconds }) => sum + ((alpha + beta * bytes) / seconds - 1) ** 2, 0);

/** Least squares of 1 = alpha / t + beta S / t; a part that would be negative is nought, and the other fitted alone. */
function fitLine(points: readonly SizedTime[]): Fit {
  let [aa, ab, bb, a1, b1] = [0, 0, 0, 0, 0];
  for (const { bytes, seconds } of points) {
    const [a, b] = [1 / seconds, bytes / seconds];
    aa += a * a;
    ab += a * b;
    bb += b * b;
    a1 += a;
    b1 += b;
  }
  const determinant = aa * bb - ab * ab;
  const alpha = (a1 * bb - b1 * ab) / determinant;
  const beta = (b1 * aa - a1 * ab) / determinant;
  const [onlyAlpha, onlyBeta] = [a1 / aa, bb === 0 ? 0 : b1 / bb];
  const candidates = [
    ...(determinant > 0 && alpha >= 0 && beta >= 0 ? [[alpha, beta] as const] : []),
    [onlyAlpha, 0] as const,
    [0, onlyBeta] as const,
  ];
  const fits = candidates.map(([x, y]) => ({ alpha: x, beta: y, loss: lossOf(points, x, y) }));
  return fits.reduce((best, fit) => (fit.loss < best.loss ? fit : best));
}

interface Segmentation {
  readonly loss: number;
  /** Index of each piece's first point. */
  readonly starts: readonly number[];
}

/** The best division of the first `end` points into so many pieces; null where there are too few. */
function divisions(points: readonly SizedTime[]): readonly (Segmentation | null)[] {
  const n = points.length;
  const lossBetween = (from: number, to: number): number => fitLine(points.slice(from, to)).loss;
  let row: (Segmentation | null)[] = Array.from({ length: n + 1 }, (_, end) =>
    end >= LEAST_POINTS ? { loss: lossBetween(0, end), starts: [0] } : null,
  );
  const best: (Segmentation | null)[] = [row[n] ?? null];
  for (let pieces = 2; pieces <= MOST_PIECES; pieces++) {
    const next: (Segmentation | null)[] = Array.from({ length: n + 1 }, () => null);
    for (let end = pieces * LEAST_POINTS; end <= n; end++) {
      for (let start = (pieces - 1) * LEAST_POINTS; start <= end - LEAST_POINTS; start++) {
        const before = row[start];
        if (before == null) continue;
        const loss = before.loss + lossBetween(start, end);
        const known = next[end];
        if (known == null || loss < known.loss) next[end] = { loss, starts: [...before.starts, start] };
      }
    }
    row = next;
    best.push(row[n] ?? null);
  }
  return best;
}

/** @param points sizes above nought, each once. Returns the pieces, ascending; none where there are fewer than 3 points. */
export function fitAlphaBeta(points: readonly SizedTime[]): readonly Piece[] {
  const sorted = points.toSorted((a, b) => a.bytes - b.bytes);
  const n = sorted.length;
  if (n < LEAST_POINTS) return [];
  const criterion = ({ loss, starts }: Segmentation): number =>
    n * Math.log(loss / n + LEAST_ERROR ** 2) + PARAMETERS * starts.length * Math.log(n);
  const chosen = divisions(sorted)
    .filter((some) => some !== null)
    .reduce((least, some) => (criterion(some) < criterion(least) ? some : least));
  return chosen.starts.map((start, i) => {
    const own = sorted.slice(start, chosen.starts[i + 1] ?? n);
    const { alpha, beta, loss } = fitLine(own);
    return {
      from: own[0]?.bytes ?? 0,
      to: own.at(-1)?.bytes ?? 0,
      alpha,
      beta,
      error: Math.sqrt(loss / own.length),
    };
  });
}
