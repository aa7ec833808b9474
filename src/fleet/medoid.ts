/** The node that stands for a fleet: the one whose distribution is nearest to all others. Pure. */
import { medianInPlace } from '../statistics/quantile.js';
import { distance, type Sketches } from './distance.js';
import { KNOTS, MEDIAN_KNOT } from './sketch.js';

/** Sketches of several nodes, one after the other. */
export interface SketchColumn {
  readonly values: ArrayLike<number>;
  /** Of each node: its repetitions. */
  readonly n: ArrayLike<number>;
}

export const sketchIn = ({ values, n }: SketchColumn, row: number): Sketches => ({
  values,
  at: row * KNOTS,
  n: n[row] ?? 0,
});

/** The sum of the distances to all is smallest; the first of several. It takes a distance for each pair. */
export function medoidOfPairs(column: SketchColumn, rows: ArrayLike<number>): number {
  const sums = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i++) {
    for (let j = 0; j < i; j++) {
      const apart = distance(sketchIn(column, rows[i] as number), sketchIn(column, rows[j] as number));
      sums[i] = (sums[i] as number) + apart;
      sums[j] = (sums[j] as number) + apart;
    }
  }
  let best = 0;
  for (let i = 1; i < sums.length; i++) if ((sums[i] as number) < (sums[best] as number)) best = i;
  return rows[best] as number;
}

/** Each quantile's median over the nodes: a distribution that up to half of the nodes cannot pull away. */
export function medianSketch({ values }: SketchColumn, rows: ArrayLike<number>): Float64Array {
  const middle = new Float64Array(KNOTS);
  const scratch = new Float64Array(rows.length);
  for (let knot = 0; knot < KNOTS; knot++) {
    for (let i = 0; i < rows.length; i++) {
      scratch[i] = values[(rows[i] as number) * KNOTS + knot] as number;
    }
    middle[knot] = medianInPlace(scratch);
  }
  return middle;
}

/** Of more nodes than this only those in the middle are looked at. */
const MOST_CANDIDATES = 500;

/** The rows whose medians are nearest to the median sketch's, in their order: nobody else can be nearest to all of it. */
function candidatesOf({ values }: SketchColumn, rows: ArrayLike<number>, middle: number): ArrayLike<number> {
  if (rows.length <= MOST_CANDIDATES) return rows;
  const away = new Float64Array(rows.length);
  for (let i = 0; i < away.length; i++) {
    away[i] = Math.abs((values[(rows[i] as number) * KNOTS + MEDIAN_KNOT] as number) - middle);
  }
  const most = away.toSorted()[MOST_CANDIDATES - 1] as number;
  return Array.from(rows).filter((_, i) => (away[i] as number) <= most);
}

/**
 * The medoid in linear time: the node nearest to the median sketch. All pairs of 10,000 nodes are 50 million distances for
 * each KPI; `npm run bench:fleet` says how often the two agree about the nodes that they judge.
 * @param rows at least one
 * @returns a row; the first of several that are equally near
 */
export function medoid(column: SketchColumn, rows: ArrayLike<number>): number {
  const sketch = medianSketch(column, rows);
  const middle = { values: sketch, at: 0, n: Number.POSITIVE_INFINITY };
  const candidates = candidatesOf(column, rows, sketch[MEDIAN_KNOT] as number);
  let best = rows[0] as number;
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < candidates.length; i++) {
    const row = candidates[i] as number;
    const apart = distance(sketchIn(column, row), middle);
    if (apart < least) [best, least] = [row, apart];
  }
  return best;
}
