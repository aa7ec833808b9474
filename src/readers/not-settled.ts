/** Why a campaign ended before its comparisons were settled, in words: for the terminal and the report. Pure. */
import { comparedBatches } from '../campaign/comparisons.js';
import { plural } from '../quantities/format.js';
import type { PiBenchRecord, RecordBatch } from '../record/schema.js';
import { LEAST_ROUNDS, nextLook } from '../statistics/settling.js';

/** Whether its time ended the looking: more launches are then of no use without more time. */
export const cutByBudget = ({ settled, stoppedBy }: Pick<PiBenchRecord, 'settled' | 'stoppedBy'>): boolean =>
  settled === false && stoppedBy === 'budget';

/** Of the comparison that came farthest, which is an open one where time ended them: those that are settled launch no more. */
function farthest(batches: readonly RecordBatch[]): { readonly rounds: number; readonly most: number } {
  const launches = (batch: number): number => batches[batch]?.inspections.length ?? 0;
  return comparedBatches(batches.map(({ asked }) => asked))
    .map(({ reference, candidate, most }) => ({
      rounds: Math.min(launches(reference), launches(candidate)),
      most,
    }))
    .reduce((one, other) => (other.rounds > one.rounds ? other : one), { rounds: 0, most: LEAST_ROUNDS });
}

/** What would help is said with the comparison, which knows it. null: all is settled, or nothing was to be; or it was interrupted, which says already what finishes it. */
export function notSettledText(record: PiBenchRecord): string | null {
  if (record.settled !== false || record.stoppedBy === 'signal') return null;
  const { rounds, most } = farthest(record.batches);
  if (cutByBudget(record)) {
    const { budget } = record.campaign;
    const what = budget == null ? 'the time that was given' : `--budget ${budget}s`;
    const look = rounds < LEAST_ROUNDS ? 'the first look' : 'the next look';
    return `not settled: ${what} ended it after ${plural(rounds, 'round')}, and ${look} is after ${nextLook(rounds, most)}`;
  }
  return rounds < most
    ? 'not settled: what failed again and again was given up'
    : `not settled: ${plural(most, 'round')}, the most that were asked for, did not tell`;
}
