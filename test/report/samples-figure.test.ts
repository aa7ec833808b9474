/** Samples over time say which repetitions were disturbed only where somebody could see that, and of how many calls each is. */
import { describe, expect, it } from 'vitest';
import type { RecordInspection } from '../../src/record/schema.js';
import { detailsOf } from '../../src/report/details.js';
import { type Figure, isDrawn } from '../../src/report/figures/figure.js';
import { samples } from '../../src/report/figures/samples.js';
import { LIGHT } from '../../src/report/figures/theme.js';
import type { BatchModel, ReportModel } from '../../src/report/model.js';

/** Medians of launches that are all shown: the third is the furthest from the second. */
const SECONDS = [1e-3, 2e-3, 9e-3];

interface Made {
  readonly disturbed?: readonly number[] | null;
  readonly callsPerSample?: number;
}

/** Of launches of three repetitions each. */
function figureOf(...launches: readonly Made[]): Figure {
  const inspections = launches.map(
    (_, index) =>
      ({
        index,
        status: 'measured',
        statistics: { median: SECONDS[index] },
        flags: [],
      }) as unknown as RecordInspection,
  );
  const details = detailsOf({ inspections }, ({ index }) => ({
    samples: {
      seconds: new Float64Array(3).fill(SECONDS[index] ?? 0),
      entries: Float64Array.from([0, 1, 2]),
      warmup: [1e-3, 1e-3],
      warmupCallsEach: 1,
      disturbed: [],
      callsPerSample: 1,
      ...launches[index],
    },
  }));
  const drawn = samples.draw({ details, shapeOf: 'repetitions' } as unknown as BatchModel, {} as ReportModel);
  if (!isDrawn(drawn)) throw new Error(drawn.why);
  return drawn;
}

/** Of the rows of a phase. */
function disturbedCells({ data: { columns, rows } }: Figure, phase: string): readonly unknown[] {
  const of = rows.filter((row) => row[columns.indexOf('phase')] === phase);
  return of.map((row) => row[columns.indexOf('disturbed')]);
}

const tooltipsOf = (figure: Figure): readonly string[] => [
  ...new Set(
    [...JSON.stringify(figure.spec(LIGHT)).matchAll(/\\"disturbed\\": (.*?)\}"/g)].map(
      ([, signal = '']) => signal,
    ),
  ),
];

describe('a launch of which nobody knows what was disturbed', () => {
  const figure = figureOf({ disturbed: null });

  it('has no count of it in the data, in words and where it is pointed at', () => {
    expect(disturbedCells(figure, 'measure')).toEqual([null, null, null]);
    expect(figure.alternative).not.toMatch(/\d+ disturbed/);
    expect(figure.alternative).toContain('which repetitions were disturbed is not known');
    expect(tooltipsOf(figure)).toEqual(['\\"not known\\"']);
  });

  it('has no triangles, as its caption says', () => {
    expect(figure.caption).not.toContain('Triangles');
    expect(figure.caption).toContain('Which repetitions were disturbed is not known');
  });

  it('is told from one beside it of which that is known', () => {
    const { caption } = figureOf({}, { disturbed: null });
    expect(caption).toContain('may have lost its CPU; of launch 2 that is not known.');
  });
});

describe('a launch whose disturbed repetitions are known', () => {
  const figure = figureOf({ disturbed: [1] });

  it('counts them', () => {
    expect(disturbedCells(figure, 'measure')).toEqual([0, 1, 0]);
    expect(figure.alternative).toContain('1 disturbed repetition,');
    expect(figure.caption).toContain(
      'Triangles: repetitions in which a measuring thread may have lost its CPU.',
    );
  });

  it('has none of its warm-up, of which nobody looked for them', () => {
    expect(disturbedCells(figure, 'warm-up')).toEqual([null, null]);
    expect(tooltipsOf(figure)).toEqual([
      expect.stringMatching(/^datum\.warm \? \\"not known\\" : datum\.hit/),
    ]);
  });
});

describe('the calls of a sample', () => {
  const callsText = (...calls: readonly number[]): string | undefined =>
    /A sample is [^.]*\./.exec(figureOf(...calls.map((callsPerSample) => ({ callsPerSample }))).caption)?.[0];

  it('are those of each launch where they differ', () => {
    expect(callsText(2, 409, 1)).toBe(
      'A sample is the mean of 1 to 409 calls (launch 1: 2, launch 2: 409, launch 3: 1).',
    );
  });

  it('are told once where they are the same, and not where each is a sample', () => {
    expect(callsText(12, 12)).toBe('A sample is the mean of 12 calls.');
    expect(callsText(1, 1)).toBeUndefined();
  });
});
