/** Tells which NUMA nodes `numa:all` leaves out, as what is measured there would be the memory of others. */
import { cpuParts, leftOutText } from '../devices/cpu-parts.js';
import { distinct } from '../machine/linux/reader.js';
import type { MachineDescription } from '../machine/types.js';
import { say } from './say.js';

/** @param devices as the flags of a command, or of each entry of a file, name them */
export function sayLeftOut(devices: readonly unknown[], machine: MachineDescription): void {
  const parts = cpuParts(machine);
  for (const text of distinct(devices.flatMap((device) => leftOutText(String(device), parts) ?? [])))
    say(text);
}
