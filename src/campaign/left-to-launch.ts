/** Which launches of a campaign count as made, and how many it would still make, without making any. Pure but for what it is given to read. */
import type { ReadInspection } from '../record/analyse-inspection.js';
import type { BatchEnd, InspectionEnd } from '../record/inspection-end.js';
import type { Campaign } from '../record/schema.js';
import { endsOfGroup, groupsAsked } from './groups.js';
import { createLaunchTimes } from './launch-times.js';
import { createLearned } from './learned.js';
import type { Done } from './progress-of-journal.js';
import { createSchedule, decidesOnTheWay } from './schedule.js';

export interface Left {
  /** In the order in which they were asked for. */
  readonly ends: readonly BatchEnd[];
  /** Of each batch, as far as can be told. */
  readonly toCome: readonly number[];
}

/**
 * @param done what need not be made again, and how much of a budget is used
 * @param read what a launch left; null: nothing
 */
export function leftToLaunch(
  campaign: Campaign,
  { ends, active }: Pick<Done, 'ends' | 'active'>,
  read: (index: number) => ReadInspection | null,
): Left {
  const schedule = createSchedule(campaign);
  const learned = createLearned(campaign, schedule, read);
  const times = createLaunchTimes(campaign.batches);
  const left = (campaign.budget ?? Number.POSITIVE_INFINITY) - active;
  // Where no launch is begun, nothing is learned that would make another one short enough.
  let begins = false;
  for (const group of groupsAsked(campaign, schedule)) {
    const known = endsOfGroup(group, ends);
    if (known !== null)
      group.forEach((inspection, i) => {
        const end = known[i] as InspectionEnd;
        times.ended(inspection.batch, end.wall, end.status === 'measured');
        learned.learn(inspection, end);
      });
    else {
      begins ||= times.together(group.map(({ batch }) => batch)) <= left;
      // What comes behind it follows from what it will measure.
      if (decidesOnTheWay(campaign)) break;
    }
  }
  return { ends: learned.ends, toCome: begins ? learned.toCome() : campaign.batches.map(() => 0) };
}
