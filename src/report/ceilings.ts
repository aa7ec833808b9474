/** Which launches measured the ceilings of a batch, and whether those may be believed. Pure. */
import { plural } from '../quantities/format.js';
import type { RecordBatch } from '../record/schema.js';
import { MOST_OF_CEILING, passesPeak } from '../statistics/roofline.js';
import type { Cell } from './figures/figure.js';
import type { BatchModel } from './model.js';

export type Ceilings = NonNullable<BatchModel['roofline']>;

/**
 * With who measured it, which records of before it was written leave to be counted: of a precision three launches have a peak, however
 * many there are.
 */
export function ceilingsOfBatch({ roofline, inspections, measured }: RecordBatch): Ceilings | null {
  if (roofline == null) return null;
  const { measuredBy, peaks } = roofline;
  const counted = inspections.filter(
    ({ status, ceilings }) => status === 'measured' && ceilings?.arithmetic != null,
  ).length;
  const launches = measuredBy?.launches ?? peaks?.launches ?? counted;
  const isOfSome = measuredBy === undefined && launches > 0 && launches < measured;
  return isOfSome ? { ...roofline, measuredBy: { launches, of: measured } } : roofline;
}

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

const MOST_NAMED = 16;

/** Below a picture: which ceilings say nothing of their points. */
export function doubtText(
  points: readonly { readonly label: string; readonly ceilings: Ceilings }[],
): string {
  const doubted = points.filter(({ ceilings }) => isDoubted(ceilings)).map(({ label }) => label);
  if (doubted.length === 0) return '';
  const more = doubted.length > MOST_NAMED ? ` and ${doubted.length - MOST_NAMED} more` : '';
  return ` Nothing passes a ceiling, so those of these points were measured too low and say nothing of them: ${doubted.slice(0, MOST_NAMED).join(', ')}${more}.`;
}

/** For a program: how many launches measured them, on whose rate `efficiency` and `attainable_share` rest. */
export const CEILING_FIELDS = ['ceilings_launches'] as const;

export const ceilingFields = ({ roofline, measured }: BatchModel): readonly Cell[] => [
  roofline === null ? null : (roofline.measuredBy?.launches ?? measured),
];
