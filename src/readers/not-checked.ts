/** Which checks could not run on a batch: silence must not be taken for a pass. Pure. */
import type { RecordBatch } from '../record/schema.js';

/** Each flag that could not be looked for in some launch, once, and why. */
export function notCheckedOf({
  inspections,
  imported,
}: Pick<RecordBatch, 'inspections' | 'imported'>): readonly (readonly [flag: string, why: string])[] {
  const all = [...(imported?.notChecked ?? []), ...inspections.flatMap(({ notChecked }) => notChecked)];
  return [...new Map(all.map(({ flag, why }) => [flag, why] as const))];
}
