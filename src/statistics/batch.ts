/** A batch from its launches: the headline rests on one value a launch, never on repetitions as if independent. */
import { lag1 } from './autocorrelation.js';
import { type Interval, LEVEL, launchInterval, withinLaunchInterval } from './interval.js';
import { type Summary, summarise } from './summary.js';

export interface BatchSummary {
  /** One for each launch, in their order; all in the unit of the samples. */
  readonly launches: readonly Summary[];
  /** Of all repetitions together; its drift and its lag-1 run across launches. */
  readonly pooled: Summary;
  readonly launchMedians: readonly number[];
  /** Of the launch medians: their standard deviation and spread are what one launch differs from the next by. */
  readonly betweenLaunches: Summary;
  /**
   * Autocorrelation of the launch medians: high where neighbouring launches share the machine's mood, so that the
   * interval claims too much. null for fewer than 3 launches.
   */
  readonly lag1OfLaunches: number | null;
  readonly headline: {
    /** Median over the launches of their medians. */
    readonly estimate: number;
    readonly interval: Interval;
  };
}

/**
 * @param launches samples of each launch, in order; a launch without samples has no place here
 * @throws RangeError when there is no launch, or one has no sample
 */
export function summariseBatch(launches: readonly ArrayLike<number>[], level = LEVEL): BatchSummary {
  const summaries = launches.map((samples) => summarise(samples));
  const launchMedians = summaries.map(({ median }) => median);
  const betweenLaunches = summarise(launchMedians);
  const [only] = launches;
  const interval =
    only !== undefined && launches.length === 1
      ? withinLaunchInterval(only, level)
      : launchInterval(launchMedians, level);
  return {
    launches: summaries,
    pooled: summarise(pool(launches)),
    launchMedians,
    betweenLaunches,
    lag1OfLaunches: lag1(launchMedians),
    headline: { estimate: betweenLaunches.median, interval },
  };
}

/** One series after the other. */
export function pool(launches: readonly ArrayLike<number>[]): Float64Array {
  const whole = new Float64Array(launches.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const samples of launches) {
    whole.set(samples, at);
    at += samples.length;
  }
  return whole;
}
