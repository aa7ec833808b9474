/**
 * Which batches of a campaign are compared while it runs, and which of these comparisons are settled. The first batch of a case
 * that settles is the one that the others of its case are compared with.
 */
import { canonicalJson } from '../record/digest.js';
import type { BatchSpec, RecordBatch } from '../record/schema.js';
import { isLook, settled } from '../statistics/settling.js';

/** Indices of batches. */
export interface ComparedBatches {
  readonly reference: number;
  readonly candidate: number;
  readonly margin: number;
  /** The most rounds. */
  readonly most: number;
}

/** Of a campaign, and as its record has it. */
type Asked = Pick<RecordBatch['asked'], 'case' | 'device' | 'sampling' | 'warmup' | 'settle' | 'inspections'>;

/** What has to be alike for two batches to be compared: all but the software and who measures' own labels. */
const caseKey = ({ case: one, device, sampling, warmup }: Asked): string =>
  canonicalJson([one, device, sampling, warmup]);

export function comparedBatches(batches: readonly Asked[]): readonly ComparedBatches[] {
  const references = new Map<string, number>();
  return batches.flatMap((batch, candidate): readonly ComparedBatches[] => {
    if (batch.settle === undefined) return [];
    const reference = references.get(caseKey(batch));
    if (reference === undefined) {
      references.set(caseKey(batch), candidate);
      return [];
    }
    const most = Math.min(batch.inspections, batches[reference]?.inspections ?? 0);
    return [{ reference, candidate, margin: batch.settle, most }];
  });
}

/** Batches whose launches settle nothing, because no other of their case does. */
export function lonelyBatches(batches: readonly BatchSpec[]): readonly BatchSpec[] {
  const compared = new Set(
    comparedBatches(batches).flatMap(({ reference, candidate }) => [reference, candidate]),
  );
  return batches.filter(({ settle }, i) => settle !== undefined && !compared.has(i));
}

export interface Comparisons {
  /** The median of a launch; null where nothing was measured. */
  learn(batch: number, launch: number, median: number | null): void;
  /** Whether any comparison of the batch still needs launches, so many rounds having ended; after the most of them none does. */
  open(batch: number, rounds: number): boolean;
  /** Whether none is open; also where there is none. */
  allSettled(): boolean;
  /** This batch gets no more launches: its comparisons need none of others, and are not settled by that. */
  giveUp(batch: number): void;
}

/** Deterministic: told the same medians, it settles the same comparisons after the same rounds. */
export function createComparisons(batches: readonly BatchSpec[]): Comparisons {
  const all = comparedBatches(batches).map((one) => ({
    ...one,
    settled: false,
    givenUp: false,
    lookedAt: 0,
  }));
  const medians: readonly (number | null)[][] = batches.map(() => []);
  const look = (one: (typeof all)[number], rounds: number): void => {
    if (one.settled || one.lookedAt >= rounds || !isLook(rounds, one.most)) return;
    one.lookedAt = rounds;
    const both = Array.from({ length: rounds }, (_, round) => [
      medians[one.reference]?.[round] ?? null,
      medians[one.candidate]?.[round] ?? null,
    ]).filter((pair): pair is [number, number] => !pair.includes(null));
    const [reference, candidate] = [both.map(([value]) => value), both.map(([, value]) => value)];
    one.settled = settled(reference, candidate, one.margin, all.length) !== null;
  };
  return {
    learn(batch, launch, median) {
      (medians[batch] ?? [])[launch] = median;
    },
    open(batch, rounds) {
      const own = all.filter(({ reference, candidate }) => reference === batch || candidate === batch);
      for (const one of own) look(one, rounds);
      return own.some((one) => !one.settled && !one.givenUp && rounds < one.most);
    },
    allSettled: () => all.every(({ settled: is }) => is),
    giveUp(batch) {
      for (const one of all) one.givenUp ||= one.reference === batch || one.candidate === batch;
    },
  };
}
