/** An engine launches one inspection and returns when its document is there or it is lost. */
import type { Job } from '../inspection/job.js';
import type { InspectionStatus } from '../record/schema.js';
import type { Seconds } from '../units.js';

export interface LaunchEnd {
  readonly status: InspectionStatus;
  /** Why it is not simply `measured`, for a person. */
  readonly reason: string | null;
  /** The document, where there is one. */
  readonly path: string | null;
  /** From launch to exit. */
  readonly wall: Seconds;
}

/** Why a launch is to end: a deadline is a promise, so it gets no more time than to end by itself, whatever it is at. */
export const DEADLINE = 'deadline';

export interface LaunchHooks {
  readonly onProgress: (phase: string, taken: number) => void;
  /** Aborted: end the repetitions, keep what was measured. Its reason may be `DEADLINE`. */
  readonly signal: AbortSignal;
  /** Aborted: the gate is open, behind which a job that has one waits; absent: the job has none. */
  readonly gate?: AbortSignal;
  /** Whether another launch is expected after this one. */
  readonly another?: boolean;
}

export interface Engine {
  readonly name: string;
  launch(job: Job, hooks: LaunchHooks): Promise<LaunchEnd>;
  /** Nothing will be launched for a while: what is kept ready for it goes. */
  rest?(): void;
}

export interface OpenEngine extends Engine {
  close(): Promise<void>;
}
