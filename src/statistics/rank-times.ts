/** What the times of ranks tell: how far they are apart, which of them comes last, and for which the others wait. Pure. */
import type { Ratio, Seconds } from '../units.js';
import { binomialTail } from './binomial.js';
import { median, quantileSorted, sortedCopy } from './quantile.js';

/** Of each repetition and rank, repetition by repetition, on one clock. */
export interface RankTimes {
  readonly count: number;
  readonly entries: Float64Array;
  readonly exits: Float64Array;
}

export interface Skew {
  readonly p50: Seconds;
  readonly p99: Seconds;
  readonly max: Seconds;
}

export interface RankSummary {
  /** Of one of its own calls. */
  readonly median: Seconds;
  readonly p99: Seconds;
  /** All its calls together. */
  readonly total: Seconds;
  /**
   * Of the repetitions, in how many it was longest in its call; where several were, an equal part of it. Who waits for another is
   * longest: it does not say who is slow.
   */
  readonly slowest: Ratio;
  /** Of the repetitions, in how many it came last; where several did, an equal part of it. */
  readonly last: Ratio;
}

export interface RanksSummary {
  readonly repetitions: number;
  /** In all repetitions. Absent in records from before several calls were one repetition: as many as repetitions. */
  readonly calls?: number | undefined;
  readonly ranks: readonly RankSummary[];
  /** From the first to the last rank that came, and that left. */
  readonly skewIn: Skew;
  readonly skewOut: Skew;
}

function skewOf(spreads: Float64Array): Skew {
  const sorted = sortedCopy(spreads);
  return {
    p50: quantileSorted(sorted, 0.5),
    p99: quantileSorted(sorted, 0.99),
    max: sorted.at(-1) ?? 0,
  };
}

/** What each has of being the largest: of equals each an equal part, so that no rank is it for its number. */
function partsOfLargest(values: Float64Array): Float64Array {
  const largest = Math.max(...values);
  const equals = values.reduce((count, value) => count + (value === largest ? 1 : 0), 0);
  return values.map((value) => (value === largest ? 1 / equals : 0));
}

/** The place of the largest; of equals the first. */
function largestAt(values: ArrayLike<number>): number {
  let at = 0;
  for (let i = 1; i < values.length; i++) if ((values[i] ?? 0) > (values[at] ?? 0)) at = i;
  return at;
}

const spread = (values: Float64Array): Seconds => Math.max(...values) - Math.min(...values);

/**
 * @param callsPerSample calls that run into each other in one repetition, from its entry to its exit
 * @returns null where there are no repetitions
 */
export function summariseRanks(
  { count, entries, exits }: RankTimes,
  callsPerSample: number,
): RanksSummary | null {
  const repetitions = count === 0 ? 0 : Math.floor(entries.length / count);
  if (repetitions === 0) return null;
  const elapsed = Array.from({ length: count }, () => new Float64Array(repetitions));
  const skewIn = new Float64Array(repetitions);
  const skewOut = new Float64Array(repetitions);
  const slowest = Array.from({ length: count }, () => new Float64Array(repetitions));
  const last = Array.from({ length: count }, () => new Float64Array(repetitions));
  for (let i = 0; i < repetitions; i++) {
    const came = entries.subarray(i * count, (i + 1) * count);
    const left = exits.subarray(i * count, (i + 1) * count);
    const took = left.map((at, rank) => at - (came[rank] ?? 0));
    const [longest, latest] = [partsOfLargest(took), partsOfLargest(came)];
    took.forEach((value, rank) => {
      (elapsed[rank] as Float64Array)[i] = value;
      (slowest[rank] as Float64Array)[i] = longest[rank] ?? 0;
      (last[rank] as Float64Array)[i] = latest[rank] ?? 0;
    });
    skewIn[i] = spread(came);
    skewOut[i] = spread(left);
  }
  const ranks = elapsed.map((values, rank) => {
    const sorted = sortedCopy(values);
    const sum = (parts: Float64Array = new Float64Array()): number =>
      parts.reduce((all, value) => all + value, 0);
    return {
      median: quantileSorted(sorted, 0.5) / callsPerSample,
      p99: quantileSorted(sorted, 0.99) / callsPerSample,
      total: sum(values),
      slowest: sum(slowest[rank]) / repetitions,
      last: sum(last[rank]) / repetitions,
    };
  });
  const calls = repetitions * callsPerSample;
  return { repetitions, calls, ranks, skewIn: skewOf(skewIn), skewOut: skewOf(skewOut) };
}

const middle = (skews: readonly Skew[]): Skew => ({
  p50: median(skews.map(({ p50 }) => p50)),
  p99: median(skews.map(({ p99 }) => p99)),
  max: Math.max(...skews.map(({ max }) => max)),
});

/** Several launches as one: medians of what is typical, sums of what adds, the largest of the largest. */
export function mergeRanks(launches: readonly RanksSummary[]): RanksSummary | null {
  const [first] = launches;
  if (first === undefined) return null;
  const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);
  const repetitions = sum(launches.map((launch) => launch.repetitions));
  return {
    repetitions,
    calls: sum(launches.map((launch) => launch.calls ?? launch.repetitions)),
    ranks: first.ranks.map((_, rank) => {
      const own = launches.flatMap((launch) => launch.ranks[rank] ?? []);
      const share = (of: (summary: RankSummary) => number): number =>
        sum(launches.map((launch, i) => launch.repetitions * of(own[i] ?? (first.ranks[0] as RankSummary)))) /
        repetitions;
      return {
        median: median(own.map((summary) => summary.median)),
        p99: median(own.map((summary) => summary.p99)),
        total: sum(own.map((summary) => summary.total)),
        slowest: share((summary) => summary.slowest),
        last: share((summary) => summary.last),
      };
    }),
    skewIn: middle(launches.map(({ skewIn }) => skewIn)),
    skewOut: middle(launches.map(({ skewOut }) => skewOut)),
  };
}

export interface LastRank {
  readonly rank: number;
  /** Of the repetitions of all launches, in how many it came last. */
  readonly share: Ratio;
}

/** A rank is named where it comes last so much oftener than its turn would have it, */
const OFTENER = 1.5;
/** and where chance makes any rank of a case that in one case of a hundred at most. */
const BY_CHANCE = 0.01;

/** Whether chance has one of so many ranks oftenest last in so many of the launches too seldom to be it. */
const isTold = (ranks: number, launches: number, times: number): boolean =>
  binomialTail(launches, 1 / ranks, times) < BY_CHANCE / ranks;

/**
 * The fewest launches that can name one of so many ranks: if it is the last one in all of them.
 * @throws RangeError for fewer than two ranks
 */
export function launchesToName(ranks: number): number {
  if (!(ranks >= 2)) throw new RangeError('one rank is always the last');
  let launches = 1;
  while (!isTold(ranks, launches, launches)) launches++;
  return launches;
}

/** The rank that came last oftener than any other; null where several did so as often, as on a coarse clock. */
function oftenestLast({ ranks }: Pick<RanksSummary, 'ranks'>): number | null {
  const shares = ranks.map(({ last }) => last);
  const rank = largestAt(shares);
  return shares.filter((share) => share === shares[rank]).length === 1 ? rank : null;
}

/**
 * The rank that the others have to wait for because it comes late. What makes a rank late for a whole launch, as the memory and the
 * CPUs that it happened to get, makes it the last one in most of its repetitions: of equal ranks some rank is, and another one in the
 * next launch. So launches are counted, and not repetitions: in how many of them the rank is the last one oftener than any other, which
 * is set against the binomial distribution, each of the ranks being looked at.
 * @param launches of the same ranks
 * @returns null where no rank is told from chance, as of fewer launches than `launchesToName`: of two ranks it takes eight, of four five,
 * of eight four, from eleven on three
 */
export function lastOf(launches: readonly Pick<RanksSummary, 'repetitions' | 'ranks'>[]): LastRank | null {
  const count = launches[0]?.ranks.length ?? 0;
  if (count < 2) return null;
  const oftenest = launches.map(oftenestLast);
  const times = Array.from({ length: count }, (_, rank) => oftenest.filter((one) => one === rank).length);
  const rank = largestAt(times);
  const all = launches.reduce((sum, { repetitions }) => sum + repetitions, 0);
  const share =
    launches.reduce((sum, { repetitions, ranks }) => sum + repetitions * (ranks[rank]?.last ?? 0), 0) / all;
  if (share < Math.min(0.9, OFTENER / count)) return null;
  return isTold(count, launches.length, times[rank] ?? 0) ? { rank, share } : null;
}

export interface Straggler {
  readonly rank: number;
  /** By how much longer it works than the middle one of the others. */
  readonly excess: Ratio;
}

/** A rank is a straggler where it works so much longer than the middle one of the others, in every launch. */
const LONGER = 0.25;
/** One launch alone may have had something beside it on the rank's CPU. */
export const LEAST_LAUNCHES = 2;
/** In less, what a rank does is reading the clock, and the way of a cache line from the CPU that has it. */
export const LEAST_WORK: Seconds = 2e-6;

/**
 * The slow one of ranks that have the same to do: by the time that each does not spend waiting. By how long it was in its call it cannot
 * be told: where ranks wait for each other all others are as long in it, and a little longer.
 * @param launches of each, what every rank did not spend waiting in a repetition
 * @returns null where there is none; undefined where it cannot be told, of too few launches or too little to do
 */
export function stragglerOf(launches: readonly (readonly Seconds[])[]): Straggler | null | undefined {
  if (launches.some((useful) => useful.length < 2)) return null;
  if (launches.length < LEAST_LAUNCHES) return undefined;
  const found = launches.map((useful) => {
    const rank = largestAt(useful);
    const others = median(useful.filter((_, other) => other !== rank));
    return { rank, others, excess: (useful[rank] ?? 0) / others - 1 };
  });
  if (found.some(({ others }) => others < LEAST_WORK)) return undefined;
  const rank = found[0]?.rank ?? 0;
  const excess = Math.min(...found.map((one) => (one.rank === rank ? one.excess : 0)));
  return excess >= LONGER ? { rank, excess } : null;
}
