/** How often the kernel has killed for want of memory, counted as near to this process as it can be told. */
import { locateCgroup } from '../machine/linux/cgroup-location.js';
import { type FileReader, keyedNumbers } from '../machine/linux/reader.js';

export interface OomKills {
  readonly count: number;
  /** A worker is in its parent's control group. Whom the machine's count is about nobody can tell. */
  readonly where: 'in its control group' | 'on the machine';
}

/** Of cgroup v2, and of v1. The root of v2 has neither, and old kernels count in none. */
const IN_CGROUP = ['memory.events', 'memory.oom_control'];

function countIn(reader: FileReader, path: string): number | null {
  const text = reader(path);
  return text === null ? null : (keyedNumbers(text).get('oom_kill') ?? null);
}

/** null: the kernel does not say. */
export function readOomKills(reader: FileReader): OomKills | null {
  const location = locateCgroup(reader('/proc/self/cgroup'), reader('/proc/self/mountinfo'), 'memory');
  const [own] = location?.directories ?? [];
  for (const file of own === undefined ? [] : IN_CGROUP) {
    const count = countIn(reader, `${own}/${file}`);
    if (count !== null) return { count, where: 'in its control group' };
  }
  const count = countIn(reader, '/proc/vmstat');
  return count === null ? null : { count, where: 'on the machine' };
}

/** Where the kernel killed between two looks; null: nowhere, as far as is known. */
export const oomKillsBetween = (before: OomKills | null, after: OomKills | null): OomKills['where'] | null =>
  before !== null && after?.where === before.where && after.count > before.count ? after.where : null;
