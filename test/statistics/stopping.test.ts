/** Launches end when the precision that was asked for is there, not when luck looks like it, and pilots plan the rest. */
import { describe, expect, it } from 'vitest';
import { UserError } from '../../src/errors.js';
import { expectedHalfWidth } from '../../src/statistics/interval-width.js';
import { median } from '../../src/statistics/quantile.js';
import {
  LEAST_LAUNCHES,
  LEAST_REPETITIONS,
  precisionPlan,
  precisionReached,
} from '../../src/statistics/stopping.js';
import { normalFrom, randomFrom, series } from './support.js';

/** Launches until the rule ends them, at most `most`. */
function untilReached(draw: () => number, target: number, most = 400) {
  const medians = Array.from({ length: LEAST_LAUNCHES }, draw);
  let result = precisionReached(medians, target);
  while (!result.reached && medians.length < most) {
    medians.push(draw());
    result = precisionReached(medians, target);
  }
  return result;
}

describe('the rule for a precision', () => {
  it('is not reached before 8 launches, however equal they are', () => {
    expect(
      precisionReached(
        series(7, () => 1),
        0.01,
      ),
    ).toMatchObject({ reached: false, launches: 7 });
    expect(
      precisionReached(
        series(8, () => 1),
        0.01,
      ),
    ).toMatchObject({ reached: true, halfWidth: 0 });
    expect(precisionReached([], 0.01)).toMatchObject({ reached: false, estimate: null, halfWidth: null });
  });

  it('says where launches tie, so that their interval has no width', () => {
    const { reason, interval } = precisionReached(
      series(8, () => 1),
      0.01,
    );
    expect(reason).toContain(
      'after 8 launches, whose interval has no width, as where they tie at the step of the clock;',
    );
    expect(interval.method).toMatch(
      /; its ends do not differ, as where launches tie at the step of the clock, below which nothing is known$/,
    );
    const differing = precisionReached(
      series(8, (i) => 1 + i / 1000),
      0.5,
    );
    expect(differing.reason + differing.interval.method).not.toContain('tie');
  });

  it('compares the larger half-width with the target less a k-th of it', () => {
    // 8 values: plain order statistics at 97 % are the extremes.
    const medians = [100, 104, 99, 100.5, 98, 101, 99.5, 100];
    const { halfWidth, limit, interval, estimate } = precisionReached(medians, 0.05);
    expect(estimate).toBe(100);
    expect(interval.ci).toEqual({ low: 98, high: 104 });
    expect(halfWidth).toBeCloseTo(0.04, 12);
    expect(limit).toBeCloseTo(0.05 * (7 / 8), 12);
    expect(precisionReached(medians, 0.05).reached).toBe(true);
    // 4 % would do without the guard, and does not with it.
    expect(precisionReached(medians, 0.042).reached).toBe(false);
    expect(precisionReached(medians, 0.042).reason).toContain('±4.0 % after 8 launches');
  });

  it('has as many digits as tell what was found from what is needed', () => {
    // ±0.8779 % found, ±0.875 % needed: two digits would be 0.88 both times.
    const medians = [100, 100.8779, 99.5, 100.1, 99.9, 100.05, 99.95, 100];
    const { reached, reason } = precisionReached(medians, 0.01);
    expect(reached).toBe(false);
    expect(reason).toContain('±0.878 % after 8 launches; ±1.0 % takes ±0.875 % there');
    // Two do where they differ.
    const wide = medians.map((value) => (value > 100.5 ? 104 : value));
    expect(precisionReached(wide, 0.01).reason).toContain(
      '±4.0 % after 8 launches; ±1.0 % takes ±0.88 % there',
    );
  });

  it('does not depend on the unit or on the direction of time', () => {
    const normal = normalFrom(randomFrom(31));
    const medians = Array.from(series(20, () => 1 + 0.01 * normal()));
    const inMilliseconds = medians.map((value) => 1e3 * value).reverse();
    expect(precisionReached(inMilliseconds, 0.01).halfWidth).toBeCloseTo(
      precisionReached(medians, 0.01).halfWidth ?? 0,
      12,
    );
  });

  it('takes no share of a median that is not above 0, and no target that is none', () => {
    expect(
      precisionReached(
        series(10, (i) => i - 5),
        0.01,
      ),
    ).toMatchObject({ reached: false, halfWidth: null });
    for (const target of [0, -0.01, 1, Number.NaN]) {
      expect(() => precisionReached([1], target)).toThrow(UserError);
    }
    expect(() => precisionReached([1, Number.NaN], 0.01)).toThrow(RangeError);
  });

  // Plain order statistics of 95 % would cover 92 of 100 at the smallest target, looked at after each launch.
  it.each([
    ['normal', 1, 0],
    ['normal', 0.5, 0],
    ['normal', 0.3, 0],
    ['lognormal', 1, 0.8],
    ['lognormal', 0.5, 0.8],
  ])('leaves an interval that covers the median of %s launches 94 times in 100, target %s deviations', (_, share, shape) => {
    const normal = normalFrom(randomFrom(32));
    const deviation = 0.005;
    const draw = (): number =>
      shape > 0 ? 1 + (deviation / shape) * (Math.exp(shape * normal()) - 1) : 1 + deviation * normal();
    const trials = 800;
    let covered = 0;
    for (let trial = 0; trial < trials; trial++) {
      const { ci } = untilReached(draw, share * deviation).interval;
      if (ci !== null && ci.low <= 1 && 1 <= ci.high) covered++;
    }
    // One standard error of 800 trials is 0.8 points.
    expect(covered / trials).toBeGreaterThan(0.94);
  });
});

describe('the rule where neighbouring launches are alike', () => {
  const normal = normalFrom(randomFrom(34));
  const deviation = 0.005;
  const target = deviation / 2;

  /** How often the interval has the median of all such launches in it, and the launches that it took. */
  function outcome(rho: number) {
    const ends = Array.from({ length: 300 }, () => {
      let x = normal();
      return untilReached(
        () => {
          x = rho * x + Math.sqrt(1 - rho * rho) * normal();
          return 1 + deviation * x;
        },
        target,
        300,
      );
    });
    const covers = ends.filter(({ interval: { ci } }) => ci !== null && ci.low <= 1 && 1 <= ci.high);
    return { coverage: covers.length / 300, launches: median(ends.map(({ launches }) => launches)) };
  }

  // Without the widening, the interval would cover 78 times and take as many launches as independent ones.
  it('takes more of them, and covers the median of those to come 85 times in 100', () => {
    const [independent, alike] = [outcome(0), outcome(0.5)];
    expect(independent.coverage).toBeGreaterThan(0.92);
    expect(alike.coverage).toBeGreaterThan(0.85);
    expect(alike.launches).toBeGreaterThan(1.4 * independent.launches);
  });

  it('widens the interval about the estimate, and says so', () => {
    const rising = Array.from(series(20, (i) => 1 + 0.001 * i));
    const shuffled = rising.map((_, i) => rising[(i * 7) % 20] ?? 0);
    const [alike, plain] = [precisionReached(rising, 0.1), precisionReached(shuffled, 0.1)];
    expect(alike.estimate).toBe(plain.estimate);
    expect(alike.halfWidth ?? 0).toBeGreaterThan(2 * (plain.halfWidth ?? 0));
    expect(alike.interval.method).toMatch(/widened by .* neighbouring launches are alike/);
    expect(plain.interval.method).not.toMatch(/widened/);
    expect(alike.reason).toMatch(/after 20 launches, worth [\d.]+ independent ones; /);
  });
});

describe('the interval where neighbouring launches are very much alike', () => {
  // As while a neighbour's load rises: the correlation is as high as it gets, and the interval 6.2 times as wide.
  const rising = series(9, (i) => 1 + 0.1 * i);
  const widening = Math.sqrt(39);

  it('stays above 0, and that of the rate is the same', () => {
    const { interval } = precisionReached(rising, 0.01);
    expect(interval.method).toContain('widened by 6.2');
    expect(interval.ci?.low).toBeCloseTo(1.4 * (1 / 1.4) ** widening, 9);
    expect(interval.ci?.high).toBeCloseTo(1.4 * (1.8 / 1.4) ** widening, 9);
    const rates = precisionReached(
      rising.map((time) => 1 / time),
      0.01,
    ).interval;
    expect((interval.ci?.low ?? 0) * (rates.ci?.high ?? 0)).toBeCloseTo(1, 9);
    expect((interval.ci?.high ?? 0) * (rates.ci?.low ?? 0)).toBeCloseTo(1, 9);
  });

  it('is that of a straight line to half a hundredth of its width where launches are a ten-thousandth apart', () => {
    const near = precisionReached(
      series(8, (i) => 1 + 1e-4 * i),
      0.01,
    );
    const reach = 3.5e-4 * widening;
    expect((1.00035 - (near.interval.ci?.low ?? 0)) / reach).toBeCloseTo(1, 2);
    expect(((near.interval.ci?.high ?? 0) - 1.00035) / reach).toBeCloseTo(1, 2);
  });

  it('is a straight line’s where values are not above 0', () => {
    const { ci } = precisionReached(
      series(8, (i) => i - 2),
      0.01,
    ).interval;
    expect(ci?.low).toBeCloseTo(1.5 - 3.5 * widening, 9);
  });

  it('covers the median 94 times in 100 of launches that differ by a fifth and have something of those before', () => {
    const normal = normalFrom(randomFrom(35));
    const rho = 0.4;
    for (const k of [8, 12]) {
      let covered = 0;
      for (let trial = 0; trial < 1500; trial++) {
        let x = normal();
        const { ci } = precisionReached(
          series(k, () => {
            x = rho * x + Math.sqrt(1 - rho * rho) * normal();
            return Math.exp(0.2 * x);
          }),
          0.01,
        ).interval;
        expect(ci?.low).toBeGreaterThan(0);
        if (ci !== null && ci.low <= 1 && 1 <= ci.high) covered++;
      }
      expect(covered / 1500, `k = ${k}`).toBeGreaterThan(0.94);
    }
  });
});

describe('the plan from pilot launches', () => {
  const normal = normalFrom(randomFrom(33));
  /** A launch of n repetitions: its own level, and noise that is independent inside it. */
  const launch = (n: number, between: number, within: number): Float64Array => {
    const level = 1 + between * normal();
    return series(n, () => level + within * normal());
  };
  const costs = { costOfLaunch: 0.2, costOfRepetition: 1.4e-3 };

  it('needs three launches to say anything, and keeps their repetitions until then', () => {
    const pilots = [launch(500, 0.005, 0.03), launch(500, 0.005, 0.03)];
    expect(precisionPlan({ launches: pilots, ...costs, target: 0.01 })).toEqual({
      repetitions: 500,
      launches: null,
      remaining: null,
      components: null,
    });
  });

  it('counts the pilots as launches, however few would have done', () => {
    const quiet = (count: number) =>
      precisionPlan({
        launches: Array.from({ length: count }, (_, at) => series(400, (i) => 1 + ((i + at) % 2) / 1000)),
        ...costs,
        target: 0.01,
      });
    expect(quiet(6)).toMatchObject({ launches: 8, remaining: 2 });
    expect(quiet(12)).toMatchObject({ launches: 12, remaining: 0 });
  });

  it('gives the repetitions of Kalibera & Jones: 2,000 of a pilot become about 90', () => {
    // s1² of a median is pi / 2 x 0.03²: sqrt((0.2 / 1.4e-3) (pi / 2) (0.03 / 0.005)²) = 90.
    const plans = Array.from({ length: 40 }, () =>
      precisionPlan({
        launches: Array.from({ length: 8 }, () => launch(2000, 0.005, 0.03)),
        ...costs,
        target: 0.002,
      }),
    );
    expect(Math.abs(median(plans.map(({ repetitions }) => repetitions)) / 90 - 1)).toBeLessThan(0.15);
  });

  it('measures for half of what a launch costs beside at least, for 0.1 s, and 20 repetitions', () => {
    const differing = Array.from({ length: 6 }, () => launch(400, 0.1, 0.001));
    const planned = (costOfLaunch: number, costOfRepetition: number): number =>
      precisionPlan({ launches: differing, costOfLaunch, costOfRepetition, target: 0.1 }).repetitions;
    expect(planned(0.3, 1e-3)).toBe(150);
    expect(planned(0.1, 1e-3)).toBe(100);
    expect(planned(0.1, 1)).toBe(LEAST_REPETITIONS);
  });

  it('is as short as that where the fewest launches will do', () => {
    const quiet = Array.from({ length: 6 }, (_, at) => series(400, (i) => 1 + ((i + at) % 2) / 1000));
    const plan = precisionPlan({
      launches: quiet,
      costOfLaunch: 0.3,
      costOfRepetition: 1e-3,
      target: 0.01,
    });
    expect(plan).toMatchObject({ repetitions: 150, launches: LEAST_LAUNCHES });
  });

  it('has no launch longer than the pilots, unless its start costs more than they measured', () => {
    // Launches without an effect of their own: the more repetitions the better.
    const equal = Array.from({ length: 6 }, () => series(400, (i) => 1 + (i % 2) / 10));
    const planned = (costOfLaunch: number): number =>
      precisionPlan({ launches: equal, costOfLaunch, costOfRepetition: 1e-3, target: 0.01 }).repetitions;
    expect(planned(0.2)).toBe(400);
    expect(planned(2)).toBe(2000);
  });

  it.each([
    0, 0.2, 1, 5,
  ])('costs at most half as much again as the best length would, spread %s times the noise of a launch', (ratio) => {
    // By formulas: the time for a given width is (c2 + n c1) (T2² + s1² / n), whatever the pilots are taken for.
    const { costOfLaunch: c2, costOfRepetition: c1 } = costs;
    const pilots = 180;
    const within = 1;
    const between = (ratio * Math.sqrt(within / pilots)) ** 2;
    const cost = (n: number): number => (c2 + n * c1) * (between + within / n);
    const best = between === 0 ? pilots : Math.sqrt((c2 / c1) * (within / between));
    // Pilots that show ten times the spread that there is.
    const shown = Array.from({ length: 3 }, () => launch(pilots, 10 * Math.sqrt(between + 1e-9), 0.8));
    const { repetitions } = precisionPlan({ launches: shown, ...costs, target: 0.01 });
    expect(cost(repetitions) / cost(best)).toBeLessThan(ratio > 0.5 ? 1.5 : 3);
  });

  it.each([1, 0.5])('expects the launches that the rule then takes, target %s deviations', (share) => {
    const deviation = 0.01;
    const taken = Array.from(
      { length: 300 },
      () => untilReached(() => 1 + deviation * normal(), share * deviation).launches,
    );
    const expected = Array.from(
      { length: 300 },
      () =>
        precisionPlan({
          launches: Array.from({ length: 8 }, () => series(50, () => 0).fill(1 + deviation * normal())),
          ...costs,
          target: share * deviation,
        }).launches ?? 0,
    );
    expect(median(expected) / median(taken)).toBeGreaterThan(0.75);
    expect(median(expected) / median(taken)).toBeLessThan(1.33);
  });

  it('keeps to the shortest of the pilots where these differ', () => {
    const pilots = [launch(500, 0.005, 0.03), launch(300, 0.005, 0.03)];
    expect(precisionPlan({ launches: pilots, ...costs, target: 0.01 }).repetitions).toBe(300);
  });

  it('expects the fewest launches whose larger half-width, with the guard, is within the target', () => {
    const pilots = Array.from({ length: 6 }, () => launch(400, 0.01, 0.01));
    const { repetitions, launches, components } = precisionPlan({
      launches: pilots,
      ...costs,
      target: 0.005,
    });
    const { between = 0, within = 0, estimate = 0 } = components ?? {};
    const deviation = Math.sqrt(between + within / repetitions);
    // The larger half is a tenth wider than their mean, and one in as many launches of the target is kept back.
    const expected = (k: number) =>
      (1.1 * (expectedHalfWidth(k, 0.97, 'plain') ?? 9) * deviation) / estimate + 0.005 / k;
    expect(launches).toBeGreaterThan(8);
    expect(expected(launches ?? 0)).toBeLessThanOrEqual(0.005);
    for (let k = 8; k < (launches ?? 0); k++) expect(expected(k)).toBeGreaterThan(0.005);
  });
});
