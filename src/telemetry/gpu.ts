/** What a GPU did while it was measured, as the addon tells it. What NVML does not tell is null. */
import type { RemappedRows } from '../machine/gpus.js';
import type { Celsius, Hertz, Joules, Seconds, Watts } from '../units.js';

interface Range {
  readonly least: number;
  readonly median: number;
  readonly most: number;
}

export interface GpuProcess {
  readonly pid: number;
  /** null: the driver keeps it to itself. */
  readonly bytes: number | null;
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
  readonly memoryCelsius?: Celsius | null;
  readonly slowdownCelsius?: Celsius | null;
  readonly mostSmHertz?: Hertz | null;
  readonly powerLimitWatts?: Watts | null;
  readonly defaultPowerLimitWatts?: Watts | null;
  readonly enforcedPowerLimitWatts?: Watts | null;
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
  /** Of compute on this GPU: before this process was on it, and at the end. */
  readonly processesBefore?: readonly GpuProcess[] | null;
  readonly processesAfter?: readonly GpuProcess[] | null;
  /** Faults that the driver reported meanwhile; null: nobody could watch. */
  readonly xids?: readonly number[] | null;
  /** Seconds after the first repetition, hertz of multiprocessors and memory, watts, degrees, throttle reasons. */
  readonly series?: readonly (readonly number[])[];
}

export interface GpuTelemetry {
  /**
   * null: the host's clock timed the repetitions, of a framework that computes on a stream of its own, or of ranks whose calls
   * are timed one by one.
   */
  readonly clock: GpuClock | null;
  readonly nvml: NvmlTelemetry;
  /** Of the GPUs of the ranks after the first, in their order, or of the one to which it copies; absent: it was one GPU. */
  readonly others?: readonly NvmlTelemetry[];
  /** Of a copy to another GPU, whether NVLinks connect the two; null: NVML does not tell. */
  readonly linked?: readonly (boolean | null)[];
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
