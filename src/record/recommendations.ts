/** What a sweep of repetitions answers: how many are enough here, and how many launches then give a target error. Pure. */
import {
  type Recommendation as Answer,
  recommendFromSpreads,
  recommendRepetitions,
} from '../statistics/repetitions.js';
import { type LaunchesAsked, launchesFor } from '../statistics/variance.js';
import { canonicalJson } from './digest.js';
import type { LaunchStatistics } from './launch-statistics.js';
import { isResult } from './result.js';
import type { PiBenchRecord, Recommendation, RecordBatch } from './schema.js';

/** Half-widths of the interval, as shares of the median, for which launches are told. */
const TARGETS = [0.02, 0.01, 0.005];

interface Counted {
  /** Place in the record. */
  readonly at: number;
  readonly repetitions: number;
  readonly launches: LaunchStatistics;
  /** null or absent where there are too few launches to take it from, or none, as in a table that others published. */
  readonly variance: RecordBatch['variance'];
}

/**
 * What may tell two batches apart that were asked for alike: what their stack was found to be, and, of what others published, where
 * it lay, for its machine is known of no batch. The batches of one table have a name each there, and were measured together, as those
 * of another table were not.
 */
const foundOf = ({ stack: { version, sha256 }, imported }: RecordBatch) => ({
  version,
  sha256,
  source: (imported?.values === 'table' ? imported.table : imported?.source) ?? null,
});

/** Batches that differ in nothing but a fixed number of repetitions, which their launches did make, and of launches. */
function sweepsOf(batches: readonly RecordBatch[]): readonly (readonly Counted[])[] {
  const sweeps = new Map<string, Counted[]>();
  batches.forEach((batch, at) => {
    const { asked, launches, variance } = batch;
    const { sampling, inspections: _, ...same } = asked;
    if (sampling?.kind !== 'fixed' || launches === null || !isResult(batch)) return;
    const key = canonicalJson({ ...same, found: foundOf(batch) });
    const counted = {
      ...{ at, repetitions: sampling.repetitions, variance },
      launches: launches as LaunchStatistics,
    };
    sweeps.set(key, [...(sweeps.get(key) ?? []), counted]);
  });
  return [...sweeps.values()].filter(
    (sweep) => new Set(sweep.map(({ repetitions }) => repetitions)).size > 1,
  );
}

/** Of the launches of that count: nothing is assumed of other counts. */
type Spread = Omit<LaunchesAsked, 'target'>;

/**
 * As the batch's own plan has it (`varianceOf`), so that a record has one answer: a launch far off does not decide it. A table tells
 * the standard deviation alone.
 */
function spreadOf({ variance, launches: { medians, std, median } }: Counted): Spread | null {
  if (variance != null) {
    const { between, within, repetitions } = variance;
    const measured = medians === undefined ? {} : { measured: { medians, repetitions } };
    return { between: between ** 2, within: within ** 2, repetitions, estimate: 1, ...measured };
  }
  // The spread of two launches says next to nothing.
  if (medians !== undefined || typeof std !== 'number' || typeof median !== 'number' || !(std > 0))
    return null;
  return { between: std ** 2, within: 0, repetitions: 1, estimate: median };
}

function launchesOf(sweep: readonly Counted[], repetitions: number | null): Recommendation['launches'] {
  const enough = sweep.find((one) => one.repetitions === repetitions);
  const spread = enough === undefined ? null : spreadOf(enough);
  if (spread === null) return [];
  return TARGETS.map((target) => ({ target, launches: launchesFor({ ...spread, target }) }));
}

function recommend(sweep: readonly Counted[]): Answer {
  const rows = sweep.flatMap(({ repetitions, launches: { n, median, std } }) =>
    n === undefined || median === undefined || typeof std !== 'number'
      ? []
      : [{ repetitions, n, median, std }],
  );
  if (sweep.some(({ launches }) => launches.medians === undefined) && rows.length === sweep.length)
    return recommendFromSpreads(rows);
  return recommendRepetitions(
    sweep.map(({ repetitions, launches }) => ({ repetitions, launchMedians: launches.medians ?? [] })),
  );
}

export function recommendationsOf(batches: readonly RecordBatch[]): readonly Recommendation[] {
  return sweepsOf(batches).map((sweep) => {
    const { counts, ...answer } = recommend(sweep);
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

/** As a record has them: nothing where nothing was swept. */
export function recommended(batches: readonly RecordBatch[]): Pick<PiBenchRecord, 'recommendations'> {
  const recommendations = recommendationsOf(batches);
  return recommendations.length === 0 ? {} : { recommendations: [...recommendations] };
}
