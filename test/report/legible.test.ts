/** A picture on paper says all that it says: whose points these are, on which scale, and no name is cut off. */
import type { Spec } from 'vega';
import { beforeAll, describe, expect, it } from 'vitest';
import { isDrawn } from '../../src/report/figures/figure.js';
import { drawFigures } from '../../src/report/figures/index.js';
import { LIGHT } from '../../src/report/figures/theme.js';
import { textWidth } from '../../src/report/letter-widths.js';
import { buildReport, type ReportModel } from '../../src/report/model.js';
import { renderSvg } from '../../src/report/render.js';
import { aboutSeconds, recordOf } from '../support/records.js';
import { reportOf } from '../support/report.js';

const figureOf = (report: ReportModel, id: string) => {
  const { campaign, batches } = drawFigures(report);
  const found = [...campaign, ...batches.flatMap(({ figures }) => figures)].find(
    (one) => one.id === id,
  )?.result;
  if (found === undefined || !isDrawn(found)) throw new Error(`${id} is not drawn`);
  return found;
};

const specOf = (report: ReportModel, id: string): Spec => figureOf(report, id).spec(LIGHT);
const svgOf = (report: ReportModel, id: string): Promise<string> => renderSvg(specOf(report, id));

let sizes: ReportModel;
let twoStacks: ReportModel;
beforeAll(async () => {
  sizes = (await reportOf([64, 512].map((size) => ({ size, repetitions: 40, inspections: 6 })))).report;
  const described = recordOf({
    batches: [64, 128].flatMap((m) =>
      ['embedded', 'openblas'].map((provider, i) => ({
        parameters: { m, n: m, k: m },
        stack: { provider, version: '1' },
        launches: aboutSeconds((m / 64) ** 2 * 1e-3 * (1 + i)),
      })),
    ),
  });
  const bounds = {
    peak: 2e11,
    peakIsa: 'avx2',
    efficiency: 0.5,
    bandwidth: 1e10,
    bound: 'arithmetic' as const,
    attainable: 2e11,
  };
  const batches = described.batches.map((batch, i) => ({
    ...batch,
    roofline: { ...bounds, intensity: i < 2 ? 10 : 20, share: 0.5 } as const,
  }));
  twoStacks = buildReport({ ...described, batches }, []);
});

describe('names at the left', () => {
  /** Of DejaVu Sans, in shares of its size, by the tables of the font itself. */
  const WIDTHS = [
    ['64 embedded', 6.949],
    ['512 embedded', 7.585],
    ['Wm 90 %, GFLOP/s', 9.612],
  ] as const;

  it.each(
    WIDTHS,
  )('are taken for as wide as the widest font has them, and for little more: %s', (text, width) => {
    expect(textWidth(text)).toBeGreaterThanOrEqual(width - 0.001);
    expect(textWidth(text)).toBeLessThan(width * 1.06);
  });

  it('lie within the picture', async () => {
    const svg = await svgOf(twoStacks, 'sustained');
    const [, offset] = /role-frame root"[^>]*><g transform="translate\(([\d.]+),/.exec(svg) ?? [];
    const [, x, size] =
      /<text text-anchor="end" transform="translate\((-[\d.]+),[^>]*font-size="([\d.]+)px"[^>]*>64 embedded</.exec(
        svg,
      ) ?? [];
    const outer = [...svg.matchAll(/<g[^>]*transform="translate\(([\d.]+),[\d.]+\)"/g)].map(([, at]) =>
      Number(at),
    );
    const room = Math.max(Number(offset ?? 0), ...outer.slice(0, 1)) + Number(x);
    expect(room).toBeGreaterThanOrEqual(6.949 * Number(size));
  });
});

describe('the roofline', () => {
  it('tells stacks by colour and shape with a legend, and names the points of each size once', async () => {
    const svg = await svgOf(twoStacks, 'roofline');
    for (const text of ['embedded', 'openblas', '64', '128'])
      expect(svg.match(new RegExp(`>${text}</text>`, 'g')), text).toHaveLength(1);
    const points = /role-mark point"[\s\S]*?<\/g>/.exec(svg)?.[0] ?? '';
    expect(new Set([...points.matchAll(/fill="(#\w+)"/g)].map(([, colour]) => colour)).size).toBe(2);
  });
});

describe('ceilings', () => {
  it.each(['roofline', 'sweep'])('have no colour of a series: %s', async (id) => {
    const svg = await svgOf(twoStacks, id);
    const dashed = [...svg.matchAll(/<path[^>]*stroke-dasharray="7,4"[^>]*>/g)].map(([path]) => path);
    expect(dashed.length).toBeGreaterThan(0);
    for (const path of dashed) expect(LIGHT.series).not.toContain(/stroke="(#\w+)"/.exec(path)?.[1]);
  });
});

describe('the stability of batches', () => {
  const spread = (factor: number) => aboutSeconds(1e-3).map((seconds) => 1e-3 + (seconds - 1e-3) * factor);
  const stabilityOf = (factors: readonly number[]): ReportModel =>
    buildReport(
      recordOf({
        batches: factors.map((factor, i) => ({ parameters: { m: 64 + i }, launches: spread(factor) })),
      }),
      [],
    );
  const types = (report: ReportModel) =>
    (specOf(report, 'stability').scales ?? []).flatMap(({ name, type }) =>
      name.startsWith('y-') ? [type] : [],
    );

  it('joins no batches by a line', async () => {
    expect(await svgOf(sizes, 'stability')).not.toContain('mark-line');
  });

  it('has one kind of scale in all panels, and says so where it is logarithmic', () => {
    expect(new Set(types(stabilityOf([1, 2])))).toEqual(new Set(['linear']));
    // Five times the spread around an eighth of the time: forty times the CV.
    const near = spread(5).map((seconds) => seconds - 0.875e-3);
    const launches = [spread(1), near];
    const record = recordOf({
      batches: launches.map((all, i) => ({ parameters: { m: 64 + i }, launches: all })),
    });
    const far = buildReport(record, []);
    expect(new Set(types(far))).toEqual(new Set(['log']));
    expect(JSON.stringify(specOf(far, 'stability').marks)).toContain('CV, % (log)');
    expect(figureOf(far, 'stability').caption).toContain('axes are logarithmic');
  });
});

describe('the launches of a batch', () => {
  it('have the number that they have in the campaign wherever they are drawn', async () => {
    const numbers = sizes.batches[1]?.launches.map(({ number }) => number) ?? [];
    expect(numbers).not.toEqual([1, 2, 3, 4, 5, 6]);
    const svg = await svgOf(sizes, 'launches-2');
    for (const number of numbers) expect(svg).toContain(`>${number}</text>`);
    expect(await svgOf(sizes, 'samples-2')).toContain(`launch ${numbers[0]} (first`);
  });

  it('are drawn over time on one scale', () => {
    const scales = (specOf(sizes, 'samples-2').scales ?? []).filter(({ name }) => name.startsWith('y-'));
    expect(scales.length).toBeGreaterThan(1);
    expect(
      new Set(scales.map((scale) => JSON.stringify([scale.type, 'domain' in scale && scale.domain]))).size,
    ).toBe(1);
  });
});

describe('the comparison', () => {
  it('calls a bar beside the line a difference only where that holds among all comparisons', () => {
    const { caption, alternative } = figureOf(twoStacks, 'comparison');
    for (const words of [caption, alternative])
      expect(words).toMatch(
        /beside the dashed line (is )?a difference, if that holds among all comparisons, too/,
      );
  });
});
