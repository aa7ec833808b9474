/** The flags of a batch: those of its launches, and what no launch can say of itself. Pure. */
import { isGpu } from '../devices/device.js';
import { findIndicator } from '../indicators/index.js';
import {
  aboveCeiling,
  aboveDatasheet,
  aboveMostHidden,
  aboveMoving,
  together,
} from '../statistics/validity/above-ceiling.js';
import { launchesNotIndependent } from '../statistics/validity/launches-not-independent.js';
import { peakMoved } from '../statistics/validity/peak-moved.js';
import type { Flag } from '../statistics/validity/types.js';
import type { AnalysedInspection } from './analyse-inspection.js';
import { medianOf } from './batch-headline.js';
import type { BatchSpec, RecordBatch } from './schema.js';

/** In the order in which they began: launches that were repeated later are not where their number puts them. */
function byTime(inspections: readonly AnalysedInspection[]): readonly AnalysedInspection[] {
  const began = ({ document }: AnalysedInspection): number => Date.parse(document?.startedAt ?? '') || 0;
  return inspections.toSorted((a, b) => began(a) - began(b));
}

/** What bounds a batch, beside what it reached of it. */
type Bounds = Pick<RecordBatch, 'roofline' | 'ranks' | 'overlap' | 'datasheet'>;

const boundsPassed = ({ roofline, ranks, overlap, datasheet }: Bounds): Flag | null =>
  together([
    aboveCeiling(roofline ?? null),
    aboveMoving(ranks?.ceiling ?? null),
    aboveMostHidden(overlap ?? null),
    aboveDatasheet(datasheet ?? null),
  ]);

/** What no launch can say of itself; it holds for all on which the numbers rest. */
export function batchFlags(
  resting: readonly AnalysedInspection[],
  bounds: Bounds,
  { precision, device, case: { indicator, parameters } }: BatchSpec,
): RecordBatch['flags'] {
  const inspections = resting.map(({ entry }) => entry.index);
  const dependent = launchesNotIndependent(byTime(resting).map(medianOf), precision !== undefined);
  const peaks = resting.flatMap(({ entry: { ceilings, frequency = null } }) =>
    ceilings?.arithmetic == null || isGpu(device) ? [] : [{ peak: ceilings.arithmetic.rate, frequency }],
  );
  const moved = peakMoved(peaks, findIndicator(indicator).rateUnit(parameters));
  return [dependent, boundsPassed(bounds), moved].flatMap((flag) =>
    flag === null ? [] : [{ ...flag, evidence: { ...flag.evidence }, inspections }],
  );
}

/** Each flag once, with the launches that raised it; the reason is that of the first. */
export function flagsOf(inspections: readonly Pick<AnalysedInspection, 'entry'>[]): RecordBatch['flags'] {
  const flags = new Map<string, RecordBatch['flags'][number]>();
  for (const { entry } of inspections) {
    for (const flag of entry.flags) {
      const known = flags.get(flag.name);
      if (known === undefined) flags.set(flag.name, { ...flag, inspections: [entry.index] });
      // Of several GPUs each may raise it.
      else if (!known.inspections.includes(entry.index)) known.inspections.push(entry.index);
    }
  }
  return [...flags.values()];
}
