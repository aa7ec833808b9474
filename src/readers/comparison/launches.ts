/** The launches of two batches as they are compared: in rounds where they took turns, or as two heaps. Pure. */
import type { RecordBatch } from '../../record/schema.js';
import { countedWork } from '../../record/work.js';
import { type Comparison, compareLaunches } from '../../statistics/compare.js';
import { LEAST_ROUNDS } from '../../statistics/paired-shift.js';
import type { Entry } from './sides.js';

/** Pairing leaves out launches that only one of the two has: no more of them than these. */
const MOST_LEFT_OUT = 1 / 3;

/** None where no launch ran to its end: what an interrupted one left is kept to be looked at, and is no result of the case. */
export const mediansOf = ({ launches, measured }: RecordBatch): readonly number[] => {
  const medians = measured === 0 ? null : launches?.medians;
  return Array.isArray(medians) ? medians.filter((value): value is number => typeof value === 'number') : [];
};

/** A published table has their number, and none of their medians. */
export const toldLaunches = (batch: RecordBatch): number =>
  batch.measured > 0 && typeof batch.launches?.n === 'number' ? batch.launches.n : mediansOf(batch).length;

/**
 * What the seconds of each batch are divided by, so that a case whose work differs is compared by its rate; where the work of one of them
 * is not known, or is none, all are compared by the time of a repetition.
 */
export function unitsOf(batches: readonly RecordBatch[]): readonly number[] {
  const works = batches.map((batch) => countedWork(batch) ?? 0);
  return works.every((work) => work > 0) ? works : works.map(() => 1);
}

type RecordCampaign = Entry['of']['record']['campaign'];

/** Whoever decides on the way leaves out no launch: what comes next follows from what was measured. */
const decidesOnTheWay = ({ batches }: RecordCampaign): boolean =>
  batches.some(({ precision, settle }) => precision !== undefined || settle !== undefined);

/** By number in the plan, the round: each has one launch of every batch that has not had all of its own. */
function plannedRounds({ batches }: RecordCampaign): readonly number[] {
  const counts = batches.map(({ inspections }) => inspections);
  return Array.from({ length: Math.max(...counts) }, (_, round) =>
    counts.filter((count) => count > round).map(() => round),
  ).flat();
}

const ascends = (values: readonly number[]): boolean =>
  values.every((value, i) => i === 0 || value > (values[i - 1] ?? value));

/**
 * In which round each launch of the batch was. The n-th is of the n-th round where none is missing; a budget or a signal can leave some
 * out while later ones go on, and then their numbers in the plan tell.
 * @returns null for numbers that are of no such plan
 */
function launchRounds({ of: { record }, batch: { inspections, asked } }: Entry): readonly number[] | null {
  if (inspections.length === asked.inspections || decidesOnTheWay(record.campaign))
    return inspections.map((_, i) => i);
  const planned = plannedRounds(record.campaign);
  const found = inspections.flatMap(({ index }) => planned[index] ?? []);
  return found.length === inspections.length && ascends(found) ? found : null;
}

/** By round, what was measured to its end. */
function timesByRound(entry: Entry, unit: number): ReadonlyMap<number, number> {
  const rounds = launchRounds(entry);
  return new Map(
    entry.batch.inspections.flatMap(({ status, statistics }, i): readonly (readonly [number, number])[] => {
      const round = rounds?.[i];
      return round !== undefined && status === 'measured' && typeof statistics?.median === 'number'
        ? [[round, statistics.median / unit]]
        : [];
    }),
  );
}

interface Rounds {
  readonly reference: readonly number[];
  readonly candidate: readonly number[];
}

/** null where the two did not take turns, or hardly. */
function roundsOf(
  reference: Entry,
  candidate: Entry,
  [unit = 1, otherUnit = 1]: readonly number[],
  looked: boolean,
): Rounds | null {
  if (reference.of !== candidate.of || reference.of.record.imported !== undefined) return null;
  const [own, others] = [timesByRound(reference, unit), timesByRound(candidate, otherUnit)];
  const both = [...own].flatMap(([round, value]): readonly (readonly [number, number])[] => {
    const other = others.get(round);
    return other === undefined ? [] : [[value, other]];
  });
  const most = Math.max(mediansOf(reference.batch).length, mediansOf(candidate.batch).length);
  // The reference of several candidates has the launches that the others needed, too.
  const enough = both.length >= LEAST_ROUNDS && (looked || both.length >= (1 - MOST_LEFT_OUT) * most);
  return enough
    ? { reference: both.map(([value]) => value), candidate: both.map(([, value]) => value) }
    : null;
}

/** Whether their number was decided by looking at this comparison, or at those of both with a third. */
export const wasLooked = (one: Entry, other: Entry): boolean =>
  one.of === other.of && one.batch.asked.settle !== undefined && other.batch.asked.settle !== undefined;

export interface LaunchComparison extends Comparison {
  /** Round by round, and not as two heaps. */
  readonly paired: boolean;
}

/**
 * @param comparisons among which a difference has to hold
 * @returns null where one of them has no launches
 */
export function compareEntries(
  reference: Entry,
  candidate: Entry,
  margin: number,
  comparisons = 1,
): LaunchComparison | null {
  const units = unitsOf([reference.batch, candidate.batch]);
  const [own = [], others = []] = [reference, candidate].map(({ batch }, i) =>
    mediansOf(batch).map((seconds) => seconds / (units[i] ?? 1)),
  );
  if (own.length === 0 || others.length === 0) return null;
  const looked = wasLooked(reference, candidate);
  const rounds = roundsOf(reference, candidate, units, looked);
  return rounds === null
    ? { ...compareLaunches(own, others, margin, { rounds: false, looked, comparisons }), paired: false }
    : {
        ...compareLaunches(rounds.reference, rounds.candidate, margin, { rounds: true, looked, comparisons }),
        paired: true,
      };
}
