/** What the newest complete memory record of this machine implies of its caches. Reads records; measures nothing. */
import { isGpu } from '../devices/device.js';
import { impliedCaches, type MeasuredCaches } from '../machine/implied-caches.js';
import { machineIdentity } from '../machine/same-machine.js';
import type { MachineDescription } from '../machine/types.js';
import { type ReadCurve, readCurves } from '../record/read-curves.js';
import type { PiBenchRecord } from '../record/schema.js';
import { findRecords } from '../store/find-records.js';
import { readRecordOrNull } from '../store/read-record.js';

/** A curve of fewer points cannot tell one cache from another. */
const LEAST_POINTS = 8;

function isOf({ labels }: PiBenchRecord, machine: MachineDescription): boolean {
  const { os, cpu } = machine;
  const identity = machineIdentity(machine);
  const same = identity !== null ? labels.machine === identity : labels.hostname === os.hostname;
  return same && labels.cpu_model === cpu.modelName;
}

/** Whether nothing but these threads took from the caches, and every CPU could be theirs. */
const ofWholeCpu = ({ device, atOnce }: ReadCurve): boolean => device === 'cpu' && !atOnce;

/** Of the whole CPU before those of its parts, and then of the most threads. */
function bestOf(record: PiBenchRecord): ReadCurve | undefined {
  return readCurves(record)
    .filter(({ points, device }) => points.length >= LEAST_POINTS && !isGpu(device))
    .toSorted((a, b) => Number(ofWholeCpu(b)) - Number(ofWholeCpu(a)) || b.threads - a.threads)[0];
}

/**
 * Of a part of the CPU, or beside other work, only where no record is of the whole.
 * @param results the folder of the campaigns; null where no record there tells
 */
export function measuredCaches(results: string, machine: MachineDescription): MeasuredCaches | null {
  let ofPart: MeasuredCaches | null = null;
  for (const path of findRecords(results, 'memory')) {
    const record = readRecordOrNull(path);
    if (record === null || record.status !== 'complete' || !isOf(record, machine)) continue;
    const curve = bestOf(record);
    if (curve === undefined) continue;
    const { threads, device, atOnce, points } = curve;
    const measured: MeasuredCaches = {
      record: path,
      createdAt: record.campaign.createdAt,
      threads,
      device,
      atOnce,
      caches: impliedCaches(points, curve, machine.cpu),
    };
    if (ofWholeCpu(curve)) return measured;
    ofPart ??= measured;
  }
  return ofPart;
}
