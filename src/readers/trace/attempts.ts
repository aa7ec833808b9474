/** The attempts at inspections that a journal tells of, and when each ran. Pure. */
import type { ReadInspection } from '../../record/analyse-inspection.js';
import type { JournalEntry } from '../../store/journal.js';
import type { Seconds } from '../../units.js';

/** Milliseconds since 1970, as `Date.parse` gives them. */
export type Moment = number;

export interface Attempt {
  readonly index: number;
  readonly attempt: number;
  readonly startedAt: Moment;
  /** null: the campaign was killed meanwhile and the journal knows no end. */
  readonly end: {
    readonly at: Moment;
    readonly status: string;
    readonly reason: string | null;
    /** From launch to exit. */
    readonly wall: Seconds;
  } | null;
}

/** One process that worked on the campaign. */
export interface CampaignRun {
  readonly event: 'campaign' | 'resumed';
  readonly begin: Moment;
  /** Of its last line. */
  readonly end: Moment;
  /** Seconds that it worked, waiting for other campaigns excluded; null: it was killed. */
  readonly active: Seconds | null;
  readonly attempts: readonly Attempt[];
  readonly notes: readonly { readonly at: Moment; readonly text: string }[];
}

type Changing<T> = { -readonly [K in keyof T]: T[K] };
interface Growing extends Changing<Omit<CampaignRun, 'attempts' | 'notes'>> {
  attempts: Changing<Attempt>[];
  notes: { at: Moment; text: string }[];
}

/** @param entries of a journal, from its first line on */
export function runsOf(entries: readonly JournalEntry[]): readonly CampaignRun[] {
  const runs: Growing[] = [];
  for (const entry of entries) {
    const at = Date.parse(entry.at);
    if (entry.event === 'campaign' || entry.event === 'resumed') {
      runs.push({ event: entry.event, begin: at, end: at, active: null, attempts: [], notes: [] });
      continue;
    }
    const run = runs.at(-1);
    if (run === undefined) continue;
    run.end = at;
    switch (entry.event) {
      case 'started':
        run.attempts.push({ index: entry.index, attempt: entry.attempt, startedAt: at, end: null });
        break;
      case 'ended': {
        const { status, reason, wall, index, attempt } = entry;
        // `resume` notes the end of an attempt of the run before, whose document it found.
        const own = runs
          .flatMap(({ attempts }) => attempts)
          .find((one) => one.index === index && one.attempt === attempt);
        if (own !== undefined) own.end = { at, status, reason, wall };
        break;
      }
      case 'contended':
        run.notes.push({ at, text: `${entry.by} measures at the same time` });
        break;
      case 'gone':
        run.notes.push({ at, text: `launch ${entry.index + 1} has to be measured again: ${entry.reason}` });
        break;
      case 'interrupted':
        run.notes.push({ at, text: `${entry.signal}: stopped` });
        break;
      case 'stopped':
        run.active = entry.active;
        break;
    }
  }
  return runs;
}

/**
 * When an attempt was launched. Its document says it best: its own start less what starting took. Without one, the line of
 * its end less its wall time.
 */
export function launchedAt({ startedAt, end }: Attempt, read: ReadInspection | null): Moment {
  if (read !== null) {
    const start = read.document.spans.find(({ name }) => name === 'start')?.seconds ?? 0;
    return Date.parse(read.document.startedAt) - start * 1000;
  }
  return end === null ? startedAt : Math.max(startedAt, end.at - end.wall * 1000);
}
