/** Each figure draws what the record has, as many marks as there are things, and says why where it cannot. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { CurveKpi } from '../../src/record/schema.js';
import { valuesOf } from '../../src/report/figures/baseline.js';
import { isDrawn } from '../../src/report/figures/figure.js';
import { drawFigures, type ReportFigures } from '../../src/report/figures/index.js';
import { LIGHT, PAGE } from '../../src/report/figures/theme.js';
import { buildReport, type ReportModel } from '../../src/report/model.js';
import { renderSvg } from '../../src/report/render.js';
import { recordOf } from '../support/records.js';
import { reportOf } from '../support/report.js';

const SIZES = [64, 128, 512];
const LAUNCHES = 7;
const REPETITIONS = 60;

let sizes: ReportModel;
let counts: ReportModel;
let single: ReportModel;
beforeAll(async () => {
  const sweep = SIZES.map((size) => ({ size, repetitions: REPETITIONS, inspections: LAUNCHES }));
  sizes = (await reportOf(sweep)).report;
  counts = (await reportOf([20, 60, 200].map((repetitions) => ({ repetitions, inspections: 4 })))).report;
  single = (await reportOf([{ repetitions: 20, inspections: 1 }])).report;
});

function find(figures: ReportFigures, id: string) {
  const all = [...figures.campaign, ...figures.batches.flatMap(({ figures: own }) => own)];
  const found = all.find((figure) => figure.id === id);
  if (found === undefined) throw new Error(`no figure ${id}`);
  return found.result;
}

async function svgOf(report: ReportModel, id: string): Promise<string> {
  const figure = find(drawFigures(report), id);
  if (!isDrawn(figure)) throw new Error(`${id} is not drawn: ${figure.why}`);
  return renderSvg(figure.spec(LIGHT));
}

function whyNot(report: ReportModel, id: string): string {
  const figure = find(drawFigures(report), id);
  return isDrawn(figure) ? 'drawn' : figure.why;
}

/** Elements that a named mark drew. */
function marks(svg: string, name: string): number {
  const groups = svg.split(`role-mark ${name}"`).slice(1);
  return groups.reduce((sum, group) => {
    const end = group.indexOf('</g>');
    return sum + (group.slice(0, end).match(/<(path|line|text) /g) ?? []).length;
  }, 0);
}

/** As if it had been held to a baseline that has the first two batches, the second without a shape. */
function heldToBaseline(report: ReportModel): ReportModel {
  const usual = (batch: number): number => (report.batches[batch]?.elapsed?.median ?? 1) / 1.1;
  const rateOf = (batch: number, seconds: number): number => (report.batches[batch]?.work ?? 1) / seconds;
  const reference = (batch: number) => {
    const seconds = usual(batch);
    return {
      batch,
      nodes: 5,
      median: rateOf(batch, seconds),
      p05: rateOf(batch, 1.04 * seconds),
      low: rateOf(batch, 1.02 * seconds),
      high: rateOf(batch, 0.98 * seconds),
    };
  };
  const probabilities = [0.01, 0.1, 0.5, 0.9, 0.99, 1];
  const seconds = [0.97, 0.98, 1, 1.02, 1.05, 1.2].map((factor) => factor * usual(0));
  const baseline = {
    file: 'fleet.json',
    sha256: '0'.repeat(64),
    name: 'rack',
    nodes: 5,
    references: [
      { ...reference(0), distribution: { probabilities, seconds } },
      { ...reference(1), distribution: null },
    ],
  };
  const checks = [{ batch: 0, part: 'gemm', device: 'cpu' }];
  return { ...report, qualification: { baseline, checks } as unknown as ReportModel['qualification'] };
}

describe('a node beside its baseline', () => {
  it('has its own shape above that of the baseline, medians of both, and the range of the baseline’s nodes', async () => {
    const report = heldToBaseline(sizes);
    const svg = await svgOf(report, 'baseline');
    // Two of the node, one of the baseline: of the other it keeps none.
    expect(marks(svg, 'violin')).toBe(3);
    expect(marks(svg, 'range')).toBe(2);
    expect(marks(svg, 'quantile')).toBe(8);
    for (const name of ['gemm', 'gemm, baseline', `${sizes.batches[1]?.name}, baseline`])
      expect(svg).toContain(`>${name}<`);
  });

  it('says how far the node is from it, and what the picture rests on', () => {
    const figure = find(drawFigures(heldToBaseline(sizes)), 'baseline');
    if (!isDrawn(figure)) throw new Error(figure.why);
    expect(figure.alternative).toMatch(/gemm: its median takes 110 % of the time of the baseline/);
    expect(figure.alternative).toMatch(/the medians of the baseline’s nodes take 98(\.0)? % to 102 %/);
    expect(figure.caption).toMatch(/baseline rack of 5 nodes/);
    expect(figure.caption).toMatch(/single node, the most typical of them/);
    expect(figure.caption).toMatch(/Of 1 batch it keeps no shape/);
  });

  it('has for its median what is judged, that of its launches’ medians, whichever launch made more repetitions', () => {
    const launchOf = (seconds: number, repetitions: number) => ({
      seconds,
      samples: Array.from({ length: repetitions }, (_, i) => seconds * (1 + 0.001 * ((i % 11) - 5))),
    });
    const record = recordOf({ batches: [{ launches: [launchOf(1e-3, 2000), launchOf(1.3e-3, 1540)] }] });
    const report = heldToBaseline(buildReport(record, []));
    const figure = find(drawFigures(report), 'baseline');
    if (!isDrawn(figure)) throw new Error(figure.why);
    expect(figure.alternative).toMatch(/gemm: its median takes 110 % of the time of the baseline/);
    expect(figure.caption).toContain('its bar, the median of its launches’ medians');
  });

  it('is not drawn without one, nor where it has nothing of what was measured', () => {
    expect(whyNot(sizes, 'baseline')).toBe('no baseline was given');
    const { qualification } = heldToBaseline(sizes);
    const baseline = { ...qualification?.baseline, references: [] };
    const without = { ...sizes, qualification: { ...qualification, baseline } } as ReportModel;
    expect(whyNot(without, 'baseline')).toBe('baseline rack has nothing of what was measured here');
  });

  it('is drawn from the quantiles that are kept, and from nothing beyond them', () => {
    const values = valuesOf({ probabilities: [0.01, 0.5, 1], seconds: [1, 2, 5] }, 1000);
    expect([...values]).toEqual([...values].sort((a, b) => a - b));
    expect(values[0]).toBeGreaterThanOrEqual(1);
    expect(values.at(-1)).toBeLessThanOrEqual(5);
    const below = values.filter((value) => value <= 2).length / values.length;
    expect(below).toBeCloseTo(0.49 / 0.99, 2);
  });
});

describe('figures of a campaign', () => {
  it('draws a violin, a box and a median for each batch, and a triangle for each launch', async () => {
    const svg = await svgOf(sizes, 'violins');
    expect(marks(svg, 'violin')).toBe(SIZES.length);
    expect(marks(svg, 'box')).toBe(SIZES.length);
    expect(marks(svg, 'median')).toBe(SIZES.length);
    expect(marks(svg, 'launch')).toBe(SIZES.length * LAUNCHES);
  });

  it('puts batches on one axis of seconds where their times are near, and divides by the median otherwise', async () => {
    expect(await svgOf(sizes, 'violins')).toContain('elapsed / median of its batch');
    expect(await svgOf(counts, 'violins')).toMatch(/elapsed, .s</);
  });

  it('draws one line over sizes, with a band, an interval for each point, and the measured peak', async () => {
    const svg = await svgOf(sizes, 'sweep');
    expect(marks(svg, 'line')).toBe(1);
    expect(marks(svg, 'ribbon')).toBe(1);
    expect(marks(svg, 'peak')).toBe(1);
    expect(marks(svg, 'point')).toBe(SIZES.length);
    expect(marks(svg, 'interval')).toBe(SIZES.length);
    for (const size of SIZES) expect(svg).toContain(`>${size}<`);
  });

  it('draws two measures of spread over repetitions', async () => {
    const svg = await svgOf(counts, 'repetitions');
    expect(marks(svg, 'line')).toBe(2);
    expect(marks(svg, 'point')).toBe(6);
  });

  it('draws four panels of stability with a point for each batch', async () => {
    const svg = await svgOf(sizes, 'stability');
    for (const key of ['std', 'stdError', 'iqr', 'cv']) expect(marks(svg, `point-${key}`)).toBe(SIZES.length);
  });

  it.each(['between-within', 'sustained'])('draws a pair for each batch: %s', async (id) => {
    const svg = await svgOf(sizes, id);
    expect(marks(svg, 'main')).toBe(SIZES.length);
    expect(marks(svg, 'other')).toBe(SIZES.length);
  });

  it('draws a roof and a point for each batch', async () => {
    const svg = await svgOf(sizes, 'roofline');
    expect(marks(svg, 'roof')).toBe(SIZES.length);
    expect(marks(svg, 'point')).toBe(SIZES.length);
  });

  it('draws a line with a band for each curve', async () => {
    const curve = (operation: string, rate: number): CurveKpi => ({
      name: 'pibench_memory_rate_curve_bytes_per_second',
      direction: 'higher',
      help: 'Rate',
      timestamp: '2026-01-01T00:00:00.000Z',
      statistic: 'median',
      display: { divisor: 1e9, unit: 'GB/s', digits: 4 },
      regression: true,
      labels: { indicator: 'memory', operation, stores: 'none' },
      points: [
        [16384, rate],
        [1048576, rate / 2],
        [2 ** 28, rate / 10],
      ],
      xUnit: 'B',
      yUnit: 'B/s',
      ci: { level: 0.95, intervals: [[rate * 0.9, rate * 1.1], null, [rate * 0.09, rate * 0.11]] },
    });
    const svg = await svgOf({ ...sizes, curves: [curve('read', 400e9), curve('copy', 200e9)] }, 'curves');
    expect(marks(svg, 'line')).toBe(2);
    expect(marks(svg, 'point')).toBe(6);
    expect(marks(svg, 'ribbon')).toBe(2);
    expect(svg).toContain('>16 KiB<');
    expect(svg).toContain('>copy<');
    // Of many curves the bands would hide each other; stores of another kind are dashed, in their operation's colour.
    const many = ['read', 'write', 'copy'].flatMap((operation) =>
      ['cached', 'streaming'].map((stores) => ({
        ...curve(operation, 1e11),
        labels: { indicator: 'memory', operation, stores },
      })),
    );
    const several = await svgOf({ ...sizes, curves: many }, 'curves');
    expect(marks(several, 'line')).toBe(6);
    expect(
      several.match(/class="mark-line role-mark line"[^>]*><path[^>]*stroke-dasharray="6,3"/g),
    ).toHaveLength(3);
    const colours = [
      ...several.matchAll(/class="mark-line role-mark line"[^>]*><path[^>]*stroke="([^"]*)"/g),
    ];
    expect(new Set(colours.map(([, colour]) => colour)).size).toBe(3);
  });
});

describe('what a figure says that it draws', () => {
  const curve = (name: string, yUnit: string, indicator: string, ys: readonly number[]): CurveKpi => ({
    name,
    direction: 'lower',
    help: 'What it is of',
    timestamp: '2026-01-01T00:00:00.000Z',
    statistic: 'median',
    display: yUnit === '1' ? { divisor: 0.01, unit: '%', digits: 3 } : { divisor: 1, unit: yUnit, digits: 3 },
    regression: true,
    labels: { indicator },
    points: ys.map((y, i) => [1024 * 2 ** i, y]),
    xUnit: 'B',
    yUnit,
    ci: null,
  });
  const drawnOf = (report: ReportModel, id: string) => {
    const figure = find(drawFigures(report), id);
    if (!isDrawn(figure)) throw new Error(`${id} is not drawn: ${figure.why}`);
    return figure;
  };

  it.each([
    [
      'pibench_memory_rate_curve_bytes_per_second',
      'B/s',
      'memory',
      [2e9, 1e9],
      'Rates over the working set',
      'rate, GB/s',
    ],
    [
      'pibench_collective_elapsed_curve_seconds',
      's',
      'collective',
      [2e-6, 3e-6],
      'Times over the size',
      'time, µs',
    ],
    ['pibench_overlap_hidden_curve_ratio', '1', 'overlap', [-2.6, 0.9], 'Shares over the size', 'share, %'],
  ] as const)('%s: neither a rate nor a cache where it is of something else', async (name, unit, of, ys, title, axis) => {
    const overBytes = sizes.axis === null ? null : { ...sizes.axis, key: 'bytes' };
    const report = { ...sizes, axis: overBytes, curves: [curve(name, unit, of, ys)] };
    const figure = drawnOf(report, 'curves');
    expect(figure.title).toBe(title);
    expect(await svgOf(report, 'curves')).toContain(`>${axis}<`);
    expect(/cache/.test(figure.caption)).toBe(of === 'memory');
    // What is below 0 is drawn inside of the picture, too.
    const [, height] = /viewBox="0 0 [\d.]+ ([\d.]+)"/.exec(await svgOf(report, 'curves')) ?? [];
    expect(Number(height)).toBeLessThan(500);
    // The rate has a figure of its own where the curves are of something else.
    expect(whyNot(report, 'sweep') === 'drawn').toBe(of !== 'memory');
  });

  it('leaves rates of another unit off an axis, and says so', () => {
    const batches = sizes.batches.map((batch, i) => (i === 2 ? { ...batch, rateUnit: 'OP/s' } : batch));
    const figure = drawnOf({ ...sizes, batches }, 'sweep');
    expect(figure.data.rows).toHaveLength(SIZES.length - 1);
    expect(figure.caption).toContain('Batches whose rate is not in FLOP/s (1) are in the table only.');
  });
});

describe('figures of a batch', () => {
  it('draws every launch with its quartiles, and the interval across them', async () => {
    const svg = await svgOf(sizes, 'launches-2');
    expect(marks(svg, 'launch')).toBe(LAUNCHES);
    expect(marks(svg, 'quartiles')).toBe(LAUNCHES);
    expect(marks(svg, 'interval')).toBe(1);
    expect(marks(svg, 'estimate')).toBe(1);
  });

  it('draws every sample of a short launch, and its warm-up before it', async () => {
    const [batch] = sizes.batches;
    const svg = await svgOf(sizes, 'samples-1');
    batch?.details?.shown.forEach(({ warmup, buckets, repetitions }, i) => {
      expect(repetitions).toBe(REPETITIONS);
      expect(marks(svg, `measured-middle-${i}`)).toBe(buckets.length);
      expect(marks(svg, `warm-middle-${i}`)).toBe(warmup.length);
    });
  });

  it('gives what it draws in the columns that are named so', () => {
    const figure = find(drawFigures(sizes), 'samples-1');
    if (!isDrawn(figure)) throw new Error('not drawn');
    const at = (name: string): number => figure.data.columns.indexOf(name);
    const [batch] = sizes.batches;
    const [launch] = batch?.details?.shown ?? [];
    const measured = figure.data.rows.filter(
      (row) => row[at('phase')] === 'measure' && row[at('launch')] === launch?.number,
    );
    expect(measured.map((row) => row[at('median_seconds')])).toEqual(
      launch?.buckets.map(({ middle }) => Number(middle.toPrecision(6))),
    );
    expect(measured.map((row) => row[at('repetitions')])).toEqual(launch?.buckets.map(({ n }) => n));
  });

  it('draws of a long warm-up only what leaves the repetitions room, and says so', async () => {
    const [batch] = sizes.batches;
    const [launch] = batch?.details?.shown ?? [];
    const [bucket] = launch?.warmup ?? [];
    if (batch === undefined || launch === undefined || bucket === undefined) throw new Error('no launch');
    const long = { ...launch, warmup: [{ ...bucket, time: -1000 }, ...launch.warmup] };
    const report = {
      ...sizes,
      batches: [{ ...batch, details: { shown: [long], correlation: null, missing: [] } }],
    };
    expect(marks(await svgOf(report, 'samples-1'), 'warm-middle-0')).toBe(launch.warmup.length);
    const figure = find(drawFigures(report), 'samples-1');
    expect(isDrawn(figure) && figure.caption).toMatch(/its last part/);
    expect(isDrawn(figure) && figure.data.rows.some((row) => row.includes(-1000))).toBe(true);
  });

  it('marks each place in which a repetition was disturbed', async () => {
    const [batch] = sizes.batches;
    const [launch] = batch?.details?.shown ?? [];
    if (batch === undefined || launch === undefined) throw new Error('no launch');
    const [first, second, ...rest] = launch.buckets;
    if (first === undefined || second === undefined) throw new Error('no samples');
    const hit = { ...first, disturbed: 1, worst: first.high };
    const changed = { ...launch, buckets: [hit, second, ...rest] };
    const details = { shown: [changed], correlation: null, missing: [] };
    const svg = await svgOf({ ...sizes, batches: [{ ...batch, details }] }, 'samples-1');
    const before = launch.buckets.filter(({ disturbed }) => (disturbed ?? 0) > 0).length;
    expect(marks(svg, 'disturbed-0')).toBe(before + ((first.disturbed ?? 0) > 0 ? 0 : 1));
  });

  it('draws the density, its modes and each launch', async () => {
    const svg = await svgOf(sizes, 'distribution-1');
    expect(marks(svg, 'density')).toBe(1);
    expect(marks(svg, 'mode')).toBe(sizes.batches[0]?.violin?.modes.length);
    expect(marks(svg, 'launch')).toBe(LAUNCHES);
  });

  it('draws forty lags', async () => {
    expect(marks(await svgOf(sizes, 'autocorrelation-1'), 'lag')).toBe(40);
  });
});

describe('figures that cannot be drawn', () => {
  it.each([
    ['sweep', /no number was swept/],
    ['curves', /no curves/],
    ['repetitions', /not swept/],
    ['stability', /compares batches/],
    ['between-within', /3 launches/],
    ['launches-1', /fewer than two/],
  ])('says why of %s for a single launch', (id, why) => {
    expect(whyNot(single, id)).toMatch(why);
  });

  it('says why where a batch has no score', () => {
    const batches = sizes.batches.map((batch) => ({
      ...batch,
      rate: null,
      violin: null,
      box: null,
      between: null,
      pooled: null,
      roofline: null,
    }));
    const none = { ...sizes, batches };
    expect(whyNot(none, 'violins')).toMatch(/no batch has a score/);
    expect(whyNot(none, 'sustained')).toMatch(/no batch has a rate/);
    expect(whyNot(none, 'distribution-1')).toMatch(/no score/);
  });

  it('names the launches whose samples are missing', () => {
    const batches = sizes.batches.map((batch) => ({
      ...batch,
      details: { shown: [], correlation: null, missing: [{ launch: 3, why: 'is gone', damaged: false }] },
    }));
    expect(whyNot({ ...sizes, batches }, 'samples-1')).toBe('launch 3 is gone');
    expect(whyNot({ ...sizes, batches }, 'autocorrelation-1')).toBe('launch 3 is gone');
  });
});

describe('every figure', () => {
  it('has words for who does not see it, a caption, and data with as many cells as columns', () => {
    const figures = drawFigures(sizes);
    const all = [...figures.campaign, ...figures.batches.flatMap(({ figures: own }) => own)];
    const drawn = all.flatMap(({ result }) => (isDrawn(result) ? [result] : []));
    expect(drawn).toHaveLength(18);
    for (const { caption, alternative, data } of drawn) {
      expect(caption.length).toBeGreaterThan(40);
      expect(alternative.length).toBeGreaterThan(20);
      expect(alternative).not.toMatch(/undefined|NaN/);
      expect(data.rows.length).toBeGreaterThan(0);
      for (const row of data.rows) expect(row).toHaveLength(data.columns.length);
    }
  });

  it('takes its colours from the page where the page asks for it, and has its own otherwise', async () => {
    const figure = find(drawFigures(sizes), 'violins');
    if (!isDrawn(figure)) throw new Error('not drawn');
    expect(await renderSvg(figure.spec(PAGE))).toContain('var(--main)');
    expect(await renderSvg(figure.spec(LIGHT))).not.toContain('var(');
  });

  it('draws no value that is not a number', async () => {
    for (const report of [sizes, counts, single]) {
      const figures = drawFigures(report);
      const all = [...figures.campaign, ...figures.batches.flatMap(({ figures: own }) => own)];
      for (const { result } of all) {
        if (isDrawn(result))
          expect(await renderSvg(result.spec(LIGHT))).not.toMatch(/NaN|Infinity|undefined/);
      }
    }
  });
});
