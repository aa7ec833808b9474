/** What ranks add to a batch: all launches as one, and the figures that follow from those by a factor or a quotient. */
import { describe, expect, it } from 'vitest';
import { collective } from '../../src/indicators/collective.js';
import { overlap as overlapIndicator } from '../../src/indicators/overlap.js';
import { elementsOf } from '../../src/record/collective-kpis.js';
import { curvesOf } from '../../src/record/curves.js';
import type { KpiDeclaration } from '../../src/record/kpi.js';
import { kpisOf } from '../../src/record/kpis-of.js';
import type { RecordBatch, RecordInspection } from '../../src/record/schema.js';
import { lookedInterval } from '../../src/statistics/stopping.js';
import { batchOf, type Launch } from '../support/batch.js';

const CASE = {
  indicator: 'collective',
  parameters: {
    operation: 'all-reduce',
    bytes: 4096,
    dtype: 'float64',
    redop: 'sum',
    root: -1,
    inPlace: false,
    pattern: 'none',
    ranks: 4,
    workers: 'threads',
    pin: false,
    sync: 'barrier',
    inputs: 'fresh',
    transport: 'shm',
    algorithm: 'auto',
  },
};
const OVERLAP = {
  indicator: 'overlap',
  parameters: {
    operation: 'all-reduce',
    bytes: 4096,
    size: 64,
    dtype: 'float32',
    ranks: 2,
    threads: 1,
    pin: false,
  },
};

const LEVEL = { level: 0.95, method: 'a test’s', basis: 'launches' };
const skew = (p50: number) => ({ p50, p99: 2 * p50, max: 3 * p50 });

/** @param at what is typical of it, in units that stay whole */
function launch(late: number, at: number, watched = true): Launch {
  const one = { median: at, p99: 2 * at, total: 10 * at, slowest: 0.25, last: 0.25 };
  return {
    seconds: 0.2,
    ranks: {
      repetitions: 10,
      calls: 10,
      ranks: Array.from({ length: 4 }, () => one),
      skewIn: skew(at),
      skewOut: skew(2 * at),
      late,
      useful: watched ? [1, 2, 3, 4].map((rank) => rank * at) : null,
      runtime: watched ? 5 * at : null,
    },
    ceilings: { arithmetic: null, memory: null, moving: { rate: 1e10 * at, bytes: 1e9, by: 'passes' } },
  };
}

const kpiOf = (kpis: readonly KpiDeclaration[], name: string, batch: RecordBatch) =>
  kpis.find((kpi) => kpi.name === name)?.value(batch, { timeToResult: 1 });

describe('a collective', () => {
  const batch = batchOf(CASE, [launch(3, 0.5), launch(4, 1), launch(0, 4, false)]);

  it('has the bus rate of its operation and ranks, and its interval, both by the same factor', () => {
    const rate = {
      median: 10,
      p05: 8,
      p05Interval: null,
      sustained: 9,
      interval: { ...LEVEL, low: 8, high: 12 },
    };
    const busRate = (of: RecordBatch) =>
      kpiOf(collective.kpis, 'pibench_collective_bus_rate_bytes_per_second', of);
    // 2 (4 - 1) / 4 for an all-reduce of four.
    expect(busRate({ ...batch, rate })).toEqual({
      value: 15,
      ci: { level: 0.95, low: 12, high: 18, basis: 'launches' },
    });
    expect(busRate({ ...batch, rate: { ...rate, interval: null } })).toEqual({ value: 15, ci: null });
    expect(busRate({ ...batch, rate: null })).toBeNull();
  });

  it('has the p99 of the middle launch with its interval, in its curve, too', () => {
    const launches = Array.from({ length: 9 }, (_, i) => ({
      ...launch(0, 1),
      samples: Array.from({ length: 200 }, (__, j) => (i === 4 && j < 40 ? 9 : 0.2 + j / 1e5 + i / 1e3)),
    }));
    const p99 = (of: RecordBatch) => kpiOf(collective.kpis, 'pibench_collective_elapsed_p99_seconds', of);
    const own = batchOf(CASE, launches);
    expect(p99(own)).toMatchObject({ value: own.elapsed?.p99, ci: { level: 0.95, basis: 'launches' } });
    // Of a launch 0.2 s and 197.7 steps; one that stalls is none of the others.
    expect(p99(own)?.value).toBeLessThan(0.22);
    expect(p99(own)?.ci?.high).toBeLessThan(9.1);
    const curve = collective.curves.find(({ name }) => name.endsWith('elapsed_p99_curve_seconds'));
    expect(curve?.point(own)).toEqual(p99(own));
    expect(p99(batchOf(CASE, [launch(0, 1), launch(0, 1)]))).toMatchObject({ value: 0.2, ci: null });
  });

  it('has in records from before that the p99 of all repetitions together', () => {
    const { p99: _, p99Interval: __, ...elapsed } = { p99: 0, ...batch.elapsed };
    const before = { ...batch, elapsed, pooled: { p99: 0.7 } } as unknown as RecordBatch;
    expect(kpiOf(collective.kpis, 'pibench_collective_elapsed_p99_seconds', before)).toEqual({
      value: 0.7,
      ci: null,
    });
  });

  it('says that its sustained rate knows nothing of what lies between repetitions', () => {
    const sustained = collective.kpis.find(({ statistic }) => statistic === 'sustained');
    expect(sustained?.help).toMatch(/without what lies between them/);
  });

  it('is doubted where it moves its bytes faster than the passes that bound it, and by no hundredth or two', () => {
    // 1e9 bytes at 1e10 a second take 0.1 s.
    const taking = (seconds: number) =>
      batchOf(
        CASE,
        [1, 2, 3].map(() => ({ ...launch(0, 1), seconds })),
      ).flags;
    expect(taking(0.1 / 1.019)).toEqual([]);
    const [flag, ...others] = taking(0.1 / 1.3);
    expect(others).toEqual([]);
    expect(flag).toMatchObject({
      name: 'above-ceiling',
      reason: expect.stringMatching(
        /^the collective moves its bytes at 130\.0 % of the rate of passes over memory/,
      ),
      evidence: { movingShare: expect.closeTo(1.3, 9), movingRate: 1e10 },
      inspections: [0, 1, 2],
    });
  });

  it('has its share of the ceiling: the time of the bytes at its rate, over the time that it took', () => {
    // 1e9 bytes at the median of 0.5e10, 1e10 and 4e10 bytes a second take 0.1 s, and it took 0.2 s.
    expect(batch.ranks?.ceiling).toEqual({ rate: 1e10, bytes: 1e9, by: 'passes', share: 0.5 });
    expect(kpiOf(collective.kpis, 'pibench_collective_ceiling_share_ratio', batch)?.value).toBe(0.5);
  });

  it('has the share of the launches that measured the ceiling, and says how many of all those are', () => {
    const { ceilings: _, ...without } = { ...launch(0, 1), seconds: 0.1 };
    const own = batchOf(CASE, [launch(0, 1), launch(0, 1), launch(0, 1), without, without, without]);
    expect(own.ranks?.ceiling).toMatchObject({ share: 0.5, measuredBy: { launches: 3, of: 6 } });
    const name = 'pibench_collective_ceiling_share';
    expect(kpiOf(collective.kpis, `${name}_ratio`, own)).toEqual({ value: 0.5, ci: null, launches: 3 });
    const context = { timeToResult: 1, timestamp: '2026-01-01T00:00:00.000Z', index: 0 };
    const launchesOf = (kpi: string) =>
      kpisOf(collective.kpis, own, {}, context).find((one) => one.name === kpi)?.launches;
    expect(launchesOf(`${name}_ratio`)).toBe(3);
    expect(launchesOf('pibench_collective_elapsed_seconds')).toBe(6);
    const twice = { ...CASE, parameters: { ...CASE.parameters, bytes: 8192 } };
    const all = batchOf(
      twice,
      own.inspections.map(() => launch(0, 1)),
    );
    expect(all.ranks?.ceiling?.measuredBy).toBeUndefined();
    const curves = curvesOf([own, all], {}, context.timestamp);
    expect(curves.find((one) => one.name === `${name}_curve_ratio`)?.launches).toEqual([3, 6]);
  });

  it('has elements of its data type', () => {
    expect(elementsOf(batch)).toBe(512);
  });

  it('adds up what came late, and has the medians of what is typical', () => {
    expect(batch.ranks).toMatchObject({ late: 7, repetitions: 30, calls: 30 });
    expect(batch.ranks?.ranks[0]).toMatchObject({ median: 1, p99: 2, total: 55, last: 0.25 });
    expect([batch.ranks?.skewIn, batch.ranks?.skewOut]).toEqual([
      { p50: 1, p99: 2, max: 12 },
      { p50: 2, p99: 4, max: 24 },
    ]);
    expect(kpiOf(collective.kpis, 'pibench_collective_skew_in_seconds', batch)?.value).toBe(1);
    expect(kpiOf(collective.kpis, 'pibench_collective_skew_out_seconds', batch)?.value).toBe(2);
  });

  it('has POP’s efficiencies of the launches in which somebody watched', () => {
    expect(batch.ranks).toMatchObject({ useful: [0.75, 1.5, 2.25, 3], runtime: 3.75 });
    // Mean / largest = 1.875 / 3, and largest / runtime = 3 / 3.75.
    expect(kpiOf(collective.kpis, 'pibench_collective_load_balance_ratio', batch)?.value).toBeCloseTo(
      0.625,
      12,
    );
    expect(
      kpiOf(collective.kpis, 'pibench_collective_communication_efficiency_ratio', batch)?.value,
    ).toBeCloseTo(0.8, 12);
    for (const name of ['load_balance', 'communication_efficiency'])
      expect(kpiOf(collective.kpis, `pibench_collective_${name}_ratio`, batch)?.launches).toBe(2);
    const unwatched = batchOf(CASE, [launch(0, 1, false)]);
    expect(unwatched.ranks).toMatchObject({ useful: null, runtime: null });
    expect(kpiOf(collective.kpis, 'pibench_collective_load_balance_ratio', unwatched)).toBeNull();
  });

  it('has neither ranks nor a ceiling where no launch tells of them', () => {
    expect(batchOf(CASE, [{ seconds: 0.2 }]).ranks).toBeUndefined();
    const { ceilings: _, ...without } = launch(0, 1);
    expect(batchOf(CASE, [without]).ranks?.ceiling).toBeNull();
    // One rank in place has nothing to move.
    const alone = { ...CASE, parameters: { ...CASE.parameters, ranks: 1, inPlace: true } };
    expect(batchOf(alone, [launch(0, 1)]).ranks?.ceiling).toBeNull();
  });
});

describe('a barrier', () => {
  const parameters = { ...CASE.parameters, operation: 'barrier', bytes: 0, redop: 'none' };
  const batch = batchOf(
    { ...CASE, parameters },
    [0.2, 0.25, 0.3].map((seconds) => ({ seconds })),
  );

  it('has KPIs of its times and none of a rate: it moves nothing, and 0 would say that it is as slow as can be', () => {
    const context = { timeToResult: 1, timestamp: '2026-01-01T00:00:00.000Z', index: 0 };
    const names = kpisOf(collective.kpis, batch, {}, context).map(({ name }) => name);
    expect(names).toContain('pibench_collective_elapsed_seconds');
    expect(names.filter((name) => name.includes('_rate_'))).toEqual([]);
    const curves = collective.curves.filter((curve) => curve.point(batch) !== null);
    expect(curves.filter(({ name }) => name.includes('_rate_'))).toEqual([]);
  });

  it('has a record after an even number of launches, too', () => {
    const even = batchOf({ ...CASE, parameters }, [{ seconds: 0.2 }, { seconds: 0.3 }]);
    expect(even.rate).toMatchObject({ median: 0, sustained: 0 });
  });
});

describe('an overlap', () => {
  const told = (at: number): NonNullable<RecordInspection['overlap']> => ({
    compute: 3 * at,
    communicate: at,
    computeBeside: 4.5 * at,
    communicateBeside: 4 * at,
    hidden: at / 10,
  });
  const batch = batchOf(
    OVERLAP,
    [1, 2, 7].map((at) => ({ seconds: 5, overlap: told(at) })),
  );
  const kpi = (name: string) => kpiOf(overlapIndicator.kpis, `pibench_overlap_${name}`, batch)?.value;

  it('is that of the median launch, and what follows is one time over another', () => {
    // At the median of 1, 2 and 7: 6 s and 2 s alone, 9 s and 8 s beside the other, and 5 s both at once.
    expect([kpi('matmul_alone_seconds'), kpi('collective_alone_seconds')]).toEqual([6, 2]);
    expect([kpi('matmul_slowed_ratio'), kpi('collective_slowed_ratio')]).toEqual([1.5, 4]);
    expect(kpi('gain_ratio')).toBeCloseTo((6 + 2) / 5, 12);
    expect(kpi('hidden_ratio')).toBe(0.2);
    expect(kpi('most_hidden_ratio')).toBe(1);
  });

  it('has the gain and the slowing of the repetitions, and those of the times where no launch tells them', () => {
    const [old, told] = [1, 2].map((at) => ({
      compute: 3 * at,
      communicate: at,
      computeBeside: 4.5 * at,
      communicateBeside: 4 * at,
      hidden: 0.5,
    })) as [object, object];
    const paired = {
      ...told,
      hidden: 0.5,
      mostHidden: 0.8,
      gain: 1.2,
      computeSlowed: 1.1,
      communicateSlowed: 1.3,
    };
    const ratios = (overlap: object) => {
      const of = batchOf(OVERLAP, [
        { seconds: 5, overlap: overlap as NonNullable<RecordInspection['overlap']> },
      ]);
      return ['gain', 'most_hidden', 'matmul_slowed', 'collective_slowed'].map(
        (name) => kpiOf(overlapIndicator.kpis, `pibench_overlap_${name}_ratio`, of)?.value,
      );
    };
    expect(ratios(paired)).toEqual([1.2, 0.8, 1.1, 1.3]);
    expect(ratios(old)).toEqual([4 / 5, 1, 1.5, 4]);
  });

  it('is doubted where more hides than could: all of it, or what the product has room for', () => {
    const flagsOf = (compute: number, hidden: number) =>
      batchOf(OVERLAP, [{ seconds: 5, overlap: { ...told(1), compute, communicate: 1, hidden } }]).flags;
    expect([flagsOf(3, 1.019), flagsOf(0.5, 0.519)]).toEqual([[], []]);
    const [flag] = flagsOf(3, 1.5);
    expect(flag).toMatchObject({
      name: 'above-ceiling',
      reason: expect.stringMatching(/^150\.0 % of the communication hides, of which at most 100\.0 % could/),
      evidence: { hidden: 1.5, mostHidden: 1 },
    });
    expect(flagsOf(0.5, 0.521).map(({ evidence }) => evidence.mostHidden)).toEqual([0.5]);
  });

  it('has an interval of the hidden share that may begin below 0: Student’s of the shares themselves', () => {
    const reach = (4.302653 * Math.sqrt((0.7 / 3) ** 2 + (0.4 / 3) ** 2 + (1.1 / 3) ** 2)) / Math.sqrt(2 * 3);
    expect(kpiOf(overlapIndicator.kpis, 'pibench_overlap_hidden_ratio', batch)?.ci).toMatchObject({
      level: 0.95,
      low: expect.closeTo(1 / 3 - reach, 5),
      high: expect.closeTo(1 / 3 + reach, 5),
    });
  });

  it('has, where a precision decided how many launches there are, the interval of such launches', () => {
    const hidden = [0.5, 0.51, 0.52, 0.53, 0.55, 0.56, 0.57, 0.58, 0.6, 0.61];
    const launches = hidden.map((share, i) => ({
      seconds: 5 + i / 100,
      overlap: { ...told(1), hidden: share },
    }));
    const looked = batchOf(OVERLAP, launches, 0.01);
    const { ci } = lookedInterval(hidden, LEVEL.level, 'linear');
    expect(looked.overlap?.interval).toMatchObject(ci ?? {});
    const fixed = batchOf(OVERLAP, launches).overlap?.interval;
    expect(fixed?.low).toBeGreaterThan(ci?.low ?? 1);
    expect(fixed?.high).toBeLessThan(ci?.high ?? 0);
    // As their time, so few have none.
    const few = batchOf(OVERLAP, launches.slice(0, 6), 0.01);
    expect([few.elapsed?.interval, few.overlap?.interval]).toEqual([null, null]);
  });
});

describe('the share of disturbed repetitions', () => {
  const of = (...shares: readonly (readonly [share: number | null, repetitions: number])[]) =>
    batchOf(
      CASE,
      shares.map(([disturbedShare, repetitions]) => ({
        seconds: 0.2,
        samples: Array(repetitions).fill(0.2),
        disturbedShare,
      })),
    ).disturbedShare;

  it('is that of all repetitions together, and not of the launches', () => {
    expect(of([0.5, 100], [0, 300])).toBe(0.125);
    // Of a launch that could not tell, nothing is taken for undisturbed.
    expect(of([0.5, 100], [null, 300])).toBe(0.5);
    expect(of([null, 100])).toBeNull();
  });
});
