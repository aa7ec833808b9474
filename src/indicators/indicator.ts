/** What an indicator is: everything that the rest of pi-bench has to know about one. */
import type { Options } from 'yargs';
import type { MachineDescription } from '../machine/types.js';
import type { CurveDeclaration, KpiDeclaration } from '../record/kpi.js';
import type { RateCounts, Work } from '../record/work.js';
import type { Bytes, Seconds } from '../units.js';

export type ParameterValue = number | string | boolean;
/** An indicator's parameters, every one fixed: what makes a case. */
export type Parameters = Readonly<Record<string, ParameterValue>>;
/** Flags as the command line gives them. */
export type Flags = Readonly<Record<string, unknown>>;

/** How the addon is asked for one call of the indicator. */
export interface NativeWorkload {
  readonly workload: string;
  readonly parameters: Readonly<Record<string, number | string | readonly number[]>>;
}

export interface Placement {
  /** The CPU of each thread; empty when threads are not bound. */
  readonly cpus: readonly number[];
  /** The GPU on which the addon executes it, and the folder of our kernels for it; null: the host has the operands. */
  readonly gpu: { readonly ordinal: number; readonly kernels: string } | null;
}

/** How an indicator is measured unless flags say otherwise. */
export interface MeasuringDefaults {
  readonly inspections: number;
  /** Without --reps a launch repeats for so long. */
  readonly seconds: Seconds;
}

export interface Indicator {
  readonly name: string;
  readonly summary: string;
  /** Flags beside those that every measuring command has. */
  readonly options: Readonly<Record<string, Options>>;
  /** Of the options, the one that its own command takes without a name: `collective all-reduce`. */
  readonly positional?: string;
  /** The stack that executes it unless another is asked for; absent or null: our own. */
  usualStack?(flags: Flags): string | null;
  /** One case takes the device that is named and those after it: `cuda:all` is one case, not one for each. */
  readonly spansDevices?: boolean;
  readonly examples: readonly (readonly [command: string, what: string])[];
  readonly measuring: MeasuringDefaults;
  /**
   * The cases that one command asks for, at least one.
   * @param flags `device` among them, one device
   * @throws UserError for flags that make no case.
   */
  fromFlags(flags: Flags, machine: MachineDescription): readonly Parameters[];
  /** @throws UserError for parameters (of a campaign file, a journal) that make no case. */
  check(parameters: Parameters): void;
  /** The work of one repetition. */
  work(parameters: Parameters): Work;
  /** Which part of the work its rate counts. */
  readonly rateCounts: RateCounts;
  /**
   * Which kernels of the embedded stack execute it: those of its data type, passes over memory, loops of collectives, or none that an
   * instruction set would have.
   */
  readonly kernels: 'arithmetic' | 'memory' | 'collective' | 'none';
  /** Memory of the host that one inspection takes for its operands and buffers. */
  memory(parameters: Parameters): Bytes;
  /** What to ask for where that is more than there is; absent: a smaller size. */
  lessMemory?(parameters: Parameters): string;
  /** Memory of the GPU, whose L2 is so large; absent: it runs on none. */
  gpuMemory?(parameters: Parameters, l2: Bytes): Bytes;
  /** Threads on a part of the CPU where nobody says how many; absent: one for each of its CPUs. */
  readonly usualThreads?: number;
  /** Threads that one inspection keeps busy. */
  threads(parameters: Parameters): number;
  readonly dtype: (parameters: Parameters) => string;
  /** What a person calls the case: `matmul 512 x 512 x 512 float32, 2 threads`. */
  title(parameters: Parameters): string;
  /** `FLOP/s`, `OP/s` where the operations are on integers, `B/s`. */
  rateUnit(parameters: Parameters): string;
  nativeWorkload(
    parameters: Parameters,
    placement: Placement,
    variant: string | null,
    seed: number,
  ): NativeWorkload;
  readonly kpis: readonly KpiDeclaration[];
  /** Made of several batches of one record. */
  readonly curves: readonly CurveDeclaration[];
}
