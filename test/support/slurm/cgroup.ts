/** A control group that limits the CPU time of a few processes; version 1 and 2. */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { messageOf } from '../../../src/errors.js';

const PERIOD_US = 100_000;
const V1 = '/sys/fs/cgroup/cpu';
const V2 = '/sys/fs/cgroup';

export interface CpuLimit {
  remove(): void;
}

/**
 * @param name of the control group
 * @param cpus how many of them the processes may use together: 0.5 is half of one
 * @returns why not, where this user may not make one
 */
export function limitCpu(name: string, cpus: number, pids: readonly number[]): CpuLimit | string {
  const quota = Math.round(cpus * PERIOD_US);
  const root = existsSync(`${V1}/cpu.cfs_quota_us`) ? V1 : V2;
  const folder = `${root}/${name}`;
  try {
    if (root === V2 && !readFileSync(`${V2}/cgroup.subtree_control`, 'utf8').includes('cpu'))
      return 'no CPU quota can be set in control groups here';
    mkdirSync(folder, { recursive: true });
    if (root === V1) {
      writeFileSync(`${folder}/cpu.cfs_period_us`, String(PERIOD_US));
      writeFileSync(`${folder}/cpu.cfs_quota_us`, String(quota));
    } else {
      writeFileSync(`${folder}/cpu.max`, `${quota} ${PERIOD_US}`);
    }
    for (const pid of pids) writeFileSync(`${folder}/cgroup.procs`, String(pid));
  } catch (error) {
    return `a control group with a CPU quota cannot be made here: ${messageOf(error)}`;
  }
  return {
    remove() {
      try {
        rmdirSync(folder);
      } catch {
        // Its last process is not quite gone; an empty group is no harm.
      }
    },
  };
}
