/** A machine as who runs on a part of its CPU has it: as if there were no other CPUs, nor memory that is farther away. Pure. */
import { formatCpuList } from '../machine/linux/cpu-list.js';
import type { MachineDescription } from '../machine/types.js';
import { cpuParts, cpusOfPart, nodeNamed } from './cpu-parts.js';

/** @param device the machine stays as it is for what is no part of the CPU */
export function machineOn(device: string, machine: MachineDescription): MachineDescription {
  const cpus = cpusOfPart(device, cpuParts(machine));
  if (cpus === null) return machine;
  const { limits, memory } = machine;
  const { node } = memory.numaNodes.find((one) => nodeNamed(one) === device) ?? {};
  return {
    ...machine,
    limits: {
      ...limits,
      allowedCpus: formatCpuList(cpus),
      ...(node === undefined ? {} : { allowedNodes: String(node) }),
    },
  };
}
