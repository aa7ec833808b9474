/** What a machine is known to have none of, by label: the label itself is null both where there is none and where none can be seen. Pure. */
import { isMemoryLimitShown, isQuotaShown } from '../machine/capacity.js';
import type { MachineDescription } from '../machine/types.js';
import type { Labels } from './schema.js';

const NONE = 'none';

/** @param machine Records that were not written here may tell less of theirs */
export function absencesOf({
  limits,
  virtualisation,
}: Partial<Pick<MachineDescription, 'limits' | 'virtualisation'>>): Labels {
  const hasNoQuota = limits !== undefined && limits.cpuQuota === null && isQuotaShown(limits);
  const hasNoLimit = limits !== undefined && limits.memoryLimit === null && isMemoryLimitShown(limits);
  return {
    ...(hasNoQuota ? { cgroup_cpu_quota: NONE } : {}),
    ...(hasNoLimit ? { cgroup_memory_limit_bytes: NONE } : {}),
    ...(virtualisation?.guest === false ? { hypervisor: NONE } : {}),
  };
}
