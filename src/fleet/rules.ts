/**
 * What a node can be worse at, each as one number: how much worse than its fleet, as a share. SuperBench's rule is the mean alone,
 * which rare, slow or scattered repetitions leave where it was; no one number sees every defect. Pure.
 */
import { formatShare } from '../quantities/format.js';
import { CHANCE_REPETITIONS, gap } from './distance.js';
import { medoid, type SketchColumn, sketchIn } from './medoid.js';
import { KNOTS } from './sketch.js';
import type { ColumnName, Series } from './table.js';

export const RULES = ['median', 'p05', 'sustained', 'spread', 'drift', 'distribution'] as const;
export type RuleName = (typeof RULES)[number] | 'overall';

/** Below these nothing is named, however alike the rest of the fleet is. */
export const MARGINS: Readonly<Record<RuleName, number>> = {
  median: 0.03,
  p05: 0.04,
  sustained: 0.05,
  spread: 0.02,
  drift: 0.03,
  distribution: 0.05,
  overall: 0.03,
};

/** How much worse, in words: the share comes where the `%` stands. */
const RULE_WORDS: Readonly<Record<RuleName, string>> = {
  median: 'median rate % lower',
  p05: '95 % of its repetitions reach % less',
  sustained: 'rate over the wall clock % lower',
  spread: 'CV larger by % of the rate',
  drift: 'gets % slower on the way',
  distribution: 'distribution % away',
  overall: 'typically % slower',
};

/** `median rate 6.4 % lower (limit 3 %)` */
export const ruleText = ({
  rule,
  worse,
  limit,
}: {
  readonly rule: RuleName;
  readonly worse: number;
  readonly limit: number;
}): string => `${RULE_WORDS[rule].replace(/(?<!\d )%/, formatShare(worse))} (limit ${formatShare(limit)})`;

export const COLUMN: Readonly<Record<Exclude<RuleName, 'distribution' | 'overall'>, ColumnName>> = {
  median: 'median',
  p05: 'p05',
  sustained: 'sustained',
  spread: 'cv',
  drift: 'drift',
};

/** Whether the rule is about a rate, of which deviations are shares. */
const isRate = (rule: RuleName): rule is 'median' | 'p05' | 'sustained' =>
  rule === 'median' || rule === 'p05' || rule === 'sustained';

/** What a rule compares nodes by: of rates the logarithm, so that a deviation is a share whatever the unit. Worse is larger. */
export function worseness(series: Series, rule: Exclude<RuleName, 'distribution' | 'overall'>): Float64Array {
  const column = series.columns[COLUMN[rule]];
  const values = new Float64Array(column.length);
  // Loops: a closure for each of two million values is felt.
  if (isRate(rule))
    for (let row = 0; row < values.length; row++) values[row] = -Math.log(column[row] as number);
  else if (rule === 'drift')
    for (let row = 0; row < values.length; row++) values[row] = -(column[row] as number);
  else values.set(column);
  return values;
}

/** A deviation in logarithms as a share: e^-0.0513 is 5 % less. */
export const shareOf = (rule: RuleName, deviation: number): number =>
  isRate(rule) || rule === 'overall' ? -Math.expm1(-deviation) : deviation;

/** The deviation whose share is a limit. */
const deviationOf = (rule: RuleName, share: number): number =>
  isRate(rule) || rule === 'overall' ? -Math.log1p(-Math.min(share, 0.99)) : share;

/** @param repetitions of the node: three of them that stand still must not count as spread */
export function marginOf(rule: RuleName, scale: number, repetitions: number): number {
  const margin = deviationOf(rule, MARGINS[rule] * scale);
  return rule === 'spread' ? Math.max(margin, Math.sqrt(CHANCE_REPETITIONS / repetitions)) : margin;
}

const MOST_CHANCE = 0.1;

/** Rows whose distribution is known well enough to be compared. */
export function comparableRows(series: Series, rows: Int32Array): Int32Array {
  const { sketches, columns } = series;
  const able = new Int32Array(rows.length);
  let count = 0;
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as number;
    const chance = CHANCE_REPETITIONS / (columns.n[row] as number);
    if (!Number.isNaN(sketches[row * KNOTS]) && chance <= MOST_CHANCE) able[count++] = row;
  }
  return able.subarray(0, count);
}

export const sketchesOf = (series: Series): SketchColumn => ({
  values: series.sketches,
  n: series.columns.n,
});

/**
 * How much slower each node's distribution is than the reference's, less how much faster: what is only somewhat faster and
 * somewhat slower than the rest is chance, and a fleet's differences lie evenly about 0.
 */
export function gapsFrom(
  series: Series,
  reference: Parameters<typeof gap>[1],
  rows: Int32Array,
): Float64Array {
  const gaps = new Float64Array(series.places.length).fill(Number.NaN);
  const column = sketchesOf(series);
  for (const row of rows) {
    const { slower, faster } = gap(sketchIn(column, row), reference);
    gaps[row] = slower - faster;
  }
  return gaps;
}

export const referenceRow = (series: Series, rows: Int32Array): number => medoid(sketchesOf(series), rows);
