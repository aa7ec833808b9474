/** The headline of a batch: it rests on one value a launch, never on repetitions as if they were independent. */
import { type Interval, LEVEL, launchInterval, withinLaunchInterval } from './interval.js';
import { median } from './quantile.js';
import { type Summary, summarise } from './summary.js';

export interface Headline {
  /** One for each launch, in their order, in the unit of the samples. */
  readonly launchMedians: readonly number[];
  /**
   * Of the launch medians: their standard deviation is what one launch differs from the next by, and their lag-1
   * autocorrelation is high where neighbouring launches share the machine's mood, so that the interval claims too much.
   */
  readonly betweenLaunches: Summary;
  /** Median over the launches of their medians. */
  readonly estimate: number;
  /** From the launch medians alone; of a single launch from within it, and labelled so. */
  readonly interval: Interval;
}

/**
 * @param launches samples of each launch, in order; a launch without samples has no place here
 * @param launchMedians where they are known already
 * @throws RangeError when there is no launch, when one has no sample, and for a sample that is not finite
 */
export function headlineOf(
  launches: readonly ArrayLike<number>[],
  level = LEVEL,
  launchMedians: readonly number[] = launches.map(median),
): Headline {
  if (launches.some(({ length }) => length === 0)) throw new RangeError('a launch without samples');
  const betweenLaunches = summarise(launchMedians);
  const [only] = launches;
  const interval =
    only !== undefined && launches.length === 1
      ? withinLaunchInterval(only, level)
      : launchInterval(launchMedians, level);
  return { launchMedians, betweenLaunches, estimate: betweenLaunches.median, interval };
}

/** All repetitions, one launch after the other. */
export function pool(launches: readonly ArrayLike<number>[]): Float64Array {
  const whole = new Float64Array(launches.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const samples of launches) {
    whole.set(samples, at);
    at += samples.length;
  }
  return whole;
}
