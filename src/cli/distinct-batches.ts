/** Batches that several combinations of flags, or entries of a file, ask for alike: they are measured once. */
import { canonicalJson } from '../record/digest.js';
import type { BatchSpec } from '../record/schema.js';
import { checkBatchCount } from './create-campaign.js';

/**
 * Each batch once, where it is first asked for. Those at once stay as they are: a device that is among them twice is refused, since
 * whose group it would be in nobody said.
 * @param onNothingNew told of one whose batches were all there already
 * @throws UserError for more than a campaign can have
 */
export function distinctBatches<Asked>(
  asked: readonly Asked[],
  batchesOf: (one: Asked) => readonly BatchSpec[],
  onNothingNew: (one: Asked) => void = () => {},
): readonly BatchSpec[] {
  const distinct = new Map<string, BatchSpec>();
  for (const one of asked) {
    const before = distinct.size;
    for (const batch of batchesOf(one)) {
      const key = batch.atOnce === true ? `at once ${distinct.size}` : canonicalJson(batch);
      if (!distinct.has(key)) distinct.set(key, batch);
    }
    checkBatchCount(distinct.size);
    if (distinct.size === before) onNothingNew(one);
  }
  return [...distinct.values()];
}
