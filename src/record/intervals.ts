/**
 * Intervals of times and rates: both are above 0, and an interval holds its median. A rate's interval is made by dividing by
 * that of its time, so that one which begins below 0 would become one that ends there, with its ends the wrong way round.
 * Shares may lie on both sides of 0, such as that which is hidden of a collective; nothing is asked of theirs. Pure.
 */
import { digestOf } from './digest.js';
import type { Kpi, PiBenchRecord, RecordBatch } from './schema.js';

interface Ends {
  readonly low: number;
  readonly high: number;
}

/** Only rounding may put an end on the wrong side of its median: logarithms and back. */
const TOLERANCE = 1e-12;

/** Whether it can be one of a time or a rate. Of a barrier, which moves no byte, the rate is 0 and so are its ends. */
function isSound(median: number, { low, high }: Ends): boolean {
  const ordered = low <= median * (1 + TOLERANCE) && median * (1 - TOLERANCE) <= high;
  return ordered && (median === 0 ? low >= 0 : low > 0);
}

const soundOrNone = <I extends Ends>(median: number, interval: I | null): I | null =>
  interval === null || !isSound(median, interval) ? null : interval;

/** One clause for each interval of the batch that is none. */
export function brokenIntervals({ elapsed, rate }: RecordBatch): readonly string[] {
  const all: readonly (readonly [what: string, median: number | null, interval: Ends | null])[] = [
    ['elapsed', elapsed?.median ?? null, elapsed?.interval ?? null],
    ['elapsed p99', elapsed?.p99 ?? null, elapsed?.p99Interval ?? null],
    ['rate', rate?.median ?? null, rate?.interval ?? null],
    ['rate p05', rate?.p05 ?? null, rate?.p05Interval ?? null],
  ];
  return all.flatMap(([what, median, interval]) =>
    median === null || interval === null || isSound(median, interval)
      ? []
      : [
          `the interval of ${what}, ${interval.low} to ${interval.high}, is not above 0 or does not hold ${median}`,
        ],
  );
}

function batchWithout(batch: RecordBatch): RecordBatch {
  const { elapsed, rate } = batch;
  return {
    ...batch,
    elapsed: elapsed && {
      ...elapsed,
      interval: soundOrNone(elapsed.median, elapsed.interval),
      ...(elapsed.p99Interval == null
        ? {}
        : { p99Interval: soundOrNone(elapsed.p99 ?? 0, elapsed.p99Interval) }),
    },
    rate: rate && {
      ...rate,
      interval: soundOrNone(rate.median, rate.interval),
      ...(rate.p05Interval == null ? {} : { p05Interval: soundOrNone(rate.p05 ?? 0, rate.p05Interval) }),
    },
  };
}

const SHARE = '1';

function kpiWithout(kpi: Kpi): Kpi {
  if ('value' in kpi) return kpi.unit === SHARE ? kpi : { ...kpi, ci: soundOrNone(kpi.value, kpi.ci) };
  const { ci, points, yUnit } = kpi;
  if (ci === null || yUnit === SHARE) return kpi;
  const intervals = ci.intervals.map((ends, i): [number, number] | null => {
    const y = points[i]?.[1];
    return ends === null || y === undefined || !isSound(y, { low: ends[0], high: ends[1] }) ? null : ends;
  });
  return { ...kpi, ci: { ...ci, intervals } };
}

/**
 * A record as it is read. Earlier versions could widen the interval of a precision below 0 where launches that followed each
 * other were very much alike: such a record stays readable, without that interval, of which nothing can be made, and with the
 * digest of what is left.
 */
export function withoutBrokenIntervals(record: PiBenchRecord): PiBenchRecord {
  if (record.batches.every((batch) => brokenIntervals(batch).length === 0)) return record;
  const sound = { ...record, batches: record.batches.map(batchWithout), kpis: record.kpis.map(kpiWithout) };
  return { ...sound, digest: digestOf(sound) };
}
