/** What a worker is asked to do: one JSON line on its standard input; and what it says on its channel, file 3. */
import type { CoreKind } from '../machine/types.js';
import type { MpiWorld, NativeJob } from '../native.js';
import type { Case, InspectionDocument, StackIdentity, Warmup } from '../record/schema.js';
import type { Ratio, Seconds } from '../units.js';

export const CHANNEL_FD = 3;

/** The framework that executes it, in the worker's own JavaScript. */
export interface FrameworkJob {
  readonly provider: 'tfjs' | 'onnxruntime';
  readonly backend: string;
  /** npm packages that it consists of. */
  readonly packages: readonly string[];
  /** Those of the case that it can use. */
  readonly threads: number;
}

export interface Job {
  readonly campaign: string;
  readonly index: number;
  readonly attempt: number;
  readonly case: Case;
  readonly stack: Omit<StackIdentity, 'implementation'>;
  /** Changes to the worker's environment, made before it starts; null: the variable is left out. */
  readonly environment: Readonly<Record<string, string | null>>;
  /** Of a stack of one's own: what was loaded from there is recorded. */
  readonly ownFolders: readonly string[];
  readonly device: string;
  readonly seed: number;
  /** The CPU of each thread; empty: not bound. */
  readonly cpus: readonly number[];
  /** CPUs for the worker's own main thread. */
  readonly otherCpus: readonly number[];
  readonly warmup: Warmup;
  /** How many launches are measured at the same time, this one included; absent: it is alone. */
  readonly atOnce?: { readonly of: number };
  /** null: the addon executes it. */
  readonly framework: FrameworkJob | null;
  readonly native: Omit<NativeJob, 'snapshotPaths' | 'timeLimitSeconds'>;
  /** From the launch to the end of the repetitions. */
  readonly timeout: Seconds;
  /** Share of each tenth of a second in which the engine stops the process, on purpose; null: never. */
  readonly standstill: Ratio | null;
  /** CLOCK_MONOTONIC at which the engine began to launch. */
  readonly launchedAt: Seconds;
  /** Since then, of a job that goes to ranks: another host's clock has another beginning. */
  readonly spent?: Seconds;
  /** Of ranks that have met: how many are on this host; null: it cannot be told. Absent of others. */
  readonly ranksHere?: number | null;
  /** The library of ranks of MPI, which have met with it. Absent of others. */
  readonly mpi?: StackIdentity['mpi'];
  readonly onlineCpus: number;
  readonly allowedCpus: readonly number[];
  /** Where these are on cores of different kinds: each; else empty. */
  readonly coreKinds: readonly CoreKind[];
  /** Folders for the document, tried in this order. */
  readonly folders: readonly string[];
  readonly fileName: string;
  /** Of the samples, beside the document. */
  readonly samplesName: string;
}

/** `end`: of ranks of MPI, which wait for another job after each; `go`: of launches at once, that the gate is open. */
export type Order = { readonly order: 'cancel' | 'end' | 'go' };

/** The phase of a launch in which what executes it is loaded, and its operands are allocated and filled. */
export const LOADING = 'allocate';
/** Those that follow, in which it calls and nothing is measured yet. */
export const BEFORE_GATE: readonly string[] = ['warm-up', 'calibrate'];

/** The phase of a launch that waits for those with which it is to begin. */
export const AT_GATE = 'gate';

/** The phase of a launch that has measured and verified, and only has to write that down. */
export const MEASURED = 'write';

/** Before what a rank of MPI says on its standard output, where libraries and launchers write too. */
export const SPOKEN = 'pi-bench says: ';

export type Report =
  | { readonly event: 'progress'; readonly phase: string; readonly taken: number }
  | {
      readonly event: 'written';
      readonly path: string;
      readonly ended: InspectionDocument['ended'];
      readonly passed: boolean | null;
      readonly refused: readonly string[];
    }
  /** Ranks of MPI have found each other. */
  | { readonly event: 'joined'; readonly world: MpiWorld }
  | { readonly event: 'failed'; readonly status: 'out-of-memory' | 'failed'; readonly message: string };

/** Seconds of CLOCK_MONOTONIC, the clock of the addon too. */
export function monotonic(): Seconds {
  return Number(process.hrtime.bigint()) * 1e-9;
}
