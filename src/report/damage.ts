/** Launches whose files are no longer what they were when the record was written: in words. Pure. */
import type { BatchModel } from './model.js';

const MOST_LISTED = 8;

/** Of those that were read, as a sentence; null: none of them. */
export function damageText(batches: readonly Pick<BatchModel, 'details'>[]): string | null {
  const launches = batches.flatMap(({ details }) =>
    (details?.missing ?? []).flatMap(({ launch, damaged }) => (damaged ? [launch] : [])),
  );
  if (launches.length === 0) return null;
  const numbers = [...launches].sort((a, b) => a - b);
  const more = numbers.length > MOST_LISTED ? ` and ${numbers.length - MOST_LISTED} more` : '';
  const what = numbers.length === 1 ? 'The files of 1 launch' : `The files of ${numbers.length} launches`;
  return `${what} can no longer be read as they were written (launch ${numbers.slice(0, MOST_LISTED).join(', ')}${more}): all figures are those of the record, and no samples tell any more whether they are right.`;
}
