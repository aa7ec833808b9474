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
  readonly powerLimitWatts?: Watts | null;
  readonly defaultPowerLimitWatts?: Watts | null;
  readonly mostSmHertz?: Hertz | null;
  readonly mostMemoryHertz?: Hertz | null;
  readonly slowdownCelsius?: Celsius | null;
  readonly persistence?: boolean | null;
  readonly mig?: boolean | null;
  readonly ecc?: boolean | null;
  /** null: NVML does not tell, or this GPU replaces none. */
  readonly remappedRows?: RemappedRows | null;
  readonly mostPcieGeneration?: number | null;
  readonly mostPcieWidth?: number | null;
  /** When it was asked: a link that rests goes slower. */
  readonly pcieGeneration?: number | null;
  readonly pcieWidth?: number | null;
  /** Absent or null: it has none, or does not tell. */
  readonly nvlinks?: { readonly up: number; readonly all: number } | null;
  /** Of compute on it when it was asked, before anything of ours was. */
  readonly processes?: number | null;
}

export interface GpuSurvey {
  /** Why there is no GPU; null: there is one. */
  readonly problem: string | null;
  /** The version of CUDA that the driver speaks. */
  readonly cuda: string | null;
  /** The driver's library that was opened. */
  readonly library: string | null;
  readonly devices: readonly GpuDescription[];
}

export const noGpus = (problem: string): GpuSurvey => ({ problem, cuda: null, library: null, devices: [] });
