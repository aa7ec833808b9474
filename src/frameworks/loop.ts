/** The measuring loop for stacks in JavaScript: native/measure/loop.h once more, its stop rules included, with two readings of the clock for each repetition. */
import { type NativeJob, type NativeOutcome, native } from '../native.js';
import type { PreparedProduct } from './adapter.js';

/** Nanoseconds of CLOCK_MONOTONIC. */
export type Nanoseconds = number;

/** What the loop and its onlookers share. */
export interface Control {
  phase: string;
  taken: number;
  cancelled: boolean;
}

/** Waits for a repetition only where there is something to wait for: a promise's turn of the microtasks costs time. */
export async function call({ run }: PreparedProduct, calls: number): Promise<void> {
  for (let i = 0; i < calls; ++i) {
    const pending = run();
    if (pending !== undefined) await pending;
  }
}

export interface Taken {
  readonly entries: Float64Array;
  readonly exits: Float64Array;
  readonly disturbed: number[];
  count: number;
  evicting: Nanoseconds;
  cancelled: boolean;
  outOfTime: boolean;
}

export interface Loop {
  readonly job: Pick<NativeJob, 'repetitions' | 'budgetSeconds' | 'least' | 'most' | 'cold'>;
  readonly product: PreparedProduct;
  /** Brings the operands out of the caches. */
  readonly evict: () => void;
  readonly callsPerSample: number;
  readonly deadline: Nanoseconds;
  readonly control: Control;
  readonly breathe: (at: Nanoseconds) => Promise<void>;
}

/** Takes samples until there are enough, somebody cancels, or the deadline has passed. */
export async function repeat({
  job,
  product,
  evict,
  callsPerSample,
  deadline,
  control,
  breathe,
}: Loop): Promise<Taken> {
  const { beginCall, endCall, disturbed } = native();
  const { run } = product;
  const capacity = job.repetitions > 0 ? job.repetitions : job.most;
  const taken: Taken = {
    entries: new Float64Array(capacity),
    exits: new Float64Array(capacity),
    disturbed: [],
    count: 0,
    evicting: 0,
    cancelled: false,
    outOfTime: false,
  };
  for (;;) {
    if (job.cold) {
      const begin = endCall();
      evict();
      // Before the first one it is no part of the time from the first to the last.
      if (taken.count > 0) taken.evicting += endCall() - begin;
    }
    const entry = beginCall();
    for (let i = 0; i < callsPerSample; ++i) {
      const pending = run();
      if (pending !== undefined) await pending;
    }
    const exit = endCall();
    if (disturbed()) taken.disturbed.push(taken.count);
    taken.entries[taken.count] = entry;
    taken.exits[taken.count] = exit;
    control.taken = ++taken.count;
    const enough =
      job.repetitions > 0
        ? taken.count >= job.repetitions
        : taken.count >= job.most ||
          (taken.count >= job.least && exit - (taken.entries[0] ?? exit) >= job.budgetSeconds * 1e9);
    if (enough) return taken;
    if (control.cancelled) {
      taken.cancelled = true;
      return taken;
    }
    if (exit >= deadline) {
      taken.outOfTime = true;
      return taken;
    }
    await breathe(exit);
  }
}

/** @param watched whether every thread that computes could be watched */
export function samplesOf(
  { entries, exits, disturbed, count, evicting, cancelled, outOfTime }: Taken,
  callsPerSample: number,
  watched: boolean,
): NativeOutcome['samples'] {
  const first = entries[0] ?? 0;
  return {
    entries: entries.subarray(0, count).map((entry) => (entry - first) * 1e-9),
    seconds: exits
      .subarray(0, count)
      .map((exit, i) => ((exit - (entries[i] ?? exit)) * 1e-9) / callsPerSample),
    evictingSeconds: evicting * 1e-9,
    wallSeconds: count === 0 ? 0 : ((exits[count - 1] ?? first) - first) * 1e-9,
    cancelled,
    outOfTime,
    disturbed: watched ? Uint32Array.from(disturbed) : null,
  };
}

/** Of an inspection that was cancelled before its repetitions. */
export const NOTHING_TAKEN: Taken = {
  entries: new Float64Array(0),
  exits: new Float64Array(0),
  disturbed: [],
  count: 0,
  evicting: 0,
  cancelled: true,
  outOfTime: false,
};
