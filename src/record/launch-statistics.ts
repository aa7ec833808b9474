/** What a batch says of its launches. Pure. */
import type { RecordBatch } from './schema.js';

/** Of the launches' medians; a table that others published has no values, only what follows from them. */
export interface LaunchStatistics {
  readonly medians?: readonly number[];
  readonly n?: number;
  readonly median?: number;
  readonly std?: number | null;
  readonly stdError?: number | null;
  readonly cv?: number | null;
  readonly iqr?: number;
  readonly min?: number;
  readonly max?: number;
}

/** The record's schema takes any of them. */
export const launchStatisticsOf = ({ launches }: Pick<RecordBatch, 'launches'>): LaunchStatistics =>
  (launches ?? {}) as LaunchStatistics;
