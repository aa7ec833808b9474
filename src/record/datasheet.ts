/** How a batch on a GPU compares with what its maker's datasheet promises. Pure. */
import { isGpu, ordinalOf } from '../devices/device.js';
import { findIndicator } from '../indicators/index.js';
import { datasheetOf } from '../machine/gpu-datasheets.js';
import type { MachineDescription } from '../machine/types.js';
import type { RecordBatch } from './schema.js';

/** Operations of memory that never leave the device: its own memory's rate bounds them. */
const OVER_LINKS = new Set(['host-to-device', 'device-to-host', 'both-ways', 'peer']);

/** null: the CPU, several GPUs, one that is not in the table, or an indicator that no datasheet speaks of. */
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
      ? OVER_LINKS.has(String(one.parameters.operation))
        ? undefined
        : sheet.memory
      : rateCounts === 'flop'
        ? Object.entries(sheet.rates).find(([name]) => name === dtype)?.[1]
        : undefined;
  if (promised === undefined) return null;
  return { rate: promised, share: rate.median / promised, source: sheet.source };
}
