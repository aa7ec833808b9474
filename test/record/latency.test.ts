import { describe, expect, it } from 'vitest';
import { latency } from '../../src/indicators/latency.js';
import { curvesOf } from '../../src/record/curves.js';
import { kpisOf } from '../../src/record/kpis-of.js';
import { cyclesOfLoad, loadTime } from '../../src/record/latency-kpis.js';
import type { RecordBatch } from '../../src/record/schema.js';
import { batchOf, type Launch } from '../support/batch.js';

const KIB = 1024;
const caseOf = (bytes: number, order = 'random') => ({
  indicator: 'latency',
  parameters: { order, bytes, stride: 64, threads: 1, pin: true },
});
/** Of one repetition. */
const loadsOf = (bytes: number): number => Number(latency.work(caseOf(bytes).parameters).loads);
const lasting = (bytes: number, nano: number, rest: Partial<Launch> = {}): Launch => ({
  seconds: nano * 1e-9 * loadsOf(bytes),
  ...rest,
});
const batchAt = (bytes: number, ...nanos: readonly number[]): RecordBatch =>
  batchOf(
    caseOf(bytes),
    nanos.map((nano) => lasting(bytes, nano, { frequency: 4e9 })),
  );

describe('the KPIs of latency', () => {
  it('are the time of one load, the less the better, with the interval of the repetitions', () => {
    const batch = batchAt(32 * KIB, 1.2, 1.25, 1.3);
    const { value, ci } = loadTime(batch) ?? { value: 0, ci: null };
    expect(value).toBeCloseTo(1.25e-9, 15);
    expect(ci?.low).toBeLessThan(1.25e-9);
    expect(ci?.high).toBeGreaterThan(1.25e-9);
    expect(ci?.level).toBe(0.95);
    const kpi = latency.kpis.find(({ name }) => name === 'pibench_latency_load_seconds');
    expect(kpi).toMatchObject({ direction: 'lower', regression: true });
    expect(kpi?.display(batch)).toEqual({ divisor: 1e-9, unit: 'ns', digits: 4 });
  });

  it('and the rate of loads, by which batches are compared: the more the better', () => {
    const [quick, slow] = [batchAt(32 * KIB, 1), batchAt(32 * KIB, 2)];
    expect(quick.rate?.median).toBeCloseTo(1e9, -1);
    expect(quick.rate?.median).toBeGreaterThan(slow.rate?.median ?? Number.POSITIVE_INFINITY);
    expect([quick.rateCounts, quick.rateUnit]).toEqual(['loads', 'loads/s']);
  });

  it('count cycles of the clock, where that is known', () => {
    expect(cyclesOfLoad(batchAt(32 * KIB, 1.25))).toBeCloseTo(5, 9);
    expect(cyclesOfLoad(batchOf(caseOf(32 * KIB), [lasting(32 * KIB, 1.25)]))).toBeNull();
    const cycles = latency.kpis.find(({ name }) => name === 'pibench_latency_cycles_per_load_ratio');
    const told = { frequency: 4e9 };
    const stolen = { ...told, flags: [{ name: 'stolen', reason: 'by a neighbour', evidence: {} }] };
    const launches = [told, told, stolen, {}].map((rest) => lasting(32 * KIB, 1.25, rest));
    expect(cycles?.value(batchOf(caseOf(32 * KIB), launches), { timeToResult: 1 })?.launches).toBe(2);
  });

  it('have none of a wrong result', () => {
    const wrong = batchOf(caseOf(32 * KIB), [lasting(32 * KIB, 1, { passed: false })]);
    expect(loadTime(wrong)).toBeNull();
    expect(cyclesOfLoad(wrong)).toBeNull();
    expect(kpisOf(latency.kpis, wrong, {}, { timeToResult: 1, timestamp: 'now', index: 0 })).toEqual([]);
  });
});

describe('what loading threads read', () => {
  const loaded = (load: number) => ({
    indicator: 'latency',
    parameters: { ...caseOf(32 * KIB).parameters, load, loadBytes: 2 ** 29 },
  });
  const reading = (rate: number): Launch =>
    lasting(32 * KIB, 1, { traffic: { threads: 3, bytes: rate / 2, seconds: 0.5, rate, by: 'avx2' } });
  const kpisOn = (batch: RecordBatch) =>
    kpisOf(latency.kpis, batch, {}, { timeToResult: 1, timestamp: 'now', index: 0 });
  const NAME = 'pibench_latency_traffic_bytes_per_second';

  it('is a rate: the median of the launches, of each of which the record has its own', () => {
    const batch = batchOf(loaded(3), [reading(10e9), reading(30e9), reading(11e9)]);
    expect(batch.traffic).toEqual({ threads: 3, rate: 11e9 });
    expect(batch.inspections.map(({ traffic }) => traffic?.rate)).toEqual([10e9, 30e9, 11e9]);
    const [kpi] = kpisOn(batch).filter(({ name }) => name === NAME);
    expect(kpi).toMatchObject({
      value: 11e9,
      unit: 'B/s',
      direction: 'higher',
      ci: null,
      regression: false,
      display: { divisor: 1e9, unit: 'GB/s' },
      labels: { load: 3, loadBytes: 2 ** 29 },
    });
  });

  it('counts launches that were measured to their end, and none of a wrong result', () => {
    const partial = { ...reading(1e9), status: 'partial' as const };
    expect(batchOf(loaded(3), [reading(10e9), partial]).traffic?.rate).toBe(10e9);
    const wrong = batchOf(loaded(3), [{ ...reading(10e9), passed: false }]);
    expect(wrong.traffic).toBeUndefined();
    expect(kpisOn(wrong)).toEqual([]);
  });

  it('is nothing, and no KPI, where none was asked for or there was none', () => {
    for (const batch of [batchAt(32 * KIB, 1), batchOf(loaded(0), [lasting(32 * KIB, 1)])]) {
      expect(batch).not.toHaveProperty('traffic');
      expect(kpisOn(batch).map(({ name }) => name)).not.toContain(NAME);
    }
  });

  it('makes a curve over sizes one of each number of them', () => {
    const batches = [0, 3].flatMap((load) =>
      [16, 32].map((kib) =>
        batchOf({ indicator: 'latency', parameters: { ...loaded(load).parameters, bytes: kib * KIB } }, [
          lasting(kib * KIB, kib * (load + 1)),
        ]),
      ),
    );
    expect(curvesOf(batches, {}, 'now').map(({ labels, points }) => [labels.load, points.length])).toEqual([
      [0, 2],
      [3, 2],
    ]);
  });
});

describe('the curve of latency', () => {
  it('is the time of a load over the working set, one for each order', () => {
    const batches = ['random', 'pages'].flatMap((order) =>
      [64, 16, 32].map((kib) => batchOf(caseOf(kib * KIB, order), [lasting(kib * KIB, kib)])),
    );
    const curves = curvesOf(batches, {}, 'now');
    expect(curves.map(({ labels }) => [labels.order, labels.bytes])).toEqual([
      ['random', null],
      ['pages', null],
    ]);
    for (const { name, direction, xUnit, yUnit, points } of curves) {
      expect([name, direction, xUnit, yUnit]).toEqual([
        'pibench_latency_load_curve_seconds',
        'lower',
        'B',
        's',
      ]);
      expect(points.map(([x, y]) => [x / KIB, Math.round(y * 1e9)])).toEqual([
        [16, 16],
        [32, 32],
        [64, 64],
      ]);
    }
  });
});
