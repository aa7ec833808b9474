/** Where each target of a submission stands, from its journal alone. Pure. */
import type { AttemptEnd, SubmissionJournal } from './journal.js';

export interface TargetState {
  readonly target: string;
  /** Of the attempt that runs, or of the last one; 0: none was begun. */
  readonly attempt: number;
  /** As the scheduler knows it; null where it was handed over, and whether it arrived is not known, or where none is. */
  readonly job: string | null;
  /** `submitting`: a kill came between handing over and noting it. */
  readonly phase: 'to-do' | 'submitting' | 'submitted' | 'ended';
  /** One of each attempt that ended; the last one counts. */
  readonly ends: readonly AttemptEnd[];
}

export const lastEnd = ({ ends }: TargetState): AttemptEnd | null => ends.at(-1) ?? null;

export function statesOf({ head, entries }: SubmissionJournal): ReadonlyMap<string, TargetState> {
  const states = new Map<string, TargetState>(
    head.targets.map((target) => [target, { target, attempt: 0, job: null, phase: 'to-do', ends: [] }]),
  );
  const change = (target: string, by: Partial<TargetState>): void => {
    const state = states.get(target);
    if (state !== undefined) states.set(target, { ...state, ...by });
  };
  for (const entry of entries) {
    if (entry.event === 'submitting') {
      for (const target of entry.targets)
        change(target, { phase: 'submitting', attempt: entry.attempt, job: null });
    } else if (entry.event === 'submitted') {
      for (const { target, job } of entry.jobs)
        change(target, { phase: 'submitted', attempt: entry.attempt, job });
    } else if (entry.event === 'ended') {
      const before = states.get(entry.target)?.ends ?? [];
      // What was taken for lost may come after all.
      const ends = [...before.filter(({ attempt }) => attempt !== entry.attempt), entry];
      change(entry.target, { ends, phase: entry.again ? 'to-do' : 'ended' });
    }
  }
  return states;
}
