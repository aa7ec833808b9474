/** Why a node's campaign is not all that it was asked for, by its record: what it said last on its way is no reason. Pure. */
import { nameWithCause, standingInTheWay, whyNothingQualifies } from '../qualify/wording.js';
import { plural } from '../quantities/format.js';
import type { PiBenchRecord, Qualification } from '../record/schema.js';

/** Of many that fail for one cause these tell enough. */
const MOST_NAMED = 3;

function whyNotQualified(qualification: Qualification): string | null {
  const open = standingInTheWay(qualification);
  if (open.length === 0) return whyNothingQualifies(qualification);
  const more = open.length - MOST_NAMED;
  const names = open.slice(0, MOST_NAMED).map(nameWithCause);
  return [...names, ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

/** null: the record does not tell, or nothing is missing. */
export function whyNotDone({ qualification, batches, stoppedBy }: PiBenchRecord): string | null {
  if (qualification !== undefined) return whyNotQualified(qualification);
  const planned = batches.reduce((sum, batch) => sum + batch.planned, 0);
  const all = plural(planned, 'launch', 'launches');
  const launches = batches.flatMap(({ inspections }) => inspections);
  const lost = launches.filter(({ status }) => status !== 'measured' && status !== 'interrupted');
  const [first] = [...lost.filter(({ status }) => status === 'wrong'), ...lost];
  if (first !== undefined) {
    const same = lost.filter(({ status }) => status === first.status).length;
    return `${same} of ${all} ${first.status}: ${first.reason ?? 'no reason is known'}`;
  }
  const measured = launches.filter(({ status }) => status === 'measured').length;
  if (measured < planned)
    return `${measured} of ${all} measured: ${stoppedBy === 'signal' ? 'it was interrupted' : 'the time was up'}`;
  const missed = batches.find(({ precision }) => precision?.reached === false)?.precision;
  return missed === undefined ? null : `the precision was not reached: ${missed.reason}`;
}
