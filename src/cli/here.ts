/** This machine and this installation, as the commands need them. The edge to the system. */
import { gpusVisible, surveyGpus } from '../devices/gpu-survey.js';
import { type Cores, readCores } from '../execution/placement.js';
import { describeMachine } from '../machine/describe.js';
import { parseCpuList } from '../machine/linux/cpu-list.js';
import { readLocalFile } from '../machine/local-files.js';
import { localDeps } from '../machine/local-process.js';
import type { MachineDescription } from '../machine/types.js';

/** @param gpus whether to ask the NVIDIA driver also where none is visible: that takes a process of its own */
export function describeHere(gpus = false): MachineDescription {
  const machine = describeMachine(readLocalFile, localDeps());
  return gpus || gpusVisible() ? { ...machine, gpus: surveyGpus() } : machine;
}

export const coresHere = (): Cores => readCores(readLocalFile);

export function onlineCpus(machine: MachineDescription): number {
  return parseCpuList(machine.limits.onlineCpus)?.length ?? machine.cpu.threads ?? 1;
}
