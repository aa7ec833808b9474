/** What the comparisons came to for whose sake a campaign launched, below its record. Pure. */
import { comparedBatches } from '../../campaign/comparisons.js';
import { UserError } from '../../errors.js';
import type { PiBenchRecord } from '../../record/schema.js';
import { compareRecords } from '../comparison/comparison.js';
import { stackKey } from '../comparison/sides.js';
import { cutByBudget } from '../not-settled.js';
import { renderComparison } from './comparison.js';
import type { Style } from './style.js';
import { renderRows } from './table.js';

const QUESTION = { reference: null, margin: null, across: [], force: false } as const;

/** The label of who measures in which all that were compared differ, and in nothing else; null: there is no such one. */
function labelOfPairs({ batches }: PiBenchRecord): string | null {
  const differing = comparedBatches(batches.map(({ asked }) => asked)).flatMap(({ reference, candidate }) => {
    const [one, other] = [batches[reference], batches[candidate]];
    if (one === undefined || other === undefined) return [];
    const [own, its] = [one.asked.labels ?? {}, other.asked.labels ?? {}];
    const labels = Object.keys({ ...own, ...its }).filter((name) => own[name] !== its[name]);
    return stackKey(one.stack) === stackKey(other.stack) ? labels : [...labels, null];
  });
  const [label = null, ...others] = new Set(differing);
  return others.length === 0 ? label : null;
}

/** Empty where the campaign settles nothing. Where nothing can be compared without being told how it says what `compare` would. */
export function settledLines(record: PiBenchRecord, style: Style): readonly string[] {
  if (!record.batches.some(({ asked }) => asked.settle !== undefined)) return [];
  try {
    const document = compareRecords([{ record, name: record.campaign.id }], {
      ...QUESTION,
      by: labelOfPairs(record),
    });
    return ['', renderComparison(document, style, cutByBudget(record))];
  } catch (error) {
    if (error instanceof UserError)
      return ['', renderRows([['compare', `pi-bench compare: ${error.message}`]], style)];
    throw error;
  }
}
