/** Shapes: the density, its bandwidth, its modes; and the box. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { box } from '../../src/statistics/box.js';
import { describeSamples } from '../../src/statistics/describe.js';
import { prominentMaxima } from '../../src/statistics/modes.js';
import { normalReach } from '../../src/statistics/normal.js';
import { summarise } from '../../src/statistics/summary.js';
import { type Violin, violin } from '../../src/statistics/violin.js';
import { durations, normalFrom, randomFrom, SEEDED, series } from './support.js';

/** Integral over the violin's scale, by the trapezoid rule. */
function mass({ grid, density, scale }: Violin): number {
  const places = grid.map((value) => (scale === 'log' ? Math.log(value) : value));
  let sum = 0;
  for (let i = 1; i < places.length; i++) {
    sum += (((density[i] ?? 0) + (density[i - 1] ?? 0)) / 2) * ((places[i] ?? 0) - (places[i - 1] ?? 0));
  }
  return sum;
}

/** Solve-the-equation over all pairs: Sheather & Jones (1991), section 5, with R's choice of the spread. */
function sheatherJonesByPairs(values: Float64Array): number {
  const n = values.length;
  const { iqr, std } = summarise(values);
  const spread = Math.min(std ?? 0, iqr / 1.349);
  const overPairs = (of: (x: number) => number, g: number): number => {
    let sum = 0;
    for (const a of values) for (const b of values) sum += of((a - b) / g);
    return sum;
  };
  const phi = (x: number): number => Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);
  const fourth = (g: number): number =>
    overPairs((x) => (x ** 4 - 6 * x ** 2 + 3) * phi(x), g) / (n * (n - 1) * g ** 5);
  const sixth = (g: number): number =>
    -overPairs((x) => (x ** 6 - 15 * x ** 4 + 45 * x ** 2 - 15) * phi(x), g) / (n * (n - 1) * g ** 7);
  const ratio = fourth(1.24 * spread * n ** (-1 / 7)) / sixth(1.23 * spread * n ** (-1 / 9));
  const curvature = (h: number): number => fourth(1.357 * ratio ** (1 / 7) * h ** (5 / 7));
  let [low, high] = [0.01 * spread, spread];
  for (let i = 0; i < 30; i++) {
    const h = (low + high) / 2;
    if ((2 * Math.sqrt(Math.PI) * n * curvature(h)) ** -0.2 > h) low = h;
    else high = h;
  }
  return low;
}

describe('a violin', () => {
  const normal = normalFrom(randomFrom(8));

  it('has a density that is never negative and integrates to 1 between the extremes', () => {
    fc.assert(
      fc.property(durations(2), (values) => {
        const drawn = violin(values);
        for (const value of [...drawn.density, ...drawn.grid, ...drawn.modes]) {
          expect(value).toSatisfy(Number.isFinite);
        }
        expect(Math.min(...drawn.density)).toBeGreaterThanOrEqual(0);
        expect(drawn.grid).toEqual([...new Set(drawn.grid)].sort((a, b) => a - b));
        expect(drawn.modes.length).toBeGreaterThanOrEqual(1);
        if (drawn.grid.length === 1) return;
        expect([drawn.grid[0], drawn.grid.at(-1)]).toEqual([Math.min(...values), Math.max(...values)]);
        expect(mass(drawn)).toBeCloseTo(1, 6);
      }),
      SEEDED,
    );
  });

  it('of a normal distribution is its bell', () => {
    const drawn = violin(series(20_000, () => 100 + normal()));
    const at = (x: number): number =>
      drawn.density[drawn.grid.findIndex((value) => value >= x)] ?? Number.NaN;
    expect(drawn).toMatchObject({ scale: 'linear', bandwidthRule: 'Sheather-Jones' });
    // The best bandwidth for a normal distribution is 1.06 n^(-1/5) (Silverman 1986).
    expect(Math.abs(drawn.bandwidth / (1.06 * 20_000 ** -0.2) - 1)).toBeLessThan(0.05);
    expect(Math.abs(at(100) - 0.3989)).toBeLessThan(0.02);
    expect(Math.abs(at(101) - 0.242)).toBeLessThan(0.02);
    expect(drawn.modes).toHaveLength(1);
  });

  it('has the bandwidth that Sheather & Jones’ equation gives without any bins', () => {
    const values = series(250, (i) => (i % 4 === 0 ? 103 : 100) + normal());
    expect(violin(values).bandwidth / sheatherJonesByPairs(values)).toBeCloseTo(1, 2);
  });

  it('has R’s bandwidth of the precipitation of 70 cities', () => {
    // bw.SJ(precip, method = "ste") is 3.9318 in the saved output of R's own tests, on R's coarser bins. Shifted, so that
    // the scale is linear.
    const precipitation = [
      67.0, 54.7, 7.0, 48.5, 14.0, 17.2, 20.7, 13.0, 43.4, 40.2, 38.9, 54.5, 59.8, 48.3, 22.9, 11.5, 34.4,
      35.1, 38.7, 30.8, 30.6, 43.1, 56.8, 40.8, 41.8, 42.5, 31.0, 31.7, 30.2, 25.9, 49.2, 37.0, 35.9, 15.0,
      30.2, 7.2, 36.2, 45.5, 7.8, 33.4, 36.1, 40.2, 42.7, 42.5, 16.2, 39.0, 35.0, 37.0, 31.4, 37.6, 39.9,
      36.2, 42.8, 46.4, 24.7, 49.1, 46.0, 35.9, 7.8, 48.2, 15.2, 32.5, 44.7, 42.6, 38.8, 17.4, 40.8, 29.1,
      14.6, 59.2,
    ];
    const drawn = violin(precipitation.map((inches) => inches + 1000));
    expect(drawn.bandwidthRule).toBe('Sheather-Jones');
    expect(Math.abs(drawn.bandwidth / 3.9318 - 1)).toBeLessThan(0.005);
  });

  it.each([500, 2000])('has within a tenth, on average, the best bandwidth of %i normal values', (n) => {
    const ratios = Array.from(
      { length: 60 },
      () => violin(series(n, () => 50 + normal())).bandwidth / (1.06 * n ** -0.2),
    );
    expect(Math.abs(ratios.reduce((sum, ratio) => sum + ratio) / 60 - 1)).toBeLessThan(0.1);
  });

  it('of more than a million values is drawn from every second or third, and is the same', () => {
    const many = series(2_500_000, (i) => (i % 4 === 0 ? 13 : 10) + normal() / 2);
    const [all, some] = [violin(many), violin(many.subarray(0, 900_000))];
    expect(mass(all)).toBeCloseTo(1, 9);
    expect(all.n).toBe(2_500_000);
    expect(all.modes.map((mode) => mode.toFixed(1))).toEqual(['10.0', '13.0']);
    const at = ({ grid, density }: Violin, x: number): number =>
      density[grid.findIndex((value) => value >= x)] ?? Number.NaN;
    for (const x of [9.5, 10, 12, 13]) expect(Math.abs(at(all, x) / at(some, x) - 1)).toBeLessThan(0.1);
  });

  it('tells the width of the kernel that it was drawn with, also where that is below what is drawn', () => {
    const spikes = violin(series(1000, (i) => (i < 500 ? 1 : 2) + 1e-9 * (i % 100)));
    expect(spikes.bandwidth).toBeGreaterThan(1e-4);
    expect(spikes.modes).toHaveLength(2);
    // Of the 127 cells a thirty-second.
    const stalled = violin(series(1000, (i) => (i === 0 ? 2 : 1) + 1e-9 * (i % 100)));
    expect(stalled.bandwidth).toBeCloseTo(1 / (127 * 32), 9);
  });

  it('has no NaN for two values, values of any sign, and values as far apart as they can be', () => {
    const anything = fc.array(
      fc.oneof(fc.double({ min: -1e100, max: 1e100, noNaN: true }), fc.constantFrom(0, 1, -1, 5e-324, 1e100)),
      { minLength: 1, maxLength: 40 },
    );
    fc.assert(
      fc.property(anything, (values) => {
        const drawn = violin(values);
        for (const value of [drawn.bandwidth, ...drawn.density, ...drawn.grid, ...drawn.modes]) {
          expect(value).toSatisfy(Number.isFinite);
        }
        for (const value of Object.values(box(values))) expect(value).toSatisfy(Number.isFinite);
      }),
      SEEDED,
    );
  });

  it('keeps two modes that Silverman’s rule would smear', () => {
    const two = series(2000, (i) => (i % 3 === 0 ? 1.1 : 1) + 0.004 * normal());
    const drawn = violin(two);
    const rule = 0.9 * ((summarise(two).iqr ?? 0) / 1.349) * 2000 ** -0.2;
    expect(drawn.bandwidth).toBeLessThan(rule / 2);
    expect(drawn.modes).toHaveLength(2);
    expect(drawn.modes[0]).toBeCloseTo(1, 2);
    expect(drawn.modes[1]).toBeCloseTo(1.1, 2);
  });

  it('finds narrow modes though one stall stretches its scale a hundredfold', () => {
    const stalled = series(2001, (i) => (i === 2000 ? 100 : (i % 2 === 0 ? 1 : 1.2) + 0.01 * normal()));
    const drawn = violin(stalled);
    expect(drawn.scale).toBe('log');
    expect(mass(drawn)).toBeCloseTo(1, 6);
    expect(drawn.modes).toHaveLength(2);
  });

  it('has as modes the maxima of a tenth of the highest and more', () => {
    const bell = (centre: number, count: number) =>
      Array.from({ length: count }, (_, i) => {
        const side = Math.abs((2 * i + 1) / count - 1);
        return centre + 0.05 * Math.sign(2 * i + 1 - count) * (side === 0 ? 0 : normalReach(side));
      });
    expect(violin([...bell(10, 1800), ...bell(11, 220)]).modes).toHaveLength(2);
    expect(violin([...bell(10, 1900), ...bell(11, 150)]).modes).toHaveLength(1);
  });

  it('is the sum of a bell on each value, cut off at the extremes', () => {
    const values = Array.from(series(40, (i) => 100 + (i % 7) + i / 40 + (i === 39 ? 8 : 0)));
    const { grid, density, bandwidth, scale } = violin(values);
    expect(scale).toBe('linear');
    const sums = grid.map((at) =>
      values.reduce((sum, value) => sum + Math.exp(-(((at - value) / bandwidth) ** 2) / 2), 0),
    );
    const area = (heights: readonly number[]) =>
      heights.reduce((sum, height, i) => sum + height * (i === 0 || i === 127 ? 0.5 : 1), 0);
    const scaled = sums.map((sum) => (sum * area(density)) / area(sums));
    const highest = Math.max(...scaled);
    for (const [i, height] of scaled.entries())
      expect(Math.abs((density[i] ?? 0) - height) / highest).toBeLessThan(0.015);
  });

  it('goes to a logarithmic scale beyond a ratio of 3, and not at 3', () => {
    expect(violin([1, 1.5, 2, 2.5, 3]).scale).toBe('linear');
    expect(violin([1, 1.5, 2, 2.5, 3.001]).scale).toBe('log');
    expect(violin([0, 1, 2, 3, 4]).scale).toBe('linear');
  });

  it('of equal values is one spike', () => {
    expect(violin([5, 5, 5])).toMatchObject({ grid: [5], density: [1], modes: [5], bandwidth: 0 });
    expect(violin([5]).bandwidthRule).toBe('none: all values are equal');
  });

  it('says when there are too few different values for Sheather & Jones', () => {
    expect(violin(series(100, (i) => 1 + (i % 9))).bandwidthRule).toBe(
      'Silverman: fewer than 10 different values',
    );
    expect(violin(series(100, (i) => 1 + (i % 10))).bandwidthRule).toMatch(
      /^Sheather-Jones|did not converge/,
    );
    // 0.9 min(sd, IQR / 1.349) n^(-1/5), here of logarithms, from 1 to 9.
    const { bandwidth } = violin(series(100, (i) => 1 + (i % 9)));
    expect(bandwidth).toBeCloseTo((0.9 * Math.log(7 / 3)) / 1.349 / 100 ** 0.2, 4);
  });

  it('counts what lies beyond on each side by itself, where many equal values end one', () => {
    const { beyond } = violin(
      series(100, (i) => Math.max(30, i)),
      0.5,
    );
    expect(beyond).toEqual({ below: 0, above: 25 });
  });

  it('says how many samples lie beyond a part that is shown, and integrates to what it shows', () => {
    const drawn = violin(
      series(1000, (i) => 1 + i / 1000),
      0.98,
    );
    expect(drawn.beyond).toEqual({ below: 10, above: 10 });
    expect(mass(drawn)).toBeCloseTo(0.98, 6);
    expect(violin([1, 2], 0.1).density.every(Number.isFinite)).toBe(true);
  });

  it('scales with its unit', () => {
    fc.assert(
      fc.property(durations(12), fc.integer({ min: -8, max: 8 }), (values, power) => {
        const factor = 2 ** power;
        const [plain, scaled] = [violin(values), violin(values.map((value) => value * factor))];
        expect([scaled.scale, scaled.bandwidthRule]).toEqual([plain.scale, plain.bandwidthRule]);
        const unit = plain.scale === 'log' ? 1 : factor;
        expect(scaled.bandwidth / unit / (plain.bandwidth || 1)).toBeCloseTo(plain.bandwidth ? 1 : 0, 4);
      }),
      SEEDED,
    );
  });
});

describe('prominent maxima', () => {
  it('count bumps that stand out, ends included', () => {
    expect(prominentMaxima([1, 0, 1], 0.1)).toEqual([0, 2]);
    expect(prominentMaxima([0, 1, 0.95, 1, 0], 0.1)).toEqual([1]);
    expect(prominentMaxima([0, 1, 0.5, 0.65, 0], 0.1)).toEqual([1, 3]);
    expect(prominentMaxima([0, 1, 0.5, 0.55, 0], 0.1)).toEqual([1]);
    expect(prominentMaxima([0, 0, 0], 0.1)).toEqual([]);
  });
});

describe('a box', () => {
  it('has Tukey’s hinges: medians of the halves, the middle value in both', () => {
    expect(box([1, 2, 3, 4, 5, 6, 7])).toMatchObject({ lowerHinge: 2.5, median: 4, upperHinge: 5.5 });
    expect(box([1, 2, 3, 4, 5])).toMatchObject({ lowerHinge: 2, median: 3, upperHinge: 4 });
    expect(box([1, 2, 3, 4])).toMatchObject({ lowerHinge: 1.5, median: 2.5, upperHinge: 3.5 });
  });

  it('ends its whiskers at values within 1.5 hinge distances, and counts those beyond', () => {
    expect(box([-20, 1, 2, 3, 4, 5, 6, 7, 8, 9, 30, 31])).toMatchObject({
      lowerHinge: 2.5,
      upperHinge: 8.5,
      whiskerLow: 1,
      whiskerHigh: 9,
      outliersBelow: 1,
      outliersAbove: 2,
      min: -20,
      max: 31,
    });
  });

  it('counts each sample once: outliers, and those that the whiskers enclose', () => {
    fc.assert(
      fc.property(durations(), (values) => {
        const drawn = box(values);
        const inside = values.filter((value) => value >= drawn.whiskerLow && value <= drawn.whiskerHigh);
        expect(inside.length + drawn.outliersBelow + drawn.outliersAbove).toBe(values.length);
        const ordered = [
          drawn.min,
          drawn.whiskerLow,
          drawn.lowerHinge,
          drawn.median,
          drawn.upperHinge,
          drawn.whiskerHigh,
        ];
        expect(drawn.lowerHinge).toBeLessThanOrEqual(drawn.median);
        expect(drawn.median).toBeLessThanOrEqual(drawn.upperHinge);
        expect(drawn.max).toBeGreaterThanOrEqual(Math.max(...ordered.slice(0, 4)));
      }),
      SEEDED,
    );
  });
});

describe('a description', () => {
  it('sorted once, is what its parts say', () => {
    const random = randomFrom(9);
    const samples = series(500, () => 1 + random());
    const { summary, box: drawn, violin: shape } = describeSamples(samples, 0.98);
    expect([summary, drawn, shape]).toEqual([summarise(samples), box(samples), violin(samples, 0.98)]);
  });
});
