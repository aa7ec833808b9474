/** What the newest complete memory record of this machine implies of its caches. Reads records; measures nothing. */
import { impliedCaches, type MeasuredCaches } from '../machine/implied-caches.js';
import { machineIdentity } from '../machine/same-machine.js';
import type { MachineDescription } from '../machine/types.js';
import { readCurves } from '../record/read-curves.js';
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

/** @param results the folder of the campaigns; null where no record there tells */
export function measuredCaches(results: string, machine: MachineDescription): MeasuredCaches | null {
  for (const path of findRecords(results, 'memory')) {
    const record = readRecordOrNull(path);
    if (record === null || record.status !== 'complete' || !isOf(record, machine)) continue;
    const curve = readCurves(record).find(({ points }) => points.length >= LEAST_POINTS);
    if (curve === undefined) continue;
    const { threads, points } = curve;
    return {
      record: path,
      createdAt: record.campaign.createdAt,
      threads,
      caches: impliedCaches(points, threads, machine.cpu),
    };
  }
  return null;
}
