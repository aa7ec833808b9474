/** What a machine is and what this process may use of it, as plain JSON. What could not be read is null, never a guess. */
import type { Bytes, Hertz, Seconds } from '../units.js';
import type { GpuSurvey } from './gpus.js';
import type { PciGpus } from './pci-gpus.js';

export interface MachineDescription {
  readonly cpu: CpuDescription;
  readonly memory: MemoryDescription;
  readonly os: OsDescription;
  readonly limits: Limits;
  readonly virtualisation: Virtualisation;
  readonly runtime: Runtime;
  /** Absent where nobody asked the driver. */
  readonly gpus?: GpuSurvey;
  /** Absent where the kernel shows none on PCI. */
  readonly pciGpus?: PciGpus;
}

export interface CpuDescription {
  /** As Node names it: x64, arm64. */
  readonly architecture: string;
  readonly vendor: string | null;
  /** Of cores of several kinds on arm64 those of all. */
  readonly modelName: string | null;
  /** x86 only, as the kernel shows them; a hypervisor may have changed them. */
  readonly family: number | null;
  readonly model: number | null;
  readonly stepping: number | null;
  readonly microcode: string | null;
  /** arm64 only: the fields of MIDR_EL1 as /proc/cpuinfo writes them; of cores of several kinds the fastest's. */
  readonly arm: ArmIdentity | null;
  readonly sockets: number | null;
  readonly cores: number | null;
  /** CPUs as the kernel counts them, online. */
  readonly threads: number | null;
  /** Whether some core runs two threads at once. */
  readonly smt: boolean | null;
  /** Where its cores differ: each kind, fastest first. Absent where all are alike, or nothing tells. */
  readonly coreKinds?: readonly CoreKind[];
  readonly frequency: FrequencyDescription;
  /** Instruction sets and properties of the clock that matter to a measurement, sorted. */
  readonly features: readonly string[];
  readonly caches: readonly CacheDescription[];
  /** Who told of them; null: nobody did. The C library tells of no last cache, which cores share. */
  readonly cachesFrom: 'kernel' | 'C library' | null;
  /** State of each known vulnerability, by the kernel's name; those that do not affect this CPU are left out. */
  readonly vulnerabilities: Readonly<Record<string, string>> | null;
}

/** The CPUs on cores of one kind. */
export interface CoreKind {
  readonly name: 'performance' | 'middle' | 'efficiency' | 'low-power';
  readonly cores: number | null;
  /** As a list. */
  readonly cpus: string;
}

export interface ArmIdentity {
  readonly implementer: string;
  readonly part: string;
  readonly variant: string | null;
  readonly revision: string | null;
}

/** A limit below what the hardware offers, of the CPUs that have it. */
export interface ClockCap {
  readonly limit: Hertz;
  /** What these CPUs offer. */
  readonly max: Hertz;
  /** As a list. Absent: all. */
  readonly cpus?: string;
  /** The file that sets it for all CPUs, as a percentage. Absent: each CPU's policy does. */
  readonly control?: string;
}

/** Clocks are those of the CPU that offers most; of several, of the first. */
export interface FrequencyDescription {
  /** Without boost. */
  readonly base: Hertz | null;
  /** The highest that the hardware offers. */
  readonly max: Hertz | null;
  /** The highest that the policy in force allows. */
  readonly limit: Hertz | null;
  /** Of any CPU, in the order of the first that has each. Absent: none is known to be capped; a record of an older version, which looked at one CPU. */
  readonly caps?: readonly ClockCap[];
  /** The distinct governors of the CPUs, sorted; empty where the kernel has no frequency control. */
  readonly governors: readonly string[];
  readonly driver: string | null;
  readonly turbo: Turbo | null;
}

export interface Turbo {
  readonly enabled: boolean;
  /** The file that switches it, and what to write there to switch it off. */
  readonly control: string;
  readonly off: string;
}

/** Caches of one kind. */
export interface CacheDescription {
  readonly level: number;
  readonly type: 'data' | 'instruction' | 'unified';
  readonly size: Bytes;
  readonly line: Bytes | null;
  /** CPUs (threads) that share one of them. */
  readonly sharedBy: number;
  readonly instances: number;
  /** The CPUs of each, as lists. Absent: the kernel did not tell, or in records of older versions. */
  readonly sharing?: readonly string[];
}

export interface MemoryDescription {
  readonly total: Bytes | null;
  /** What the kernel could give without swapping (MemAvailable), when it was read. */
  readonly available: Bytes | null;
  readonly hugePages: {
    readonly size: Bytes;
    readonly total: number | null;
    readonly free: number | null;
  } | null;
  /** always, madvise or never. */
  readonly transparentHugePages: string | null;
  readonly swap: { readonly total: Bytes; readonly used: Bytes } | null;
  readonly numaNodes: readonly NumaNode[];
  /** Whether the kernel moves pages between nodes by itself. */
  readonly numaBalancing: boolean | null;
}

export interface NumaNode {
  readonly node: number;
  /** A list such as 0-15,32-47. */
  readonly cpus: string;
  readonly total: Bytes | null;
  /** Free memory and file cache that is not in use. */
  readonly available: Bytes | null;
}

export interface OsDescription {
  /** As os-release(5) has it: rhel, debian. Absent in descriptions from before it was read. */
  readonly id?: string | null;
  readonly name: string | null;
  readonly version: string | null;
  readonly kernelRelease: string | null;
  readonly kernelVersion: string | null;
  readonly libc: { readonly name: 'glibc' | 'musl'; readonly version: string | null } | null;
  /** Items of the kernel's command line that change timings. */
  readonly commandLine: readonly string[] | null;
  /** CPUs kept free of other tasks, as a list. */
  readonly isolatedCpus: string | null;
  readonly clocksource: { readonly current: string; readonly available: readonly string[] } | null;
  /** Address space randomisation: 0 off, 1 without the heap, 2 full. */
  readonly aslr: number | null;
  readonly hostname: string | null;
  /** A hash that tells machines apart; the machine's own id cannot be had from it. */
  readonly machineIdHash: string | null;
  /** Likewise of the kernel since it was booted, which containers on it share. Absent in descriptions from before it was read. */
  readonly bootIdHash?: string | null;
  /** Tasks that ran or wanted to, over 1, 5 and 15 minutes. */
  readonly loadAverage: readonly [number, number, number] | null;
  /** Tasks that ran or wanted to when it was read, whoever read it among them. Absent: not told, or from before it was read. */
  readonly runnable?: number;
  readonly uptime: Seconds | null;
  /** Whether the kernel tells how long a thread waited for a CPU, and how long tasks were held up (PSI). */
  readonly schedstat: boolean;
  readonly pressure: boolean;
}

/** A control group, and how far its limits can be seen. */
export interface SeenCgroup {
  readonly version: 1 | 2;
  readonly path: string;
  /** False when the group's files are not mounted here: its limits are then unknown. */
  readonly visible: boolean;
  /**
   * False when groups above those that are mounted here hold it, too, as in a container: their limits are then unknown. Absent in
   * descriptions from before it was looked at.
   */
  readonly whole?: boolean;
}

export interface Limits {
  /** CPUs on which this process can run: affinity and cpuset together, and online. Where no such list is told (gVisor), those online. As a list. */
  readonly allowedCpus: string | null;
  /** NUMA nodes from which it may take memory, as a list: those of its cpuset to which no policy binds it otherwise. */
  readonly allowedNodes: string | null;
  /** From where it takes memory because somebody said so, as the kernel writes it: `interleave:0-1`. Absent: nobody did, or nothing tells. */
  readonly memoryPolicy?: string;
  readonly onlineCpus: string | null;
  /** Whether the kernel told the control groups of this process: where not, that no limit was found says nothing. */
  readonly cgroupTold: boolean;
  /** Of its CPU time; null: the kernel has no CPU controller for this process, or does not tell. */
  readonly cgroup: SeenCgroup | null;
  /** Of its memory, which with cgroup v1 may be another. Absent in descriptions from before it was looked at. */
  readonly memoryCgroup?: SeenCgroup | null;
  /** CPUs' worth of time, of the tightest level; null when no visible level has a quota. */
  readonly cpuQuota: number | null;
  readonly cpuQuotaPeriod: Seconds | null;
  /** CPUs of the control group, as a list. */
  readonly cpuset: string | null;
  /** Of the tightest level; null when no visible level has a limit. */
  readonly memoryLimit: Bytes | null;
  /** What the limits leave free, file cache that can be dropped included; null when no visible level has a limit. */
  readonly memoryHeadroom: Bytes | null;
}

export interface Virtualisation {
  /** Whether this is a virtual machine; null when nothing tells. */
  readonly guest: boolean | null;
  readonly hypervisor: string | null;
  /** Maker and product that the firmware names. */
  readonly product: string | null;
  /** `apptainer`: or Singularity, of which it is the new name. */
  readonly container: 'docker' | 'podman' | 'kubernetes' | 'apptainer' | 'lxc' | 'other' | null;
  /** Whether systemd is the container's init, so that it is booted like a machine. Absent: it is not, or nobody looked. */
  readonly booted?: boolean;
}

export interface Runtime {
  readonly node: string;
  readonly v8: string | null;
}
