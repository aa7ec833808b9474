/** This machine and this installation, as the commands need them. The edge to the system. */
import { type Cores, readCores } from '../execution/placement.js';
import { describeMachine } from '../machine/describe.js';
import { parseCpuList } from '../machine/linux/cpu-list.js';
import { readLocalFile } from '../machine/local-files.js';
import { localDeps } from '../machine/local-process.js';
import type { MachineDescription } from '../machine/types.js';

export const describeHere = (): MachineDescription => describeMachine(readLocalFile, localDeps());

export const coresHere = (): Cores => readCores(readLocalFile);

export function onlineCpus(machine: MachineDescription): number {
  return parseCpuList(machine.limits.onlineCpus)?.length ?? machine.cpu.threads ?? 1;
}
