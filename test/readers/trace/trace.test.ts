/** Traces of campaigns: what a viewer of the Trace Event format relies on, and that nothing is drawn that nobody knows. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UserError } from '../../../src/errors.js';
import { eventObject } from '../../../src/readers/trace/events.js';
import { type TraceInput, type TraceSummary, traceOf } from '../../../src/readers/trace/trace.js';
import { writeTrace } from '../../../src/readers/trace/write.js';
import { SEEDED } from '../../statistics/support.js';
import { campaignOf, expectNested, type FakeLaunch, type FileEvent, ns, PAUSE, stampAt } from './support.js';

function traced(input: TraceInput): { events: FileEvent[]; summary: TraceSummary } {
  const events: FileEvent[] = [];
  const steps = traceOf(input);
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) events.push(eventObject(step.value) as FileEvent);
  return { events, summary: step.value };
}

const named = (events: readonly FileEvent[], name: string): FileEvent[] =>
  events.filter((event) => event.name === name);
const inCategory = (events: readonly FileEvent[], category: string): FileEvent[] =>
  events.filter(({ cat }) => cat === category);
const repeated = (count: number, seconds: number): number[] => Array<number>(count).fill(seconds);

describe('a trace', () => {
  it('nests its slices and never goes back in time, whatever the launches were', () => {
    const launch: fc.Arbitrary<FakeLaunch> = fc
      .array(fc.double({ min: 1e-9, max: 2, noNaN: true }), { maxLength: 60 })
      .chain((seconds) =>
        fc.record({
          seconds: fc.constant(seconds),
          disturbed: fc.option(fc.subarray([...seconds.keys()]), { nil: null }),
        }),
      );
    fc.assert(
      fc.property(
        fc.array(launch, { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 0, max: 200 }),
        (all, most) => {
          const { events, summary } = traced(campaignOf(all, most));
          expectNested(events);
          expect(summary.repetitions).toBe(all.reduce((sum, { seconds }) => sum + seconds.length, 0));
        },
      ),
      { ...SEEDED, numRuns: 100 },
    );
  });

  it('has every phase with the duration that the record accounts for, to the nanosecond', () => {
    const input = campaignOf([{ seconds: repeated(5, 0.01) }, { seconds: repeated(5, 0.02) }]);
    const { events } = traced(input);
    const spans = input.record.batches[0]?.inspections.flatMap((one) => one.spans) ?? [];
    for (const name of new Set(spans.map((span) => span.name))) {
      const told = spans.filter((span) => span.name === name).reduce((sum, { seconds }) => sum + seconds, 0);
      const drawn = named(events, name).reduce((sum, { dur }) => sum + ns(dur), 0);
      expect(Math.abs(drawn - told * 1e9), name).toBeLessThanOrEqual(2);
    }
  });

  it('puts launches where their documents say they began, and names what is between them', () => {
    const { events } = traced(campaignOf([{ seconds: [0.1] }, { seconds: [0.1] }]));
    const launches = inCategory(events, 'launch');
    expect(launches.map(({ ts }) => ts / 1e6)).toEqual([expect.closeTo(0.05, 2), expect.closeTo(0.463, 2)]);
    const [campaign] = named(events, 'campaign').filter(({ ph }) => ph === 'X');
    const inside = ['before the first launch', 'launch 1', 'between launches', 'launch 2', 'record'];
    const parts = inside.flatMap((name) => named(events, name).filter(({ tid }) => tid === campaign?.tid));
    expect(parts).toHaveLength(inside.length);
    expect(parts.reduce((sum, { dur }) => sum + ns(dur), 0)).toBe(ns(campaign?.dur));
  });

  it('draws launches that were at once beside each other, each device’s in its own row', () => {
    const one = campaignOf([{ seconds: [0.1] }, { seconds: [0.1] }]);
    const [batch] = one.record.batches;
    const batches = (batch?.inspections ?? []).map((inspection, i) => ({
      ...batch,
      device: `cpu:${i}`,
      atOnce: { of: 2, others: [] },
      inspections: [inspection],
    }));
    // The second launch at the time of the first.
    const [begun, ended] = one.journal.slice(1, 3);
    const journal = one.journal.map((entry, i) =>
      i === 3 || i === 4 ? { ...entry, at: [begun, ended][i - 3]?.at } : entry,
    );
    const first = one.readInspection(0)?.document.startedAt;
    const input = {
      ...one,
      record: { ...one.record, batches },
      journal,
      readInspection: (index: number) => {
        const read = one.readInspection(index);
        return read === null ? null : { ...read, document: { ...read.document, startedAt: first } };
      },
    } as unknown as TraceInput;
    const { events } = traced(input);
    expectNested(events);
    const launches = inCategory(events, 'launch');
    expect(launches).toHaveLength(2);
    expect(new Set(launches.map(({ tid }) => tid)).size).toBe(2);
    expect(launches[1]?.ts).toBe(launches[0]?.ts);
    expect(launches[1]?.args).not.toHaveProperty('movedByMilliseconds');
    expect(named(events, 'launches 1, 2 at once')).toHaveLength(1);
  });

  it('tells of a launch its status, its batch and its flags', () => {
    const flag = { name: 'throttled', reason: 'stood still', evidence: {} };
    const { events } = traced(campaignOf([{ seconds: [0.1], flags: [flag] }]));
    expect(inCategory(events, 'launch')[0]?.args).toMatchObject({
      launch: 1,
      status: 'measured',
      batch: 'matmul 64',
      flags: ['throttled: stood still'],
    });
  });
});

describe('a trace of several batches of one case', () => {
  it('tells of a launch its stack as it was asked for, and the labels of who measured', () => {
    const { record, ...rest } = campaignOf([{ seconds: [0.1] }]);
    const batches = record.batches.map((batch) => ({
      ...batch,
      stack: { ...batch.stack, variant: 'avx2' },
      asked: { ...batch.asked, labels: { side: 'a' } },
    }));
    const { events } = traced({ record: { ...record, batches }, ...rest });
    expect(inCategory(events, 'launch')[0]?.args).toMatchObject({
      stack: 'embedded:avx2',
      labels: { side: 'a' },
    });
  });

  it('says of what a fault was injected into that it measures no machine', () => {
    const { record, ...rest } = campaignOf([{ seconds: [0.1] }]);
    const spoiled = (fault: typeof record.campaign.fault) =>
      JSON.stringify(
        traced({ record: { ...record, campaign: { ...record.campaign, fault } }, ...rest }).events,
      );
    expect(spoiled({ kind: 'stopped', share: 0.5 })).toContain('a fault was injected (stopped)');
    expect(spoiled(null)).not.toContain('fault');
  });
});

describe('repetitions of a trace', () => {
  it('begin and last as the samples say, and end with their phase', () => {
    const seconds = [0.001, 0.002, 0.0015];
    const { events } = traced(campaignOf([{ seconds, disturbed: [1] }]));
    const drawn = inCategory(events, 'repetition');
    expect(drawn.map(({ name }) => name)).toEqual(['repetition', 'repetition, disturbed', 'repetition']);
    expect(drawn.map(({ dur }) => ns(dur))).toEqual([1_000_000, 2_000_000, 1_500_000]);
    const [first, second, third] = drawn.map(({ ts }) => ns(ts));
    expect((second ?? 0) - (first ?? 0)).toBe(1_000_000 + PAUSE * 1e9);
    const [measure] = named(events, 'measure');
    expect((third ?? 0) + 1_500_000).toBe(ns(measure?.ts) + ns(measure?.dur));
  });

  it('are put together where there are many, but for the first and the disturbed; none is lost', () => {
    const disturbed = [500, 501, 9_000];
    const { events, summary } = traced(
      campaignOf([{ seconds: repeated(10_000, 1e-5), disturbed }, { seconds: repeated(10, 1e-3) }], 200),
    );
    const drawn = inCategory(events, 'repetition').filter(({ ts }) => ts < 0.45e6);
    expect(drawn.length).toBeLessThanOrEqual(100);
    const hit = drawn.filter(({ name }) => name === 'repetition, disturbed').map(({ args }) => args?.index);
    expect(hit).toEqual(disturbed);
    expect(drawn.slice(0, 25).map(({ args }) => args?.index)).toEqual([...Array(25).keys()]);
    const counted = drawn.reduce((sum, { args }) => sum + Number(args?.repetitions ?? 1), 0);
    expect(counted).toBe(10_000);
    expect(summary).toEqual({ launches: 2, repetitions: 10_010, oneByOne: 25 + 3 + 10 });
    expect(drawn.at(-1)).toMatchObject({
      name: '999 repetitions',
      args: { from: 9_001, to: 9_999, disturbed: 0 },
    });
  });

  it('keep the slowest of the disturbed where these are too many, and count the others', () => {
    const seconds = Array.from({ length: 5_000 }, (_, i) => 1e-5 + i * 1e-9);
    const disturbed = [...seconds.keys()];
    const { events } = traced(campaignOf([{ seconds, disturbed }], 100));
    const drawn = inCategory(events, 'repetition');
    expect(drawn.length).toBeLessThanOrEqual(100);
    expect(drawn.at(-1)?.args?.index).toBe(4_999);
    const lost = drawn.reduce(
      (sum, { args, name }) => sum + Number(args?.disturbed ?? name.endsWith('disturbed')),
      0,
    );
    expect(lost).toBe(5_000);
  });
});

describe('throttling in a trace', () => {
  it('is a span of the whole phase that says that its moments are not known', () => {
    const cgroup = { quotaCpus: 1, period: 0.1, periods: 9, throttledPeriods: 4, throttledTime: 0.21 };
    const { events } = traced(campaignOf([{ seconds: [0.5] }, { seconds: [0.5], cgroup }]));
    const [span, ...others] = inCategory(events, 'throttled');
    const measure = named(events, 'measure')[1];
    expect(others).toEqual([]);
    expect(span?.name).toBe('somewhere in here: throttled in 4 of 9 periods, 210 ms');
    expect([span?.ts, span?.dur]).toEqual([measure?.ts, measure?.dur]);
    expect(span?.args?.note).toMatch(/when in between is not known/);
    expect(measure?.args).toMatchObject({ throttledPeriods: 4, periods: 9 });
  });

  it('has no track where nothing was throttled', () => {
    const { events } = traced(campaignOf([{ seconds: [0.5] }]));
    expect(events.filter(({ tid }) => tid === 3)).toEqual([]);
  });
});

describe('what went wrong in a campaign', () => {
  it('leaves a launch without its phases, with the reason, where no document is left', () => {
    const input = campaignOf([{ seconds: [0.1] }]);
    const journal = input.journal.map((entry) =>
      entry.event === 'ended' ? { ...entry, status: 'crashed', reason: 'crashed with SIGSEGV' } : entry,
    );
    const [batch] = input.record.batches;
    const inspections = batch?.inspections.map((one) => ({ ...one, spans: [] })) ?? [];
    const record = { ...input.record, batches: [{ ...batch, inspections }] } as typeof input.record;
    const { events } = traced({ record, journal, readInspection: () => null });
    const [launch] = inCategory(events, 'launch');
    expect(launch?.name).toBe('launch 1, crashed: matmul 64');
    expect(launch?.args?.reason).toBe('crashed with SIGSEGV');
    expect(inCategory(events, 'phase')).toEqual([]);
    expectNested(events);
  });

  it('is said where samples are damaged, and the launch keeps its phases', () => {
    const readInspection = () => {
      throw new UserError('cannot read the samples');
    };
    const { events } = traced({ ...campaignOf([{ seconds: [0.1] }]), readInspection });
    expect(inCategory(events, 'launch')[0]?.args?.unreadable).toBe('cannot read the samples');
    expect(named(events, 'measure')).toHaveLength(1);
    expect(inCategory(events, 'repetition')).toEqual([]);
  });

  it('is said where a document is another than the record names, and nothing of it is drawn', () => {
    const input = campaignOf([{ seconds: [0.1] }]);
    const batches = input.record.batches.map((batch) => ({
      ...batch,
      inspections: batch.inspections.map((one) => ({ ...one, sha256: 'of the one that was written' })),
    }));
    const { events } = traced({ ...input, record: { ...input.record, batches } });
    expect(inCategory(events, 'launch')[0]?.args?.unreadable).toMatch(/0\.json was altered after/);
    expect(inCategory(events, 'repetition')).toEqual([]);
  });

  it('shows a campaign that was killed and resumed as two stretches, and the launch whose end nobody saw', () => {
    const input = campaignOf([{ seconds: [0.1] }, { seconds: [0.1] }]);
    const [head, started, ended, ...rest] = input.journal;
    if (head === undefined || started === undefined || ended === undefined)
      throw new Error('a short journal');
    const killed = { event: 'started', index: 1, attempt: 1, at: stampAt(0.43) } as const;
    const resumed = { event: 'resumed', at: stampAt(0.44) } as const;
    const again = rest.map((entry) => ('attempt' in entry ? { ...entry, attempt: 2 } : entry));
    const { events } = traced({ ...input, journal: [head, started, ended, killed, resumed, ...again] });
    expect(named(events, 'campaign, resumed')).toHaveLength(1);
    expect(named(events, 'campaign').find(({ ph }) => ph === 'X')?.args?.workedSeconds).toMatch(/killed/);
    expect(events.find(({ ph }) => ph === 'i')?.name).toBe('launch 2 began; its end is not known');
    expectNested(events);
  });

  it('notes another campaign at the moment when it came', () => {
    const input = campaignOf([{ seconds: [0.1] }, { seconds: [0.1] }]);
    const contended = { event: 'contended', by: 'campaign other', at: stampAt(0.1) } as const;
    const { events } = traced({
      ...input,
      journal: [...input.journal.slice(0, 2), contended, ...input.journal.slice(2)],
    });
    const note = events.find(({ ph }) => ph === 'i');
    expect(note).toMatchObject({ name: 'campaign other measures at the same time', ts: 0.1e6 });
    expectNested(events);
  });

  it('moves a launch that would overlap the one before, and says by how much', () => {
    const input = campaignOf([{ seconds: [0.5] }, { seconds: [0.1] }]);
    const readInspection: TraceInput['readInspection'] = (index) => {
      const read = input.readInspection(index);
      if (read === null || index === 0) return read;
      return { ...read, document: { ...read.document, startedAt: stampAt(0.3) } };
    };
    const { events } = traced({ ...input, readInspection });
    expectNested(events);
    expect(inCategory(events, 'launch')[1]?.args?.movedByMilliseconds).toBeGreaterThan(100);
  });
});

describe('a trace file', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'pi-bench-trace-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('is JSON with the events and what was reduced, and the same packed', async () => {
    const input = campaignOf([{ seconds: repeated(300, 1e-3), disturbed: [70] }], 50);
    const [plain, packed] = [join(folder, 'trace.json'), join(folder, 'trace.json.gz')];
    const written = await writeTrace(plain, input);
    await writeTrace(packed, input);
    const text = readFileSync(plain, 'utf8');
    const file = JSON.parse(text) as { traceEvents: FileEvent[]; otherData: Record<string, unknown> };
    expect(file.traceEvents).toEqual(JSON.parse(JSON.stringify(traced(input).events)));
    expect(written.events).toBe(file.traceEvents.length);
    expect(file.otherData).toMatchObject({ repetitions: 300, repetitionsDrawnOneByOne: 13 });
    expect(file.otherData.reduced).toMatch(/^yes/);
    expect(gunzipSync(readFileSync(packed)).toString()).toBe(text);
    expect(readdirSync(folder).sort()).toEqual(['trace.json', 'trace.json.gz']);
  });

  it('is written beside what a killed process with our number left', async () => {
    const path = join(folder, 'again.json');
    writeFileSync(`${path}.${process.pid}.tmp`, 'half');
    await writeTrace(path, campaignOf([{ seconds: [0.1] }]));
    expect(JSON.parse(readFileSync(path, 'utf8'))).toHaveProperty('traceEvents');
  });

  it('has no number with more than 19 decimals, of which Perfetto makes another one', () => {
    const seconds = Array.from({ length: 300 }, (_, i) => (1 + i / 7) * 1e-6);
    const { events } = traced(campaignOf([{ seconds }], 50));
    const medians = events.flatMap(({ args }) => args?.medianSecondsOfACall ?? []);
    expect(medians.length).toBeGreaterThan(0);
    expect(JSON.stringify(events)).not.toMatch(/\.\d{20}/);
  });

  it('is absent, with one line that says why, where it cannot be written', async () => {
    const path = join(folder, 'nowhere', 'trace.json');
    await expect(writeTrace(path, campaignOf([{ seconds: [0.1] }]))).rejects.toThrow(
      /^cannot write the trace .*ENOENT/,
    );
    expect(existsSync(path)).toBe(false);
  });
});
