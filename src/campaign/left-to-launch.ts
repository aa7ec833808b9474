/** Which launches of a campaign count as made, and how many it would still make, without making any. Pure but for what it is given to read. */
import type { ReadInspection } from '../record/analyse-inspection.js';
import type { BatchEnd, InspectionEnd } from '../record/inspection-end.js';
import type { Campaign } from '../record/schema.js';
import { endsOfGroup, groupsAsked } from './groups.js';
import { createLearned } from './learned.js';
import { createSchedule, decidesOnTheWay } from './schedule.js';

export interface Left {
  /** In the order in which they were asked for. */
  readonly ends: readonly BatchEnd[];
  /** Of each batch, as far as can be told. */
  readonly toCome: readonly number[];
}

/**
 * @param before ends that need not be made again, by index
 * @param read what a launch left; null: nothing
 */
export function leftToLaunch(
  campaign: Campaign,
  before: ReadonlyMap<number, InspectionEnd>,
  read: (index: number) => ReadInspection | null,
): Left {
  const schedule = createSchedule(campaign);
  const learned = createLearned(campaign, schedule, read);
  for (const group of groupsAsked(campaign, schedule)) {
    const known = endsOfGroup(group, before);
    if (known !== null)
      group.forEach((inspection, i) => {
        learned.learn(inspection, known[i] as InspectionEnd);
      });
    // What comes behind it follows from what it will measure.
    else if (decidesOnTheWay(campaign)) break;
  }
  return { ends: learned.ends, toCome: learned.toCome() };
}
