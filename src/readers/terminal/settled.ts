/** What the comparisons came to for whose sake a campaign launched, below its record. Pure. */
import { UserError } from '../../errors.js';
import type { PiBenchRecord } from '../../record/schema.js';
import { compareRecords } from '../comparison/comparison.js';
import { cutByBudget } from '../not-settled.js';
import { renderComparison } from './comparison.js';
import type { Style } from './style.js';

const QUESTION = { by: null, reference: null, margin: null, across: [], force: false } as const;

/** Empty where the campaign settles nothing, or nothing can be compared without being told how: `compare` says why. */
export function settledLines(record: PiBenchRecord, style: Style): readonly string[] {
  if (!record.batches.some(({ asked }) => asked.settle !== undefined)) return [];
  try {
    const document = compareRecords([{ record, name: record.campaign.id }], QUESTION);
    return ['', renderComparison(document, style, cutByBudget(record))];
  } catch (error) {
    if (error instanceof UserError) return [];
    throw error;
  }
}
