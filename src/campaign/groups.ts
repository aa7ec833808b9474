/** What a schedule asks for, launch by launch, or all at once where they are to be measured at the same time. Pure. */
import { groupsOf } from '../record/at-once.js';
import type { InspectionEnd } from '../record/inspection-end.js';
import type { Campaign } from '../record/schema.js';
import type { Asked, Schedule } from './schedule.js';

export type Group = readonly Asked[];

/** Each inspection with those that are to be measured at the same time, which the plan has behind it. */
export function* groupsAsked({ batches }: Campaign, schedule: Schedule): Generator<Group, void> {
  const groups = groupsOf(batches);
  for (let first = schedule.next(); first !== null; first = schedule.next()) {
    const group = [first];
    while (group.length < (groups[first.batch]?.length ?? 1)) {
      const next = schedule.next();
      if (next === null) break;
      group.push(next);
    }
    yield group;
  }
}

/** How they ended; null: they are to be launched. Of launches at once all count or none: what is measured without the others is another thing. */
export function endsOfGroup(
  group: Group,
  ends: ReadonlyMap<number, InspectionEnd>,
): readonly InspectionEnd[] | null {
  const known = group.flatMap(({ index }) => ends.get(index) ?? []);
  return known.length === group.length ? known : null;
}
