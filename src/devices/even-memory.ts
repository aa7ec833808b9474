/** GPUs that are asked for together, as far as their memory goes. Pure. */
import type { MachineDescription } from '../machine/types.js';
import { gpuNamed } from './device.js';

/**
 * A share of the memory is to be the same on GPUs of one kind, so that they can be compared: each that is named has free what the
 * fullest of those has, and of none is known how much where one does not tell. One that nobody named may be as full as it likes.
 */
export function withEvenMemory(named: readonly string[], machine: MachineDescription): MachineDescription {
  const { gpus } = machine;
  if (gpus === undefined) return machine;
  const together = gpus.devices.filter(({ ordinal }) => named.includes(gpuNamed(ordinal)));
  const devices = gpus.devices.map((gpu) => {
    if (!together.includes(gpu)) return gpu;
    const alike = together.filter(
      ({ name, memoryBytes }) => name === gpu.name && memoryBytes === gpu.memoryBytes,
    );
    const told = alike.map(({ freeBytes }) => freeBytes ?? null).filter((free) => free !== null);
    return { ...gpu, freeBytes: told.length < alike.length ? null : Math.min(...told) };
  });
  return { ...machine, gpus: { ...gpus, devices } };
}
