/** What the machine did around the measured repetitions: differences between two snapshots, and what was missing. */
import type { CoreKind } from '../machine/types.js';
import type { Drift } from '../statistics/drift.js';
import type { Celsius, Hertz, Joules, Seconds } from '../units.js';
import type { GpuTelemetry } from './gpu.js';

/** Text of the files that were read at one moment, by path; null where a file could not be read. */
export interface Snapshot {
  /** CLOCK_MONOTONIC at the start of the snapshot. */
  readonly at: Seconds;
  readonly files: Readonly<Record<string, string | null>>;
}

/** One measuring thread over the window. */
export interface ThreadTelemetry {
  readonly tid: number;
  /**
   * Time on a CPU. With schedstat in nanoseconds, brought up to date at a scheduler's tick (1 to 10 ms) or a switch;
   * without it in ticks of 10 ms.
   */
  readonly cpuTime: Seconds;
  /** Time runnable but waiting for a CPU (schedstat's second field): another job's load shows here. null without schedstat. */
  readonly runDelay: Seconds | null;
  /** These three are null where the kernel does not tell. */
  readonly voluntarySwitches: number | null;
  readonly involuntarySwitches: number | null;
  readonly migrations: number | null;
  readonly minorFaults: number;
  readonly majorFaults: number;
  readonly cpuBefore: number;
  readonly cpuAfter: number;
}

/** CPU bandwidth control of this process: the tightest quota among its cgroup and the ancestors that are visible. */
export interface CgroupTelemetry {
  readonly version: 1 | 2;
  /** CPUs' worth of time a period, of the tightest level; null when no level has a quota. */
  readonly quotaCpus: number | null;
  /** Length of that level's period. */
  readonly period: Seconds | null;
  /**
   * The next three are of one level, the one that was throttled longest: nested levels are throttled at the same
   * time, so their sum would count twice. The kernel counts the whole group, all its CPUs added up: the time can
   * exceed the window.
   */
  readonly periods: number;
  readonly throttledPeriods: number;
  readonly throttledTime: Seconds;
}

export interface Telemetry {
  /** Wall time between the snapshots. */
  readonly window: Seconds;
  /** CPUs that this process may use. */
  readonly allowedCpus: number;
  readonly onlineCpus: number;
  /** Where the CPUs that it may use are on cores of different kinds: each, fastest first. Absent where all are alike, or nothing tells. */
  readonly coreKinds?: readonly CoreKind[];
  readonly threads: readonly ThreadTelemetry[];
  /** CPU time of the whole process, all threads, to the tick (10 ms). */
  readonly processCpuTime: Seconds | null;
  readonly cgroup: CgroupTelemetry | null;
  /** Time in which some task of the machine waited for a CPU (PSI), null where the kernel has no PSI. */
  readonly cpuPressure: Seconds | null;
  readonly memoryPressure: Seconds | null;
  readonly ioPressure: Seconds | null;
  /** Time that the hypervisor gave to others, all CPUs together, to the tick (10 ms). */
  readonly steal: Seconds | null;
  /**
   * CPU time that other processes and interrupts used, all CPUs together. The difference of two counts of ticks
   * (10 ms), floored at 0: in a short window a value of a few ticks means nothing.
   */
  readonly otherCpuTime: Seconds | null;
  /** Times that a CPU of this process or its package reported a thermal limit; null where the CPU does not count them. */
  readonly thermalThrottles: number | null;
  /** Clock of the measuring CPU from chains of dependent instructions; null where no latency is known. */
  readonly frequency: { readonly before: Hertz; readonly after: Hertz } | null;
  readonly temperatures: readonly {
    readonly name: string;
    readonly before: Celsius;
    readonly after: Celsius;
  }[];
  readonly energy: readonly { readonly domain: string; readonly joules: Joules }[];
  /** Of the GPU that executed the repetitions; absent where the CPU did. */
  readonly gpu?: GpuTelemetry;
  /** What could not be read, and why: a check that could not run never reads as a pass. */
  readonly missing: readonly { readonly what: string; readonly why: string }[];
}

/** What one launch's repetitions were, as the validity checks need it. */
export interface Observation {
  /** Seconds of each repetition, in order. */
  readonly samples: ArrayLike<number>;
  /** The same, ascending: many look for the median. */
  readonly sorted: ArrayLike<number>;
  /** Their trend, which the summary has too; null where there can be none. */
  readonly drift: Drift | null;
  /** Indices of repetitions in which a measuring thread was taken off its CPU; null where that cannot be known. */
  readonly disturbed: readonly number[] | null;
  /** Wall time from the first repetition's start to the last one's end, time between repetitions for cache eviction, and for a GPU's clock, taken off. */
  readonly wall: Seconds;
  /** What was taken off; absent: nothing. */
  readonly takenOff?: Seconds;
  readonly threads: number;
  /** True when each thread is bound to its own CPU. */
  readonly pinned: boolean;
  readonly callsPerSample: number;
  /** Of calls whose parts are timed, too: the median of the shortest part that the same clock timed, and what it is of; absent: of others. */
  readonly shortestPart?: { readonly what: string; readonly seconds: Seconds };
  readonly clockOverhead: Seconds;
  readonly clockResolution: Seconds;
  /** False when the automatic warm-up ended at its limit without a steady state; null when the user fixed it. */
  readonly steady: boolean | null;
  readonly telemetry: Telemetry;
  /** Share of the machine that another pi-bench campaign holds at the same time; null when none was seen. */
  readonly concurrentCampaign: string | null;
  /** Launches of this campaign that ran at the same time, on purpose, on other devices; absent: none. */
  readonly beside?: number;
  /** Of those, how many have work on this very device, as the other end of a copy has. */
  readonly besideHere?: number;
  /** Ranks on other hosts, of which nothing but their times came here; absent: none. */
  readonly elsewhere?: number;
  /** Of ranks that left our own barrier before each repetition: from the first to the last of them, the median; absent: of others. */
  readonly beganApart?: Seconds;
  /** By how much that may be the clocks' own error, where ranks on several hosts read one each; absent: they read one clock. */
  readonly clocksWithin?: Seconds;
  /** Ranks were watched from before they met for each repetition, which is no part of its time; absent: only while they ran. */
  readonly met?: boolean;
  /** Threads beside the measuring one were watched, too: a single absence of theirs disturbs every repetition that it overlaps. */
  readonly loaded?: boolean;
  /** A GPU executed the repetitions, whether or not anybody watched it; absent: the CPU. */
  readonly onGpu?: boolean;
  /** Each repetition sends data over the link between host and GPU; null: nothing tells; absent: not known to. */
  readonly overHostLink?: boolean | null;
  /** The GPU whose memory is the other end of each copy, which is watched beside the first; absent: none is. */
  readonly peer?: { readonly own: string; readonly other: string };
}
