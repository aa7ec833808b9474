/** The figures of a batch that people read first, its time and its rate, over the launches that it rests on. Pure. */
import { headlineOf as headlineOfLaunches } from '../statistics/batch.js';
import { type Interval, LEVEL, launchInterval } from '../statistics/interval.js';
import { median, quantileSorted } from '../statistics/quantile.js';
import { quantileInterval } from '../statistics/quantile-interval.js';
import { lookedInterval, precisionReached } from '../statistics/stopping.js';
import type { Seconds } from '../units.js';
import type { AnalysedInspection } from './analyse-inspection.js';
import type { RecordBatch } from './schema.js';

/** Of a launch. */
export const medianOf = ({ sorted }: AnalysedInspection): Seconds => quantileSorted(sorted, 0.5);

interface Headline {
  readonly elapsed: NonNullable<RecordBatch['elapsed']>;
  readonly launches: object;
  readonly precision: RecordBatch['precision'];
}

/** The interval as the record has it. */
export function recordedInterval(interval: Interval): NonNullable<RecordBatch['elapsed']>['interval'] {
  if (interval.ci === null) return null;
  const { level, method, basis } = interval;
  return { level, low: interval.ci.low, high: interval.ci.high, method, basis };
}

type RecordInterval = NonNullable<RecordBatch['elapsed']>['interval'];

/** Of whichever figure of the launches. @param target the precision that decided their number */
export const intervalFor = (target: number | undefined): typeof launchInterval =>
  target === undefined ? launchInterval : lookedInterval;

/**
 * The time that a share of the repetitions stays below. Each launch has its own: of their quantile too the launches say how far it
 * can be trusted. Where a launch has no repetitions beyond it, its slowest stands for it, which many launches agree on without its
 * being that.
 * @param target the precision that decided the number of launches, whichever of their figures is looked at
 */
function lateOf(
  resting: readonly AnalysedInspection[],
  share: number,
  target: number | undefined,
): { readonly estimate: Seconds; readonly interval: RecordInterval } {
  const { estimate, interval, tooFewRepetitions } = quantileInterval(
    resting.map(({ sorted }) => sorted),
    share,
    LEVEL,
    intervalFor(target),
  );
  return { estimate, interval: resting.length < 2 || tooFewRepetitions ? null : recordedInterval(interval) };
}

/** @param target the precision that decided the number of launches: such launches have an interval of their own */
export function headlineOf(resting: readonly AnalysedInspection[], target: number | undefined): Headline {
  const headline = headlineOfLaunches(
    resting.map(({ samples }) => samples),
    LEVEL,
    resting.map(medianOf),
  );
  const { launchMedians, betweenLaunches, estimate } = headline;
  const precision = target === undefined ? null : precisionReached(launchMedians, target);
  const { interval } = precision !== null && launchMedians.length > 1 ? precision : headline;
  const p99 = lateOf(resting, 0.99, target);
  return {
    precision:
      precision === null || target === undefined
        ? undefined
        : {
            target,
            reached: precision.reached,
            halfWidth: precision.halfWidth,
            ...(precision.worth === null ? {} : { worth: precision.worth }),
            reason: precision.reason,
          },
    elapsed: {
      median: estimate,
      interval: recordedInterval(interval),
      range: [betweenLaunches.min, betweenLaunches.max],
      basis: interval.basis,
      p99: p99.estimate,
      p99Interval: p99.interval,
    },
    launches: { medians: launchMedians, ...betweenLaunches },
  };
}

/** The interval of a rate from that of its time: low and high change places. */
const turned = (work: number, interval: RecordInterval): RecordInterval =>
  interval === null ? null : { ...interval, low: work / interval.high, high: work / interval.low };

/** A rate is the work divided by an elapsed time, so that rate x elapsed is the work, exactly. */
export function rateOf(
  work: number,
  { elapsed }: Headline,
  resting: readonly AnalysedInspection[],
  target: number | undefined,
): RecordBatch['rate'] {
  const { interval } = elapsed;
  const p95 = lateOf(resting, 0.95, target);
  return {
    median: work / elapsed.median,
    p05: work / p95.estimate,
    p05Interval: turned(work, p95.interval),
    // As the others by the median of times: of an even number of launches the median of rates is another one.
    sustained: work === 0 ? 0 : 1 / median(resting.map(({ entry }) => 1 / (entry.rate?.sustained ?? 0))),
    interval: turned(work, interval),
  };
}
