/** What indicators need to know of GPUs. Pure. */
import { ordinalOf } from '../devices/device.js';
import type { GpuDescription } from '../machine/gpus.js';
import type { MachineDescription } from '../machine/types.js';
import type { Bytes } from '../units.js';
import type { Flags, Placement } from './indicator.js';

/** What a process with a GPU has beside its operands: the driver's own. */
export const GPU_PROCESS: Bytes = 512 * 2 ** 20;

/** The GPU that a flag names. @throws Error where the machine's description has none: devices are checked before */
export function gpuOf(flags: Flags, { gpus }: MachineDescription): GpuDescription {
  const found = gpus?.devices.find(({ ordinal }) => ordinal === ordinalOf(String(flags.device)));
  if (found === undefined) throw new Error(`${flags.device} is not described`);
  return found;
}

/** How the addon finds the GPU and our kernels. @throws Error for a placement on the CPU */
export function gpuPlace({ gpu }: Placement): { readonly ordinal: number; readonly kernels: string } {
  if (gpu === null) throw new Error('a case of a GPU was placed on the CPU');
  return gpu;
}
