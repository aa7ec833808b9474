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
 * Steps of 1/4096 µs. Doubles add and subtract them exactly for 25 days, so readers that add a slice's duration to its begin
 * find where the next one begins. And they are finer than a nanosecond: Perfetto rounds a begin and a duration to
 * nanoseconds each by itself, and finds those that were meant. With three decimals the first kind of reader found slices
 * that end a hair after the next begins, with steps of 1/1024 µs Perfetto did, by a nanosecond: it takes such a slice out
 * of its row, and what is inside it with it.
 */
const STEPS_PER_MICROSECOND = 4096;
const steps = (value: Nanoseconds): number => Math.round((value / 1000) * STEPS_PER_MICROSECOND);
const microseconds = (value: Nanoseconds): number => steps(value) / STEPS_PER_MICROSECOND;
const microsecondsFor = ({ begin, duration }: Slice): number =>
  (steps(begin + duration) - steps(begin)) / STEPS_PER_MICROSECOND;

/**
 * Numbers with no more digits than anybody reads: of a small one with 17 Perfetto makes another, because its parser counts
 * no further than 19 decimals (0.0000024496500000000003 becomes 0.0131).
 */
const DIGITS = 12;
function legible(value: unknown): unknown {
  if (typeof value === 'number') return Number.isInteger(value) ? value : Number(value.toPrecision(DIGITS));
  if (Array.isArray(value)) return value.map(legible);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, legible(inner)]));
}

const optional = (args: TraceArguments | undefined): object =>
  args === undefined ? {} : { args: legible(args) };

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
