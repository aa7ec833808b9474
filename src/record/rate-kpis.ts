/** The KPIs of any indicator whose repetition is a fixed amount of work. */
import type { CurveDeclaration, KpiDeclaration, KpiValue } from './kpi.js';
import type { RecordBatch } from './schema.js';
import { doesNoWork } from './work.js';

type Interval = NonNullable<NonNullable<RecordBatch['rate']>['interval']>;

/** @param factor of what is in the unit of the interval, where a KPI is a multiple of it */
export function ciOf(interval: Interval | null, factor = 1): KpiValue['ci'] {
  if (interval === null) return null;
  const { level, low, high, basis } = interval;
  return { level, low: low * factor, high: high * factor, basis };
}

/** null where there is none: nothing was measured right, or it does no work, as a barrier, whose rate would be 0 however fast it is. */
const rateOf = (batch: RecordBatch): RecordBatch['rate'] => (doesNoWork(batch) ? null : batch.rate);

/** Of what is typical, beside its interval. */
function medianRateOf(batch: RecordBatch): KpiValue | null {
  const rate = rateOf(batch);
  return rate === null ? null : { value: rate.median, ci: ciOf(rate.interval) };
}

const rateDisplay = (batch: RecordBatch) => ({ divisor: 1e9, unit: `G${batch.rateUnit}`, digits: 4 });
const rateUnit = (batch: RecordBatch) => batch.rateUnit;

/** What a rate counts, as names of KPIs have it. */
type RateBase = 'flops' | 'bytes' | 'launches' | 'loads';

/** The rate over a sweep of the case's size. */
export function rateCurve(
  indicator: string,
  what: string,
  base: RateBase,
  x: Pick<CurveDeclaration, 'along' | 'x' | 'xUnit'>,
): CurveDeclaration {
  return {
    ...x,
    name: `pibench_${indicator}_rate_curve_${base}_per_second`,
    yUnit: rateUnit,
    direction: 'higher',
    help: `Rate inside a repetition of ${what}: work of one repetition / median over launches of the launch medians`,
    statistic: 'median',
    display: rateDisplay,
    regression: true,
    point: medianRateOf,
  };
}

/** What lies between repetitions is pi-bench's own: ranks renew what they exchange, meet and check it. */
export const timesRanks = ({ ranks, overlap }: Pick<RecordBatch, 'ranks' | 'overlap'>): boolean =>
  ranks !== undefined || overlap !== undefined;

/**
 * @param indicator its name, in the KPIs' names; `what`, in words, in their help; `base`, the base unit of a rate
 * @param ofRanks `timesRanks` holds for its batches
 */
export function rateKpis(
  indicator: string,
  what: string,
  base: RateBase,
  ofRanks = false,
): readonly KpiDeclaration[] {
  const prefix = `pibench_${indicator}`;
  return [
    {
      name: `${prefix}_rate_${base}_per_second`,
      unit: rateUnit,
      direction: 'higher',
      help: `Rate inside a repetition of ${what}: work of one repetition / median over launches of the launch medians`,
      statistic: 'median',
      display: rateDisplay,
      regression: true,
      value: medianRateOf,
    },
    {
      name: `${prefix}_rate_p05_${base}_per_second`,
      unit: rateUnit,
      direction: 'higher',
      help: `Rate that 95 % of the repetitions of ${what} reach: work of one repetition / median over launches of the launch’s p95 of times (type 8 of Hyndman & Fan); of a launch of fewer than 20 repetitions it leans on the slowest`,
      statistic: 'p05',
      display: rateDisplay,
      regression: true,
      value: (batch) => {
        const rate = rateOf(batch);
        return rate?.p05 == null ? null : { value: rate.p05, ci: ciOf(rate.p05Interval ?? null) };
      },
    },
    {
      name: `${prefix}_sustained_rate_${base}_per_second`,
      unit: rateUnit,
      direction: 'higher',
      help: ofRanks
        ? `Rate over all repetitions of ${what}, without what lies between them (new inputs, meeting, checks): work of one repetition / median over launches of the mean time`
        : `Rate over the wall clock of ${what}, pauses between repetitions included: work of one repetition / median over launches of the wall time for each`,
      statistic: 'sustained',
      display: rateDisplay,
      regression: true,
      value: (batch) => {
        const rate = rateOf(batch);
        return rate?.sustained == null ? null : { value: rate.sustained, ci: null };
      },
    },
    {
      name: `${prefix}_datasheet_efficiency_ratio`,
      unit: () => '1',
      direction: 'higher',
      help: `Rate of ${what} / what the datasheet of the GPU promises`,
      statistic: 'median',
      display: () => ({ divisor: 0.01, unit: '%', digits: 3 }),
      regression: false,
      value: ({ datasheet }) => (datasheet == null ? null : { value: datasheet.share, ci: null }),
    },
    {
      name: `${prefix}_elapsed_seconds`,
      unit: () => 's',
      direction: 'lower',
      help: `Seconds of one repetition of ${what}: median over launches of the launch medians`,
      statistic: 'median',
      display: () => ({ divisor: 1e-3, unit: 'ms', digits: 4 }),
      regression: false,
      value: ({ elapsed }) =>
        elapsed === null ? null : { value: elapsed.median, ci: ciOf(elapsed.interval) },
    },
    {
      name: `${prefix}_elapsed_cv_ratio`,
      unit: () => '1',
      direction: 'lower',
      help: `Standard deviation / mean of the repetitions of ${what}, all launches together`,
      statistic: 'cv',
      display: () => ({ divisor: 0.01, unit: '%', digits: 3 }),
      regression: false,
      value: ({ pooled }) => (typeof pooled?.cv === 'number' ? { value: pooled.cv, ci: null } : null),
    },
    {
      name: `${prefix}_time_to_result_seconds`,
      unit: () => 's',
      direction: 'lower',
      help: 'Seconds in which the campaign launched, from its first launch to the end of its last; waiting for other campaigns, what is made ready before and the analysis after are not in it; of several batches the part of each, by the time of its launches',
      statistic: 'total',
      display: () => ({ divisor: 1, unit: 's', digits: 3 }),
      regression: false,
      value: (_, { timeToResult }) => ({ value: timeToResult, ci: null }),
    },
  ];
}
