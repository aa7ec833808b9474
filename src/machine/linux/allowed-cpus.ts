/** The CPUs on which a thread of this process can run. */
import { parseCpuList } from './cpu-list.js';
import { type FileReader, readTrimmed } from './reader.js';

/**
 * What sched_getaffinity says, from files. The task's own list holds CPUs that are possible and not online, too (room
 * for more in a virtual machine, hyperthreads that are switched off), to which no thread can be bound; the kernel
 * leaves them out when it is asked. A sandbox (gVisor) may tell of no list of a task, and lets it run on all that are online. null when
 * there is neither list.
 */
export function readAllowedCpus(reader: FileReader): readonly number[] | null {
  const status = reader('/proc/self/status') ?? '';
  const own = parseCpuList(/^Cpus_allowed_list:\s*([\d,-]+)\s*$/m.exec(status)?.[1] ?? null);
  const online = parseCpuList(readTrimmed(reader, '/sys/devices/system/cpu/online'));
  if (own === null || online === null) return own ?? online;
  const both = own.filter((cpu) => online.includes(cpu));
  // A task can always run somewhere: a list with none of its CPUs is not about this kernel (a container's own /sys).
  return both.length > 0 ? both : own;
}
