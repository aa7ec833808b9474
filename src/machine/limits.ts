/** What this process may use: affinity, cpuset, CPU quota and memory limit, of its control group and all its ancestors. */
import type { Bytes } from '../units.js';
import { readAllowedCpus } from './linux/allowed-cpus.js';
import { type CgroupLocation, isWhole, locateCgroup } from './linux/cgroup-location.js';
import { formatCpuList, parseCpuList } from './linux/cpu-list.js';
import { quotaIn, tightest } from './linux/cpu-quota.js';
import { type MemoryPolicy, readMemoryPolicy } from './linux/memory-policy.js';
import { type FileReader, keyedNumbers, readTrimmed, readWholeNumber } from './linux/reader.js';
import type { Limits, SeenCgroup } from './types.js';

/** v1 writes "no limit" as the largest number of whole pages that its counter holds. */
const NO_LIMIT = 2 ** 60;

interface MemoryLevel {
  readonly limit: Bytes;
  readonly headroom: Bytes | null;
}

export function readLimits(reader: FileReader): Limits {
  const [cgroup, mountinfo] = [reader('/proc/self/cgroup'), reader('/proc/self/mountinfo')];
  const cpu = locateCgroup(cgroup, mountinfo, 'cpu');
  const memory = locateCgroup(cgroup, mountinfo, 'memory');
  const cpuset = locateCgroup(cgroup, mountinfo, 'cpuset');
  const quota = tightest((cpu?.directories ?? []).map((directory) => quotaIn(reader, directory)));
  const levels = (memory?.directories ?? [])
    .map((directory) => memoryLevel(reader, directory))
    .filter((level) => level !== null);
  const allowed = readAllowedCpus(reader);
  const policy = readMemoryPolicy(reader);
  return {
    allowedCpus: allowed === null ? null : formatCpuList(allowed),
    allowedNodes: allowedNodes(reader('/proc/self/status') ?? '', policy),
    ...(policy === null ? {} : { memoryPolicy: `${policy.mode}:${policy.nodes}` }),
    onlineCpus: readTrimmed(reader, '/sys/devices/system/cpu/online'),
    cgroupTold: cgroup !== null,
    cgroup: seen(reader, cpu),
    memoryCgroup: seen(reader, memory),
    cpuQuota: quota?.cpus ?? null,
    cpuQuotaPeriod: quota?.period ?? null,
    cpuset: firstOf(reader, cpuset?.directories ?? [], [
      'cpuset.cpus.effective',
      'cpuset.effective_cpus',
      'cpuset.cpus',
    ]),
    memoryLimit: least(levels.map((level) => level.limit)),
    memoryHeadroom: least(levels.map((level) => level.headroom).filter((headroom) => headroom !== null)),
  };
}

function seen(reader: FileReader, location: CgroupLocation | null): SeenCgroup | null {
  if (location === null) return null;
  const { version, path, directories } = location;
  return { version, path, visible: directories.length > 0, whole: isWhole(reader, location) };
}

/** Of a policy that binds, which the kernel does not count in, what is left. */
function allowedNodes(status: string, policy: MemoryPolicy | null): string | null {
  const list = /^Mems_allowed_list:\s*([\d,-]+)\s*$/m.exec(status)?.[1] ?? null;
  if (policy?.mode !== 'bind') return list;
  const [allowed, bound] = [parseCpuList(list), parseCpuList(policy.nodes)];
  if (allowed === null || bound === null) return policy.nodes;
  return formatCpuList(allowed.filter((node) => bound.includes(node)));
}

/**
 * The limit of one level, and what it leaves: limit - usage + file cache that is not in active use. null when the level
 * sets no limit. memory.high counts as a limit: above it the kernel slows the group down to reclaim.
 */
function memoryLevel(reader: FileReader, directory: string): MemoryLevel | null {
  const limits = ['memory.max', 'memory.high', 'memory.limit_in_bytes']
    .map((file) => readWholeNumber(reader, `${directory}/${file}`))
    .filter((limit) => limit !== null)
    .filter((limit) => limit < NO_LIMIT);
  const limit = least(limits);
  if (limit === null) return null;
  const usage =
    readWholeNumber(reader, `${directory}/memory.current`) ??
    readWholeNumber(reader, `${directory}/memory.usage_in_bytes`);
  if (usage === null) return { limit, headroom: null };
  const stat = keyedNumbers(reader(`${directory}/memory.stat`) ?? '');
  // v1 tells a group's own share, and with its children as total_*; v2 only the latter, without the prefix.
  const cache = stat.get('total_inactive_file') ?? stat.get('inactive_file') ?? 0;
  return { limit, headroom: Math.min(limit, Math.max(0, limit - usage + cache)) };
}

/** The nearest level's value: the group's own, else that of the ancestor which has the controller. */
function firstOf(
  reader: FileReader,
  directories: readonly string[],
  files: readonly string[],
): string | null {
  for (const directory of directories) {
    for (const file of files) {
      const value = readTrimmed(reader, `${directory}/${file}`);
      if (value !== null) return value;
    }
  }
  return null;
}

function least(values: readonly number[]): number | null {
  return values.length === 0 ? null : Math.min(...values);
}
