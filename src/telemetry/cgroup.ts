/** CPU bandwidth control over the window: every level of the hierarchy, put together as `CgroupTelemetry`. */
import { isRootGroup } from '../machine/linux/cgroup-location.js';
import { quotaIn, tightest } from '../machine/linux/cpu-quota.js';
import { type CgroupCpuStat, parseCgroupCpuStat } from './cgroup-cpu-stat.js';
import type { CgroupTelemetry, Snapshot } from './types.js';

const STAT = '/cpu.stat';
const NANOSECONDS_A_SECOND = 1e9;

const directoriesOf = ({ files }: Snapshot): readonly string[] =>
  Object.keys(files)
    .filter((path) => path.endsWith(STAT))
    .map((path) => path.slice(0, -STAT.length));

/** What is missing where groups above those that are seen hold this process, too, so that a quota of theirs stops it unseen. */
export const QUOTA_ABOVE = 'CPU quota above';
export const WHY_NO_QUOTA_ABOVE =
  'the control groups above this container’s are hidden: a quota of theirs can stop it without being counted here';

/** Whether there are such groups. */
export function hasGroupsAbove(after: Snapshot): boolean {
  const [outermost] = directoriesOf(after).toSorted((a, b) => a.length - b.length);
  if (outermost === undefined) return false;
  const read = (path: string): string | null => after.files[path] ?? null;
  const stat = parseCgroupCpuStat(read(outermost + STAT) ?? '');
  return stat !== null && !isRootGroup(read, stat.version, outermost);
}

/** null when no level could be read at both ends of the window. */
export function cgroupTelemetry(before: Snapshot, after: Snapshot): CgroupTelemetry | null {
  const directories = directoriesOf(after);
  const levels = directories.flatMap((directory) => {
    const level = levelOver(before, after, directory);
    return level === null ? [] : [{ directory, ...level }];
  });
  const [first] = levels;
  if (first === undefined) return null;
  const worst = levels.reduce((most, level) => (isWorse(level, most) ? level : most), first);
  // Whose periods were cut short is the one whose quota was used up; where none were, the tightest is what may come to that.
  const blamed = worst.throttledPeriods > 0 ? [worst.directory] : directories;
  // A quota that changed within the window counts as its tighter value.
  const quota = tightest(
    [before, after].flatMap(({ files }) =>
      blamed.map((directory) => quotaIn((path) => files[path] ?? null, directory)),
    ),
  );
  return {
    version: worst.version,
    quotaCpus: quota?.cpus ?? null,
    period: quota?.period ?? null,
    periods: worst.periods,
    throttledPeriods: worst.throttledPeriods,
    throttledTime: worst.throttledNanoseconds / NANOSECONDS_A_SECOND,
  };
}

function levelOver(before: Snapshot, after: Snapshot, directory: string): CgroupCpuStat | null {
  const [beforeText, afterText] = [before.files[directory + STAT], after.files[directory + STAT]];
  if (beforeText == null || afterText == null) return null;
  const [from, to] = [parseCgroupCpuStat(beforeText), parseCgroupCpuStat(afterText)];
  if (from === null || to === null) return null;
  return {
    version: to.version,
    periods: Math.max(0, to.periods - from.periods),
    throttledPeriods: Math.max(0, to.throttledPeriods - from.throttledPeriods),
    throttledNanoseconds: Math.max(0, to.throttledNanoseconds - from.throttledNanoseconds),
  };
}

function isWorse(a: CgroupCpuStat, b: CgroupCpuStat): boolean {
  if (a.throttledNanoseconds !== b.throttledNanoseconds)
    return a.throttledNanoseconds > b.throttledNanoseconds;
  if (a.throttledPeriods !== b.throttledPeriods) return a.throttledPeriods > b.throttledPeriods;
  return a.periods > b.periods;
}
