/** What a record makes of the launches of all its batches together: its accounting, its KPIs, and what the datasheets of its GPUs promise. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { memory } from '../../src/indicators/memory.js';
import { buildRecord } from '../../src/record/build.js';
import { buildBatch } from '../../src/record/build-batch.js';
import type { BatchSpec, PiBenchRecord } from '../../src/record/schema.js';
import { inspectionOf, type Launch, matmulCase } from '../support/batch.js';
import { campaignOf, specOf } from '../support/campaign.js';
import { machineOf } from '../support/machine.js';

const CASE = matmulCase({ transpose: 'NN', batch: 1, prepack: false });

/** A record of such batches, whose launches took 1 s each, half of it in repetitions. */
const recordOf = (...batches: readonly (readonly Launch[])[]): PiBenchRecord => recordWith({}, batches);

function recordWith(
  asked: Partial<BatchSpec>,
  batches: readonly (readonly Launch[])[],
  unended = 0,
  fault: PiBenchRecord['campaign']['fault'] = null,
): PiBenchRecord {
  const spans = ['start', 'measure'].map((name) => ({ name, seconds: 0.5 }));
  const launches = batches.flatMap((own, batch) => own.map((launch) => ({ batch, launch })));
  const analysed = launches.map(({ launch }, index) => inspectionOf({ spans, ...launch }, index));
  return buildRecord({
    campaign: {
      ...campaignOf(batches.map(({ length }) => specOf({ case: CASE, inspections: length, ...asked }))),
      fault,
    },
    machine: machineOf(),
    piBench: { version: '0.0.0', commit: null },
    // The engine sees a launch end as it should, whatever its batch makes of it.
    ends: launches.map(({ batch }, index) => ({
      ...{ index, batch, attempt: 1, status: 'measured', reason: null, wall: 1 },
    })),
    analysed,
    stoppedBy: 'plan',
    settled: false,
    contendedBy: null,
    wall: launches.length,
    lostEarlier: { seconds: 0, unended },
  });
}

describe('the accounting of a record', () => {
  it('counts as lost a launch whose batch throws it out, and none of its repetitions', () => {
    const { accounting, batches } = recordOf(
      ['old', 'old', 'new'].map((build) => ({ seconds: 1e-3, build })),
      [{ seconds: 1e-3 }],
    );
    expect(batches.map(({ measured }) => measured)).toEqual([2, 1]);
    expect(accounting).toMatchObject({ wall: 4, measured: 1.5, share: 1.5 / 4, lost: 1 });
  });

  it('counts the attempts whose end nobody saw, and says nothing where there was none', () => {
    const launches = [[{ seconds: 1e-3 }]];
    expect(recordWith({}, launches, 2).accounting).toMatchObject({ lost: 0, unended: 2 });
    expect(recordOf(...launches).accounting).not.toHaveProperty('unended');
  });
});

describe('the comparisons of a record', () => {
  it('are told to be open where launches were to settle some, and nothing is told where there was none', () => {
    const batches = [[{ seconds: 1e-3 }], [{ seconds: 2e-3 }]];
    expect(recordWith({ settle: 0.02 }, batches).settled).toBe(false);
    expect(recordOf(...batches)).not.toHaveProperty('settled');
  });
});

describe('the KPIs of a record', () => {
  const cutShort: Launch = { seconds: 1e-3, status: 'timed-out' };

  it('are of batches of which some launch ran to its end; what the others measured stays with their launches', () => {
    const { batches, kpis } = recordOf([{ seconds: 1e-3 }, cutShort], [cutShort, cutShort]);
    expect(batches.map(({ measured, rate }) => [measured, rate?.median])).toEqual([
      [1, 2e9],
      [0, undefined],
    ]);
    expect(batches[1]?.inspections.map(({ statistics }) => statistics !== null)).toEqual([true, true]);
    const rates = kpis.filter(({ name }) => name === 'pibench_matmul_rate_flops_per_second');
    expect(rates).toHaveLength(1);
    expect(recordOf([cutShort]).kpis).toEqual([]);
  });

  it('of a time to result are the parts of the batches, which are the wall time together', () => {
    const launch: Launch = { seconds: 1e-3 };
    const times = (...batches: readonly (readonly Launch[])[]) =>
      recordOf(...batches).kpis.flatMap((kpi) =>
        kpi.name === 'pibench_matmul_time_to_result_seconds' && 'value' in kpi ? kpi.value : [],
      );
    expect(times([launch, launch, launch], [launch])).toEqual([3, 1]);
    // What was lost took its batch's time, too.
    expect(times([launch, cutShort], [launch, launch])).toEqual([2, 2]);
    expect(times([launch, launch])).toEqual([2]);
  });

  it('say that a fault was injected, each by a label, and have no such label where none was', () => {
    const built = (fault: PiBenchRecord['campaign']['fault']) =>
      recordWith({}, [[{ seconds: 1e-3 }]], 0, fault).kpis.map(({ labels }) => labels.fault_injected);
    const kinds = built({ kind: 'stopped', share: 0.3 });
    expect(kinds.length).toBeGreaterThan(1);
    expect([...new Set(kinds)]).toEqual(['stopped']);
    expect([...new Set(built(null))]).toEqual([undefined]);
  });

  it('say of which batch they are, whether its outputs were verified, and which flags it has', () => {
    const throttled = { name: 'throttled', reason: 'by a quota', evidence: {} };
    const unseen = { flag: 'contended', why: 'nothing tells' };
    const { kpis } = recordOf(
      [{ seconds: 1e-3 }],
      [{ seconds: 1e-3, flags: [throttled], notChecked: [unseen] }, { seconds: 1e-3 }, cutShort],
    );
    const basis = kpis
      .filter(({ name }) => name === 'pibench_matmul_rate_flops_per_second')
      .map((kpi) => 'value' in kpi && [kpi.batch, kpi.verified, kpi.launches, kpi.flags, kpi.notChecked]);
    expect(basis).toEqual([
      [0, 'passed', 1, [], []],
      [1, 'passed', 2, ['throttled'], ['contended']],
    ]);
  });

  it('are of the moment when the newest launch ended on which they rest, whenever the record is made', () => {
    const on = (day: number) => `2026-01-0${day}T10:00:00.000Z`;
    const launches: readonly (readonly Launch[])[] = [
      [{ seconds: 1e-3, endedAt: on(5) }],
      [
        { seconds: 1e-3, endedAt: on(6) },
        { seconds: 1e-3, endedAt: on(5) },
        { ...cutShort, endedAt: on(9) },
      ],
      [{ seconds: 1e-3 }],
    ];
    const { campaign, kpis } = recordOf(...launches);
    const moments = [0, 1, 2].map(
      (at) => new Set(kpis.flatMap((kpi) => ('value' in kpi && kpi.batch === at ? kpi.timestamp : []))),
    );
    expect(moments).toEqual([on(5), on(6), campaign.createdAt].map((moment) => new Set([moment])));
  });
});

describe('a record', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('is the same whenever it is made of the same documents', () => {
    const digestOn = (day: string): string => {
      vi.useFakeTimers({ now: Date.parse(day), toFake: ['Date'] });
      return recordOf([{ seconds: 1e-3 }]).digest;
    };
    expect(digestOn('2026-01-09')).toBe(digestOn('2026-01-05'));
  });
});

describe('a batch on a GPU', () => {
  const gpu = {
    ...{ ordinal: 0, name: 'NVIDIA H200', uuid: 'GPU-0', pciBusId: '0000:01:00.0' },
    ...{ computeCapability: '9.0', multiprocessors: 132, l2Bytes: 50 * 2 ** 20, memoryBytes: 141e9 },
    ...{ memoryBusBits: 6144, asyncEngines: 3, nvmlProblem: null },
  };
  const machine = {
    ...machineOf(),
    gpus: { problem: null, cuda: '13.0', library: 'libcuda.so.1', devices: [gpu] },
  };
  const device = 'cuda:0';
  const [parameters = {}] = memory.fromFlags({ device, operation: 'read', bytes: '1GiB' }, machine);
  const spec = specOf({ case: { indicator: 'memory', parameters }, device });
  const stack = { provider: 'embedded', variant: null, version: '0.0.0', file: null, sha256: null };
  /** At such a share of the 4.8 TB/s that are promised. */
  const reading = (share: number, launch: Partial<Launch> = {}) =>
    buildBatch(
      spec,
      stack,
      1,
      [inspectionOf({ seconds: 2 ** 30 / (share * 4.8e12), ...launch }, 0)],
      machine,
    );

  it('is held against its datasheet, and doubted where it is faster than that', () => {
    expect(reading(0.9)).toMatchObject({ datasheet: { share: expect.closeTo(0.9, 9) }, flags: [] });
    expect(reading(1.1)).toMatchObject({
      datasheet: { share: expect.closeTo(1.1, 9) },
      flags: [{ name: 'above-ceiling', evidence: { datasheetRate: 4.8e12 }, inspections: [0] }],
    });
    expect(reading(1.1, { passed: false })).toMatchObject({ datasheet: null, flags: [] });
  });
});
