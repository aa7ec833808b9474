/** Who checked the output of a batch and what came of it, in words. Pure. */
import { plural, significant } from '../quantities/format.js';
import { isCutShort } from '../record/result.js';
import type { RecordBatch, RecordInspection } from '../record/schema.js';

const METHODS: Readonly<Record<string, string>> = {
  reference: 'every element compared',
  freivalds: 'every row by Freivalds’ check',
  sum: 'the sum of all words that were read',
  place: 'where the chain ends, and that it goes through all lines',
  sums: 'the sums in the registers of every thread',
};

/** Those that were cut short are no part of what was measured, and are counted by themselves. */
function launchesText(checked: readonly RecordInspection[]): string {
  const cut = checked.filter(isCutShort).length;
  const whole = checked.length - cut;
  const wholeText = plural(whole, 'launch', 'launches');
  if (cut === 0) return wholeText;
  const cutText = `${plural(cut, 'launch that was', 'launches that were')} cut short`;
  return whole === 0 ? cutText : `${wholeText} and ${cutText}`;
}

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
  const launches = launchesText(inspections.filter(({ verification }) => verification !== null));
  return `in ${launches} (${METHODS[first.method] ?? first.method}; ${error})`;
}
