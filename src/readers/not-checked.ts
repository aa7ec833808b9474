/** Which checks could not run on a batch: silence must not be taken for a pass. Pure. */
import type { RecordBatch } from '../record/schema.js';

/**
 * Whether anything of it was measured, in which flags are looked for: of what never ran nothing can be said, neither that it has one nor
 * that it has none. An imported table has no launches.
 */
export const ran = (batch: {
  readonly elapsed: unknown;
  readonly inspections: readonly { readonly statistics: unknown }[];
}): boolean => batch.elapsed !== null || batch.inspections.some(({ statistics }) => statistics !== null);

/** Each flag that could not be looked for in some launch, and why, each reason once: one launch may be blind to what another sees. */
export function notCheckedOf({
  inspections,
  imported,
}: Pick<RecordBatch, 'inspections' | 'imported'>): readonly (readonly [flag: string, why: string])[] {
  const all = [...(imported?.notChecked ?? []), ...inspections.flatMap(({ notChecked }) => notChecked)];
  const once = new Map(all.map(({ flag, why }) => [JSON.stringify([flag, why]), [flag, why] as const]));
  return [...once.values()];
}

/** Why a flag could not be looked for, in whichever launch; none: it was, in all of them. */
export const whysOf = (
  batch: Pick<RecordBatch, 'inspections' | 'imported'>,
  flag: string,
): readonly string[] => notCheckedOf(batch).flatMap(([name, why]) => (name === flag ? why : []));
