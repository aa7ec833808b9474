/** What a GPU did while it was measured, as the addon tells it. What NVML does not tell is null. */
import type { RemappedRows } from '../machine/gpus.js';
import type { Bytes, Celsius, Hertz, Joules, Seconds, Watts } from '../units.js';

interface Range {
  readonly least: number;
  readonly median: number;
  readonly most: number;
}

export interface GpuProcess {
  readonly pid: number;
  /** null: the driver keeps it to itself. */
  readonly bytes: number | null;
  /** It draws and computes nothing; absent: it computes. */
  readonly draws?: boolean;
}

/** The device's clock beside the host's, over all groups of repetitions. */
export interface GpuClock {
  readonly groups: number;
  /** Of the groups, launched as one graph. Absent in documents of older versions. */
  readonly graphGroups?: number;
  readonly samples: number;
  /** From the first event of each group to its last. */
  readonly deviceSeconds: Seconds;
  /** From the opening of its gate until the host knew that it had ended. */
  readonly hostSeconds: Seconds;
  /** That the host took to enqueue them, while the device waited behind the gate. */
  readonly enqueueSeconds: Seconds;
  /** That it took to make the graph of a group, once. Absent in documents of older versions. */
  readonly makingSeconds?: Seconds;
  /**
   * From the end of each group to the opening of the next one's gate: the device stands still only because it is timed so. Absent
   * in documents of older versions.
   */
  readonly betweenSeconds?: Seconds;
}

export interface NvlinkErrors {
  /** Packets that were sent again. */
  readonly replays: number;
  /** Links that had to be brought up again. */
  readonly recoveries: number;
  /** Wrong checksums, of flow control and of data. */
  readonly checksums: number;
}

/** Rows that were newly replaced in a launch, and what came to wait for a reset or could not be replaced in it. */
export interface NewRemaps {
  readonly corrected: number;
  readonly uncorrected: number;
  readonly pending: boolean;
  readonly failed: boolean;
}

/** null: this GPU does not tell, or the document is from before it was asked. */
export function newRemaps({
  remappedRowsBefore: before,
  remappedRows: after,
}: NvmlTelemetry): NewRemaps | null {
  if (before == null || after == null) return null;
  return {
    corrected: Math.max(0, after.corrected - before.corrected),
    uncorrected: Math.max(0, after.uncorrected - before.uncorrected),
    pending: after.pending === true && !before.pending,
    failed: after.failed === true && !before.failed,
  };
}

/** Of the repetitions' time window, but counters, which are since the launch began. */
export interface NvmlTelemetry {
  /** Why nothing is known; null: NVML answered. */
  readonly problem: string | null;
  readonly readings?: number;
  /** Share of the readings with each bit of the throttle reasons; null where NVML does not tell them. */
  readonly reasons?: Readonly<Record<string, number>> | null;
  readonly smHertz?: Range | null;
  readonly memoryHertz?: Range | null;
  readonly watts?: Range | null;
  readonly celsius?: Range | null;
  /** At the end. */
  readonly memoryCelsius?: Celsius | null;
  /** Absent in documents of older versions. */
  readonly memoryCelsiusRange?: Range | null;
  readonly slowdownCelsius?: Celsius | null;
  readonly mostSmHertz?: Hertz | null;
  /** At the end, and when the launch began, which documents of older versions do not have. */
  readonly powerLimitWatts?: Watts | null;
  readonly powerLimitWattsBefore?: Watts | null;
  readonly enforcedPowerLimitWatts?: Watts | null;
  readonly enforcedPowerLimitWattsBefore?: Watts | null;
  readonly defaultPowerLimitWatts?: Watts | null;
  readonly joules?: Joules | null;
  readonly eccCorrected?: number | null;
  readonly eccUncorrected?: number | null;
  /** When the launch began; absent in documents of older versions. */
  readonly remappedRowsBefore?: RemappedRows | null;
  /** At the end. Documents of older versions know only how many there are. */
  readonly remappedRows?: (Pick<RemappedRows, 'corrected' | 'uncorrected'> & Partial<RemappedRows>) | null;
  readonly pcieReplays?: number | null;
  /** The most that was seen in the launch: links are slower while nothing goes over them. */
  readonly pcie?: {
    readonly generation: number | null;
    readonly width: number | null;
    readonly mostGeneration: number | null;
    readonly mostWidth: number | null;
  };
  readonly nvlinks?: { readonly up: number; readonly all: number } | null;
  /** Of all its links; null: it has none, or counts for none of them. */
  readonly nvlinkErrors?: NvlinkErrors | null;
  /**
   * On this GPU: before this process was on it, and at the end. Documents of older versions know only those
   * that compute.
   */
  readonly processesBefore?: readonly GpuProcess[] | null;
  readonly processesAfter?: readonly GpuProcess[] | null;
  /** Those that were seen in between alone. Absent, as what follows, in documents of older versions. */
  readonly processesBetween?: readonly GpuProcess[];
  /** How often NVML was asked for them. */
  readonly processesAsked?: number;
  /** Whether NVML tells who draws. */
  readonly drawingKnown?: boolean;
  /**
   * Of its memory, before this process was on it, without what the driver keeps for itself; null: not told,
   * or of a divided GPU.
   */
  readonly bytesInUseBefore?: Bytes | null;
  /** This process by its own number. */
  readonly ownPid?: number;
  /** Whether the driver knows it by another one, as in a container; null: the kernel does not tell. */
  readonly ownPidNamespace?: boolean | null;
  /** Faults that the driver reported meanwhile; null: nobody could watch. */
  readonly xids?: readonly number[] | null;
  /**
   * Seconds after the first repetition, hertz of multiprocessors and memory, watts, degrees, throttle
   * reasons, degrees of the memory, which documents of older versions do not have; 0: not known.
   */
  readonly series?: readonly (readonly number[])[];
}

/** Of a copy from or to the host: where its memory lies there, and the GPU. */
export interface HostMemory {
  /** The NUMA node of the GPU; null: the kernel does not tell. */
  readonly gpuNode: number | null;
  /** How many nodes of this machine have memory; null: not told. */
  readonly memoryNodes: number | null;
  /**
   * `preferred`: it was asked for on the GPU's node, as far as that has room; `kept`: somebody had set a
   * policy, which holds; `refused`: nobody may ask; `none`: the GPU's node is not known.
   */
  readonly asked: 'preferred' | 'kept' | 'refused' | 'none';
  /**
   * Of pages that were looked at, the share on each node; null: the kernel does not tell, as of memory that
   * the driver maps.
   */
  readonly nodes: readonly { readonly node: number; readonly share: number }[] | null;
}

export interface GpuTelemetry {
  /**
   * null: the host's clock timed the repetitions, of launches and copies that make the host wait, of a framework that computes on a
   * stream of its own, or of ranks whose calls are timed one by one. Documents of older versions have one of no groups for the former.
   */
  readonly clock: GpuClock | null;
  readonly nvml: NvmlTelemetry;
  /** Of the GPUs of the ranks after the first, in their order, or of the one to which it copies; absent: it was one GPU. */
  readonly others?: readonly NvmlTelemetry[];
  /** Of a copy to another GPU, whether NVLinks connect the two; null: NVML does not tell. */
  readonly linked?: readonly (boolean | null)[];
  /** Absent: it copies nothing between host and GPU, or the document is of an older version. */
  readonly hostMemory?: HostMemory;
}

/** Bits of NVML's throttle (later: event) reasons, in its order. */
export const REASONS = {
  idle: 0x1,
  applicationClocks: 0x2,
  powerCap: 0x4,
  hardwareSlowdown: 0x8,
  syncBoost: 0x10,
  softwareThermal: 0x20,
  hardwareThermal: 0x40,
  powerBrake: 0x80,
  displayClock: 0x100,
} as const;

/** Share of the readings in which any of the reasons held at least; null where they are not known. */
export function reasonShare(
  { reasons }: NvmlTelemetry,
  ...names: readonly (keyof typeof REASONS)[]
): number | null {
  if (reasons == null) return null;
  return Math.max(0, ...names.map((name) => reasons[String(REASONS[name])] ?? 0));
}
