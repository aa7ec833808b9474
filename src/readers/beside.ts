/** What a batch's rate is of another one: of its own while others had nothing to do, or of what a maker promises. And what was read of memory beside it. In words. Pure. */
import { formatShare, plural, withPrefix } from '../quantities/format.js';
import { LEAST_OVERLAP } from '../record/at-once.js';
import type { RecordBatch } from '../record/schema.js';

const MOST_LISTED = 8;

/** Of a batch that was measured beside others: whether it really was, and what that left of its rate. null: it was alone. */
export function atOnceText({ atOnce }: Pick<RecordBatch, 'atOnce'>): string | null {
  if (atOnce === undefined) return null;
  const { of, others, overlap, ofAlone } = atOnce;
  const names = others.length > MOST_LISTED ? `${of - 1} others` : others.join(', ');
  return [
    `with ${names}`,
    ...(overlap === null ? [] : [`${formatShare(overlap, 3)} of its time beside all of them`]),
    ...(ofAlone === null ? [] : [`${formatShare(ofAlone, 3)} of its rate alone`]),
    ...(overlap !== null && overlap < LEAST_OVERLAP
      ? ['too little to say what the others leave of its rate: measure for longer (--duration)']
      : []),
  ].join(', ');
}

/** Of a GPU: what its maker promises, which is no measurement. null: nothing is known of that. */
export function datasheetText({
  datasheet,
  rateUnit,
}: Pick<RecordBatch, 'datasheet' | 'rateUnit'>): string | null {
  if (datasheet == null) return null;
  const { rate, share, source } = datasheet;
  return `${formatShare(share, 3)} of the ${withPrefix(rate, rateUnit, 4)} that it promises (${source})`;
}

/** What other threads read while loads were timed, on purpose. null: there were none. */
export const trafficText = ({ traffic }: Pick<RecordBatch, 'traffic'>): string | null =>
  traffic === undefined
    ? null
    : `${plural(traffic.threads, 'thread')} that read ${withPrefix(traffic.rate, 'B/s')} of main memory meanwhile`;
