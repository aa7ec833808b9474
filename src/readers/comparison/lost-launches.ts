/** Launches of a batch that are in none of its figures: those that failed, and those that never came to their end. Pure. */
import { plural } from '../../quantities/format.js';
import type { InspectionStatus, RecordBatch } from '../../record/schema.js';

/** What speaks against figures of those that remain. */
export const LAUNCHES_LOST = 'launches-lost';

/** A wrong output leaves no score that it could weaken, and that somebody interrupted a launch is not its stack's fault. */
const NOT_LOST: readonly InspectionStatus[] = ['measured', 'wrong', 'interrupted'];

/** Where a rule decides on the number of launches, fewer than the most are not missing. */
const isOpen = ({ asked }: RecordBatch): boolean =>
  asked.precision !== undefined || asked.settle !== undefined;

/** Those that remain are the ones that did not crash, and need not be like the others. null: none was lost. */
export function lostLaunches(batch: RecordBatch): string | null {
  const { inspections, planned } = batch;
  const lost = inspections.filter(({ status }) => !NOT_LOST.includes(status));
  const [first] = lost;
  if (first === undefined) return null;
  const all = isOpen(batch) ? inspections.length : Math.max(inspections.length, planned);
  const why = first.reason === null ? '' : `: ${first.reason}`;
  return `${lost.length} of ${plural(all, 'launch', 'launches')} lost; launch ${first.index + 1} ${first.status}${why}`;
}

/** Of a campaign that was interrupted, or whose budget ended. null: none is missing. */
export function missingLaunches(batch: RecordBatch): string | null {
  const { inspections, planned, measured } = batch;
  if (isOpen(batch)) return null;
  // An imported table has no inspections.
  const ended = Math.max(measured, inspections.filter(({ status }) => status !== 'interrupted').length);
  return ended >= planned
    ? null
    : `${planned - ended} of ${plural(planned, 'launch', 'launches')} did not come to their end`;
}
