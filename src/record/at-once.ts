/** Batches that are measured at the same time: which they are, whether they really were, and what it cost each. Pure. */
import { isGpu } from '../devices/device.js';
import { median } from '../statistics/quantile.js';
import type { AnalysedInspection } from './analyse-inspection.js';
import { canonicalJson } from './digest.js';
import { isResult } from './result.js';
import type { BatchSpec, InspectionDocument, RecordBatch } from './schema.js';
import { medianRate } from './work.js';

/**
 * All of a batch but where it runs. A copy to another GPU goes with the one that comes back; a share of the memory is the same share,
 * whatever is free on each device.
 */
function placeless({ device, ...batch }: BatchSpec): string {
  const { peer, bytes, ...others } = batch.case.parameters;
  const pair = typeof peer === 'string' && isGpu(peer) ? [device, peer].sort() : null;
  const parameters = {
    ...others,
    ...(pair !== null || peer === undefined ? {} : { peer }),
    ...(others.share !== undefined || bytes === undefined ? {} : { bytes }),
  };
  return canonicalJson({ ...batch, case: { ...batch.case, parameters }, pair });
}

/** For each batch the indices of all that are measured at the same time, itself among them, in their order. */
export function groupsOf(batches: readonly BatchSpec[]): readonly (readonly number[])[] {
  const groups = new Map<string, number[]>();
  return batches.map((batch, i) => {
    if (batch.atOnce !== true) return [i];
    const key = placeless(batch);
    const group = groups.get(key) ?? [];
    group.push(i);
    groups.set(key, group);
    return group;
  });
}

type Window = NonNullable<InspectionDocument['atOnce']>;
type Launches = readonly Pick<AnalysedInspection, 'document'>[];

const windowOf = (launches: Launches | undefined, launch: number): Window | null =>
  launches?.[launch]?.document?.atOnce ?? null;

/**
 * Share of a launch's repetitions in which all of its group repeated; 0 where one was lost.
 * @param all windows of the group's launches, its own among them
 */
export function overlapOf(own: Window, all: readonly (Window | null)[]): number {
  const known = all.filter((one) => one !== null);
  const length = own.ended - own.began;
  if (known.length < own.of || !(length > 0)) return 0;
  const common = Math.min(...known.map(({ ended }) => ended)) - Math.max(...known.map(({ began }) => began));
  return Math.max(0, common) / length;
}

/** A minute beside others over a moment alone would be the minute's doing, too. */
const sameButAlone = ({ case: one, device, asked }: RecordBatch): string =>
  canonicalJson([one, device, asked.stack, asked.labels ?? null, asked.sampling]);

/**
 * Of the rate that the same batch has alone, measured in the same way; null: it was not measured so, or has no rate, or no launch of
 * either ran to its end. A record may have thousands of batches, and each is looked at once.
 */
function sharesOfAlone(batches: readonly RecordBatch[]): (batch: RecordBatch) => number | null {
  const alone = new Map<string, RecordBatch>();
  for (const batch of batches) {
    if (!isResult(batch) || batch.asked.atOnce === true) continue;
    const key = sameButAlone(batch);
    if (!alone.has(key)) alone.set(key, batch);
  }
  return (batch) => {
    const like = isResult(batch) ? alone.get(sameButAlone(batch)) : undefined;
    const [own, other] = [medianRate(batch), like === undefined ? null : medianRate(like)];
    return own === null || other === null ? null : own / other;
  };
}

export const shareOfAlone = (batch: RecordBatch, batches: readonly RecordBatch[]): number | null =>
  sharesOfAlone(batches)(batch);

/** Of the time of its repetitions: beside others that ended sooner, a device has its own rate for the rest. */
export const LEAST_OVERLAP = 0.8;

/** @param launches of each batch, in the order in which they were asked for */
export function withAtOnce(
  batches: readonly RecordBatch[],
  asked: readonly BatchSpec[],
  launches: readonly Launches[],
): readonly RecordBatch[] {
  const groups = groupsOf(asked);
  const ofAlone = sharesOfAlone(batches);
  return batches.map((batch, i) => {
    const group = groups[i] ?? [i];
    if (group.length < 2) return batch;
    const shares = (launches[i] ?? []).flatMap((_, launch) => {
      const own = windowOf(launches[i], launch);
      const all = group.map((member) => windowOf(launches[member], launch));
      return own === null ? [] : [overlapOf(own, all)];
    });
    const overlap = shares.length === 0 ? null : median(shares);
    const atOnce = {
      of: group.length,
      others: group.filter((member) => member !== i).map((member) => batches[member]?.device ?? ''),
      overlap,
      // Who was hardly beside the others shows nothing of what they leave him.
      ofAlone: overlap !== null && overlap >= LEAST_OVERLAP ? ofAlone(batch) : null,
    };
    return { ...batch, atOnce };
  });
}
