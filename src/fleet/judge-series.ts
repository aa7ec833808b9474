/** One KPI of a fleet: which nodes are worse at it than the rest. Pure. */
import { type Centre, centreOf, limitOf, reachesOf } from './limits.js';
import { sketchIn } from './medoid.js';
import {
  comparableRows,
  gapsFrom,
  marginOf,
  RULES,
  type RuleName,
  referenceRow,
  shareOf,
  sketchesOf,
  worseness,
} from './rules.js';
import type { Series } from './table.js';

export interface SeriesFinding {
  readonly row: number;
  readonly rule: RuleName;
  /** How much worse than the centre, and how much worse is named, as shares. */
  readonly worse: number;
  readonly limit: number;
}

export interface SeriesJudgement {
  readonly findings: readonly SeriesFinding[];
  /** Row of the medoid; null: too few distributions are known, or a baseline is the reference. */
  readonly reference: number | null;
  /** Rows that the centres rest on. */
  readonly kept: Int32Array;
  readonly limits: Readonly<Partial<Record<RuleName, number>>>;
}

/** What a baseline knows instead of the fleet's own centres. */
export interface BaselineCentres {
  readonly centres: Readonly<Partial<Record<RuleName, Centre>>>;
  /** Of the reference node; null: not kept. */
  readonly sketch: { readonly values: Float64Array; readonly n: number } | null;
}

export interface JudgeOptions {
  /** Rules x KPIs of a node: the more are looked at, the further away chance alone gets. */
  readonly tests: number;
  /** Of all margins. */
  readonly scale: number;
}

/** Fewer than three cannot say which of them is off. */
export const LEAST_NODES = 3;
const MOST_ROUNDS = 10;

interface Round {
  readonly findings: SeriesFinding[];
  readonly reference: number | null;
  readonly limits: Partial<Record<RuleName, number>>;
}

/** The values that a rule compares, and where their centre lies. */
function compared(
  series: Series,
  rule: (typeof RULES)[number],
  kept: Int32Array,
  baseline: BaselineCentres | null,
): { readonly values: Float64Array; readonly centre: Centre | null; readonly reference: number | null } {
  if (rule !== 'distribution') {
    const values = worseness(series, rule);
    const centre = baseline === null ? centreOf(pick(values, kept)) : (baseline.centres[rule] ?? null);
    return { values, centre, reference: null };
  }
  const all = comparableRows(series, allRows(series));
  if (baseline !== null) {
    if (baseline.sketch === null) return { values: new Float64Array(0), centre: null, reference: null };
    const values = gapsFrom(series, { ...baseline.sketch, at: 0 }, all);
    return { values, centre: baseline.centres.distribution ?? null, reference: null };
  }
  const able = comparableRows(series, kept);
  if (able.length < LEAST_NODES) return { values: new Float64Array(0), centre: null, reference: null };
  const reference = referenceRow(series, able);
  const values = gapsFrom(series, sketchIn(sketchesOf(series), reference), all);
  return { values, centre: centreOf(pick(values, able)), reference };
}

const allRows = ({ places }: Series): Int32Array => Int32Array.from(places, (_, row) => row);
const pick = (values: Float64Array, rows: Int32Array): Float64Array =>
  Float64Array.from(rows, (row) => values[row] as number);

const fewestRepetitions = ({ columns }: Series): number =>
  columns.n.reduce((least, n) => Math.min(least, n), Number.POSITIVE_INFINITY);

function round(
  series: Series,
  kept: Int32Array,
  baseline: BaselineCentres | null,
  { tests, scale }: JudgeOptions,
): Round {
  const findings: SeriesFinding[] = [];
  const limits: Partial<Record<RuleName, number>> = {};
  let reference: number | null = null;
  for (const rule of RULES) {
    const { values, centre, reference: found } = compared(series, rule, kept, baseline);
    reference = found ?? reference;
    if (centre === null || (baseline === null && centre.nodes < LEAST_NODES)) continue;
    const margin = marginOf(rule, scale, fewestRepetitions(series));
    const limit = limitOf(margin, centre.deviation, reachesOf(tests, centre.nodes));
    limits[rule] = shareOf(rule, limit);
    for (let row = 0; row < values.length; row++) {
      const worse = (values[row] as number) - centre.centre;
      if (worse > limit) {
        findings.push({ row, rule, worse: shareOf(rule, worse), limit: shareOf(rule, limit) });
      }
    }
  }
  return { findings, reference, limits };
}

/**
 * Names what lies beyond the limits, takes it out, and looks again until nothing more is found: an outlier must not decide
 * where the centre is. A node that is worse at one KPI still counts for the others.
 * @param baseline null: the nodes are held against each other, three or more
 */
export function judgeSeries(
  series: Series,
  baseline: BaselineCentres | null,
  options: JudgeOptions,
): SeriesJudgement {
  const all = allRows(series);
  if (baseline !== null) {
    const { findings, limits } = round(series, all, baseline, options);
    return { findings, reference: null, kept: all, limits };
  }
  let kept = all;
  let last = round(series, kept, null, options);
  for (let rounds = 1; rounds < MOST_ROUNDS; rounds++) {
    const named = new Set(last.findings.map(({ row }) => row));
    const left = all.filter((row) => !named.has(row));
    // Where half would have to go there is no fleet left to be held against.
    if (left.length < Math.max(LEAST_NODES, all.length / 2) || left.length >= kept.length) break;
    kept = left;
    last = round(series, kept, null, options);
  }
  return { ...last, kept };
}
