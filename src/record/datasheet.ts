/** How a batch on a GPU compares with what its maker's datasheet promises. Pure. */
import { isGpu, ordinalOf } from '../devices/device.js';
import { findIndicator } from '../indicators/index.js';
import { datasheetOf } from '../machine/gpu-datasheets.js';
import type { MachineDescription } from '../machine/types.js';
import type { RecordBatch } from './schema.js';

/** Operations of memory that never leave the device: its own memory's rate bounds them. */
const OVER_LINKS = new Set(['host-to-device', 'device-to-host', 'both-ways', 'peer']);

/** Of the L2, how much has to be moved before its memory, of which the datasheet speaks, bounds the rate. */
const PAST_L2 = 4;

const inL2 = (bytes: number, l2Bytes: number | null | undefined): boolean => bytes < PAST_L2 * (l2Bytes ?? 0);

/**
 * null: the CPU, several GPUs, one that is not in the table, an indicator that no datasheet speaks of, or arrays that the L2 may
 * hold a good part of.
 */
export function datasheetShare(
  batch: Pick<RecordBatch, 'case' | 'device' | 'rate' | 'rateCounts'>,
  { gpus }: MachineDescription,
): RecordBatch['datasheet'] {
  const { device, rate, rateCounts, case: one } = batch;
  if (!isGpu(device) || rate === null || 'ranks' in one.parameters) return null;
  const gpu = gpus?.devices.find(({ ordinal }) => ordinal === ordinalOf(device));
  const sheet = gpu === undefined ? null : datasheetOf(gpu.name);
  if (sheet === null) return null;
  const dtype = findIndicator(one.indicator).dtype(one.parameters);
  const promised =
    rateCounts === 'bytes'
      ? OVER_LINKS.has(String(one.parameters.operation)) || inL2(Number(one.parameters.bytes), gpu?.l2Bytes)
        ? undefined
        : sheet.memory
      : rateCounts === 'flop'
        ? Object.entries(sheet.rates).find(([name]) => name === dtype)?.[1]
        : undefined;
  if (promised === undefined) return null;
  return { rate: promised, share: rate.median / promised, source: sheet.source };
}
