/** This machine and this installation, as the commands need them. The edge to the system. */
import { gpusVisible, surveyGpus } from '../devices/gpu-survey.js';
import { type Cores, readCores } from '../execution/placement.js';
import { describeMachine } from '../machine/describe.js';
import { parseCpuList } from '../machine/linux/cpu-list.js';
import { listLocalFolder, readLocalFile } from '../machine/local-files.js';
import { localDeps } from '../machine/local-process.js';
import { PCI_DEVICES, readPciGpus } from '../machine/pci-gpus.js';
import type { MachineDescription } from '../machine/types.js';
import type { Seconds } from '../units.js';

/** Without its GPUs, so that nobody is waited for. */
export const hostHere = (): MachineDescription => describeMachine(readLocalFile, localDeps());

/**
 * @param gpus whether to ask the NVIDIA driver also where none is visible: that takes a process of its own
 * @param limit for its answer; null: a minute
 */
export function describeHere(gpus = false, limit: Seconds | null = null): MachineDescription {
  const pciGpus = readPciGpus(readLocalFile, listLocalFolder(PCI_DEVICES), process.env);
  const machine = {
    ...hostHere(),
    ...(pciGpus === null ? {} : { pciGpus }),
  };
  return gpus || gpusVisible() ? { ...machine, gpus: surveyGpus(limit) } : machine;
}

export const coresHere = (): Cores => readCores(readLocalFile);

export function onlineCpus(machine: MachineDescription): number {
  return parseCpuList(machine.limits.onlineCpus)?.length ?? machine.cpu.threads ?? 1;
}
