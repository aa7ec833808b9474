/** A batch of which no launch ran to its end looks measured nowhere. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { digestOf } from '../../src/record/digest.js';
import type { Kpi, PiBenchRecord, RecordInspection } from '../../src/record/schema.js';
import { headlineOf } from '../../src/report/headline.js';
import { buildReport } from '../../src/report/model.js';
import { readRecord } from '../../src/store/read-record.js';
import { batchOf, type Launch, matmulCase } from '../support/batch.js';
import { recordOf } from '../support/records.js';

const cutShort = (status: RecordInspection['status'], rest: Partial<Launch> = {}): Launch => ({
  seconds: 1e-3,
  status,
  reason: 'stopped by a signal',
  ...rest,
});

const FIGURES = ['elapsed', 'rate', 'roofline', 'launches', 'variance', 'pooled', 'violin', 'box'] as const;

describe('a batch of which no launch ran to its end', () => {
  it.each([
    'interrupted',
    'timed-out',
  ] as const)('has no figure and no verification where all were %s', (status) => {
    const batch = batchOf(matmulCase(), [cutShort(status), cutShort(status)]);
    expect([batch.measured, batch.verified]).toEqual([0, 'not-run']);
    expect(FIGURES.map((name) => batch[name])).toEqual(FIGURES.map(() => null));
  });

  it('leaves what was measured with the launch that measured it, beside how that ended', () => {
    const [launch] = batchOf(matmulCase(), [cutShort('interrupted')]).inspections;
    expect(launch).toMatchObject({ status: 'interrupted', statistics: {}, verification: { passed: true } });
  });

  it('is not verified where all were above their peak, or of another build, and so do not count', () => {
    const above: Launch = { seconds: 1e-3, status: 'failed', reason: 'above the peak of one thread' };
    const batch = batchOf(matmulCase(), [above, above]);
    expect([batch.measured, batch.verified]).toEqual([0, 'not-run']);
    expect(FIGURES.map((name) => batch[name])).toEqual(FIGURES.map(() => null));
  });

  it('is wrong where a launch that does not count was, and verified by none but such as do', () => {
    const verified = (...launches: Launch[]) => batchOf(matmulCase(), launches).verified;
    expect(verified(cutShort('timed-out', { passed: false }))).toBe('failed');
    expect(verified(cutShort('timed-out'), { seconds: 1e-3 })).toBe('passed');
    expect(verified({ seconds: 1e-3, status: 'failed', passed: false })).toBe('failed');
    expect(verified({ seconds: 1e-3, status: 'failed' }, { seconds: 1e-3 })).toBe('passed');
  });

  it('keeps the verdict of a report from calling all batches verified', () => {
    const record = recordOf({ batches: [{ launches: [1e-3] }, { launches: [cutShort('interrupted')] }] });
    const { batches } = buildReport(record, []);
    expect(headlineOf(batches, 'matmul', false)).toMatchObject({
      trust: 'warning',
      verification: 'Not verified: in 1 batch no launch counts',
    });
  });

  it('has none in a record from before, either, which stays readable', () => {
    const record = recordOf({ batches: [{ launches: [cutShort('interrupted')] }, { launches: [1e-3] }] });
    const [, whole] = record.batches;
    if (whole === undefined) throw new Error('two batches');
    const [first, ...others] = record.batches.map((batch) => ({
      ...whole,
      ...(batch.measured === 0
        ? { measured: 0, inspections: batch.inspections, traffic: { threads: 1, rate: 1e9 } }
        : {}),
    }));
    // Each had KPIs, and they were points of a curve.
    const head = {
      ...{ name: 'pibench_matmul_elapsed_seconds', help: 'seconds', statistic: 'median' },
      ...{ timestamp: '2026-11-28T12:00:00.000Z', regression: true, labels: {} },
      direction: 'lower',
      display: { divisor: 1, unit: 's', digits: 3 },
    } as const;
    const points = [0, 1, 1].map((batch, i): [number, number] => [i, batch + 1]);
    const kpis: readonly Kpi[] = [
      ...[0, 1].map((batch) => ({ ...head, value: batch + 1, unit: 's', batch, ci: null })),
      { ...head, points, xUnit: 'B', yUnit: 's', batches: [0, 1, 1], ci: null },
      { ...head, points: points.slice(0, 2), xUnit: 'B', yUnit: 's', batches: [0, 1], ci: null },
    ];
    const advice: NonNullable<PiBenchRecord['recommendations']>[number] = {
      ...{ kind: 'repetitions', repetitions: 10, best: 10, why: '', test: '', spreadIs: '' },
      ...{ leastRatioFound: null, batches: [0, 1], counts: [], launches: [] },
    };
    const recommendations = [advice, { ...advice, batches: [1, 1] }];
    const before = { ...record, batches: [first, ...others], kpis, recommendations } as PiBenchRecord;
    const folder = mkdtempSync(join(tmpdir(), 'pi-bench-cut-short-'));
    try {
      const file = join(folder, 'record.json');
      writeFileSync(file, JSON.stringify({ ...before, digest: digestOf(before) }));
      const { batches, digest, ...rest } = readRecord(file).record;
      expect(rest.kpis.map((kpi) => ('value' in kpi ? kpi.batch : kpi.batches))).toEqual([1, [1, 1]]);
      expect(batches.map(({ rate, verified }) => [rate?.median, verified])).toEqual([
        [undefined, 'not-run'],
        [2e9, 'passed'],
      ]);
      expect(FIGURES.map((name) => batches[0]?.[name])).toEqual(FIGURES.map(() => null));
      expect(batches[0]?.traffic).toBeUndefined();
      expect(rest.recommendations?.map((one) => one.batches)).toEqual([[1, 1]]);
      expect(digest).toBe(digestOf({ ...rest, batches }));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
