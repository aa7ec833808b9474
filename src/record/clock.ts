/** The clock rate of a batch, and what one thread executes in a cycle of it. Pure. */
import { median } from '../statistics/quantile.js';
import type { Hertz, Seconds } from '../units.js';
import type { RecordBatch, RecordInspection } from './schema.js';
import { countedWork } from './work.js';

type Launches = Pick<RecordBatch, 'inspections'>;

const frequenciesOf = ({ inspections }: Launches): readonly Hertz[] =>
  inspections.flatMap(({ frequency, status }) =>
    status === 'measured' && frequency != null ? [frequency] : [],
  );

/** Median over launches; null where no launch knows it. */
export function effectiveFrequency(batch: Launches): Hertz | null {
  const known = frequenciesOf(batch);
  return known.length === 0 ? null : median(known);
}

/** Launches on which `effectiveFrequency` rests. */
export const launchesOfFrequency = (batch: Launches): number => frequenciesOf(batch).length;

/** Time is taken from these launches that no repetition shows. */
const UNSEEN_LOSS: readonly string[] = ['stolen', 'throttled'];

/**
 * Seconds of a repetition in which no measuring thread lost its CPU, and the clock rate of the thread; null where nothing tells. The
 * clock rate is that of a CPU that works, so time off it has no part in what a cycle does.
 */
function onCpu(launch: RecordInspection): { readonly seconds: Seconds; readonly frequency: Hertz } | null {
  const { flags, undisturbedMedian, disturbedShare, statistics, frequency, status } = launch;
  const raised = flags.map(({ name }) => name);
  if (status !== 'measured' || frequency == null || UNSEEN_LOSS.some((name) => raised.includes(name)))
    return null;
  if (undisturbedMedian !== null) return { seconds: undisturbedMedian, frequency };
  const seconds = Number(statistics?.median);
  // No thread is known to have lost it, or nobody sees in which repetitions.
  const isTold = disturbedShare === null && !raised.includes('preempted') && seconds > 0;
  return isTold ? { seconds, frequency } : null;
}

const cyclesOfEach = ({ inspections }: Launches): readonly number[] =>
  inspections.flatMap((launch) => {
    const on = onCpu(launch);
    return on === null ? [] : [on.seconds * on.frequency];
  });

/** Cycles of one repetition: median over launches; null where none tells its clock and its time on a CPU. */
export function cyclesOfRepetition(batch: Launches): number | null {
  const known = cyclesOfEach(batch);
  return known.length === 0 ? null : median(known);
}

/** Launches on which `cyclesOfRepetition` rests. */
export const launchesOfCycles = (batch: Launches): number => cyclesOfEach(batch).length;

/** Of an indicator whose rate counts operations; null where nothing tells. */
export function operationsPerCycle(
  batch: Pick<RecordBatch, 'inspections' | 'elapsed' | 'case' | 'work' | 'rateCounts'>,
): number | null {
  const { threads } = batch.case.parameters;
  const [work, cycles] = [countedWork(batch), cyclesOfRepetition(batch)];
  if (work === null || cycles === null || batch.elapsed === null || typeof threads !== 'number') return null;
  return work / threads / cycles;
}
