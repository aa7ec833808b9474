/**
 * What a submission needs to know of a scheduler. Each is one file beside this one and one line in index.ts; everything else (the
 * journal, retries, collecting, what is said) is the same for all.
 */
import type { Options } from 'yargs';
import type { Task } from './task.js';

/** Flags of one scheduler as plain data: the journal keeps them, so that a submission can be resumed. */
export type Settings = Readonly<Record<string, string | number | boolean | readonly string[] | null>>;

/** Of schedulers that hand on what a program prints. */
export const MOST_BYTES = 32 * 1024 ** 2;

export interface Targets {
  /** One for each node: its name, or a number where the scheduler chooses. */
  readonly names: readonly string[];
  /** Nodes that cannot run anything now, with the scheduler's reason. */
  readonly unfit: ReadonlyMap<string, string>;
}

export interface Submitted {
  readonly target: string;
  /** By which the scheduler knows it, also after a restart of pi-bench. */
  readonly job: string;
}

export interface Unseen {
  /** Where it was begun. */
  readonly why: string;
  /** What somebody may do as long as it is waited for. */
  readonly meanwhile: string;
}

export type JobState =
  /** `hopeless`: it will not begin, as the scheduler has it. */
  | { readonly phase: 'waiting'; readonly why: string | null; readonly hopeless?: boolean }
  /** `unseen`: nobody here can tell whether it still runs. */
  | { readonly phase: 'running'; readonly node: string | null; readonly unseen?: Unseen }
  /** `itself`: the program came to its end, and its results may take a moment until they are seen here. */
  | {
      readonly phase: 'ended';
      readonly itself: boolean;
      readonly node: string | null;
      readonly reason: string;
    };

export interface Context {
  readonly settings: Settings;
  /** The submission's folder. */
  readonly folder: string;
  /** A name of letters, digits and dashes for what is submitted; no other submission has it. */
  readonly label: string;
}

export interface Connection {
  /**
   * Hands tasks over, all of one attempt.
   * @throws UserError with the scheduler's own words when it refuses, NoAnswer where it may have them all the same
   */
  submit(tasks: readonly Task[]): Promise<readonly Submitted[]>;
  /** Jobs of an attempt that were submitted although nobody noted it, because a kill came between. */
  find(tasks: readonly Task[]): Promise<readonly Submitted[]>;
  /** A job that is missing in the answer is not known to the scheduler at the moment. */
  observe(
    jobs: readonly Submitted[],
    attempts: ReadonlyMap<string, number>,
  ): Promise<ReadonlyMap<string, JobState>>;
  /** What a task printed, for nodes that do not share the folder or can put nothing there; empty where nothing can be had. */
  output(job: Submitted, attempt: number): Promise<string>;
  /** The end of what it said on stderr, for a reason. */
  said(job: Submitted, attempt: number): Promise<string>;
  cancel(job: Submitted, attempt: number): Promise<void>;
  /** How a person ends what runs: `scancel 17`. */
  howToCancel(jobs: readonly Submitted[]): string;
}

export interface Scheduler {
  readonly name: string;
  readonly summary: string;
  readonly options: Readonly<Record<string, Options>>;
  readonly examples: readonly (readonly [command: string, what: string])[];
  /** Bytes of results that may come back as text. */
  readonly mostBytes: number;
  /** @throws UserError for flags that do not fit */
  settingsOf(flags: Readonly<Record<string, unknown>>): Settings;
  /** What is no error, and easily forgotten; null: nothing. */
  hint?(settings: Settings, command: readonly string[]): string | null;
  /** @throws UserError where the scheduler is not there */
  targets(settings: Settings): Promise<Targets>;
  connect(context: Context): Promise<Connection>;
  /** What a dry run cannot do without either; null: nothing but pi-bench. */
  readonly dryRunNeeds: string | null;
  /** What would be handed over, as text; of schedulers that take files. */
  dryRun(context: Context, tasks: readonly Task[]): string | Promise<string>;
}
