/** Which files a snapshot reads on this machine. Only those that exist, so that the measuring loop opens none in vain. */
import { locateCgroup, ROOT_SIGNS } from '../machine/linux/cgroup-location.js';
import type { FileReader, FolderLister } from '../machine/linux/reader.js';
import { hwmonPaths, raplPaths, thermalZonePaths, throttlePaths } from './sensor-paths.js';

/** Stands for each measuring thread's id in a path. */
export const THREAD_ID = '{tid}';

const PER_THREAD = ['schedstat', 'status', 'stat', 'sched'] as const;
const MACHINE_WIDE = [
  '/proc/self/stat',
  '/proc/stat',
  '/proc/self/cgroup',
  '/proc/pressure/cpu',
  '/proc/pressure/memory',
  '/proc/pressure/io',
];
const CGROUP = ['cpu.stat', 'cpu.max', 'cpu.cfs_quota_us', 'cpu.cfs_period_us'];

/** Path of a per-thread file; `tid` may be `THREAD_ID`. */
export function threadPath(tid: number | typeof THREAD_ID, file: (typeof PER_THREAD)[number]): string {
  return `/proc/self/task/${tid}/${file}`;
}

/**
 * Paths to read before and after the repetitions. Per-thread ones have `{tid}` in them: whoever reads them puts each
 * measuring thread's id there. `allowedCpus` are the CPUs on which this process may run.
 */
export function snapshotPaths(
  reader: FileReader,
  list: FolderLister,
  allowedCpus: readonly number[],
): string[] {
  const exists = (path: string): boolean => reader(path) !== null;
  return [
    // The process's own file stands for those of threads that do not exist yet.
    ...PER_THREAD.filter((file) => exists(`/proc/self/${file}`)).map((file) => threadPath(THREAD_ID, file)),
    ...MACHINE_WIDE.filter(exists),
    ...cgroupPaths(reader),
    ...throttlePaths(reader, allowedCpus),
    ...thermalZonePaths(reader, list),
    ...hwmonPaths(reader, list),
    ...raplPaths(reader),
  ];
}

function cgroupPaths(reader: FileReader): readonly string[] {
  const location = locateCgroup(reader('/proc/self/cgroup'), reader('/proc/self/mountinfo'), 'cpu');
  const directories = location?.directories ?? [];
  const limits = directories.flatMap((directory) => CGROUP.map((file) => `${directory}/${file}`));
  const signs = directories
    .slice(-1)
    .flatMap((outermost) => Object.values(ROOT_SIGNS).map((file) => `${outermost}/${file}`));
  return [...limits, ...signs].filter((path) => reader(path) !== null);
}
