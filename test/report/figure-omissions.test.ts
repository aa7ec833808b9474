/** What a figure leaves out it says, and what it says it draws: a reader has no other way to know. */
import { describe, expect, it } from 'vitest';
import type { CurveKpi } from '../../src/record/schema.js';
import { drawComparison } from '../../src/report/figures/comparison.js';
import { curves } from '../../src/report/figures/curves.js';
import { type Absent, type CampaignFigure, type Figure, isDrawn } from '../../src/report/figures/figure.js';
import { roofline } from '../../src/report/figures/roofline.js';
import { sweep } from '../../src/report/figures/sweep.js';
import { LIGHT } from '../../src/report/figures/theme.js';
import { buildReport, type ReportModel } from '../../src/report/model.js';
import { renderSvg } from '../../src/report/render.js';
import { verdictOf } from '../../src/statistics/compare.js';
import { ceilingsOf } from '../support/batch.js';
import { aboutSeconds, type DescribedBatch, recordOf } from '../support/records.js';

const reportOf = (batches: readonly DescribedBatch[]): ReportModel => buildReport(recordOf({ batches }), []);

function drawn(figure: Figure | Absent): Figure {
  if (!isDrawn(figure)) throw new Error(figure.why);
  return figure;
}

const whyOf = (figure: CampaignFigure, report: ReportModel): string => {
  const result = figure.draw(report);
  return isDrawn(result) ? 'drawn' : result.why;
};

const curve = (name: string): CurveKpi => ({
  name,
  direction: 'higher',
  help: 'What it is of',
  timestamp: '2026-01-01T00:00:00.000Z',
  statistic: 'median',
  display: { divisor: 1e9, unit: 'GB/s', digits: 4 },
  regression: true,
  labels: { indicator: 'memory' },
  points: [
    [1024, 2e9],
    [2048, 1e9],
  ],
  xUnit: 'B',
  yUnit: 'B/s',
  ci: null,
});

describe('a sweep', () => {
  const over = (parameter: string, values: readonly number[], provider = 'one') =>
    values.map(
      (value): DescribedBatch => ({
        parameters: { [parameter]: value },
        stack: { provider },
        launches: aboutSeconds(1),
      }),
    );

  it('is left to the curves only where both are over bytes', () => {
    const rates = [curve('pibench_memory_rate_curve_bytes_per_second')];
    const report = { ...reportOf(over('threads', [1, 2, 4])), curves: rates };
    expect(whyOf(sweep, report)).toBe('drawn');
    const axis = report.axis === null ? null : { ...report.axis, key: 'bytes' };
    expect(whyOf(sweep, { ...report, axis })).toMatch(/as curves/);
  });

  it('has no axis in common for several indicators, and says that and not that all batches are alike', () => {
    const [first, second] = recordOf({ batches: over('threads', [1, 2]) }).batches;
    if (first === undefined || second === undefined) throw new Error('two batches');
    const memory = { indicator: 'memory', parameters: { bytes: 1024, threads: 1 } };
    const other = { ...second, case: memory, asked: { ...second.asked, case: memory } };
    const record = { ...recordOf({ batches: [] }), batches: [first, other] };
    expect(whyOf(sweep, buildReport(record, []))).toMatch(/several indicators/);
    expect(whyOf(sweep, reportOf([{ launches: [1, 2, 3] }]))).toMatch(/all batches have the same/);
  });

  it.each([
    [4, /the band holds the middle half of all repetitions/],
    [5, /the middle half of all repetitions is in the data/],
  ])('describes bands where they are drawn: of %i lines', async (lines, caption) => {
    const series = Array.from({ length: lines }, (_, i) => over('m', [100, 200], `stack${i}`));
    const figure = drawn(sweep.draw(reportOf(series.flat())));
    expect(figure.caption).toMatch(caption);
    const svg = await renderSvg(figure.spec(LIGHT));
    const bands = /role-mark ribbon"[^>]*><path[^>]*d="M[^"]+"/.test(svg);
    expect(bands).toBe(lines === 4);
  });
});

describe('curves', () => {
  it('name those that are of something else than the drawn ones', () => {
    const both = [curve('pibench_overlap_rate_curve'), curve('pibench_overlap_hidden_curve_ratio')];
    const report = { ...reportOf([{ launches: [1, 2, 3] }]), curves: both };
    expect(drawn(curves.draw(report)).caption).toMatch(
      /In the record only, because they are of something else: pibench_overlap_hidden_curve_ratio\./,
    );
    expect(drawn(curves.draw({ ...report, curves: both.slice(0, 1) })).caption).not.toMatch(/record only/);
  });
});

describe('a roofline', () => {
  it('says how many batches have another unit, and how many no roof', () => {
    const launches = [1e-4, 1.1e-4].map((seconds) => ({ seconds, ceilings: ceilingsOf(1e11, 1e10) }));
    const without = [1e-4, 1.1e-4].map((seconds) => ({ seconds, ceilings: ceilingsOf(1e11, null) }));
    const of = (m: number, all: typeof launches) => ({ parameters: { m }, launches: all });
    const report = reportOf([of(100, launches), of(200, launches), of(300, without)]);
    const batches = report.batches.map((batch, i) => (i === 1 ? { ...batch, rateUnit: 'OP/s' } : batch));
    const { caption } = drawn(roofline.draw({ ...report, batches }));
    expect(caption).toContain('Batches whose rate is not in FLOP/s (1) are in the table only.');
    expect(caption).toMatch(/not both ceilings were measured \(1\) are in the table only/);
    expect(drawn(roofline.draw(reportOf([of(100, launches)]))).caption).not.toMatch(/table only/);
  });
});

describe('the figure of a comparison', () => {
  const one = { stack: { provider: 'one' }, launches: aboutSeconds(1) };

  it('names the candidates that have no mark, and why', () => {
    const { comparison } = reportOf([
      one,
      { stack: { provider: 'two' }, launches: aboutSeconds(0.9) },
      { stack: { provider: 'wrong' }, launches: [{ seconds: 1, passed: false }] },
    ]);
    expect(drawn(drawComparison(comparison)).caption).toMatch(
      /Without a ratio, and so without a mark: wrong \(wrong output\)\./,
    );
  });

  it('says by which interval the same is told: of one whose bar goes beyond the margin, too', () => {
    // The 90 % interval ends within 2 %, the 95 % one beyond.
    const pair = { ratio: 1.01, equivalence: { low: 1.001, high: 1.019 } };
    expect(verdictOf(pair, 0.5, 0.02)).toBe('same');
    const two = { stack: { provider: 'two' }, launches: aboutSeconds(1.001) };
    const { caption } = drawn(drawComparison(reportOf([one, two]).comparison));
    expect(caption).toMatch(
      /The shaded band is the margin of 2\.0 %: what has its 90 % interval, .*, within it is called the same/,
    );
    expect(caption).not.toContain('a bar that the margin holds');
  });

  it('lets a bar that goes on beyond the picture end in an arrow, and says so', () => {
    const arrows = (spread: number): [number, boolean] => {
      const two = { stack: { provider: 'two' }, launches: aboutSeconds(0.99, 6, spread) };
      const figure = drawn(drawComparison(reportOf([one, two]).comparison));
      const data = figure.spec(LIGHT).data as readonly { name: string; values?: readonly unknown[] }[];
      const ends = data.find(({ name }) => name === 'open-ends')?.values ?? [];
      return [ends.length, /ends in an arrow/.test(figure.caption)];
    };
    expect(arrows(2)).toEqual([2, true]);
    expect(arrows(0.004)).toEqual([0, false]);
  });
});
