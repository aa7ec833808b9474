/** The clock rate of a batch, and what one thread executes in a cycle of it. Pure. */
import { median } from '../statistics/quantile.js';
import type { Hertz, Seconds } from '../units.js';
import type { RecordBatch, RecordInspection } from './schema.js';
import { countedWork } from './work.js';

/** Median over launches; null where no launch knows it. */
export function effectiveFrequency({ inspections }: Pick<RecordBatch, 'inspections'>): Hertz | null {
  const known = inspections.flatMap(({ frequency, status }) =>
    status === 'measured' && frequency != null ? [frequency] : [],
  );
  return known.length === 0 ? null : median(known);
}

/** Time is taken from these launches that no repetition shows. */
const UNSEEN_LOSS: readonly string[] = ['stolen', 'throttled'];

/**
 * Seconds of a repetition in which no measuring thread lost its CPU: the clock rate is that of a CPU that works, so time off it has no
 * part in what a cycle does. null where nothing tells such time from the rest.
 * @param elapsed of the batch, where no thread of the launch is known to have lost it, and nobody sees in which repetitions
 */
function onCpu(
  { flags, undisturbedMedian, disturbedShare }: RecordInspection,
  elapsed: Seconds,
): Seconds | null {
  const raised = flags.map(({ name }) => name);
  if (UNSEEN_LOSS.some((name) => raised.includes(name))) return null;
  if (undisturbedMedian !== null) return undisturbedMedian;
  return disturbedShare !== null || raised.includes('preempted') ? null : elapsed;
}

/** Of an indicator whose rate counts operations: median over launches; null where none tells its clock and its time on a CPU. */
export function operationsPerCycle(
  batch: Pick<RecordBatch, 'inspections' | 'elapsed' | 'case' | 'work' | 'rateCounts'>,
): number | null {
  const { threads } = batch.case.parameters;
  const { elapsed } = batch;
  const work = countedWork(batch);
  if (work === null || elapsed === null || typeof threads !== 'number') return null;
  const known = batch.inspections.flatMap((launch) => {
    const seconds = launch.status === 'measured' ? onCpu(launch, elapsed.median) : null;
    return seconds === null || launch.frequency == null ? [] : [work / seconds / threads / launch.frequency];
  });
  return known.length === 0 ? null : median(known);
}
