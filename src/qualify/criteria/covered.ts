/** How much of its device's memory a batch wrote and read, where it was asked for a share of it. Pure. */
import { isGpu, ordinalOf } from '../../devices/device.js';
import type { MachineDescription } from '../../machine/types.js';
import { formatBytes } from '../../quantities/format.js';
import type { Finding, RecordBatch } from '../../record/schema.js';
import type { Bytes } from '../../units.js';
import { told } from '../findings.js';

/** null: not known. */
function memoryOf({ memory, gpus }: MachineDescription, device: string): Bytes | null {
  if (!isGpu(device)) return memory.total;
  return gpus?.devices.find(({ ordinal }) => ordinal === ordinalOf(device))?.memoryBytes ?? null;
}

export function coveredFindings(
  { device, case: { parameters } }: RecordBatch,
  machine: MachineDescription,
): readonly Finding[] {
  const { bytes, share } = parameters;
  if (typeof bytes !== 'number' || share === undefined) return [];
  const all = memoryOf(machine, device);
  return [
    told({
      quantity: 'memory_covered',
      measured: all === null ? null : bytes / all,
      unit: '1',
      source: isGpu(device) ? 'of the GPU’s memory' : 'of the machine’s memory',
      note: `${formatBytes(bytes)}${all === null ? '' : ` of ${formatBytes(all)}`}; the rest was not looked at`,
    }),
  ];
}
