/** What a sweep of repetitions answers: how many are enough here, and how many launches then give a target error. Pure. */
import { recommendRepetitions } from '../statistics/repetitions.js';
import { launchesFor } from '../statistics/variance.js';
import { canonicalJson } from './digest.js';
import type { Recommendation, RecordBatch } from './schema.js';

/** Half-widths of the interval, as shares of the median, for which launches are told. */
const TARGETS = [0.02, 0.01, 0.005];

interface Counted {
  /** Place in the record. */
  readonly at: number;
  readonly repetitions: number;
  readonly launchMedians: readonly number[];
  readonly launches: RecordBatch['launches'];
}

/** Batches that differ in nothing but a fixed number of repetitions, and of launches. */
function sweepsOf(batches: readonly RecordBatch[]): readonly (readonly Counted[])[] {
  const sweeps = new Map<string, Counted[]>();
  batches.forEach(({ asked, launches }, at) => {
    const { sampling, inspections: _, ...same } = asked;
    if (sampling?.kind !== 'fixed' || launches === null) return;
    const key = canonicalJson(same);
    const { medians } = launches as { medians?: readonly number[] };
    const counted = { at, repetitions: sampling.repetitions, launchMedians: medians ?? [], launches };
    sweeps.set(key, [...(sweeps.get(key) ?? []), counted]);
  });
  return [...sweeps.values()].filter(
    (sweep) => new Set(sweep.map(({ repetitions }) => repetitions)).size > 1,
  );
}

/** From the spread that the launches of that count had: nothing is assumed of other counts. */
function launchesOf(sweep: readonly Counted[], repetitions: number | null): Recommendation['launches'] {
  const { std, median } = (sweep.find((one) => one.repetitions === repetitions)?.launches ?? {}) as {
    std?: number | null;
    median?: number;
  };
  if (typeof std !== 'number' || typeof median !== 'number' || !(std > 0)) return [];
  return TARGETS.map((target) => ({
    target,
    launches: launchesFor({ between: std ** 2, within: 0, repetitions: 1, estimate: median, target }),
  }));
}

export function recommendationsOf(batches: readonly RecordBatch[]): readonly Recommendation[] {
  return sweepsOf(batches).map((sweep) => {
    const { counts, ...answer } = recommendRepetitions(
      sweep.map(({ repetitions, launchMedians }) => ({ repetitions, launchMedians })),
    );
    return {
      kind: 'repetitions',
      batches: sweep.map(({ at }) => at),
      ...answer,
      counts: counts.map((count) => ({
        ...count,
        ratioInterval: count.ratioInterval === null ? null : { ...count.ratioInterval },
      })),
      launches: launchesOf(sweep, answer.repetitions),
    };
  });
}
