/** Processes of a job that are not the ranks of one campaign, but make as many campaigns. */
import { mpiCaseOf } from '../execution/mpi-ranks.js';
import { isWithin } from '../mpi/choice.js';
import { mpiPlaceHere } from '../mpi/here.js';
import type { MpiPlace } from '../mpi/place.js';
import type { BatchSpec } from '../record/schema.js';

interface Asked {
  readonly batches: readonly Pick<BatchSpec, 'case'>[];
}

/** What the first of several processes on a host begins with, where none is a rank of this campaign; null: nothing is to be said. */
function launched({ batches }: Asked, place: MpiPlace | null): string | null {
  if (place === null || (place.localSize ?? place.size) === 1 || (place.localRank ?? place.rank) > 0)
    return null;
  if (batches.some((batch) => mpiCaseOf(batch.case.parameters) !== null)) return null;
  return `${place.launcher} has started ${place.size} processes`;
}

/**
 * What the first process on a host says where its launcher has started several there and none is a rank of this campaign; null:
 * nothing. It is no error: what started this process may have started the others for something else.
 */
export function campaignOfEachText(campaign: Asked, place: MpiPlace | null = mpiPlaceHere()): string | null {
  const who = launched(campaign, place);
  return who === null
    ? null
    : `${who}, and each makes this campaign for itself: start pi-bench once, or make them the ranks of one collective with --transport mpi`;
}

/** The same of a qualification. Each takes what the others do at the same time for the node's own. */
export function qualificationOfEachText(
  campaign: Asked,
  place: MpiPlace | null = mpiPlaceHere(),
): string | null {
  const who = launched(campaign, place);
  return who === null
    ? null
    : `${who}, and each qualifies this node for itself: start pi-bench once on each node`;
}

/**
 * Why a suite cannot be judged whose cases would be measured on the processes of this job, each of which qualifies the node for itself:
 * none would take part in what another measures. null: it has no such case.
 */
export function ranksOfJobText(
  suite: string,
  { batches }: Asked,
  place: MpiPlace | null = mpiPlaceHere(),
): string | null {
  const onJob = batches.some((batch) => isWithin(mpiCaseOf(batch.case.parameters)?.launcher));
  return place === null || !onJob
    ? null
    : `suite ${suite} measures between ranks, and those that ${place.launcher} has started would each qualify this node for itself: start pi-bench once on each node, without a launcher, and it starts them`;
}
