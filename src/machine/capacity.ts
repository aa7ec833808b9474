/** How much of a machine one launch may take. */
import type { Bytes } from '../units.js';
import { parseCpuList } from './linux/cpu-list.js';
import type { Limits, MachineDescription, SeenCgroup } from './types.js';

const isShown = (cgroup: SeenCgroup | null): boolean => cgroup?.visible !== false && cgroup?.whole !== false;

/** Whether a quota that was not found is none; else it may be there unseen. Records of older versions may not tell. */
export const isQuotaShown = ({ cgroupTold, cgroup }: Limits): boolean =>
  cgroupTold === true && isShown(cgroup ?? null);

/** Likewise of a memory limit, whose control group may be another one. */
export const isMemoryLimitShown = ({ cgroupTold, cgroup, memoryCgroup = cgroup }: Limits): boolean =>
  cgroupTold === true && isShown(memoryCgroup ?? null);

/**
 * How many threads a launch can keep busy: the CPUs that it may run on, and no more than the whole CPUs of its quota.
 * The quota is rounded down: with 2.5 CPUs' worth, 3 busy threads are throttled in every period and 2 never. Below one
 * CPU the answer is still 1, and that thread will be throttled. 1 when nothing is known.
 */
export function usableCpus({ limits, cpu }: MachineDescription): number {
  const allowed = parseCpuList(limits.allowedCpus)?.length ?? cpu.threads ?? 1;
  return Math.max(1, Math.min(allowed, Math.floor(limits.cpuQuota ?? allowed)));
}

/**
 * Bytes that a launch can allocate and touch without swapping or being killed: the least of the kernel's estimate
 * (MemAvailable), what the control groups leave, and what the NUMA nodes have from which it may allocate. null when
 * none of them is known. It was true when the description was made.
 */
export function availableMemory({ limits, memory }: MachineDescription): Bytes | null {
  const bounds = [memory.available, limits.memoryHeadroom, allowedNodesHave({ limits, memory })].filter(
    (bound) => bound !== null,
  );
  return bounds.length === 0 ? null : Math.min(...bounds);
}

/** null when every node is allowed, or one of them does not tell. */
function allowedNodesHave({ limits, memory }: Pick<MachineDescription, 'limits' | 'memory'>): Bytes | null {
  const allowed = parseCpuList(limits.allowedNodes);
  if (allowed === null) return null;
  const nodes = memory.numaNodes.filter(({ node }) => allowed.includes(node));
  if (nodes.length === 0 || nodes.length === memory.numaNodes.length) return null;
  return nodes.reduce<Bytes | null>(
    (sum, { available }) => (sum === null || available === null ? null : sum + available),
    0,
  );
}
