/** What of a qualification is measured again, how often, and what that costs. Pure. */
import { SPREAD } from '../../qualify/criteria/speed.js';
import { twinsOf } from '../../qualify/same-batch.js';
import type { JudgedCheck } from '../../qualify/verdict.js';
import { groupsOf } from '../../record/at-once.js';
import { canonicalJson } from '../../record/digest.js';
import type { BatchSpec, Campaign, PiBenchRecord } from '../../record/schema.js';
import type { Seconds } from '../../units.js';

/**
 * Batches that are measured at once are so again: one alone would be another measurement. So are those that differ in nothing: one alone
 * could be any of them.
 */
export function withTheirGroups(again: readonly number[], batches: readonly BatchSpec[]): readonly number[] {
  const groups = groupsOf(batches);
  const twins = twinsOf(batches.map((asked) => ({ ...asked, asked })));
  const all = again.flatMap((index) => [...(groups[index] ?? [index]), ...(twins[index] ?? [])]);
  return [...new Set(all)].sort((a, b) => a - b);
}

/** Of a batch by its index: its launches in another attempt. What tells of all its launches takes as many of them again. */
export function launchesAgain(
  judged: readonly JudgedCheck[],
  batches: readonly BatchSpec[],
): (index: number) => number {
  const whole = new Set(
    judged
      .filter(({ judgement }) =>
        judgement.findings.some(
          ({ quantity, verdict }) => quantity === SPREAD && verdict !== 'pass' && verdict !== 'skipped',
        ),
      )
      .flatMap(({ judgement }) =>
        judgement.batch === null ? [] : withTheirGroups([judgement.batch], batches),
      ),
  );
  return (index) => (whole.has(index) ? (batches[index]?.inspections ?? 1) : 1);
}

/** Whether a campaign measures all of these, and as often. */
export function measuresAll({ batches }: Pick<Campaign, 'batches'>, asked: readonly BatchSpec[]): boolean {
  const measured = new Set(batches.map((batch) => canonicalJson(batch)));
  return asked.every((batch) => measured.has(canonicalJson(batch)));
}

/** Of one launch, by the first attempt: what it took with all around it. */
function costOf({ batches }: Pick<PiBenchRecord, 'batches'>, index: number): Seconds {
  const all = (batches[index]?.inspections ?? []).map(({ spans }) =>
    spans.reduce((sum, { seconds }) => sum + seconds, 0),
  );
  return Math.max(0, ...all);
}

/** What is measured at once takes the time of the longest. */
export function costOfAll(
  record: Pick<PiBenchRecord, 'batches'>,
  again: readonly number[],
  batches: readonly BatchSpec[],
  launches: (index: number) => number,
): Seconds {
  const groups = groupsOf(batches);
  const longest = new Map<number, Seconds>();
  for (const index of again) {
    const group = groups[index]?.[0] ?? index;
    longest.set(group, Math.max(longest.get(group) ?? 0, launches(index) * costOf(record, index)));
  }
  return [...longest.values()].reduce((sum, seconds) => sum + seconds, 0);
}
