/** A node that is a little slow at everything: its typical deviation over all KPIs, which is known better than any one of them. Pure. */
import { median } from '../statistics/quantile.js';
import type { HeldAgainst } from './baseline-centres.js';
import {
  betterHalf,
  inRounds,
  type JudgeOptions,
  type JudgeTask,
  pick,
  type SeriesJudgement,
} from './judge-series.js';
import { type Centre, centreOf, centreWithoutWorst, levelOf, limitOf, reachesOf } from './limits.js';
import { marginOf, shareOf, worseness } from './rules.js';
import { betterHalves, tailReach } from './suspicion.js';
import type { Fleet } from './table.js';
import { LEAST_FITTED, LEAST_FOR_TAIL } from './tail.js';

/** Fewer KPIs than this are judged one by one and no more. */
const LEAST_KPIS = 4;
const LEAST_PLACES = 3;

export interface OverallFinding {
  readonly place: number;
  readonly worse: number;
  readonly limit: number;
  /** Healthy places of this fleet lie as far from its middle, as far as its better half tells. */
  readonly usual: boolean;
}

export interface OverallJudgement {
  readonly findings: readonly OverallFinding[];
  /** Places that have KPIs enough, and nothing says how far healthy ones lie apart over all of them. */
  readonly unseen: number;
}

/**
 * @param middles of each series, as deviations in logarithms; null: it has no part
 * @param of the rows of each series that have one; left out: all
 * @returns of each place the median deviation of its KPIs; NaN: it has too few
 */
export function typicalOf(
  { places, series }: Fleet,
  middles: readonly (number | null)[],
  of?: readonly Int32Array[],
): Float64Array {
  const deviations: number[][] = places.map(() => []);
  series.forEach((one, i) => {
    const middle = middles[i] ?? null;
    if (middle === null) return;
    const values = worseness(one, 'median');
    for (const row of of?.[i] ?? values.keys()) {
      const value = values[row] as number;
      if (!Number.isNaN(value)) deviations[one.places[row] as number]?.push(value - middle);
    }
  });
  return Float64Array.from(deviations, (all) => (all.length < LEAST_KPIS ? Number.NaN : median(all)));
}

/** What stays the same, whatever the places are held against. */
interface Judging {
  readonly typical: Float64Array;
  /** Of which node each place is. */
  readonly nodes: Int32Array;
  /** Places that have KPIs enough. */
  readonly known: Int32Array;
  /** Of these, on a node: so many chances it has to be named. */
  readonly devices: number;
  readonly scale: number;
}

/** @param of the places that are judged; null: all */
function judging(
  { places }: Fleet,
  typical: Float64Array,
  of: ReadonlySet<number> | null,
  scale: number,
): Judging {
  const known = Int32Array.from(
    places.flatMap((_, place) => (Number.isNaN(typical[place]) || of?.has(place) === false ? [] : [place])),
  );
  const nodes = Int32Array.from(places, ({ node }) => node);
  const having = new Set(known.map((place) => nodes[place] as number));
  return { typical, nodes, known, devices: known.length / Math.max(1, having.size), scale };
}

/** @param usual how far from the centre healthy places are known to lie; 0: nothing more than chance is known */
function findingOf(
  { typical, devices, scale }: Judging,
  place: number,
  centre: Centre,
  usual: number,
): readonly OverallFinding[] {
  const reaches = reachesOf(levelOf('overall', devices), centre);
  const limit = limitOf(marginOf('overall', scale, 1), centre.deviation, reaches);
  const worse = (typical[place] as number) - centre.centre;
  if (worse <= limit) return [];
  return [
    { place, worse: shareOf('overall', worse), limit: shareOf('overall', limit), usual: worse <= usual },
  ];
}

/**
 * Where places differ with heavy tails, how far those reach; 0 where they are not known to. Each place has one value: of few of them
 * no tail is known, and that of the medians, of which there are more, stands for it.
 */
function usualReach(
  typical: Float64Array,
  centre: Centre,
  judgements: readonly SeriesJudgement[],
  kpis: number,
): number {
  if (centre.nodes < LEAST_FOR_TAIL || !(centre.deviation > 0)) return 0;
  const own = betterHalf(typical, centre);
  const halves = own.length < LEAST_FITTED ? betterHalves(judgements, 'median') : [own];
  return (tailReach(halves, kpis) ?? 0) * centre.deviation;
}

interface Round {
  readonly centre: Centre | null;
  readonly findings: readonly OverallFinding[];
}

function round(judged: Judging, kept: Int32Array): Round {
  const values = pick(judged.typical, kept);
  const of = kept.map((place) => judged.nodes[place] as number);
  const all = centreOf(values, of);
  if (all === null || all.nodes < LEAST_PLACES) return { centre: null, findings: [] };
  const centre = centreWithoutWorst(values, all, of);
  return {
    centre,
    findings: Array.from(judged.known).flatMap((place) => findingOf(judged, place, centre, 0)),
  };
}

/**
 * The places against each other, in rounds, as at each of their KPIs.
 * @param judgements of the fleet's series, in their order
 */
export function judgeOverall(
  fleet: Fleet,
  judgements: readonly SeriesJudgement[],
  { scale, kpis }: JudgeOptions,
): OverallJudgement {
  const middles = fleet.series.map((one, i) => {
    const { kept } = judgements[i] as SeriesJudgement;
    if (kept.length < LEAST_PLACES) return null;
    return centreOf(pick(worseness(one, 'median'), kept))?.centre ?? null;
  });
  const judged = judging(fleet, typicalOf(fleet, middles), null, scale);
  const { centre, findings } = inRounds<Round>(
    judged.known,
    (kept) => round(judged, kept),
    (last) => new Set(last.findings.map(({ place }) => place)),
  ).last;
  if (centre === null || findings.length === 0) return { findings: [], unseen: 0 };
  const usual = usualReach(judged.typical, centre, judgements, kpis);
  return { findings: findings.flatMap(({ place }) => findingOf(judged, place, centre, usual)), unseen: 0 };
}

/**
 * The places against a baseline, those that have all of its KPIs: of fewer a place's middle is less certain. Where it says nothing of
 * all KPIs together, they are not judged.
 */
export function judgeOverallBy(
  fleet: Fleet,
  { centres: known, options: { scale } }: JudgeTask,
  { missing, overall }: Pick<HeldAgainst, 'missing' | 'overall'>,
): OverallJudgement {
  const { places, nodes } = fleet;
  const lacking = new Set(missing.map(({ place }) => place));
  const whole = places.flatMap((_, place) => (lacking.has(place) ? [] : [place]));
  const typical = typicalOf(
    fleet,
    known.map((one) => one?.centres.median?.centre ?? null),
  );
  const judged = judging(fleet, typical, new Set(whole), scale);
  const centres = Array.from(judged.known, (place): readonly [number, Centre | null] => {
    const { node, on } = places[place] ?? { node: -1, on: '' };
    const device = nodes[node]?.devices[on];
    return [place, device === undefined ? null : overall(device)];
  });
  return {
    findings: centres.flatMap(([place, centre]) =>
      centre === null ? [] : findingOf(judged, place, centre, 0),
    ),
    unseen: centres.filter(([, centre]) => centre === null).length,
  };
}
