/** What speaks against a place: where it is worse, and what else is known of it there, from which its cause is told. Pure. */
import { median } from '../statistics/quantile.js';
import { keyTitle } from './case-key.js';
import { type Evidence, spoils } from './causes.js';
import { gap } from './distance.js';
import { pick, type SeriesFinding, type SeriesJudgement } from './judge-series.js';
import { centreOf, strictestLevel } from './limits.js';
import { sketchIn } from './medoid.js';
import { RULES, type RuleName, shareOf, sketchesOf } from './rules.js';
import { KNOTS } from './sketch.js';
import { isOfFleet } from './spoiled.js';
import type { Fleet, Series } from './table.js';
import { reachOfTail, tailOf } from './tail.js';

export interface Finding {
  /** null: over all KPIs. */
  readonly key: string | null;
  readonly title: string;
  readonly on: string;
  readonly rule: RuleName;
  readonly worse: number;
  readonly limit: number;
  /** Healthy nodes of this fleet lie as far from its middle, as far as its better half tells. */
  readonly usual: boolean;
}

/** Everything that is known of a place while its cause is sought. */
export interface Suspicion {
  readonly findings: Finding[];
  readonly flags: Set<string>;
  readonly clocks: number[];
  readonly tails: number[];
}

function flagCounts({ flags }: Series): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const names of flags.values()) for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/**
 * Whether a flag speaks against a node that is worse. Of nodes that are held against each other what most have says nothing against one
 * of them. A baseline rests on rates without a flag that spoils them, so that whoever is below it may be so by such a flag; of one that
 * is usual under load nobody knows whether its nodes had it, too.
 */
const isEvidence = (flag: string, rows: number, of: number, among: boolean): boolean =>
  among ? !isOfFleet(rows, of) : spoils(flag);

/** @param among whether the nodes are held against each other */
export function noteSeries(
  series: Series,
  judgement: SeriesJudgement,
  fleet: Fleet,
  reaches: TailReaches,
  suspicions: Map<number, Suspicion>,
  among: boolean,
): void {
  const { findings, kept } = judgement;
  if (findings.length === 0) return;
  const title = keyTitle(series.key);
  const counts = flagCounts(series);
  const clock = centreOf(pick(series.columns.hertz, kept))?.centre ?? null;
  for (const finding of findings) {
    const { row, rule, worse, limit } = finding;
    const place = series.places[row] as number;
    const { findings: own, flags, clocks, tails } = suspicionOf(place, suspicions);
    const usual = isUsual(series, judgement, reaches, finding);
    own.push({ key: series.key, title, on: fleet.places[place]?.on ?? '', rule, worse, limit, usual });
    for (const flag of series.flags.get(row) ?? []) {
      if (isEvidence(flag, counts.get(flag) ?? 0, series.places.length, among)) flags.add(flag);
    }
    const tail = slowTwentieth(series, row);
    if (tail !== null) tails.push(tail);
    const here = series.columns.hertz[row] as number;
    if (clock !== null && !Number.isNaN(here)) clocks.push(1 - here / clock);
  }
}

/** Robust standard deviations within which nodes are usual; of rules whose differences have heavy tails. */
export type TailReaches = Readonly<Partial<Record<RuleName, number>>>;

/**
 * How far healthy nodes go, in robust standard deviations; null: no further than normal values.
 * @param halves how far the better half lies from the middle, in the same
 */
export function tailReach(halves: readonly Float32Array[], kpis: number): number | null {
  const all = new Float64Array(halves.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const half of halves) {
    all.set(half, at);
    at += half.length;
  }
  const tail = tailOf(all);
  return tail === null ? null : reachOfTail(tail, strictestLevel(kpis));
}

/** Of all KPIs together: one alone has too few nodes to know its tail. */
export const betterHalves = (
  judgements: readonly SeriesJudgement[],
  rule: RuleName,
): readonly Float32Array[] => judgements.flatMap(({ spreads }) => spreads[rule]?.better ?? []);

export function tailReaches(judgements: readonly SeriesJudgement[], kpis: number): TailReaches {
  const reaches: Partial<Record<RuleName, number>> = {};
  for (const rule of RULES) {
    // Only where somebody is named does it matter.
    if (!judgements.some(({ findings }) => findings.some((one) => one.rule === rule))) continue;
    const reach = tailReach(betterHalves(judgements, rule), kpis);
    if (reach !== null) reaches[rule] = reach;
  }
  return reaches;
}

/** How far a node is below its fleet's middle at all repetitions alike, where healthy nodes are so, too; null: they are not. */
function usualLevel(
  { columns }: Series,
  { spreads: { median: spread } }: SeriesJudgement,
  reaches: TailReaches,
  row: number,
): number | null {
  if (spread === undefined || reaches.median === undefined) return null;
  const below = -Math.log(columns.median[row] as number) - spread.centre;
  return below <= reaches.median * spread.deviation ? below : null;
}

/** What a rule still finds when the node's level is brought to the middle: a slower node is slower by every rule of rates. */
function beyondLevel(
  series: Series,
  { spreads, reference }: SeriesJudgement,
  { row, rule }: SeriesFinding,
  level: number,
): number {
  const spread = spreads[rule];
  if (spread === undefined) return Number.POSITIVE_INFINITY;
  if (rule === 'p05' || rule === 'sustained') {
    const below = -Math.log(series.columns[rule][row] as number) - spread.centre;
    return shareOf(rule, below - level);
  }
  if (rule !== 'distribution' || reference === null) return Number.POSITIVE_INFINITY;
  const column = sketchesOf(series);
  const raised = Float64Array.from({ length: KNOTS }, (_, knot) => {
    return (series.sketches[row * KNOTS + knot] as number) * Math.exp(level);
  });
  const own = { values: raised, at: 0, n: series.columns.n[row] as number };
  const { slower, faster } = gap(own, sketchIn(column, reference));
  return slower - faster - spread.centre;
}

/** Whether healthy nodes lie as far off by that rule, or by their level, and nothing is found beside that. */
function isUsual(
  series: Series,
  judgement: SeriesJudgement,
  reaches: TailReaches,
  finding: SeriesFinding,
): boolean {
  const { row, rule, worse, limit } = finding;
  const reach = (reaches[rule] ?? 0) * (judgement.spreads[rule]?.deviation ?? 0);
  if (worse <= shareOf(rule, reach)) return true;
  const level = usualLevel(series, judgement, reaches, row);
  return level !== null && level > 0 && beyondLevel(series, judgement, finding, level) <= limit;
}

function slowTwentieth({ columns }: Series, row: number): number | null {
  const below = 1 - (columns.p05[row] as number) / (columns.median[row] as number);
  const tail = below / (columns.cv[row] as number);
  return Number.isFinite(tail) ? tail : null;
}

export function suspicionOf(place: number, suspicions: Map<number, Suspicion>): Suspicion {
  const known = suspicions.get(place) ?? { findings: [], flags: new Set<string>(), clocks: [], tails: [] };
  suspicions.set(place, known);
  return known;
}

export function evidenceOf(suspicions: readonly Suspicion[], settings: readonly string[]): Evidence {
  const worst: Partial<Record<RuleName, number>> = {};
  for (const { rule, worse } of suspicions.flatMap(({ findings }) => findings)) {
    worst[rule] = Math.max(worst[rule] ?? 0, worse);
  }
  const clocks = suspicions.flatMap(({ clocks: own }) => own);
  const tails = suspicions.flatMap(({ tails: own }) => own);
  return {
    worst,
    flags: new Set(suspicions.flatMap(({ flags }) => [...flags])),
    clock: clocks.length === 0 ? null : median(clocks),
    tail: tails.length === 0 ? null : median(tails),
    settings,
  };
}
