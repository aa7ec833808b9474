/** One KPI of a fleet: which nodes are worse at it than the rest. Pure. */
import {
  type Centre,
  centreOf,
  centreWithoutWorst,
  LEAST_NODES,
  levelOf,
  limitOf,
  reachesOf,
} from './limits.js';
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
import { LEAST_FOR_TAIL } from './tail.js';

export interface SeriesFinding {
  readonly row: number;
  readonly rule: RuleName;
  /** How much worse than the centre, and how much worse is named, as shares. */
  readonly worse: number;
  readonly limit: number;
}

export interface SeriesJudgement {
  readonly findings: readonly SeriesFinding[];
  /** By what rows were taken out that the last round no longer finds anything at. */
  readonly earlier: readonly SeriesFinding[];
  /** Row of the medoid; null: too few distributions are known, or a baseline is the reference. */
  readonly reference: number | null;
  /** Rows that the centres rest on. */
  readonly kept: Int32Array;
  readonly limits: Readonly<Partial<Record<RuleName, number>>>;
  /** What the nodes' differences are like, where they are held against each other. */
  readonly spreads: Readonly<Partial<Record<RuleName, Spread>>>;
}

export interface Spread {
  /** As `worseness` has it. */
  readonly centre: number;
  /** Robust standard deviation of the nodes that were kept. */
  readonly deviation: number;
  /** How far the better half of all nodes lies from the centre, in these. */
  readonly better: Float32Array;
}

/** What a baseline knows instead of the fleet's own centres. */
export interface BaselineCentres {
  readonly centres: Readonly<Partial<Record<RuleName, Centre>>>;
  /** Of the reference node; null: not kept. */
  readonly sketch: { readonly values: Float64Array; readonly n: number } | null;
  /** It was made before baselines kept how far nodes differ by each rule. */
  readonly older: boolean;
}

export interface JudgeOptions {
  /** Of a node, on all of its devices: the more are looked at, the further away chance alone gets. */
  readonly kpis: number;
  /** Of all margins. */
  readonly scale: number;
}

const MOST_ROUNDS = 10;

/** How far all nodes are from a reference node. */
interface Distances {
  readonly reference: number;
  readonly values: Float64Array;
}

interface Round {
  readonly findings: SeriesFinding[];
  /** By which rows were taken out before it. */
  readonly before: readonly SeriesFinding[];
  readonly distances: Distances | null;
  readonly limits: Partial<Record<RuleName, number>>;
  /** By which each rule judged. */
  readonly compared: Partial<Record<RuleName, Compared>>;
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

/** What stays the same in every round: the logarithms of ten thousand rates are taken once. */
interface Judging {
  readonly series: Series;
  readonly nodes: Int32Array | null;
  readonly baseline: BaselineCentres | null;
  readonly options: JudgeOptions;
  readonly values: ReadonlyMap<RuleName, Float64Array>;
}

function judging(
  series: Series,
  nodes: Int32Array | null,
  baseline: BaselineCentres | null,
  options: JudgeOptions,
): Judging {
  const values = new Map<RuleName, Float64Array>();
  for (const rule of RULES) if (rule !== 'distribution') values.set(rule, worseness(series, rule));
  return { series, nodes, baseline, options, values };
}

/**
 * Of the values of some rows. Where the spread has no part in the limit, it need not be known better.
 * @param every those of all rows
 */
function centreFor(
  { nodes, options: { kpis, scale } }: Judging,
  rule: (typeof RULES)[number],
  every: Float64Array,
  rows: Int32Array,
): Centre | null {
  const values = pick(every, rows);
  const of = nodes === null ? null : rows.map((row) => nodes[row] as number);
  const all = centreOf(values, of);
  if (all === null) return null;
  const least = marginOf(rule, scale, Number.POSITIVE_INFINITY);
  const { reach } = reachesOf(levelOf(rule, kpis), all);
  return reach * all.deviation <= least ? all : centreWithoutWorst(values, all, of);
}

/** The values that a rule compares, and where their centre lies. */
function compared(
  judged: Judging,
  rule: (typeof RULES)[number],
  kept: Int32Array,
  before: Distances | null,
): Compared {
  const { series, baseline } = judged;
  const values = judged.values.get(rule);
  if (values !== undefined) {
    const centre =
      baseline === null ? centreFor(judged, rule, values, kept) : (baseline.centres[rule] ?? null);
    return { values, centre, distances: null };
  }
  const all = comparableRows(series, allRows(series));
  if (baseline !== null) {
    if (baseline.sketch === null) return NOT_COMPARED;
    const gaps = gapsFrom(series, { ...baseline.sketch, at: 0 }, all);
    return { values: gaps, centre: baseline.centres.distribution ?? null, distances: null };
  }
  const able = comparableRows(series, kept);
  if (able.length < LEAST_NODES) return NOT_COMPARED;
  const distances = distancesOf(series, able, all, before);
  return {
    values: distances.values,
    centre: centreFor(judged, rule, distances.values, able),
    distances,
  };
}

// Loops: typed arrays' own `from` walks an iterator, and these loops are much of judging a large fleet.
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

/** Beyond the limit; of `spread` the limit is each node's own, which its number of repetitions has a part in. */
function findingsOf(
  { series, options: { scale, kpis } }: Judging,
  rule: (typeof RULES)[number],
  values: Float64Array,
  known: Centre,
  findings: SeriesFinding[],
): number {
  const { n } = series.columns;
  const { centre, deviation } = known;
  const reaches = reachesOf(levelOf(rule, kpis), known);
  const limitFor = (repetitions: number): number =>
    limitOf(marginOf(rule, scale, repetitions), deviation, reaches);
  let repetitions = n[0] as number;
  let limit = limitFor(repetitions);
  const first = limit;
  for (let row = 0; row < values.length; row++) {
    if (rule === 'spread' && n[row] !== repetitions) {
      repetitions = n[row] as number;
      limit = limitFor(repetitions);
    }
    const worse = (values[row] as number) - centre;
    if (worse > limit) findings.push({ row, rule, worse: shareOf(rule, worse), limit: shareOf(rule, limit) });
  }
  return shareOf(rule, first);
}

function round(judged: Judging, kept: Int32Array, before: Round | null = null): Round {
  const findings: SeriesFinding[] = [];
  const limits: Round['limits'] = {};
  const by: Round['compared'] = {};
  let distances: Distances | null = null;
  for (const rule of RULES) {
    const one = compared(judged, rule, kept, before?.distances ?? null);
    const { values, centre } = one;
    distances = one.distances ?? distances;
    if (centre === null || (judged.baseline === null && centre.nodes < LEAST_NODES)) continue;
    limits[rule] = findingsOf(judged, rule, values, centre, findings);
    by[rule] = one;
  }
  return { findings, before: before?.findings ?? [], distances, limits, compared: by };
}

/** How far the nodes that are better than the centre lie from it, in robust standard deviations. */
export function betterHalf(values: Float64Array, { centre, deviation }: Centre): Float32Array {
  const better = new Float32Array(values.length);
  let count = 0;
  for (let row = 0; row < values.length; row++) {
    const by = centre - (values[row] as number);
    if (by > 0) better[count++] = by / deviation;
  }
  return better.slice(0, count);
}

/** Of rules whose nodes are many enough to say, and differ at all. */
function spreadsOf(by: Round['compared']): SeriesJudgement['spreads'] {
  const spreads: Partial<Record<RuleName, Spread>> = {};
  for (const rule of RULES) {
    const { values, centre = null } = by[rule] ?? NOT_COMPARED;
    if (centre === null || centre.nodes < LEAST_FOR_TAIL || !(centre.deviation > 0)) continue;
    const { centre: middle, deviation } = centre;
    spreads[rule] = { centre: middle, deviation, better: betterHalf(values, centre) };
  }
  return spreads;
}

/**
 * What lies beyond the limits is taken out, and the rest is looked at again until nothing more is found: an outlier must not decide
 * where the centre is.
 * @param look at those that are kept; `before` is the round before, null: this is the first
 * @param named in a round, of all
 */
export function inRounds<R>(
  all: Int32Array,
  look: (kept: Int32Array, before: R | null) => R,
  named: (last: R) => ReadonlySet<number>,
): { readonly last: R; readonly kept: Int32Array } {
  let kept = all;
  let last = look(kept, null);
  for (let rounds = 1; rounds < MOST_ROUNDS; rounds++) {
    const out = named(last);
    const left = all.filter((one) => !out.has(one));
    // Where half would have to go there is no fleet left to be held against.
    if (left.length < Math.max(LEAST_NODES, all.length / 2) || left.length >= kept.length) break;
    kept = left;
    last = look(kept, last);
  }
  return { last, kept };
}

/**
 * Names what lies beyond the limits, in rounds. A node that is worse at one KPI still counts for the others.
 * @param nodes of which node each row is; null: each is of another
 * @param baseline null: the nodes are held against each other, three or more
 */
export function judgeSeries(
  series: Series,
  nodes: Int32Array | null,
  baseline: BaselineCentres | null,
  options: JudgeOptions,
): SeriesJudgement {
  const judged = judging(series, nodes, baseline, options);
  const all = allRows(series);
  if (baseline !== null) {
    const { findings, limits } = round(judged, all);
    return { findings, earlier: [], reference: null, kept: all, limits, spreads: {} };
  }
  const { last, kept } = inRounds<Round>(
    all,
    (left, before) => round(judged, left, before),
    ({ findings }) => new Set(findings.map(({ row }) => row)),
  );
  const { findings, before, limits, distances, compared: by } = last;
  const found = new Set(findings.map(({ row }) => row));
  return {
    findings,
    earlier: before.filter(({ row }) => !found.has(row)),
    limits,
    kept,
    reference: distances?.reference ?? null,
    spreads: spreadsOf(by),
  };
}

/** KPIs that are judged alike, each with what a baseline knows of it. */
export interface JudgeTask {
  readonly series: readonly Series[];
  /** Of which node each row of it is; null: each is of another. */
  readonly nodes: readonly (Int32Array | null)[];
  readonly centres: readonly (BaselineCentres | null)[];
  readonly options: JudgeOptions;
}

export const judgeAll = ({ series, nodes, centres, options }: JudgeTask): readonly SeriesJudgement[] =>
  series.map((one, i) => judgeSeries(one, nodes[i] ?? null, centres[i] ?? null, options));
