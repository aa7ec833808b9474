/**
 * The repetitions of one launch as slices: all of them where there is room; otherwise the first ones and the disturbed ones
 * one by one, and each run of others between them as one slice that says how many it stands for. Pure.
 */
import { plural } from '../../quantities/format.js';
import type { Samples } from '../../record/samples.js';
import { median } from '../../statistics/quantile.js';
import { type Nanoseconds, nanoseconds, type Slice, type Track } from './events.js';

export interface Repetitions {
  readonly samples: Samples;
  readonly callsPerSample: number;
  /** When the first one began, and when the phase that holds them ended. */
  readonly begin: Nanoseconds;
  readonly end: Nanoseconds;
  readonly track: Track;
  /** Slices for them, at most; from 8 on. */
  readonly most: number;
}

/** Of the room, where not all fit: what the first repetitions get. Each disturbed one may need two slices. */
const FIRST_SHARE = 1 / 4;

/**
 * Which are drawn one by one, ascending; null: all. Where more are disturbed than there is room for, the slowest of them.
 */
function chosen({ samples, most }: Repetitions): readonly number[] | null {
  const { seconds, disturbed } = samples;
  if (seconds.length <= most) return null;
  const first = Math.floor(most * FIRST_SHARE);
  const room = Math.floor((most - first - 1) / 2);
  const later = (disturbed ?? []).filter((index) => index >= first);
  const kept =
    later.length <= room
      ? later
      : [...later].sort((a, b) => (seconds[b] ?? 0) - (seconds[a] ?? 0)).slice(0, room);
  return [...Array(first).keys(), ...kept].sort((a, b) => a - b);
}

/** A run of repetitions as one slice. */
function together(
  { samples: { seconds }, callsPerSample }: Repetitions,
  hit: ReadonlySet<number>,
  from: number,
  to: number,
): Pick<Slice, 'name' | 'args'> {
  const part = seconds.subarray(from, to + 1);
  let [min, max, disturbed] = [Number.POSITIVE_INFINITY, 0, 0];
  part.forEach((value, i) => {
    min = Math.min(min, value);
    max = Math.max(max, value);
    if (hit.has(from + i)) disturbed++;
  });
  return {
    name: plural(part.length, 'repetition'),
    args: {
      repetitions: part.length,
      from,
      to,
      disturbed,
      callsPerRepetition: callsPerSample,
      medianSecondsOfACall: median(part),
      minSecondsOfACall: min,
      maxSecondsOfACall: max,
      note: 'not drawn one by one, to keep the trace small: the samples are in the inspection’s file',
    },
  };
}

/** @yields slices without overlap, in order, each within `begin` and `end` */
export function* repetitionSlices(input: Repetitions): Generator<Slice, { readonly oneByOne: number }> {
  const { samples, callsPerSample, begin, end, track } = input;
  const { seconds, entries } = samples;
  const n = seconds.length;
  const hit = new Set(samples.disturbed ?? []);
  const entry = (i: number): Nanoseconds => begin + nanoseconds(entries[i] ?? 0);
  // Entries and durations are rounded separately: an exit must not lie behind the next entry.
  const exit = (i: number): Nanoseconds => {
    const limit = i + 1 < n ? Math.min(end, entry(i + 1)) : end;
    return Math.min(limit, entry(i) + nanoseconds((seconds[i] ?? 0) * callsPerSample));
  };
  const slice = (from: number, to: number, what: Pick<Slice, 'name' | 'args' | 'bad'>): Slice => {
    const start = Math.min(entry(from), end);
    const duration = Math.max(0, exit(to) - start);
    return { kind: 'slice', track, category: 'repetition', begin: start, duration, ...what };
  };
  const single = (i: number): Slice =>
    slice(
      i,
      i,
      hit.has(i)
        ? { name: 'repetition, disturbed', args: { index: i, lostItsCpu: 'perhaps' }, bad: true }
        : { name: 'repetition', args: { index: i } },
    );
  const run = (from: number, to: number): Slice => slice(from, to, together(input, hit, from, to));

  const kept = chosen(input);
  if (kept === null) {
    for (let i = 0; i < n; i++) yield single(i);
    return { oneByOne: n };
  }
  let next = 0;
  for (const index of kept) {
    if (index > next) yield run(next, index - 1);
    yield single(index);
    next = index + 1;
  }
  if (next < n) yield run(next, n - 1);
  return { oneByOne: kept.length };
}
