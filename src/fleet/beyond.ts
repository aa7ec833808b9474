/**
 * Rates above what bounds them. The rate or its bound is wrong, so no node is judged by it and no centre rests on it: a wrong time makes
 * a node fast, and being fast is no defect. Pure.
 */
import { formatShare, withPrefix } from '../quantities/format.js';
import { MOST_OF_CEILING } from '../statistics/roofline.js';
import { keyTitle } from './case-key.js';
import { KNOTS } from './sketch.js';
import type { Fleet, Series } from './table.js';

const FLAG = 'above-ceiling';

/** What most nodes have is wrong with the bound, which is then no evidence against one of them. */
const RARE = 0.5;

/** Rows of a KPI whose rates passed what bounds them: so says a flag, or the peak that was measured beside the rate. */
function rowsBeyond({ places, columns, flags, peak, better }: Series): readonly number[] {
  const rows = new Set<number>();
  for (const [row, names] of flags) if (names.includes(FLAG)) rows.add(row);
  if (peak?.measured === true && better === 'higher') {
    // A loop: of two million rows.
    for (let row = 0; row < places.length; row++) {
      if ((columns.median[row] as number) > MOST_OF_CEILING * (columns.peak[row] as number)) rows.add(row);
    }
  }
  return [...rows].sort((a, b) => a - b);
}

/**
 * The rows that nobody is to be judged by.
 * @param among whether the nodes are held against each other, where a bound that most of them pass is no one's
 */
export function beyondRows(series: Series, among: boolean): readonly number[] {
  const rows = rowsBeyond(series);
  return among && rows.length > RARE * series.places.length ? [] : rows;
}

/** The same KPI, of these rows not known; the nodes have it all the same. */
export function blanked(series: Series, rows: readonly number[]): Series {
  if (rows.length === 0) return series;
  const emptied = (column: Float64Array): Float64Array => {
    const copy = column.slice();
    for (const row of rows) copy[row] = Number.NaN;
    return copy;
  };
  const { median, p05, sustained, cv, drift, ...rest } = series.columns;
  const sketches = series.sketches.slice();
  for (const row of rows) sketches.fill(Number.NaN, row * KNOTS, (row + 1) * KNOTS);
  return {
    ...series,
    sketches,
    columns: {
      ...rest,
      median: emptied(median),
      p05: emptied(p05),
      sustained: emptied(sustained),
      cv: emptied(cv),
      drift: emptied(drift),
    },
  };
}

export const withoutBeyond = ({ series }: Pick<Fleet, 'series'>, among: boolean): readonly Series[] =>
  series.map((one) => blanked(one, beyondRows(one, among)));

export interface Beyond {
  /** In `Fleet.nodes`. */
  readonly node: number;
  readonly text: string;
}

/** Who has such rates, in words. */
export const beyondOf = ({ places, series }: Fleet, among: boolean): readonly Beyond[] =>
  series.flatMap((one) =>
    beyondRows(one, among).map((row) => {
      const { node = -1, on = '' } = places[one.places[row] ?? -1] ?? {};
      const [rate, peak] = [one.columns.median[row] as number, one.columns.peak[row] as number];
      const share = rate / peak;
      const what =
        one.peak?.measured === true && share > MOST_OF_CEILING
          ? `${withPrefix(rate, one.unit)} is ${formatShare(share, 3)} of its own peak of ${withPrefix(peak, one.unit)}`
          : `${withPrefix(one.better === 'lower' ? 1 / rate : rate, one.unit)} is flagged as above its ceiling`;
      return { node, text: `${keyTitle(one.key)}${on === 'cpu' ? '' : ` on ${on}`}: ${what}` };
    }),
  );
