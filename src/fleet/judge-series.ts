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

/** How far all nodes are from a reference node. */
interface Distances {
  readonly reference: number;
  readonly values: Float64Array;
}

interface Round {
  readonly findings: SeriesFinding[];
  readonly distances: Distances | null;
  readonly limits: Partial<Record<RuleName, number>>;
}

interface Compared {
  readonly values: Float64Array;
  readonly centre: Centre | null;
  readonly distances: Distances | null;
}

const NOT_COMPARED: Compared = { values: new Float64Array(0), centre: null, distances: null };

/** A reference node that is kept stays the reference: the same distances for every round. */
function distancesOf(series: Series, able: Int32Array, all: Int32Array, before: Distances | null): Distances {
  if (before !== null && able.includes(before.reference)) return before;
  const reference = referenceRow(series, able);
  return { reference, values: gapsFrom(series, sketchIn(sketchesOf(series), reference), all) };
}

/** The values that a rule compares, and where their centre lies. */
function compared(
  series: Series,
  rule: (typeof RULES)[number],
  kept: Int32Array,
  baseline: BaselineCentres | null,
  before: Distances | null,
): Compared {
  if (rule !== 'distribution') {
    const values = worseness(series, rule);
    const centre = baseline === null ? centreOf(pick(values, kept)) : (baseline.centres[rule] ?? null);
    return { values, centre, distances: null };
  }
  const all = comparableRows(series, allRows(series));
  if (baseline !== null) {
    if (baseline.sketch === null) return NOT_COMPARED;
    const values = gapsFrom(series, { ...baseline.sketch, at: 0 }, all);
    return { values, centre: baseline.centres.distribution ?? null, distances: null };
  }
  const able = comparableRows(series, kept);
  if (able.length < LEAST_NODES) return NOT_COMPARED;
  const distances = distancesOf(series, able, all, before);
  return { values: distances.values, centre: centreOf(pick(distances.values, able)), distances };
}

// Loops: typed arrays' own `from` walks an iterator, and these are a tenth of judging a large fleet.
function allRows({ places }: Series): Int32Array {
  const rows = new Int32Array(places.length);
  for (let row = 0; row < rows.length; row++) rows[row] = row;
  return rows;
}

/** The values of some rows. */
export function pick(values: Float64Array, rows: Int32Array): Float64Array {
  const picked = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i++) picked[i] = values[rows[i] as number] as number;
  return picked;
}

const fewestRepetitions = ({ columns }: Series): number =>
  columns.n.reduce((least, n) => Math.min(least, n), Number.POSITIVE_INFINITY);

function round(
  series: Series,
  kept: Int32Array,
  baseline: BaselineCentres | null,
  { tests, scale }: JudgeOptions,
  before: Distances | null = null,
): Round {
  const findings: SeriesFinding[] = [];
  const limits: Partial<Record<RuleName, number>> = {};
  let distances: Distances | null = null;
  for (const rule of RULES) {
    const { values, centre, distances: found } = compared(series, rule, kept, baseline, before);
    distances = found ?? distances;
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
  return { findings, distances, limits };
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
    last = round(series, kept, null, options, last.distances);
  }
  const { findings, limits, distances } = last;
  return { findings, limits, kept, reference: distances?.reference ?? null };
}
