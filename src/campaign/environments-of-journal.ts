/** In which environment each launch was made, by the journal. Pure. */
import type { JournalEntry } from '../store/journal.js';

/** Of the process that launched it, the variables that change what is measured, by index; absent: nothing tells. */
export function environmentsOf(
  entries: readonly JournalEntry[],
): ReadonlyMap<number, Readonly<Record<string, string>>> {
  const of = new Map<number, Readonly<Record<string, string>>>();
  let around: Readonly<Record<string, string>> | undefined;
  for (const entry of entries) {
    // Who resumed a campaign before that was noted was held to the environment in which it had begun.
    if (entry.event === 'campaign' || entry.event === 'resumed') around = entry.environment ?? around;
    if (entry.event === 'started' && around !== undefined) of.set(entry.index, around);
  }
  return of;
}
