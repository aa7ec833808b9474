/** What is left of a rate where all devices of a node work at once: power, heat, links and memory that they share. Pure. */
import { LEAST_OVERLAP, shareOfAlone } from '../../record/at-once.js';
import type { Finding, RecordBatch } from '../../record/schema.js';
import { atLeast, skipped, told } from '../findings.js';
import { batchesFor, type Context, type Criterion, judgeBatches, notPossible, speedOf } from './criterion.js';

const NOT_ALONE = 'it was not measured alone, too';
const HARDLY_BESIDE = 'it was not beside the others long enough';

const wasBeside = ({ atOnce }: RecordBatch): boolean => (atOnce?.overlap ?? 0) >= LEAST_OVERLAP;

/** In another attempt only those at once are measured again: alone it was in the first. */
function ofAlone(batch: RecordBatch, { reference }: Context): number | null {
  if (!wasBeside(batch)) return null;
  return batch.atOnce?.ofAlone ?? (reference === null ? null : shareOfAlone(batch, reference.batches));
}

const isAtOnce = ({ atOnce }: RecordBatch): boolean => atOnce !== undefined;

export const together: Criterion<'together'> = {
  kind: 'together',
  repeats: true,
  judge(check, context) {
    const { source, record } = context;
    if (!batchesFor(check, record).some(({ batch }) => isAtOnce(batch)))
      return [notPossible(check, 'nothing was measured on two devices at once', source)];
    return judgeBatches(
      check,
      context,
      (batch) => {
        const share = ofAlone(batch, context);
        const overlapped = atLeast(
          {
            quantity: 'measured_at_once',
            measured: batch.atOnce?.overlap ?? null,
            unit: '1',
            source: `share of its time beside all ${batch.atOnce?.of ?? 0}`,
            otherwise: 'inconclusive',
          },
          LEAST_OVERLAP,
        );
        const unknown = wasBeside(batch) ? NOT_ALONE : HARDLY_BESIDE;
        const looked = { quantity: 'rate_of_alone', measured: share, unit: '1', source };
        const left: Finding =
          check.atLeast !== undefined
            ? atLeast({ ...looked, ...(share === null ? { note: unknown } : {}) }, check.atLeast)
            : share === null
              ? skipped('rate_of_alone', unknown, source)
              : told(looked);
        return speedOf(batch, [overlapped, left], 'shared');
      },
      isAtOnce,
    );
  },
};
