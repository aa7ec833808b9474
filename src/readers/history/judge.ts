/** The levels of a series over campaigns, and whether the newest ones lie on the last of them. Pure. */
import { mean, sampleVariance } from 'simple-statistics';
import { RISK, type Verdict, verdictOf } from '../../statistics/compare.js';
import { LEVEL } from '../../statistics/interval.js';
import { LEAST_EARLIER, type LevelShift, levelShift } from '../../statistics/level-shift.js';
import { median } from '../../statistics/quantile.js';
import type { Range } from '../../statistics/shift.js';
import { MOST_FOR_SHORT_LEVELS, shortLevels } from '../../statistics/short-levels.js';
import { unitsOf } from '../comparison/launches.js';
import { differencesBetween } from './differences.js';
import type { HistoryChange, HistoryLevel, Speed } from './document.js';
import { type Point, type Series, speedOf } from './series.js';

/** A point that counts, by its place in the series. */
export interface Counted {
  readonly at: number;
  readonly point: Point;
  /** Work, or repetitions, a second: what is compared. */
  readonly speed: number;
  readonly logsOfLaunches: readonly number[];
}

/** What its seconds are divided by is the same for the whole series. */
export function countedOf({ points }: Series): readonly Counted[] {
  const units = unitsOf(points.map(({ entry }) => entry.batch));
  return points.flatMap((point, at): readonly Counted[] =>
    point.elapsed === null || point.leftOut !== null
      ? []
      : [
          {
            at,
            point,
            speed: (units[at] ?? 1) / point.elapsed,
            logsOfLaunches: point.medians.map(Math.log),
          },
        ],
  );
}

const speedsOf = (all: readonly Counted[]): readonly number[] => all.map(({ speed }) => speed);

/** Of so many as can be looked at, the newest. */
function levelsAmong(all: readonly Counted[]): readonly (readonly Counted[])[] {
  const looked = all.slice(-MOST_FOR_SHORT_LEVELS);
  const levels = shortLevels(speedsOf(looked).map(Math.log));
  return levels.map(({ from, to }) => looked.slice(from, to));
}

/** Variance of one launch's logarithm within its campaign, pooled; 0 where no campaign has two. */
function launchVariance(all: readonly Counted[]): number {
  const several = all.map(({ logsOfLaunches }) => logsOfLaunches).filter(({ length }) => length > 1);
  const degrees = several.reduce((sum, logs) => sum + logs.length - 1, 0);
  const squares = several.reduce((sum, logs) => sum + (logs.length - 1) * sampleVariance([...logs]), 0);
  return degrees === 0 ? 0 : squares / degrees;
}

const perLaunch = (all: readonly Counted[]): number =>
  mean(all.map(({ logsOfLaunches }) => 1 / logsOfLaunches.length));

/** The median of launches scatters more than their mean, by this in its variance. */
const OF_MEDIANS = Math.PI / 2;

/** What the newer ones' mean varies by beyond earlier ones, as it rests on fewer launches. */
function moreVariance(earlier: readonly Counted[], newer: readonly Counted[]): number {
  const more = perLaunch(newer) - perLaunch(earlier);
  return more > 0 ? (OF_MEDIANS * launchVariance([...earlier, ...newer]) * more) / newer.length : 0;
}

const shiftOf = (earlier: readonly Counted[], newer: readonly Counted[]): LevelShift =>
  levelShift(speedsOf(earlier), speedsOf(newer), moreVariance(earlier, newer));

export const rangeOf = ({ interval }: LevelShift, level: number): Range | null =>
  interval === null ? null : interval(level);

/**
 * As of two batches (src/statistics/compare.ts), but that a change has to be one of the margin or more: less does not matter to who asks,
 * and of many cases one is a little beside its level each night.
 * @param p corrected for as many as are judged
 */
export function verdictOfShift(shift: LevelShift, p: number, margin: number): Verdict {
  const verdict = verdictOf({ ratio: shift.ratio, equivalence: rangeOf(shift, 1 - 2 * RISK) }, p, margin);
  return verdict === 'same' || isBeyond(shift.ratio, margin) ? verdict : 'cannot tell';
}

export const isBeyond = (ratio: number, margin: number): boolean =>
  Math.abs(Math.log(ratio)) >= Math.log1p(margin);

/** The medians of these campaigns' rates and times, each of its own: their work need not be the same. */
export function speedOfLevel(all: readonly Counted[]): Speed {
  const speeds = all.map(({ point }) => speedOf(point)).filter((speed) => speed !== null);
  const rates = speeds.flatMap(({ rate }) => (rate === null ? [] : [rate]));
  return {
    rate: rates.length === 0 || rates.length < speeds.length ? null : median(rates),
    rateUnit: speeds.at(-1)?.rateUnit ?? '',
    elapsedSeconds: median(speeds.map(({ elapsedSeconds }) => elapsedSeconds)),
  };
}

export interface Judged {
  /** The campaigns of the level that the newer ones are held to. */
  readonly level: readonly Counted[];
  readonly newer: readonly Counted[];
  readonly shift: LevelShift;
}

/**
 * @param together how many of the newest are judged as one
 * @returns why there is none, where there are too few campaigns
 */
export function judgeNewest(all: readonly Counted[], together: number): Judged | string {
  const newer = all.slice(-together);
  const earlier = all.slice(0, -together);
  const level = levelsAmong(earlier).at(-1) ?? [];
  if (level.length < LEAST_EARLIER) {
    const few = `${level.length === 0 ? 'no' : level.length} campaign${level.length === 1 ? '' : 's'}`;
    return level.length === earlier.length
      ? `${few} before it, of ${LEAST_EARLIER} that tell how far they spread`
      : `the level before it has ${few}, of ${LEAST_EARLIER} that tell how far they spread`;
  }
  return { level, newer, shift: shiftOf(level, newer) };
}

/**
 * Of the level, the last campaign that lies on it, and of few, none of which stands out for sure, that is nearer to it than to what is
 * judged: with the others that may have begun already.
 */
export function lastOnLevel({ level, newer, shift }: Judged): Counted | undefined {
  const centre = mean(newer.map(({ speed }) => Math.log(speed))) - Math.log(shift.ratio);
  return level
    .slice(0, shift.lastOnLevel + 1)
    .findLast(({ speed }) => Math.abs(Math.log(speed) - centre) <= Math.abs(Math.log(shift.ratio)) / 2);
}

/** All levels of the series, and where it went from one to another by the margin or more. */
export function levelsOf(
  all: readonly Counted[],
  margin: number,
): { readonly levels: readonly HistoryLevel[]; readonly changes: readonly HistoryChange[] } {
  const found = levelsAmong(all);
  const levels = found.map((own) => ({
    from: own[0]?.at ?? 0,
    to: own.at(-1)?.at ?? 0,
    campaigns: own.length,
    speed: speedOfLevel(own),
  }));
  const changes = found.slice(1).flatMap((own, i): readonly HistoryChange[] => {
    const before = found[i] ?? [];
    const [last, first] = [before.at(-1), own[0]];
    if (last === undefined || first === undefined) return [];
    const shift = shiftOf(before, own);
    if (!isBeyond(shift.ratio, margin)) return [];
    return [
      {
        at: first.at,
        before: last.at,
        ratio: shift.ratio,
        interval: rangeOf(shift, LEVEL),
        outcome: verdictOfShift(shift, shift.p, margin),
        differences: differencesBetween(last.point.entry, first.point.entry),
      },
    ];
  });
  return { levels, changes };
}

/** Of the last level to the first, where they lie apart by the margin or more: also what went there by small steps. null: they do not. */
export function sinceFirst(all: readonly Counted[], margin: number): number | null {
  const levels = levelsAmong(all);
  const [first, last] = [levels[0], levels.at(-1)];
  if (first === undefined || last === undefined || first === last) return null;
  const { ratio } = shiftOf(first, last);
  return isBeyond(ratio, margin) ? ratio : null;
}
