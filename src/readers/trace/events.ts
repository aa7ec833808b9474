/**
 * The events of the Trace Event format (JSON) that Perfetto and chrome://tracing open, as far as a campaign needs them.
 * Times are whole nanoseconds here, so that nothing that follows on something else overlaps it by rounding; the format has
 * microseconds with decimals.
 */
import type { Seconds } from '../../units.js';

export type Nanoseconds = number;
export type TraceArguments = Readonly<Record<string, unknown>>;

/** One track; all are threads of one process, the campaign. */
export type Track = number;

/** A slice from `begin` on. Slices of one track nest, or follow on each other. */
export interface Slice {
  readonly kind: 'slice';
  readonly track: Track;
  readonly name: string;
  readonly category: string;
  readonly begin: Nanoseconds;
  readonly duration: Nanoseconds;
  readonly args?: TraceArguments;
  /** Shown in chrome://tracing's colour for what is bad; Perfetto colours by name. */
  readonly bad?: boolean;
}

/** Something that is known to have happened at one moment, or is noted there. */
export interface Instant {
  readonly kind: 'instant';
  readonly track: Track;
  readonly name: string;
  readonly category: string;
  readonly begin: Nanoseconds;
  readonly args?: TraceArguments;
}

/** What a track, or with track null the process, is called. */
export interface Name {
  readonly kind: 'name';
  readonly track: Track | null;
  readonly name: string;
}

export type TraceEvent = Slice | Instant | Name;

const PROCESS = 1;

export const nanoseconds = (value: Seconds): Nanoseconds => Math.round(value * 1e9);

/**
 * Steps of 1/1024 µs, a little less than a nanosecond: doubles add and subtract them exactly for 101 days, so readers that
 * add a slice's duration to its begin find where the next one begins. With three decimals some found it a hair too late,
 * and did not nest what nests.
 */
const STEPS_PER_MICROSECOND = 1024;
const steps = (value: Nanoseconds): number => Math.round((value / 1000) * STEPS_PER_MICROSECOND);
const microseconds = (value: Nanoseconds): number => steps(value) / STEPS_PER_MICROSECOND;
const microsecondsFor = ({ begin, duration }: Slice): number =>
  (steps(begin + duration) - steps(begin)) / STEPS_PER_MICROSECOND;

const optional = (args: TraceArguments | undefined): object => (args === undefined ? {} : { args });

/** The event as the format has it. */
export function eventObject(event: TraceEvent): object {
  switch (event.kind) {
    case 'name':
      return event.track === null
        ? { ph: 'M', name: 'process_name', pid: PROCESS, args: { name: event.name } }
        : { ph: 'M', name: 'thread_name', pid: PROCESS, tid: event.track, args: { name: event.name } };
    case 'slice':
      return {
        ph: 'X',
        name: event.name,
        cat: event.category,
        pid: PROCESS,
        tid: event.track,
        ts: microseconds(event.begin),
        dur: microsecondsFor(event),
        ...(event.bad === true ? { cname: 'terrible' } : {}),
        ...optional(event.args),
      };
    case 'instant':
      return {
        ph: 'i',
        s: 't',
        name: event.name,
        cat: event.category,
        pid: PROCESS,
        tid: event.track,
        ts: microseconds(event.begin),
        ...optional(event.args),
      };
  }
}
