/** Which of a batch's late repetitions are only its latest. */
import { plural } from '../../quantities/format.js';
import type { RecordBatch } from '../../record/schema.js';
import { leansOnExtreme } from '../../statistics/quantile-interval.js';

/**
 * Repetitions of the launch that has the fewest, where so few have none beyond this share of them: the slowest stands for it then.
 * null: all have enough.
 */
export function leaningOn({ inspections }: Pick<RecordBatch, 'inspections'>, share: number): number | null {
  const counts = inspections.flatMap(({ rate, statistics }) =>
    rate === null ? [] : Number(statistics?.n ?? Number.POSITIVE_INFINITY),
  );
  const fewest = Math.min(...counts);
  return leansOnExtreme(fewest, share) ? fewest : null;
}

/** Of the rate that 95 % of the repetitions reach: so few have no slowest twentieth. null: there are enough. */
export function slowestText(batch: Pick<RecordBatch, 'inspections'>): string | null {
  const fewest = leaningOn(batch, 0.95);
  return fewest === null
    ? null
    : `of a launch of ${plural(fewest, 'repetition')} that leans on the slowest of them`;
}
