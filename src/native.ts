/** The only file that knows the addon: its types, where it is, and how it is loaded. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { gpuKernelsOf, packageRoot } from './package.js';
import type { Snapshot } from './telemetry/types.js';
import type { Bytes, Hertz, Seconds } from './units.js';

/** What the addon's matmul on the CPU computes with. */
export type DataTypeName = 'float32' | 'float64' | 'bfloat16' | 'int8';
export type FaultKind =
  | 'wrong-element'
  | 'skipped-calls'
  | 'slow-repetition'
  | 'stall'
  | 'crash'
  | 'corrupt-rank'
  | 'absent-rank'
  | 'lost-rank';
export type NativeFault =
  | { readonly kind: FaultKind; readonly at: number }
  /** Every call does this share of its work once more. */
  | { readonly kind: 'repeated-work'; readonly share: number };

export interface NativeJob {
  readonly workload: string;
  readonly parameters: Readonly<Record<string, number | string | readonly number[]>>;
  readonly warmup:
    | { readonly kind: 'auto' }
    | { readonly kind: 'count'; readonly count: number }
    | { readonly kind: 'time'; readonly seconds: Seconds };
  /** Exactly so many samples; 0: as many as fit into `budgetSeconds`, at least `least`, at most `most`. */
  readonly repetitions: number;
  readonly budgetSeconds: Seconds;
  readonly least: number;
  readonly most: number;
  readonly cold: boolean;
  /** Whether its repetitions begin when `openGate` is called; absent: as soon as it is warm. */
  readonly gate?: boolean;
  /** Whether to measure what bounds a repetition; absent: yes. */
  readonly ceilings?: boolean;
  /** Whether to look at calls and peak in turns; absent: no. */
  readonly inTurns?: boolean;
  /** Of a call: a peak that its rate is above is measured again; absent or 0: not told. */
  readonly operations?: number;
  /** 0: none. */
  readonly timeLimitSeconds: Seconds;
  readonly snapshotPaths: readonly string[];
  readonly fault?: NativeFault | null;
}

export interface NativeVerification {
  readonly passed: boolean;
  readonly method: string;
  readonly tolerance: string;
  /** Largest error as a multiple of the limit. */
  readonly worstError: number;
  readonly checked: number;
  readonly wrong: number;
  readonly firstWrong: string;
}

export interface NativeOutcome {
  /** CLOCK_MONOTONIC, without gap or overlap. */
  readonly spans: readonly { readonly name: string; readonly begin: Seconds; readonly end: Seconds }[];
  readonly clock: {
    /** Absent where JavaScript reads it. */
    readonly name?: string;
    readonly overheadSeconds: Seconds;
    readonly resolutionSeconds: Seconds;
  };
  readonly warmup: {
    readonly seconds: Float64Array;
    readonly calls: number;
    readonly judged: boolean;
    readonly steady: boolean;
  };
  readonly callsPerSample: number;
  readonly samples: {
    /** Start of each sample after the first one's start. */
    readonly entries: Float64Array;
    /** One call's seconds. */
    readonly seconds: Float64Array;
    readonly evictingSeconds: Seconds;
    readonly wallSeconds: Seconds;
    readonly cancelled: boolean;
    readonly outOfTime: boolean;
    /** Indices of disturbed repetitions; null where the system cannot tell. */
    readonly disturbed: Uint32Array | null;
  };
  readonly before: Snapshot;
  readonly after: Snapshot;
  /** 0 where it is not known. */
  readonly frequencyBefore: Hertz;
  readonly frequencyAfter: Hertz;
  readonly threadIds: readonly number[];
  readonly implementation: string;
  /** Of the arrays, when they had been filled; absent or null: not known, or not asked. */
  readonly hugePages?: {
    readonly bytes: Bytes;
    readonly of: Bytes;
    readonly possible: Bytes;
    readonly page: Bytes;
  } | null;
  /** What a GPU did meanwhile, as JSON (telemetry/gpu.ts); null: no GPU. */
  readonly device?: string | null;
  /** null: our own kernels execute it. */
  readonly library: NativeLibrary | null;
  readonly ceilings: NativeCeilings;
  /** Absent or null: no ranks. */
  readonly ranks?: NativeRanks | null;
  /** Seconds of each repetition of what was made beside the calls that the samples time, by name; absent or null: nothing. */
  readonly parts?: Readonly<Record<string, Float64Array>> | null;
  /** Of threads that read memory beside the calls, from the first repetition to the last; absent or null: there were none. */
  readonly traffic?: {
    readonly threads: number;
    readonly bytes: number;
    readonly seconds: Seconds;
    readonly by: string;
  } | null;
  readonly verification: NativeVerification | null;
}

export interface NativeRanks {
  readonly count: number;
  /** Of each repetition and rank, repetition by repetition, after the first entry of the first repetition. */
  readonly entries: Float64Array;
  readonly exits: Float64Array;
  /** Repetitions that were made again because a rank came too late. */
  readonly late: number;
  /** Of one repetition: what each rank did not spend waiting, and the slowest's time; empty and 0: not known. */
  readonly useful: Float64Array;
  readonly runtimeSeconds: Seconds;
}

/** The MPI job that a process is a rank of. */
export interface MpiWorld {
  readonly rank: number;
  readonly size: number;
  /** `Open MPI 4.1.4`. */
  readonly library: string;
  readonly hosts: number;
  /** In the order of ranks. */
  readonly members: readonly { readonly host: string; readonly process: number }[];
  /** That any rank on rank 0's host may use; known to rank 0. */
  readonly cpus: readonly number[];
}

/** What a library that executes the calls says of itself; null where it does not. */
export interface NativeLibrary {
  readonly version: string | null;
  /** A core or an instruction set, in its own words. */
  readonly chose: string | null;
  /** Of its threads: each to a CPU of its own, together to those of the case, or not at all. */
  readonly binding: 'each' | 'together' | 'none';
}

export interface ProbedLibrary {
  readonly version: string | null;
  readonly chose: string | null;
  /** What it has functions for. */
  readonly dtypes: readonly string[];
}

/** What bounds a call here, with its threads; null where it is not known. */
export interface NativeCeilings {
  /** Operations per second in registers only, and the instruction set that reaches them. */
  readonly arithmetic: {
    readonly rate: number;
    readonly isa: string;
    /** What share of it calls reached in turns with it; absent: not asked for, or not known. */
    readonly inTurns?: { readonly share: number; readonly turns: number };
  } | null;
  /** Bytes per second of reading a working set of so many bytes over and over. */
  readonly memory: { readonly rate: number; readonly bytes: Bytes } | null;
  /** Of what moves data: bytes per second of passes over memory, and the bytes that one call moves; absent: not known. */
  readonly moving?: { readonly rate: number; readonly bytes: Bytes; readonly by: string };
  /** What the device has for the type and the loop in registers does not use, by name; absent: not told. */
  readonly unusedInstructions?: string[];
}

export interface RunningInspection {
  /** Where it fails on a GPU, the error's `device` is what was counted of it, as JSON (telemetry/gpu-faults.ts). */
  readonly result: Promise<NativeOutcome>;
  progress(): { readonly phase: string; readonly taken: number };
  /** Absent where JavaScript makes the calls. */
  openGate?(): void;
  cancel(): void;
}

export interface NativeKernel {
  readonly isa: string;
  readonly dtype: DataTypeName;
  readonly runsHere: boolean;
}

export interface NativePasses {
  readonly isa: string;
  readonly runsHere: boolean;
}

/** A case whose calls are made in JavaScript: everything of a workload but the calls. */
export interface HostedCase {
  /** Allocates, fills and poisons: what a call reads, in the indicator's order, and where its result is checked. */
  prepare(): { readonly inputs: readonly ArrayBuffer[]; readonly output: ArrayBuffer };
  /** Finds the threads that the process has made since the case was, and binds them as the case says. */
  bindThreads(): HostedThreads;
  /** The same without binding them. */
  findThreads(): HostedThreads;
  poison(): void;
  /** Gives the inputs other values, in the same memory. */
  renew(): void;
  evict(): void;
  ceilings(cold: boolean): NativeCeilings;
  verify(): NativeVerification;
  /** After `verify` and one more call into a poisoned output: of both. */
  verifyOneCall(): NativeVerification;
}

export interface HostedThreads {
  /** Kernel ids, the calling thread's first. */
  readonly ids: readonly number[];
  readonly binding: NativeLibrary['binding'];
  /** Whether the calling thread is the only one that computes, and can be watched. */
  readonly watched: boolean;
}

/** Gets each warm-up call and says whether it was enough; times are nanoseconds of the addon's clock. */
export interface WarmupJudge {
  readonly wantsCalls: boolean;
  /** @param settled whether what executes it has come to rest, where that can be told */
  enough(entry: number, exit: number, settled: boolean): boolean;
  result(): NativeOutcome['warmup'];
}

/** NVML's eyes on a GPU from the moment they were asked for. */
export interface GpuWatch {
  /** Whether clock rates and power have come to rest; true where neither is known. */
  settled(): boolean;
  /** JSON (telemetry/gpu.ts) of the time between two moments of the addon's clock, in nanoseconds; ends the watch. */
  report(begin: number, end: number): string;
  /** JSON of errors alone, for the reason of a launch that failed (telemetry/gpu-faults.ts); ends the watch. */
  faults(): string;
}

export interface NativeAddon {
  inspect(job: NativeJob): RunningInspection;
  /** Best first for each data type. */
  kernels(): readonly NativeKernel[];
  /** Passes of the memory indicator, best first. */
  memoryKernels(): readonly NativePasses[];
  /** Loops of our own collectives, best first. */
  collectiveKernels(): readonly NativePasses[];
  peakLoop(dtype: DataTypeName, isa: string, iterations: number): { operations: number; seconds: Seconds };
  /** Opens the library in this process, for good. @throws Error */
  /** @param plugin the file that calls it, of one that takes such a file */
  probeLibrary(speaks: string, path: string, plugin?: string): ProbedLibrary;
  /** JSON (machine/gpus.ts); opens the NVIDIA driver in this process, for good. */
  describeGpus(): string;
  measureClock(): { overheadSeconds: Seconds; resolutionSeconds: Seconds };
  bindMainThread(cpus: readonly number[]): void;
  dieWithParent(): void;
  /** On the thread that will make the calls. @throws Error */
  host(workload: string, parameters: NativeJob['parameters']): HostedCase;
  /** @param onGpu whether it has to wait for a GPU's power, too, which comes to rest more slowly */
  warmupJudge(rule: NativeJob['warmup'], onGpu: boolean): WarmupJudge;
  /** Opens the NVIDIA driver in this process, for good; to be asked before the process has anything on the GPU. @throws Error without a GPU */
  watchGpu(ordinal: number): GpuWatch;
  /** Calls per sample, so that the clock stays small beside them and, where calls may share a sample, a budget is used up. */
  calibrate(
    callSeconds: Seconds,
    clock: NativeOutcome['clock'],
    job: Pick<NativeJob, 'repetitions' | 'budgetSeconds' | 'most' | 'cold'>,
  ): number;
  /** Nanoseconds of CLOCK_MONOTONIC; what disturbs the calling thread from now on is seen. */
  beginCall(): number;
  /** Nanoseconds of CLOCK_MONOTONIC. */
  endCall(): number;
  /** Whether the calling thread may have lost its CPU since `beginCall`. */
  disturbed(): boolean;
  disarm(): void;
  /** 0 where it is not known. */
  effectiveFrequency(): Hertz;
  takeSnapshot(paths: readonly string[], threadIds: readonly number[]): Snapshot;
  /** All threads of this process but the calling one. */
  bindOtherThreads(cpus: readonly number[]): void;
  /** Opens the library and joins its job, once in the life of a process. @throws Error */
  mpiOpen(library: string): MpiWorld;
  /** Opens the library without joining anything. @throws Error */
  mpiVersion(library: string): string;
  /** The same of ranks that find each other at a place without MPI. @throws Error in one line, which names who did not come */
  meetRanks(place: string, rank: number, ranks: number, patience: Seconds): MpiWorld;
  /** A text from rank 0 to all others, which listen; waits until they do. */
  mpiTell(text: string): void;
  mpiListen(): string;
  /** Of a rank that does not lead: takes part in the measurement of a collective until it has ended. @throws Error */
  mpiFollow(parameters: NativeJob['parameters']): void;
  /** For how long not all ranks have done what rank 0 ordered; 0: nothing is open. */
  mpiWaited(): Seconds;
  mpiEnd(): void;
  /** Ends the process without what it does at its end, which may wait for ranks that are gone. */
  leaveAtOnce(code: number): never;
}

export const gpuKernels = process.env.PIBENCH_GPU_KERNELS ?? gpuKernelsOf(packageRoot);

/** What calls Gloo, which a build of its own makes where Gloo's headers are. */
export const glooPlugin = process.env.PIBENCH_GLOO_PLUGIN ?? join(packageRoot, 'build', 'plugins', 'gloo.so');

const built = (name: string): string => join(packageRoot, 'build', 'Release', name);
const whole = built('pibench.node');
/**
 * Built first: what the worker of a float32 product on this CPU asks for (scripts/lib/needed-part.mjs). The launcher names one
 * where there is nothing more.
 */
const first = ['pibench_first_avx512.node', 'pibench_first_avx2.node'].map(built);

/** A worker uses the file that its campaign has recorded, even when the rest has been built meanwhile. */
let addon = process.env.PIBENCH_ADDON ?? whole;

/** The file that is or will be loaded. */
export const addonPath = (): string => addon;

/** Each file that is built of the addon. */
export const builtAddons = (): readonly string[] => [whole, ...first].filter((path) => existsSync(path));

let loaded: NativeAddon | undefined;

/**
 * From now on that file, here and in workers.
 * @throws Error where another one is loaded already
 */
export function useAddon(path: string): void {
  if (path === addon) return;
  if (loaded !== undefined) throw new Error(`${addon} is loaded, so ${path} cannot be`);
  addon = path;
}

/** @throws Error when the addon is missing or was built for another system. */
export function native(): NativeAddon {
  loaded ??= createRequire(import.meta.url)(addon) as NativeAddon;
  return loaded;
}
