/** Which launches measured the ceilings of a batch, and whether those may be believed. Pure. */
import { plural } from '../quantities/format.js';
import { MOST_OF_CEILING, passesPeak } from '../statistics/roofline.js';
import type { Cell } from './figures/figure.js';
import type { BatchModel } from './model.js';

export type Ceilings = NonNullable<BatchModel['roofline']>;

/** `3 of 24 launches`; null: all of them did. */
export const measuredByText = ({ measuredBy }: Ceilings): string | null =>
  measuredBy === undefined
    ? null
    : `${measuredBy.launches} of ${plural(measuredBy.of, 'launch', 'launches')}`;

/** Of all in a picture. */
export function whereMeasured(all: readonly Ceilings[]): string {
  const [text = null, ...others] = new Set(all.map(measuredByText));
  if (others.length > 0)
    return 'measured in the same launches, or in those of them that the table of rates tells';
  return text === null ? 'measured in the same launches' : `measured in ${text}`;
}

/** Nothing passes a ceiling: what is passed was measured too low, and says nothing of what passes it. */
export const isDoubted = (ceilings: Ceilings): boolean =>
  passesPeak(ceilings) || (ceilings.share ?? 0) > MOST_OF_CEILING;

/** For a program: how many launches measured them, on whose rate `efficiency` and `attainable_share` rest. */
export const CEILING_FIELDS = ['ceilings_launches'] as const;

export const ceilingFields = ({ roofline, measured }: BatchModel): readonly Cell[] => [
  roofline === null ? null : (roofline.measuredBy?.launches ?? measured),
];
