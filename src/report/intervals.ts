/** How far the figures of a batch can be trusted, beside the interval of its rate: for a program, in base units. Pure. */
import type { Cell } from './figures/figure.js';
import type { BatchModel } from './model.js';

/** `precision_`: of a batch whose launches were as many as that takes, as shares of the estimate. */
export const INTERVAL_FIELDS = [
  'rate_p05_low',
  'rate_p05_high',
  'rate_p05_interval_basis',
  'elapsed',
  'elapsed_low',
  'elapsed_high',
  'precision_target',
  'precision_reached',
  'precision_half_width',
] as const;

export const intervalCells = ({ rate, elapsed, precision }: BatchModel): readonly Cell[] => [
  rate?.p05Interval?.low ?? null,
  rate?.p05Interval?.high ?? null,
  rate?.p05Interval?.basis ?? null,
  elapsed?.median ?? null,
  elapsed?.interval?.low ?? null,
  elapsed?.interval?.high ?? null,
  precision?.target ?? null,
  precision === null ? null : String(precision.reached),
  precision?.halfWidth ?? null,
];

/** What the table of rates calls p99: of each launch, where `repetitions_p99` is of all repetitions together. */
export const P99_FIELDS = ['elapsed_p99', 'elapsed_p99_low', 'elapsed_p99_high'] as const;

export const p99Cells = ({ elapsed }: BatchModel): readonly Cell[] => [
  elapsed?.p99 ?? null,
  elapsed?.p99Interval?.low ?? null,
  elapsed?.p99Interval?.high ?? null,
];
