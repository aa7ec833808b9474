/** Equal spreads are not told apart by luck, different ones are, and the published table gives one answer. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Recommendation,
  recommendFromSpreads,
  recommendRepetitions,
} from '../../src/statistics/repetitions.js';
import { hasPublishedData, normalFrom, published, randomFrom, SEEDED, STUDIED, series } from './support.js';

const COUNTS = [50, 100, 500, 1000, 2000, 4000, 8000];

const random = randomFrom(51);
const normal = normalFrom(random);
const draws = {
  normal,
  'lognormal (0.8)': () => Math.exp(0.8 * normal()),
  't, 3 df': () => normal() / Math.sqrt((normal() ** 2 + normal() ** 2 + normal() ** 2) / 3),
  'two modes': () => (random() < 0.2 ? 5 : 0) + normal(),
  contaminated: () => normal() + (random() < 0.1 ? 8 : 0),
} as const;

/** Seven batches; the deviations of the first `loose` are `ratio` times as large. */
const sweep = (launches: number, draw: () => number, loose = 0, ratio = 1): Recommendation =>
  recommendRepetitions(
    COUNTS.map((repetitions, i) => ({
      repetitions,
      launchMedians: Array.from(
        series(launches, () => 1e-3 * (1 + 0.005 * (i < loose ? ratio : 1) * draw())),
      ),
    })),
  );

const RISK = 0.05;
const different = ({ counts }: Recommendation): boolean => counts.some(({ p }) => (p ?? 1) < RISK);

describe('a sweep whose counts have one spread', () => {
  // Brown-Forsythe against the best, Holm-corrected, would call some count different in 10 to 37 of 100.
  it.each(
    Object.keys(draws) as (keyof typeof draws)[],
  )('of %s launches is called uneven in at most 10 of 100', (name) => {
    for (const launches of [6, 12]) {
      let [uneven, notFirst] = [0, 0];
      for (let trial = 0; trial < 150; trial++) {
        const found = sweep(launches, draws[name]);
        if (different(found)) uneven++;
        if (found.repetitions !== COUNTS[0]) notFirst++;
      }
      // 5 are meant; three standard errors of 150 trials are 5 points more.
      expect(uneven / 150, `${launches} launches`).toBeLessThanOrEqual(0.1);
      expect(notFirst / 150, `${launches} launches`).toBeLessThanOrEqual(0.06);
    }
  });

  it('is decided in the same way each time', () => {
    const batches = COUNTS.map((repetitions) => ({
      repetitions,
      launchMedians: Array.from(series(10, () => 1 + 0.01 * normal())),
    }));
    expect(recommendRepetitions(batches)).toEqual(recommendRepetitions(batches.toReversed()));
  });

  it('of equal launches needs the smallest count', () => {
    const found = recommendRepetitions([
      { repetitions: 10, launchMedians: Array.from(series(6, () => 1)) },
      { repetitions: 100, launchMedians: Array.from(series(6, () => 1)) },
    ]);
    expect(found).toMatchObject({ repetitions: 10, best: 10 });
    expect(found.counts.map(({ p, ratio }) => [p, ratio])).toEqual([
      [1, null],
      [1, null],
    ]);
  });
});

describe('a sweep whose small counts spread more', () => {
  it('recommends the first that does not, 8 times in 10: three times the spread, 30 launches', () => {
    let right = 0;
    for (let trial = 0; trial < 40; trial++) if (sweep(30, normal, 2, 3).repetitions === COUNTS[2]) right++;
    expect(right / 40).toBeGreaterThanOrEqual(0.8);
  });

  it('gives the ratio with an interval that contains the true one, and says which ratios pass for chance', () => {
    const found = sweep(60, normal, 1, 3);
    const [first] = found.counts;
    expect(first?.ratioInterval?.low).toBeLessThan(3);
    expect(first?.ratioInterval?.high).toBeGreaterThan(3);
    expect(first?.p).toBeLessThan(0.01);
    expect(found.leastRatioFound).toBeGreaterThan(1.2);
    expect(found.leastRatioFound).toBeLessThan(2.5);
    // Fewer launches tell less.
    expect(sweep(8, normal).leastRatioFound).toBeGreaterThan(found.leastRatioFound ?? 9);
  });

  it('recommends the best where every smaller count spreads more', () => {
    const found = sweep(60, normal, 6, 4);
    expect(found).toMatchObject({ repetitions: 8000, best: 8000 });
    expect(found.why).toContain('every smaller count');
  });
});

describe('the evidence of a count', () => {
  it('is the spread, its ratio to the smallest, and how well both are known', () => {
    const around = (spread: number) => [-1, 0, 1, -1, 0, 1].map((at) => Math.exp(spread * at));
    const { counts, best } = recommendRepetitions([
      { repetitions: 10, launchMedians: around(0.2) },
      { repetitions: 20, launchMedians: around(0.1) },
    ]);
    // Two thirds of it on average, as large as for many launches; deviations of 0 and 1 have an error of 0.5164 / sqrt(6).
    const mean = (2 / 3) * Math.sqrt(6 / 5);
    const error = Math.sqrt(4 / 15 / 6) / (2 / 3);
    const reach = 2.228139 * Math.hypot(error, error);
    expect(counts.map(({ spread }) => spread)).toEqual([
      expect.closeTo(0.2 * mean, 12),
      expect.closeTo(0.1 * mean, 12),
    ]);
    expect(best).toBe(20);
    expect(counts[0]?.ratio).toBeCloseTo(2, 12);
    expect(counts[0]?.ratioInterval?.low).toBeCloseTo(2 * Math.exp(-reach), 5);
    expect(counts[0]?.ratioInterval?.high).toBeCloseTo(2 * Math.exp(reach), 5);
    expect([counts[1]?.ratio, counts[1]?.ratioInterval]).toEqual([1, null]);
  });

  it('is from a table the standard deviation over the median, whose logarithm has an error of 1 / sqrt(2 (n - 1))', () => {
    const { counts } = recommendFromSpreads([
      { repetitions: 10, n: 10, median: 100, std: 2 },
      { repetitions: 20, n: 10, median: 50, std: 0.5 },
    ]);
    expect(counts.map(({ spread }) => spread)).toEqual([0.02, 0.01]);
    const reach = 2.100922 * Math.sqrt(2 / 18);
    expect(counts[0]?.ratioInterval?.low).toBeCloseTo(2 * Math.exp(-reach), 5);
    expect(counts[0]?.ratioInterval?.high).toBeCloseTo(2 * Math.exp(reach), 5);
    // Twice the variance of nine degrees four times over: P(F > 4) of 9 and 9 degrees is 0.026, on either side.
    expect(Math.abs((counts[0]?.p ?? 0) - 0.051)).toBeLessThan(0.021);
  });

  it('is never less than one in a thousand, for so many draws cannot tell less', () => {
    const { counts } = recommendFromSpreads([
      { repetitions: 10, n: 30, median: 1, std: 1 },
      { repetitions: 20, n: 30, median: 1, std: 0.001 },
    ]);
    expect(counts[0]?.p).toBe(0.001);
  });
});

describe('a sweep that nothing can be said of', () => {
  it('says which batch has too few launches', () => {
    const found = recommendRepetitions([
      { repetitions: 100, launchMedians: [1, 1, 1, 1, 1, 1] },
      { repetitions: 50, launchMedians: [1, 1, 1, 1, 1] },
    ]);
    expect(found).toMatchObject({ repetitions: null, best: null, leastRatioFound: null });
    expect(found.why).toBe('the batch of 50 repetitions has 5 launches, and a spread needs at least 6');
    expect(found.counts.map(({ repetitions, p }) => [repetitions, p])).toEqual([
      [50, null],
      [100, null],
    ]);
  });

  it('has one count, or a median that has no logarithm', () => {
    expect(
      recommendRepetitions([{ repetitions: 1, launchMedians: [1, 2, 3, 4, 5, 6] }]).repetitions,
    ).toBeNull();
    const nothing = {
      repetitions: null,
      best: null,
      why: expect.stringMatching(/^the batch of 2 .*above 0$/),
    };
    const [zero, one] = [0, 1].map((first) => [first, 1, 1, 1, 1, 1]);
    expect(
      recommendRepetitions([
        { repetitions: 1, launchMedians: one ?? [] },
        { repetitions: 2, launchMedians: zero ?? [] },
      ]),
    ).toMatchObject(nothing);
    const row = { repetitions: 1, n: 10, median: 1, std: 1 };
    for (const wrong of [{ median: 0 }, { std: -1 }, { std: Number.NaN }])
      expect(recommendFromSpreads([row, { ...row, repetitions: 2, ...wrong }])).toMatchObject(nothing);
  });
});

describe('a sweep on a coarse clock, where launches tie', () => {
  const finite = ({ counts, leastRatioFound, why }: Recommendation): void => {
    const numbers = counts.flatMap(({ spread, ratio, ratioInterval, p }) => [
      spread,
      ratio,
      p,
      ratioInterval?.low ?? null,
      ratioInterval?.high ?? null,
    ]);
    for (const value of [leastRatioFound, ...numbers]) expect(Number.isFinite(value ?? 0)).toBe(true);
    expect(why).not.toMatch(/NaN|Infinity/);
  };

  it('has no least ratio where chance leaves some batch without a spread, and says why', () => {
    const found = recommendRepetitions([
      { repetitions: 10, launchMedians: [100e-6, 100e-6, 100.5e-6, 100e-6, 100e-6, 100.5e-6] },
      { repetitions: 100, launchMedians: [100e-6, 100e-6, 100e-6, 100e-6, 100e-6, 100.5e-6] },
    ]);
    finite(found);
    expect(found).toMatchObject({ repetitions: 10, best: 100, leastRatioFound: null });
    expect(found.why).toMatch(
      /so many launches do not differ, as where they tie at the step of the clock, that hardly any ratio can$/,
    );
  });

  it('has no ratio to a batch without a spread, and how often chance makes one', () => {
    const found = recommendRepetitions([
      { repetitions: 10, launchMedians: [1, 1.1, 1.2, 1.3, 1.4, 1.5] },
      { repetitions: 100, launchMedians: [1, 1, 1, 1, 1, 1] },
    ]);
    finite(found);
    expect(found.best).toBe(100);
    expect(found.counts[0]?.ratio).toBeNull();
    expect(found.counts[0]?.p).toBeLessThan(0.05);
  });

  it('tells a larger spread from a smaller one, also where the smallest is none', () => {
    const found = recommendRepetitions([
      { repetitions: 10, launchMedians: [1, 1.1, 1.2, 1.3, 1.4, 1.5] },
      { repetitions: 20, launchMedians: [1, 1, 1, 1, 1, 1.001] },
      { repetitions: 40, launchMedians: [1, 1, 1, 1, 1, 1] },
    ]);
    expect(found.counts[0]?.p).toBeLessThan(0.05);
    expect(found.counts[1]?.p).toBeGreaterThan(0.05);
    expect(found).toMatchObject({ repetitions: 20, best: 40 });
  });

  it('is answered in numbers, whatever step launch medians are rounded to', () => {
    const batch = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 6, maxLength: 9 });
    fc.assert(
      fc.property(batch, batch, batch, fc.double({ min: 1e-9, max: 1, noNaN: true }), (a, b, c, step) => {
        finite(
          recommendRepetitions(
            [a, b, c].map((steps, i) => ({
              repetitions: 10 ** i,
              launchMedians: steps.map((count) => step * (200 + count)),
            })),
          ),
        );
      }),
      { ...SEEDED, numRuns: 40 },
    );
  });

  it('is answered in numbers also from a table whose smallest spread is hardly any', () => {
    const row = { repetitions: 1, n: 10, median: 1, std: 1 };
    for (const std of [0, Number.MIN_VALUE, 1e-310])
      finite(recommendFromSpreads([row, { ...row, repetitions: 2, std }]));
  });
});

describe('a table of spreads', () => {
  it('of one spread is called uneven in 5 of 100', () => {
    const trials = 300;
    let uneven = 0;
    for (let trial = 0; trial < trials; trial++) {
      const rows = COUNTS.map((repetitions) => {
        const values = series(30, normal);
        const mean = values.reduce((sum, value) => sum + value / 30, 0);
        const std = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / 29);
        return { repetitions, n: 30, median: 100, std };
      });
      if (different(recommendFromSpreads(rows))) uneven++;
    }
    expect(Math.abs(uneven / trials - 0.05)).toBeLessThan(0.035);
  });

  it.skipIf(!hasPublishedData)('as published: 2,000 repetitions of 50 to 20,000 are enough', () => {
    const [header = [], ...lines] = published('test1_describe_512_reps.csv')
      .trim()
      .split('\n')
      .map((line) => line.split(','));
    const value = (statistic: string, column: number): number =>
      Number(lines.find(([name]) => name === statistic)?.[column]);
    const rows = Object.entries(STUDIED).map(([suffix, repetitions]) => {
      const column = header.indexOf(`elapsed_${suffix}`);
      const at = (statistic: string): number => value(statistic, column);
      return { repetitions, n: at('count'), median: at('50%'), std: at('std') };
    });
    const found = recommendFromSpreads(rows);
    expect(found).toMatchObject({ repetitions: 2000, best: 8000 });
    // 50 and 100 repetitions spread 1.7 and 1.6 times as much; so do 20,000, which no theory of repetitions explains.
    const spread = Object.fromEntries(found.counts.map(({ repetitions, p }) => [repetitions, p ?? 1]));
    for (const count of [50, 100, 20000]) expect(spread[count]).toBeLessThan(0.01);
    expect(spread[2000]).toBeGreaterThan(0.5);
  });
});
