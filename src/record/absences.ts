/** What a machine is known to have none of, by label: the label itself is null both where there is none and where none can be seen. Pure. */
import { areLimitsShown } from '../machine/capacity.js';
import type { MachineDescription } from '../machine/types.js';
import type { Labels } from './schema.js';

const NONE = 'none';

/** @param machine Records that were not written here may tell less of theirs */
export function absencesOf({
  limits,
  virtualisation,
}: Partial<Pick<MachineDescription, 'limits' | 'virtualisation'>>): Labels {
  const isShown = limits !== undefined && areLimitsShown(limits);
  return {
    ...(isShown && limits.cpuQuota === null ? { cgroup_cpu_quota: NONE } : {}),
    ...(isShown && limits.memoryLimit === null ? { cgroup_memory_limit_bytes: NONE } : {}),
    ...(virtualisation?.guest === false ? { hypervisor: NONE } : {}),
  };
}
