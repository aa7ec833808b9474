/** From two snapshots to what the machine did between them, and what could not be known. */
import { wholeNumber } from '../machine/linux/reader.js';
import type { CoreKind } from '../machine/types.js';
import type { Seconds } from '../units.js';
import { cgroupTelemetry, hasGroupsAbove, QUOTA_ABOVE, WHY_NO_QUOTA_ABOVE } from './cgroup.js';
import { parseCpuTimes } from './cpu-times.js';
import { energy } from './energy.js';
import type { GpuTelemetry } from './gpu.js';
import { parsePressure } from './pressure.js';
import { parseTaskStat } from './task-stat.js';
import { temperatures } from './temperatures.js';
import { threadTelemetry } from './threads.js';
import type { Snapshot, Telemetry } from './types.js';

export interface TelemetryInput {
  readonly before: Snapshot;
  readonly after: Snapshot;
  /** Kernel ids of the measuring threads. */
  readonly threadIds: readonly number[];
  readonly frequency: Telemetry['frequency'];
  /** How many CPUs this process may use. */
  readonly allowedCpus: number;
  readonly onlineCpus: number;
  /** Where these CPUs are on cores of different kinds; empty or absent: they are not, or nothing tells. */
  readonly coreKinds?: readonly CoreKind[];
  /** Ticks a second in which the kernel counts CPU time for users: sysconf(_SC_CLK_TCK), nearly always 100. */
  readonly clockTicks: number;
  /** Of the GPU that executed the repetitions; null: the CPU did. */
  readonly gpu?: GpuTelemetry | null;
}

const MICROSECONDS_A_SECOND = 1e6;

/** Never throws: what cannot be computed is null, or absent from its list, and named in `missing`. */
export function computeTelemetry(input: TelemetryInput): Telemetry {
  const { before, after, clockTicks } = input;
  const missing: { what: string; why: string }[] = [];
  /** A value that is null is named as missing. */
  const known = <T>(what: string, value: T | null, why: string): T | null => {
    if (value === null) missing.push({ what, why });
    return value;
  };
  const pressure = (kind: 'cpu' | 'memory' | 'io'): Seconds | null => {
    const microseconds = known(
      `${kind} pressure`,
      difference(before, after, `/proc/pressure/${kind}`, parsePressure),
      `no /proc/pressure/${kind}: a kernel without PSI, or with psi=0 on its command line`,
    );
    return microseconds === null ? null : microseconds / MICROSECONDS_A_SECOND;
  };

  const threads = threadTelemetry(before, after, input.threadIds, clockTicks);
  const ticksOf = (path: string): number | null =>
    difference(before, after, path, (text) => {
      const stat = parseTaskStat(text);
      return stat === null ? null : stat.userTicks + stat.systemTicks;
    });
  const ownTicks = ticksOf('/proc/self/stat');
  // Ranks that are processes of their own are read under their own numbers.
  const ranksTicks = input.threadIds.reduce((sum, tid) => sum + (ticksOf(`/proc/${tid}/stat`) ?? 0), 0);
  const processTicks = ownTicks === null ? null : ownTicks + ranksTicks;
  const busyTicks = difference(before, after, '/proc/stat', (text) => parseCpuTimes(text)?.busyTicks ?? null);
  const stealTicks = difference(
    before,
    after,
    '/proc/stat',
    (text) => parseCpuTimes(text)?.stealTicks ?? null,
  );
  const otherTicks =
    busyTicks === null || processTicks === null ? null : Math.max(0, busyTicks - processTicks);
  const heat = temperatures(before, after);
  const power = energy(before, after);

  missing.push(...threads.missing, ...power.missing);
  if (hasGroupsAbove(after)) missing.push({ what: QUOTA_ABOVE, why: WHY_NO_QUOTA_ABOVE });
  if (heat.length === 0) {
    missing.push({ what: 'temperatures', why: 'no thermal zone or hwmon sensor of the processor' });
  }
  const inSeconds = (ticks: number | null): Seconds | null => (ticks === null ? null : ticks / clockTicks);
  return {
    window: after.at - before.at,
    allowedCpus: input.allowedCpus,
    onlineCpus: input.onlineCpus,
    ...(input.coreKinds === undefined || input.coreKinds.length === 0 ? {} : { coreKinds: input.coreKinds }),
    threads: threads.threads,
    processCpuTime: inSeconds(known('process CPU time', processTicks, '/proc/self/stat could not be read')),
    cgroup: known('CPU quota', cgroupTelemetry(before, after), whyNoCgroup(after)),
    cpuPressure: pressure('cpu'),
    memoryPressure: pressure('memory'),
    ioPressure: pressure('io'),
    steal: inSeconds(known('steal', stealTicks, '/proc/stat could not be read, or does not count it')),
    otherCpuTime: inSeconds(
      known('CPU time of others', otherTicks, '/proc/stat or /proc/self/stat could not be read'),
    ),
    thermalThrottles: known(
      'thermal throttling',
      thermalThrottles(before, after),
      'no thermal_throttle counters under /sys/devices/system/cpu (a virtual machine, or not an Intel CPU)',
    ),
    // Beside a GPU the clock of the CPU is nothing that anybody misses.
    frequency:
      input.gpu == null
        ? known(
            'frequency',
            input.frequency,
            'there is no chain of instructions of a known latency for this architecture, so its clock was not measured',
          )
        : null,
    temperatures: heat,
    energy: power.domains,
    ...(input.gpu == null ? {} : { gpu: input.gpu }),
    missing,
  };
}

/** Growth of a counter over the window, floored at 0: the kernel's own counters step back at times. */
function difference(
  before: Snapshot,
  after: Snapshot,
  path: string,
  parse: (text: string) => number | null,
): number | null {
  const [beforeText, afterText] = [before.files[path], after.files[path]];
  if (beforeText == null || afterText == null) return null;
  const [from, to] = [parse(beforeText), parse(afterText)];
  return from === null || to === null ? null : Math.max(0, to - from);
}

/** The largest growth of one counter: the CPUs of a package count the same event, so a sum would count it many times. */
function thermalThrottles(before: Snapshot, after: Snapshot): number | null {
  const growths = Object.keys(after.files)
    .filter((path) => /\/thermal_throttle\/\w+_throttle_count$/.test(path))
    .map((path) => difference(before, after, path, wholeNumber))
    .filter((growth) => growth !== null);
  return growths.length === 0 ? null : Math.max(...growths);
}

function whyNoCgroup({ files }: Snapshot): string {
  const groups = files['/proc/self/cgroup']?.trim();
  if (groups === undefined || groups === '') return '/proc/self/cgroup could not be read';
  return "cpu.stat of this process's control group is not mounted here, or the kernel has no CPU bandwidth control";
}
