/** A campaign of made-up launches for the tests of traces, and what holds in every trace. */
import { expect } from 'vitest';
import type { TraceInput } from '../../../src/readers/trace/trace.js';
import type { ReadInspection } from '../../../src/record/analyse-inspection.js';
import type { InspectionDocument, PiBenchRecord, RecordInspection } from '../../../src/record/schema.js';
import type { JournalEntry } from '../../../src/store/journal.js';
import { QUIET_TELEMETRY } from '../../statistics/support.js';

export const ZERO = Date.parse('2026-01-01T00:00:00.000Z');
export const stampAt = (seconds: number): string => new Date(ZERO + Math.round(seconds * 1000)).toISOString();

/** An event as the file has it. */
export interface FileEvent {
  readonly ph: string;
  readonly name: string;
  readonly cat?: string;
  readonly tid?: number;
  readonly ts: number;
  readonly dur?: number;
  readonly args?: Readonly<Record<string, unknown>>;
}

export interface FakeLaunch {
  readonly seconds: readonly number[];
  readonly disturbed?: readonly number[] | null;
  readonly cgroup?: Partial<NonNullable<(typeof QUIET_TELEMETRY)['cgroup']>>;
  readonly flags?: RecordInspection['flags'];
}

/** Between two samples. */
export const PAUSE = 1e-7;
const START = 0.2;
const GAP = 0.05;

function sampled(seconds: readonly number[]) {
  const entries: number[] = [];
  let at = 0;
  for (const value of seconds) {
    entries.push(at);
    at += value + PAUSE;
  }
  return { entries, wall: seconds.length === 0 ? 0 : at - PAUSE };
}

function spansOf(wall: number) {
  return [
    { name: 'start', seconds: START },
    { name: 'load', seconds: 0.01 },
    { name: 'warm-up', seconds: 0.05 },
    { name: 'measure', seconds: wall + 5e-6 },
    { name: 'verify', seconds: 0.001 },
  ].map(({ name, seconds }) => ({ name, seconds: Math.round(seconds * 1e9) / 1e9 }));
}

/** The launches one after the other, GAP seconds between them, each ending as `measured`. */
export function campaignOf(launches: readonly FakeLaunch[], mostSlices?: number): TraceInput {
  const journal: JournalEntry[] = [{ event: 'campaign', at: stampAt(0) } as unknown as JournalEntry];
  const reads: ReadInspection[] = [];
  const inspections: RecordInspection[] = [];
  let at = GAP;
  launches.forEach(({ seconds, disturbed = null, cgroup, flags = [] }, index) => {
    const { entries, wall } = sampled(seconds);
    const spans = spansOf(wall);
    const told = spans.reduce((sum, span) => sum + span.seconds, 0);
    const whole = told + 0.002;
    journal.push({ event: 'started', index, attempt: 1, at: stampAt(at - 0.01) });
    journal.push({
      event: 'ended',
      index,
      attempt: 1,
      status: 'measured',
      reason: null,
      wall: whole,
      at: stampAt(at + whole),
    });
    const telemetry = { ...QUIET_TELEMETRY, cgroup: { ...QUIET_TELEMETRY.cgroup, ...cgroup } };
    const document = {
      index,
      attempt: 1,
      startedAt: stampAt(at + START),
      spans,
      wall,
      evicting: 0,
      callsPerSample: 1,
      cpus: [0],
      telemetry,
      samples: { count: seconds.length, disturbed: disturbed?.length ?? null },
    } as unknown as InspectionDocument;
    const samples = { seconds: Float64Array.from(seconds), entries: Float64Array.from(entries), disturbed };
    reads.push({ document, text: '', file: `inspections/${index}.json`, samples });
    inspections.push({
      index,
      status: 'measured',
      flags,
      notChecked: [],
      spans: [...spans, { name: 'write', seconds: whole - told }],
    } as unknown as RecordInspection);
    at += whole + GAP;
  });
  journal.push({ event: 'stopped', active: at, status: 'complete', at: stampAt(at) });
  const record = {
    campaign: { id: 'made-up', createdAt: stampAt(0), command: ['matmul'], fault: null },
    piBench: { version: '0.0.0' },
    batches: [
      {
        title: 'matmul 64',
        stack: { provider: 'embedded', variant: null },
        device: 'cpu',
        asked: {},
        inspections,
      },
    ],
  } as unknown as PiBenchRecord;
  return {
    record,
    journal,
    readInspection: (index) => reads[index] ?? null,
    ...(mostSlices === undefined ? {} : { mostSlices }),
  };
}

/** Microseconds of the file as the nearest whole nanoseconds. */
export const ns = (microseconds: number | undefined): number => Math.round((microseconds ?? 0) * 1000);

/**
 * In every track: times never go back, and a slice ends within the one that it began in, both as sums of doubles have it and
 * as Perfetto does, which rounds begins and durations to nanoseconds before it adds them.
 */
export function expectNested(events: readonly FileEvent[]): void {
  expectNestedIn(events, (microseconds) => microseconds);
  expectNestedIn(events, ns);
}

function expectNestedIn(events: readonly FileEvent[], unit: (microseconds: number) => number): void {
  const open = new Map<number, number[]>();
  const latest = new Map<number, number>();
  for (const { ph, tid = 0, ts, dur = 0, name } of events) {
    if (ph === 'M') continue;
    const begin = unit(ts);
    expect(begin, name).toBeGreaterThanOrEqual(latest.get(tid) ?? 0);
    latest.set(tid, begin);
    const ends = open.get(tid) ?? [];
    while (ends.length > 0 && (ends.at(-1) ?? 0) <= begin) ends.pop();
    if (ph === 'X') {
      const end = begin + unit(dur);
      expect(dur, name).toBeGreaterThanOrEqual(0);
      expect(end, name).toBeLessThanOrEqual(ends.at(-1) ?? Number.POSITIVE_INFINITY);
      ends.push(end);
    }
    open.set(tid, ends);
  }
}
