/** What of a record is a result. Pure. */
import { digestOf } from './digest.js';
import type { InspectionStatus, Kpi, PiBenchRecord, RecordBatch, RecordInspection } from './schema.js';

/**
 * Whether some launch of a batch ran to its end. What those that were cut short had measured until then is no result of its case: of
 * a million repetitions that were asked for there may be 460,000. It stays with the launch that measured it, beside how that ended; its
 * batch has no figure of it and no KPI, is no point of a curve or of a fit, nothing is advised by it, and nothing is compared with it.
 */
export const isResult = ({ measured }: Pick<RecordBatch, 'measured'>): boolean => measured > 0;

const CUT_SHORT: readonly InspectionStatus[] = ['interrupted', 'timed-out'];

export const isCutShort = ({ status }: Pick<RecordInspection, 'status'>): boolean =>
  CUT_SHORT.includes(status);

/** Of a batch whose case has no score on its stack. */
export const NO_FIGURES = {
  elapsed: null,
  rate: null,
  roofline: null,
  launches: null,
  variance: null,
  pooled: null,
  violin: null,
  box: null,
} as const;

/** A wrong output is one wherever it was seen; a right one of a launch that does not count verifies no result. */
export function verifiedOf(
  launches: readonly Pick<RecordInspection, 'status' | 'verification'>[],
): RecordBatch['verified'] {
  const checked = launches.filter(({ verification }) => verification !== null);
  if (checked.some(({ verification }) => verification?.passed === false)) return 'failed';
  return checked.some(({ status }) => status === 'measured') ? 'passed' : 'not-run';
}

function withoutCutShort(batch: RecordBatch): RecordBatch {
  if (isResult(batch) || batch.imported !== undefined) return batch;
  const { precision, ranks, overlap, datasheet, atOnce, traffic, ...kept } = batch;
  return { ...kept, ...NO_FIGURES, verified: verifiedOf(batch.inspections) };
}

const hasFigures = (batch: RecordBatch): boolean =>
  !isResult(batch) && batch.imported === undefined && batch.elapsed !== null;

/** Of a curve. */
const LEAST_POINTS = 2;

/** A number of such a batch is none, and neither is its point of a curve. Of KPIs that name no batch nobody knows. */
function kpiWithout(kpi: Kpi, cleared: ReadonlySet<number>): readonly Kpi[] {
  if ('value' in kpi) return kpi.batch !== undefined && cleared.has(kpi.batch) ? [] : [kpi];
  const { batches, launches, points, ci } = kpi;
  if (batches === undefined || !batches.some((batch) => cleared.has(batch))) return [kpi];
  const left = <T>(all: readonly T[]): T[] => all.filter((_, i) => !cleared.has(batches[i] ?? -1));
  const kept = left(points);
  if (kept.length < LEAST_POINTS) return [];
  return [
    {
      ...kpi,
      points: kept,
      batches: left(batches),
      ...(launches === undefined ? {} : { launches: left(launches) }),
      ci: ci && {
        ...ci,
        intervals: left(ci.intervals),
        ...(ci.basis === undefined ? {} : { basis: left(ci.basis) }),
      },
    },
  ];
}

/** Advice that rests on such a batch rests on no result, whatever the other batches of its sweep say. */
function recommendationsWithout(
  { recommendations }: PiBenchRecord,
  cleared: ReadonlySet<number>,
): Pick<PiBenchRecord, 'recommendations'> {
  const kept = recommendations?.filter(({ batches }) => !batches.some((batch) => cleared.has(batch))) ?? [];
  return kept.length === 0 ? {} : { recommendations: kept };
}

/**
 * A record as it is read. Earlier versions gave a batch of which no launch ran to its end the figures of those that were cut short,
 * as if they were a result: they are left out, with the advice that they were part of, and the digest is that of what is left.
 */
export function withoutFiguresCutShort(record: PiBenchRecord): PiBenchRecord {
  if (!record.batches.some(hasFigures)) return record;
  const cleared = new Set(record.batches.flatMap((batch, i) => (hasFigures(batch) ? [i] : [])));
  const { recommendations: _, ...rest } = record;
  const sound = {
    ...rest,
    ...recommendationsWithout(record, cleared),
    batches: record.batches.map((batch, i) => (cleared.has(i) ? withoutCutShort(batch) : batch)),
    kpis: record.kpis.flatMap((kpi) => kpiWithout(kpi, cleared)),
  };
  return { ...sound, digest: digestOf(sound) };
}
