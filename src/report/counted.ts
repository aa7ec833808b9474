/** Launches on which numbers rest, told from those that left times of their own and do not count. Pure. */
import type { RecordInspection } from '../record/schema.js';

type Ended = Pick<RecordInspection, 'status'>;

export const isCounted = ({ status }: Ended): boolean => status === 'measured';

/** Those that count; where none does, all: they are what there is to see. */
export function countedOf<T extends Ended>(launches: readonly T[]): readonly T[] {
  const counted = launches.filter(isCounted);
  return counted.length > 0 ? counted : launches;
}

/** `launch 3 (furthest from typical)`, `launch 3 (timed-out, not counted)`. */
export function launchText(
  { number, status }: Ended & { readonly number: number },
  more: readonly string[] = [],
): string {
  const beside = isCounted({ status }) ? more : [...more, status, 'not counted'];
  return beside.length === 0 ? `launch ${number}` : `launch ${number} (${beside.join(', ')})`;
}
