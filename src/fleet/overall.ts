/** A node that is a little slow at everything: its typical deviation over all KPIs, which is known better than any one of them. Pure. */
import { median } from '../statistics/quantile.js';
import type { HeldAgainst } from './baseline-centres.js';
import { type JudgeTask, pick, type SeriesJudgement } from './judge-series.js';
import { type Centre, centreOf, levelOf, limitOf, reachesOf } from './limits.js';
import { marginOf, shareOf, worseness } from './rules.js';
import type { Fleet } from './table.js';

/** Fewer KPIs than this are judged one by one and no more. */
const LEAST_KPIS = 4;
const LEAST_PLACES = 3;

export interface OverallFinding {
  readonly place: number;
  readonly worse: number;
  readonly limit: number;
}

export interface OverallJudgement {
  readonly findings: readonly OverallFinding[];
  /** Places that have KPIs enough, and nothing says how far healthy ones lie apart over all of them. */
  readonly unseen: number;
}

/**
 * @param middles of each series, as deviations in logarithms; null: it has no part
 * @returns of each place the median deviation of its KPIs; NaN: it has too few
 */
export function typicalOf({ places, series }: Fleet, middles: readonly (number | null)[]): Float64Array {
  const deviations: number[][] = places.map(() => []);
  series.forEach((one, i) => {
    const middle = middles[i] ?? null;
    if (middle === null) return;
    const values = worseness(one, 'median');
    for (let row = 0; row < values.length; row++) {
      const value = values[row] as number;
      if (!Number.isNaN(value)) deviations[one.places[row] as number]?.push(value - middle);
    }
  });
  return Float64Array.from(deviations, (all) => (all.length < LEAST_KPIS ? Number.NaN : median(all)));
}

/**
 * @param of the places that are judged; null: all
 * @param centreFor where a place's typical deviation should lie; null: not known
 */
function judge(
  { places }: Fleet,
  typical: Float64Array,
  of: ReadonlySet<number> | null,
  centreFor: (place: number) => Centre | null,
  scale: number,
): OverallJudgement {
  const known = places.flatMap((_, place) => {
    return Number.isNaN(typical[place]) || of?.has(place) === false ? [] : [place];
  });
  const having = new Set(known.map((place) => places[place]?.node));
  const level = levelOf('overall', known.length / Math.max(1, having.size));
  const findings: OverallFinding[] = [];
  let unseen = 0;
  for (const place of known) {
    const centre = centreFor(place);
    if (centre === null) {
      unseen++;
      continue;
    }
    const limit = limitOf(marginOf('overall', scale, 1), centre.deviation, reachesOf(level, centre));
    const worse = (typical[place] as number) - centre.centre;
    if (worse > limit) {
      findings.push({ place, worse: shareOf('overall', worse), limit: shareOf('overall', limit) });
    }
  }
  return { findings, unseen };
}

/**
 * The places against each other.
 * @param judgements of the fleet's series, in their order
 */
export function judgeOverall(
  fleet: Fleet,
  judgements: readonly SeriesJudgement[],
  scale: number,
): OverallJudgement {
  const middles = fleet.series.map((one, i) => {
    const { kept } = judgements[i] as SeriesJudgement;
    if (kept.length < LEAST_PLACES) return null;
    return centreOf(pick(worseness(one, 'median'), kept))?.centre ?? null;
  });
  const typical = typicalOf(fleet, middles);
  const known = centreOf(typical);
  if (known === null || known.nodes < LEAST_PLACES) return { findings: [], unseen: 0 };
  return judge(fleet, typical, null, () => known, scale);
}

/**
 * The places against a baseline, those that have all of its KPIs: of fewer a place's middle is less certain. Where it says nothing of
 * all KPIs together, they are not judged.
 */
export function judgeOverallBy(
  fleet: Fleet,
  { centres, options: { scale } }: JudgeTask,
  { missing, overall }: Pick<HeldAgainst, 'missing' | 'overall'>,
): OverallJudgement {
  const { places, nodes } = fleet;
  const lacking = new Set(missing.map(({ place }) => place));
  const whole = places.flatMap((_, place) => (lacking.has(place) ? [] : [place]));
  const typical = typicalOf(
    fleet,
    centres.map((one) => one?.centres.median?.centre ?? null),
  );
  const centreFor = (place: number): Centre | null => {
    const { node, on } = places[place] ?? { node: -1, on: '' };
    const device = nodes[node]?.devices[on];
    return device === undefined ? null : overall(device);
  };
  return judge(fleet, typical, new Set(whole), centreFor, scale);
}
