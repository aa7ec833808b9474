/**
 * Why multiply-adds in registers are no ceiling of a device: it has instructions that their loop does not use, or threads that did as
 * much on unlike cores waited for the slowest. In words. Pure.
 */
import { isGpu } from '../devices/device.js';
import { findIndicator } from '../indicators/index.js';
import type { RecordBatch } from '../record/schema.js';

type Executed = Pick<RecordBatch, 'case' | 'device' | 'stack' | 'inspections' | 'flags'>;

/** By their names; empty where there are none, or the launches do not say. */
export const unusedInstructions = ({ inspections }: Pick<RecordBatch, 'inspections'>): readonly string[] => [
  ...new Set(inspections.flatMap(({ ceilings }) => ceilings?.unusedInstructions ?? [])),
];

const typeOf = ({ case: { indicator, parameters } }: Executed): string =>
  findIndicator(indicator).dtype(parameters);

const placeOf = ({ device }: Executed): string => (isGpu(device) ? 'GPU' : 'CPU');

/** A sentence's part: what the loop leaves. null: nothing is known to be better. */
function leftText(batch: Executed, loop: string): string | null {
  const names = unusedInstructions(batch);
  if (names.length === 0) return null;
  return `${loop} does not use ${names.join(', ')}, which this ${placeOf(batch)} has for ${typeOf(batch)} and which may be faster`;
}

const MIXED =
  'threads on cores of different kinds (mixed-cores) did as much each, so the rate is that of the slowest, times their number: together they may reach more';

/** Of a batch of peak. */
const isMixed = ({ case: { indicator }, flags }: Executed): boolean =>
  indicator === 'peak' && flags.some(({ name }) => name === 'mixed-cores');

/** Of a batch of peak, why its rate is no ceiling. null: it is one, or nobody looked, as in records from before that was told. */
export function noCeilingText(batch: Executed): string | null {
  if (batch.case.indicator !== 'peak') return null;
  const { variant } = batch.stack;
  const loop = variant === null ? 'the best loop of this build' : `the loop that was asked for (${variant})`;
  const reasons = [leftText(batch, loop), isMixed(batch) ? MIXED : null].filter((text) => text !== null);
  return reasons.length === 0 ? null : reasons.join('; ');
}

/** Of several, in a line for each stack and kind of device; nothing where there are none. */
export function noCeilingTexts(batches: readonly Executed[]): readonly string[] {
  const types = new Map<string, Set<string>>();
  for (const batch of batches) {
    if (batch.case.indicator !== 'peak' || unusedInstructions(batch).length === 0) continue;
    const { variant } = batch.stack;
    const loops =
      variant === null ? 'the best loops of this build do' : `the loops that were asked for (${variant}) do`;
    const head = `no ceiling: ${loops} not use what this ${placeOf(batch)} has and what may be faster`;
    const own = types.get(head) ?? new Set();
    types.set(head, own.add(`${typeOf(batch)} ${unusedInstructions(batch).join(', ')}`));
  }
  return [
    ...[...types].map(([head, own]) => `${head}: ${[...own].join('; ')}`),
    ...(batches.some(isMixed) ? [`no ceiling: ${MIXED}`] : []),
  ];
}

/** Of a batch of another indicator, why no peak is known to hold its rate against. null: that is not the reason. */
export const noPeakText = (batch: Executed): string | null =>
  batch.case.indicator === 'peak' ? null : leftText(batch, 'the best loop of this build');

/** Of several, each once; nothing of those whose rate is held against a peak, or that have none. */
export const noPeakTexts = (
  batches: readonly (Executed & Pick<RecordBatch, 'rate' | 'roofline'>)[],
): readonly string[] => [
  ...new Set(
    batches.flatMap((batch) =>
      batch.rate === null || batch.roofline != null ? [] : (noPeakText(batch) ?? []),
    ),
  ),
];
