/** The GPUs of a machine: what the driver and NVML say of each, or why there is none. Pure. */
import type { Bytes, Celsius, Hertz, Watts } from '../units.js';

/** Rows of memory that were replaced by spare ones after errors, since the GPU was made. */
export interface RemappedRows {
  readonly corrected: number;
  readonly uncorrected: number;
  /** Some wait for a reset to be replaced. */
  readonly pending: boolean;
  /** One could not be replaced. */
  readonly failed: boolean;
}

/** Of a GPU's memories, caches and the like among them; null: NVML does not tell. */
export interface GpuMemoryErrors {
  readonly corrected: number | null;
  readonly uncorrected: number | null;
}

export interface GpuDescription {
  /** As the driver counts: `cuda:<ordinal>`. */
  readonly ordinal: number;
  readonly name: string;
  readonly uuid: string;
  readonly pciBusId: string;
  readonly computeCapability: string;
  readonly multiprocessors: number;
  readonly l2Bytes: Bytes;
  readonly memoryBytes: Bytes;
  /** When it was asked; absent or null: NVML does not tell. */
  readonly freeBytes?: Bytes | null;
  readonly memoryBusBits: number;
  /** Copy engines: two move data in both directions at once. */
  readonly asyncEngines: number;
  /** Why the rest is not known; null: NVML told it, as far as this GPU has it. */
  readonly nvmlProblem: string | null;
  readonly driver?: string | null;
  readonly vbios?: string | null;
  /** vendor:device */
  readonly pciDevice?: string | null;
  readonly pciSubsystem?: string | null;
  /** As it is set (nvidia-smi -pl). */
  readonly powerLimitWatts?: Watts | null;
  /** The least of all limiters, those out of band too. Absent in records of older versions. */
  readonly enforcedPowerLimitWatts?: Watts | null;
  readonly defaultPowerLimitWatts?: Watts | null;
  readonly mostSmHertz?: Hertz | null;
  readonly mostMemoryHertz?: Hertz | null;
  readonly slowdownCelsius?: Celsius | null;
  readonly persistence?: boolean | null;
  readonly mig?: boolean | null;
  readonly ecc?: boolean | null;
  /** null: NVML does not tell, or this GPU replaces none. */
  readonly remappedRows?: RemappedRows | null;
  /**
   * Since the driver was loaded or the GPU reset. Absent, as what follows, in records of older versions;
   * null: no ECC, or not told.
   */
  readonly eccErrors?: GpuMemoryErrors | null;
  /** In all its life. */
  readonly eccErrorsEver?: GpuMemoryErrors | null;
  /**
   * Whether pages of its memory wait to be taken out of use; null: it replaces rows instead, or does not
   * tell.
   */
  readonly retirementPending?: boolean | null;
  /** Whether its SRAM had more errors than NVIDIA's policy for returns lets stand; null: not told. */
  readonly sramThresholdExceeded?: boolean | null;
  /**
   * What the driver asks for after an error, as NVML numbers it; 0: nothing; null: an older driver does not
   * tell.
   */
  readonly recoveryAction?: number | null;
  readonly mostPcieGeneration?: number | null;
  readonly mostPcieWidth?: number | null;
  /** When it was asked: a link that rests goes slower. */
  readonly pcieGeneration?: number | null;
  readonly pcieWidth?: number | null;
  /** Absent or null: it has none, or does not tell. */
  readonly nvlinks?: { readonly up: number; readonly all: number } | null;
  /** Of compute on it when it was asked, before anything of ours was. */
  readonly processes?: number | null;
  /**
   * Those that draw at that moment, some of which may compute, too. Absent, as what follows, in records of
   * older versions.
   */
  readonly drawingProcesses?: number | null;
  /** Of its memory, without what the driver keeps for itself; null: not told, or of a divided GPU. */
  readonly bytesInUse?: Bytes | null;
}

/** What limits the power: as it is set, where the driver does not tell what it enforces. */
export const limitInForce = ({
  enforcedPowerLimitWatts,
  powerLimitWatts,
}: Pick<GpuDescription, 'enforcedPowerLimitWatts' | 'powerLimitWatts'>): Watts | null =>
  enforcedPowerLimitWatts ?? powerLimitWatts ?? null;

/** The limit that was set, where another one that is lower holds: no setting of the driver raises that. */
export function limitOverruled(gpu: Parameters<typeof limitInForce>[0]): Watts | null {
  const { powerLimitWatts: set } = gpu;
  const inForce = limitInForce(gpu);
  return set != null && inForce !== null && inForce < set ? set : null;
}

export interface GpuSurvey {
  /** Why there is no GPU; null: there is one. */
  readonly problem: string | null;
  /** The version of CUDA that the driver speaks. */
  readonly cuda: string | null;
  /** The driver's library that was opened. */
  readonly library: string | null;
  /**
   * Whether who asked has a PID namespace of its own, as in a container, where NVML may list nobody; null:
   * not known.
   */
  readonly ownPidNamespace?: boolean | null;
  readonly devices: readonly GpuDescription[];
}

/** The driver was not heard: of its GPUs that says nothing, unlike a survey that lacks one. */
export interface Unheard {
  readonly unheard: string;
  /** It was asked, and given up at the limit that the caller set. */
  readonly timedOut: boolean;
}

export const noGpus = (problem: string): GpuSurvey => ({ problem, cuda: null, library: null, devices: [] });
