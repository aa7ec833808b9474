/** Who checked the output of a batch and what came of it, in words. Pure. */
import { plural, significant } from '../quantities/format.js';
import type { RecordBatch } from '../record/schema.js';

const METHODS: Readonly<Record<string, string>> = {
  reference: 'every element compared',
  freivalds: 'every row by Freivalds’ check',
  sum: 'the sum of all words that were read',
  sums: 'the sums in the registers of every thread',
};

/** `in 6 launches (every element compared; no difference)`. */
export function verificationOf({ inspections }: Pick<RecordBatch, 'inspections'>): string {
  const checked = inspections.flatMap(({ verification }) => verification ?? []);
  const [first] = checked;
  if (first === undefined) return 'in no launch';
  const failed = checked.filter(({ passed }) => !passed);
  const [wrong] = failed;
  if (wrong !== undefined) {
    return `in ${failed.length} of ${plural(checked.length, 'launch', 'launches')}: ${wrong.firstWrong}`;
  }
  const worst = Math.max(...checked.map(({ worstError }) => worstError ?? Number.POSITIVE_INFINITY));
  const error =
    worst === 0 ? 'no difference' : `largest error ${significant(worst, 2)} of what rounding may cause`;
  return `in ${plural(checked.length, 'launch', 'launches')} (${METHODS[first.method] ?? first.method}; ${error})`;
}
