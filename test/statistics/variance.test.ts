/** The variance at both levels is found where it is known, and the plans made of it deliver what they promise. */
import { describe, expect, it } from 'vitest';
import { effectiveSampleSize } from '../../src/statistics/autocorrelation.js';
import { launchInterval } from '../../src/statistics/interval.js';
import { expectedHalfWidth } from '../../src/statistics/interval-width.js';
import { normalReach } from '../../src/statistics/normal.js';
import { median } from '../../src/statistics/quantile.js';
import {
  bestRepetitions,
  componentsOf,
  launchesFor,
  launchNoise,
  MOST_OF_HALVES,
  varianceComponents,
} from '../../src/statistics/variance.js';
import { normalFrom, randomFrom, series } from './support.js';

const normal = normalFrom(randomFrom(41));

/** Repetitions about the launch's own level; x(i) = rho x(i-1) + noise. */
function launch(n: number, between: number, within: number, rho = 0): Float64Array {
  const level = 1 + between * normal();
  let x = normal();
  return series(n, () => {
    x = rho * x + Math.sqrt(1 - rho * rho) * normal();
    return level + within * x;
  });
}

const launches = (k: number, n: number, between: number, within: number, rho = 0): Float64Array[] =>
  Array.from({ length: k }, () => launch(n, between, within, rho));

/**
 * n times the variance of the median of a normal AR(1) series of standard deviation 1: two values fall on the same side
 * with covariance arcsin(correlation) / (2 pi), and the density at the median is 1 / sqrt(2 pi).
 */
function trueWithin(rho: number): number {
  let sum = Math.PI / 2;
  for (let lag = 1; lag < 200; lag++) sum += 2 * Math.asin(rho ** lag);
  return sum;
}

describe('variance components', () => {
  it.each([
    ['independent', 0],
    ['dependent', 0.5],
    ['strongly dependent', 0.8],
    ['alternating', -0.35],
  ])('find the long-run variance of the median of %s repetitions to 10 %%', (_, rho) => {
    const found = varianceComponents(launches(60, 2000, 0.01, 0.03, rho));
    expect((found?.within ?? 0) / (0.03 ** 2 * trueWithin(rho))).toBeGreaterThan(0.9);
    expect((found?.within ?? 0) / (0.03 ** 2 * trueWithin(rho))).toBeLessThan(1.1);
  });

  it('do not take the noise of short launches for a difference between launches', () => {
    // 25 repetitions: the noise of a median has a variance of (pi / 2) 0.03² / 25, more than twice that of the launches.
    const all = Array.from({ length: 60 }, () => varianceComponents(launches(40, 25, 0.005, 0.03)));
    const relative = median(all.map((found) => found?.relativeBetween ?? Number.NaN));
    expect(relative).toBeGreaterThan(0.004);
    expect(relative).toBeLessThan(0.006);
    expect(median(all.map((found) => Math.sqrt(found?.total ?? 0)))).toBeGreaterThan(0.008);
  });

  it('are not decided by a launch far off, or by stalls in some launches', () => {
    const quiet = launches(30, 400, 0.005, 0.03);
    const found = varianceComponents(quiet);
    const disturbed = quiet.map((samples, i) => {
      const slow = i === 3 ? 3 : 1;
      // Every eleventh launch has a tenth of its repetitions, one after the other, 500 times as long.
      return samples.map((value, j) => (i % 11 === 0 && j < 40 ? 500 : slow) * value);
    });
    const anyway = varianceComponents(disturbed);
    // Seventy times as much, were it the plain standard deviation.
    expect((anyway?.relativeBetween ?? 9) / (found?.relativeBetween ?? 1)).toBeLessThan(2);
    expect((anyway?.relativeWithin ?? 0) / (found?.relativeWithin ?? 1)).toBeCloseTo(1, 0.7);
  });

  it('are 0 between launches that differ by less than their own noise', () => {
    const equal = Array.from({ length: 4 }, () => series(100, (i) => 1 + (i % 10)));
    expect(varianceComponents(equal)).toMatchObject({ between: 0, relativeBetween: 0, estimate: 5.5 });
  });

  it('scale with the unit: variances by its square, relative ones not at all', () => {
    const some = launches(8, 200, 0.05, 0.03);
    const seconds = varianceComponents(some);
    const milliseconds = varianceComponents(some.map((samples) => samples.map((value) => 1e3 * value)));
    expect((milliseconds?.between ?? 0) / (seconds?.between ?? 1)).toBeCloseTo(1e6, 1);
    expect((milliseconds?.within ?? 0) / (seconds?.within ?? 1)).toBeCloseTo(1e6, 1);
    expect(milliseconds?.relativeWithin).toBeCloseTo(seconds?.relativeWithin ?? 0, 9);
  });

  it('take the harmonic mean of unequal numbers of repetitions', () => {
    const found = varianceComponents([launch(20, 0.01, 0.03), launch(80, 0.01, 0.03)]);
    expect(found?.repetitions).toBeCloseTo(32, 9);
  });

  it('have the middle launch for an estimate', () => {
    expect(varianceComponents([[1], [9], [2]])?.estimate).toBe(2);
  });

  it('read the noise of few repetitions at their quartiles, and no further out', () => {
    const samples = [1, 3, 2, 4, 6, 5, 8, 7, 20, 40];
    const worth = effectiveSampleSize(samples.map((value) => (value <= 5.5 ? 1 : 0))) ?? 0;
    // Two standard errors of the share below, 1 / sqrt(worth), are beyond the quartiles.
    expect(worth).toBeLessThan(16);
    const quartiles = 7.75 - 3.25;
    expect(launchNoise(samples).longRun).toBeCloseTo(
      10 * ((quartiles * (1 / (2 * Math.sqrt(worth)))) / 0.5) ** 2,
      12,
    );
  });

  it('are unknown of one launch, and refuse an empty one', () => {
    expect(varianceComponents([[1, 2, 3]])).toBeNull();
    expect(() => varianceComponents([[1], []])).toThrow(RangeError);
    expect(() => varianceComponents([[1], [Number.NaN]])).toThrow(RangeError);
  });
});

describe('the best number of repetitions', () => {
  it('is sqrt((c2 / c1) (s1² / T2²))', () => {
    const costs = { costOfLaunch: 0.25, costOfRepetition: 1e-3 };
    expect(bestRepetitions({ within: 9e-4, between: 25e-6, ...costs })).toBe(Math.round(Math.sqrt(250 * 36)));
    expect(bestRepetitions({ within: 0, between: 1, ...costs })).toBe(1);
  });

  it('is not limited where launches do not differ', () => {
    expect(bestRepetitions({ within: 1, between: 0, costOfLaunch: 1, costOfRepetition: 1e-3 })).toBeNull();
  });

  it('makes the interval narrower for its time than half or twice as many', () => {
    const [within, between, costOfLaunch, costOfRepetition] = [9e-4, 25e-6, 0.25, 1e-3];
    const best = bestRepetitions({ within, between, costOfLaunch, costOfRepetition }) ?? 0;
    const varianceTimesCost = (n: number) => (between + within / n) * (costOfLaunch + n * costOfRepetition);
    expect(varianceTimesCost(best)).toBeLessThan(varianceTimesCost(best / 2));
    expect(varianceTimesCost(best)).toBeLessThan(varianceTimesCost(best * 2));
  });

  it('refuses a repetition that costs nothing, and variances below 0', () => {
    const valid = { within: 1, between: 1, costOfLaunch: 1, costOfRepetition: 1 };
    for (const wrong of [
      { costOfRepetition: 0 },
      { within: -1 },
      { between: Number.NaN },
      { costOfLaunch: -1 },
    ]) {
      expect(() => bestRepetitions({ ...valid, ...wrong })).toThrow(RangeError);
    }
  });
});

describe('the number of launches for a target', () => {
  it('rests on the places of order statistics that are expected of normal values', () => {
    // Blom's places, 1.0536 for six: of the extremes 1.2816 and of the next 0.6433 with 5/14 of the way.
    const place = (i: number) => normalReach(1 - (2 * (i - 0.375)) / 6.25);
    expect(expectedHalfWidth(6, 0.95, 'interpolated')).toBeCloseTo((9 * place(1) + 5 * place(2)) / 14, 12);
    expect(expectedHalfWidth(7, 0.97, 'plain')).toBeCloseTo(normalReach(1 - 1.25 / 7.25), 12);
    expect(expectedHalfWidth(6, 0.97, 'plain')).toBeNull();
  });

  it.each([6, 7, 9, 12, 20, 30])('knows how wide the interval of %i launches is', (k) => {
    let sum = 0;
    for (let trial = 0; trial < 4000; trial++) {
      const { ci } = launchInterval(series(k, normal));
      sum += ((ci?.high ?? 0) - (ci?.low ?? 0)) / 2 / 4000;
    }
    expect(sum / (expectedHalfWidth(k, 0.95, 'interpolated') ?? 0)).toBeCloseTo(1, 1);
  });

  it.each([
    [0.01, 2000, 0.005],
    [0.004, 90, 0.005],
    [0.0025, 90, 0.005],
    [0.005, 20, 0.005],
  ])('gives the half-width %d with %i repetitions, to a tenth', (target, repetitions, between) => {
    const within = (Math.PI / 2) * 0.02 ** 2;
    const k = launchesFor({ within, between: between ** 2, estimate: 1, repetitions, target });
    // A launch's median of n normal repetitions is normal itself: drawn as such, so that thousands are affordable.
    const deviation = Math.sqrt(between ** 2 + within / repetitions);
    const halfWidths = (count: number): number =>
      median(
        series(2000, () => {
          const { ci } = launchInterval(series(count, () => 1 + deviation * normal()));
          return ((ci?.high ?? 0) - (ci?.low ?? 0)) / 2;
        }),
      );
    expect(halfWidths(k)).toBeLessThan(1.1 * target);
    // No more launches than it takes: 6 are the least, and otherwise a fifth fewer would not do.
    if (k > 6) expect(halfWidths(Math.ceil(0.8 * k))).toBeGreaterThan(target);
    else expect(k).toBe(6);
  });

  it('holds from samples to interval: what pilots say, new launches deliver', () => {
    const repetitions = 60;
    const target = 0.005;
    const found = varianceComponents(launches(200, 200, 0.006, 0.03));
    if (found === null) return expect.fail('no components');
    const k = launchesFor({ ...found, repetitions, target });
    const halfWidths = series(200, () => {
      const { ci } = launchInterval(launches(k, repetitions, 0.006, 0.03).map(median));
      return ((ci?.high ?? 0) - (ci?.low ?? 0)) / 2;
    });
    expect(Math.abs(median(halfWidths) / target - 1)).toBeLessThan(0.1);
  });

  it('is at least 6 at 95 %, 8 at 99 %, and finite however small the target', () => {
    const easy = { within: 0, between: 0, estimate: 1, repetitions: 100, target: 0.01 };
    expect(launchesFor(easy)).toBe(6);
    expect(launchesFor({ ...easy, level: 0.99 })).toBe(8);
    expect(launchesFor({ ...easy, between: 1, target: 1e-3 })).toBeGreaterThan(1e6);
    expect(() => launchesFor({ ...easy, target: 0 })).toThrow(RangeError);
  });
});

describe('the number of launches for a target, of launches that were measured', () => {
  const REPETITIONS = 200;
  const TARGET = 0.01;
  const uniform = randomFrom(43);
  const own = normalFrom(uniform);

  /** Of launches with these medians, whose repetitions spread by 1 %. */
  function planOf(medians: ArrayLike<number>, repetitions = REPETITIONS, target = TARGET): number {
    const noises = Array.from(medians, (seconds) => ({
      ...{ repetitions: REPETITIONS, median: seconds },
      longRun: (0.01 * seconds) ** 2,
    }));
    const found = componentsOf(noises);
    if (found === null) return expect.fail('no components');
    return launchesFor({ ...found, repetitions, target, measured: { medians, repetitions: REPETITIONS } });
  }

  /** The larger distance from the median to an end of the interval. */
  function halfWidth(medians: ArrayLike<number>): number {
    const { ci } = launchInterval(medians);
    const centre = median(medians);
    return ci === null ? Number.NaN : Math.max(ci.high - centre, centre - ci.low) / centre;
  }

  const normalLaunches = (k: number, spread: number) => series(k, () => 1 + spread * own());
  /** Six of ten about 1, the others 3 % slower. */
  const twoModes = (k: number) => series(k, () => 1 + 0.005 * own() + (uniform() < 0.4 ? 0.03 : 0));

  it.each([
    ['two modes', [1, 1.001, 1.002, 1.1, 1.101, 1.102]],
    ['a coarse clock', [1e-5, 1e-5, 1e-5, 1e-5, 1.05e-5, 1.05e-5]],
  ])('is more than there are where these did not reach it, as of %s', (_, medians) => {
    expect(halfWidth(medians)).toBeGreaterThan(4 * TARGET);
    expect(planOf(medians)).toBeGreaterThan(6);
    // Between launches nothing is won by more repetitions.
    expect(planOf(medians, 100 * REPETITIONS)).toBeGreaterThan(6);
    // What they did reach takes no more.
    expect(planOf(medians, REPETITIONS, 2 * halfWidth(medians))).toBe(6);
  });

  it('is never as many as did not reach it, whatever they are', () => {
    for (let trial = 0; trial < 400; trial++) {
      const k = 6 + (trial % 40);
      const medians = trial % 2 === 0 ? twoModes(k) : normalLaunches(k, 0.02);
      if (halfWidth(medians) > TARGET) expect(planOf(medians)).toBeGreaterThan(k);
    }
  });

  it.each([
    1.05, 1.5, 20, 0.5,
  ])('is what it takes to leave one out that is far off, %d times the others, and no more for how far it is', (far) => {
    const others = [1, 1.001, 0.999, 1.002, 0.998, 1.0005, 0.9995];
    for (const count of [5, 6, 7]) {
      const medians = [...others.slice(0, count), far];
      expect(halfWidth(medians)).toBeGreaterThan(TARGET);
      // The interval of nine does not end with the last one.
      expect(planOf(medians)).toBe(9);
    }
    // One to either side is no more in the way than one.
    expect(planOf([...others.slice(0, 6), 1 / far, far])).toBe(9);
  });

  it('of which half are far off is no more than a bound, as no number is known to leave them out', () => {
    const halves = (count: number, far: number) =>
      planOf(series(count, (i) => (i % 2 === 0 ? 1 : far) + 1e-4 * (i / count)));
    for (const far of [2, 20, 0.05]) {
      expect([6, 30].map((count) => halves(count, far))).toEqual([MOST_OF_HALVES, MOST_OF_HALVES]);
      expect(halves(1200, far)).toBe(1201);
    }
    // Nearly half of them would be no less of a guess.
    const nearly = planOf(series(60, (i) => (i % 2 === 0 || i === 1 ? 1 : 2) + 1e-4 * (i / 60)));
    expect(nearly).toBe(MOST_OF_HALVES);
    // By the width of what is near the target it takes fewer.
    for (const count of [6, 30]) expect(halves(count, 1.03)).toBeLessThan(MOST_OF_HALVES);
  });

  it('leaves out a smaller mode in half of all such campaigns, however far off it is', () => {
    const drawn = randomFrom(44);
    const noise = normalFrom(drawn);
    const modes = (k: number) => series(k, () => 1 + 0.002 * noise() + (drawn() < 0.4 ? 0.3 : 0));
    const plan = planOf(series(30, (i) => 1 + 0.002 * noise() + (i % 5 < 2 ? 0.3 : 0)));
    // As many as the width of their interval would ask for are tens of thousands.
    expect(plan).toBeGreaterThan(60);
    expect(plan).toBeLessThan(200);
    const reached = Array.from({ length: 400 }, () => halfWidth(modes(plan)) <= TARGET);
    expect(reached.filter(Boolean).length / 400).toBeGreaterThan(0.4);
    expect(reached.filter(Boolean).length / 400).toBeLessThan(0.7);
  });

  it('of launches with two modes is about what they take', () => {
    const plan = median(series(200, () => planOf(twoModes(30))));
    const reached = median(series(400, () => halfWidth(twoModes(plan))));
    expect(reached).toBeLessThan(2 * TARGET);
    expect(reached).toBeGreaterThan(TARGET / 2);
  });

  // Of about as many as it takes half do not reach it, and take some more.
  it.each([
    [12, 0.03],
    [30, 0.01],
    [100, 0.03],
  ])('of %i normal launches that spread by %d, far fewer or more than it takes, is what it is without their interval', (k, spread) => {
    const plans = series(300, () => planOf(normalLaunches(k, spread)));
    const expected = launchesFor({
      ...{ within: 0, between: spread ** 2, estimate: 1, repetitions: REPETITIONS, target: TARGET },
    });
    expect(Math.abs(median(plans) / expected - 1)).toBeLessThan(0.2);
  });
});
