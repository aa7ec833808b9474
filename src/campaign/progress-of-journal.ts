/** What a journal says is done. Pure. */

import type { InspectionEnd, Lost } from '../record/inspection-end.js';
import type { InspectionStatus } from '../record/schema.js';
import type { JournalEntry } from '../store/journal.js';
import type { Seconds } from '../units.js';

export interface Done {
  /** Inspections that need not be launched again, by index. */
  readonly ends: ReadonlyMap<number, InspectionEnd>;
  /** How many attempts each inspection has had. */
  readonly attempts: ReadonlyMap<number, number>;
  /** Attempts that began and of whose end the journal knows nothing, by index: their campaign was killed. */
  readonly open: ReadonlyMap<number, number>;
  /** Seconds that earlier processes worked on the campaign; where one was killed, up to its last line, or to the end of launches that came to theirs. */
  readonly active: Seconds;
  /** In attempts that were interrupted, are gone, or of whose end the journal knows nothing, and must be repeated. */
  readonly lost: Lost;
  /** The campaign came to its end, and nothing of it is left to launch. */
  readonly complete: boolean;
  /** Another campaign that measured at the same time; the first of several. */
  readonly contendedBy: string | null;
}

/** An interrupted inspection is repeated; one that crashed, hung or was wrong is a result. */
const REPEATED: readonly InspectionStatus[] = ['interrupted'];

const isFirstOfProcess = ({ event }: JournalEntry): boolean => event === 'campaign' || event === 'resumed';

/**
 * When each line was written, in seconds since the first, as long as its process tells. The wall clock may be set meanwhile, forwards
 * or back: it counts only in journals from before another was written beside it, and never backwards. Between two processes nothing
 * passes, for nobody worked.
 */
function timesOf(entries: readonly JournalEntry[]): readonly Seconds[] {
  let passed: Seconds = 0;
  return entries.map((entry, i) => {
    const before = entries[i - 1];
    if (before !== undefined && !isFirstOfProcess(entry)) {
      const since =
        entry.monotonic === undefined || before.monotonic === undefined
          ? (Date.parse(entry.at) - Date.parse(before.at)) / 1000
          : entry.monotonic - before.monotonic;
      passed += Math.max(0, since);
    }
    return passed;
  });
}

export function doneSoFar(entries: readonly JournalEntry[]): Done {
  const times = timesOf(entries);
  const ends = new Map<number, InspectionEnd>();
  const attempts = new Map<number, number>();
  const open = new Map<number, number>();
  let active = 0;
  let lost = 0;
  let unended = 0;
  let contendedBy: string | null = null;
  let complete = false;
  let since: Seconds | null = null;
  /** When each open attempt began, and up to when the work of processes that were killed is counted. */
  const begun = new Map<number, Seconds>();
  let counted: Seconds = 0;
  let last: Seconds = 0;
  for (const [i, entry] of entries.entries()) {
    const at = times[i] ?? last;
    switch (entry.event) {
      case 'campaign':
      case 'resumed':
        if (since !== null) active += last - since;
        since = null;
        counted = last;
        break;
      case 'started':
        // Before the first one it may have waited for the machine.
        since ??= at;
        // Of launches at once all are repeated where one was not measured: what an earlier attempt came to counts no more.
        lost += ends.get(entry.index)?.wall ?? 0;
        ends.delete(entry.index);
        if (open.has(entry.index)) unended++;
        open.set(entry.index, entry.attempt);
        begun.set(entry.index, at);
        attempts.set(entry.index, entry.attempt);
        break;
      case 'ended': {
        const { index, attempt, reason, wall } = entry;
        // It came to its end behind the last line of a process that was killed; several may have run at once.
        if (since === null && open.has(index)) {
          const until = Math.max(counted, (begun.get(index) ?? counted) + wall);
          active += until - counted;
          counted = until;
        }
        open.delete(index);
        const status = entry.status as InspectionStatus;
        if (REPEATED.includes(status)) lost += wall;
        else ends.set(index, { index, attempt, status, reason, wall });
        break;
      }
      case 'gone':
        lost += ends.get(entry.index)?.wall ?? 0;
        ends.delete(entry.index);
        complete = false;
        break;
      case 'stopped':
        active += entry.active;
        complete = entry.status === 'complete';
        since = null;
        break;
      case 'interrupted':
        break;
      case 'contended':
        contendedBy ??= entry.by;
        break;
    }
    last = at;
  }
  if (since !== null) active += last - since;
  const given = { seconds: lost, unended: unended + open.size };
  return { ends, attempts, open, active, lost: given, complete, contendedBy };
}
