/** What a campaign learns from its launches as they end: the schedule is told, and the warm-up of each batch is kept. Pure. */
import { disobeyed, type ReadInspection } from '../record/analyse-inspection.js';
import type { BatchEnd, InspectionEnd } from '../record/inspection-end.js';
import { type Launched, otherThanFirst } from '../record/one-build.js';
import type { BatchSpec, Campaign } from '../record/schema.js';
import { median } from '../statistics/quantile.js';
import type { PlannedInspection } from './plan.js';
import type { LaunchValue, Schedule } from './schedule.js';

/**
 * Whether each launch measures what bounds its repetitions, or only the pilots. It takes half as long as a short launch
 * measures, and a precision is not about it. But of others' software each launch is checked against its own peak.
 */
export const allMeasureCeilings = ({ precision, stack }: BatchSpec): boolean =>
  precision === undefined || stack.provider !== 'embedded';

/**
 * What a launch tells the schedule; null where it was not measured to its end, or no record will count it, because it was another
 * case or another build.
 * @param launches of the batch that were read, this one included
 */
function launchValue(
  read: ReadInspection | null,
  end: InspectionEnd,
  batch: BatchSpec,
  launches: readonly Launched[],
): LaunchValue | null {
  if (read === null || end.status !== 'measured' || read.samples.seconds.length === 0) return null;
  const { document, samples } = read;
  if (disobeyed(document, median(samples.seconds)) !== null) return null;
  if (otherThanFirst({ index: end.index, stack: document.stack }, launches, batch) !== null) return null;
  const ofAll = allMeasureCeilings(batch);
  const ceilings = document.spans.find(({ name }) => name === 'ceilings')?.seconds ?? 0;
  return {
    samples: samples.seconds,
    costOfRepetition: document.wall / samples.seconds.length,
    costOfLaunch: Math.max(0, end.wall - document.wall - (ofAll ? 0 : ceilings)),
  };
}

/** What lies there may be of an earlier attempt, of which this end says nothing. */
const leftBy = ({ attempt }: InspectionEnd, found: ReadInspection | null): ReadInspection | null =>
  found?.document.attempt === attempt ? found : null;

export interface Learned {
  /** Of all that ended, in the order in which they were asked for. */
  readonly ends: readonly BatchEnd[];
  learn(inspection: PlannedInspection, end: InspectionEnd): void;
  /** Calls of the warm-up that the batch's first launch found; undefined: none has. */
  pilotCalls(batch: number): number | undefined;
  /** Of each batch how many launches are still to be made, as far as can be told. */
  toCome(): readonly number[];
}

/** @param read what a launch left; null: nothing */
export function createLearned(
  { batches }: Campaign,
  schedule: Schedule,
  read: (index: number) => ReadInspection | null,
): Learned {
  const ends: BatchEnd[] = [];
  const endedOf = batches.map(() => 0);
  const pilots = new Map<number, number>();
  const launched = batches.map((): Launched[] => []);
  return {
    ends,
    learn(inspection, end) {
      ends.push({ ...end, batch: inspection.batch });
      endedOf[inspection.batch] = (endedOf[inspection.batch] ?? 0) + 1;
      const batch = batches[inspection.batch] as BatchSpec;
      const { precision, settle, warmup: asked } = batch;
      const pilot = asked.kind === 'auto' && !pilots.has(inspection.batch) && end.status === 'measured';
      // Reading back what nobody needs would take its time between launches. What decides is also of which build one is that ran out of
      // its time: a record holds all others to the first that left a document.
      const found =
        pilot || precision !== undefined || settle !== undefined ? leftBy(end, read(inspection.index)) : null;
      if (found !== null && pilot) pilots.set(inspection.batch, found.document.warmup.calls);
      const launches = launched[inspection.batch] as Launched[];
      if (found !== null) launches.push({ index: end.index, stack: found.document.stack });
      schedule.ended(inspection, launchValue(found, end, batch, launches));
    },
    pilotCalls: (batch) => pilots.get(batch),
    toCome: () => schedule.expected().map((count, i) => count - (endedOf[i] ?? 0)),
  };
}
