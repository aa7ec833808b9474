import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findPlateaus, type Point } from '../../src/statistics/plateaus.js';

const KIB = 1024;
/** Powers of two and one and a half times those, as `pi-bench memory` sweeps. */
const SIZES = Array.from({ length: 15 }, (_, i) => [16 * KIB * 2 ** i, 24 * KIB * 2 ** i]).flat();

interface Truth {
  /** Each holds so much, and is so much faster than what follows. */
  readonly caches: readonly { readonly capacity: number; readonly step: number }[];
  readonly slowest: number;
}

/** What is read at each size: the rate of the first cache that it fits into. */
function rateAt({ caches, slowest }: Truth, bytes: number): number {
  const missed = caches.filter(({ capacity }) => bytes <= capacity);
  return missed.reduce((rate, { step }) => rate * step, slowest);
}

/** One to three caches, each at least six times the one before, so that a plateau has points. */
const truths: fc.Arbitrary<Truth> = fc
  .record({
    first: fc.double({ min: 24 * KIB, max: 128 * KIB, noNaN: true }),
    growth: fc.array(fc.double({ min: 6, max: 30, noNaN: true }), { maxLength: 2 }),
    steps: fc.array(fc.double({ min: 1.25, max: 5, noNaN: true }), { minLength: 3, maxLength: 3 }),
    slowest: fc.double({ min: 1e9, max: 1e11, noNaN: true }),
  })
  .map(({ first, growth, steps, slowest }) => {
    const capacities = [first];
    for (const factor of growth) capacities.push((capacities.at(-1) ?? 0) * factor);
    return { caches: capacities.map((capacity, i) => ({ capacity, step: steps[i] ?? 2 })), slowest };
  });

const noises = fc.array(fc.double({ min: -0.02, max: 0.02, noNaN: true }), {
  minLength: SIZES.length,
  maxLength: SIZES.length,
});

function expectFound(truth: Truth, curve: readonly Point[]): void {
  const plateaus = findPlateaus(curve);
  expect(plateaus).toHaveLength(truth.caches.length + 1);
  truth.caches.forEach(({ capacity }, i) => {
    expect(plateaus[i]?.to).toBeLessThanOrEqual(capacity);
    expect(plateaus[i]?.leftBy).toBeGreaterThan(capacity);
  });
}

describe('plateaus of a curve', () => {
  it('are found where the knees are known, and each knee is enclosed, whatever the noise', () => {
    fc.assert(
      fc.property(truths, noises, (truth, noise) => {
        const curve = SIZES.map((bytes, i): Point => [bytes, rateAt(truth, bytes) * (1 + (noise[i] ?? 0))]);
        expectFound(truth, curve);
      }),
    );
  });

  it('are found beside single points that a neighbour slowed down', () => {
    fc.assert(
      fc.property(
        truths,
        noises,
        fc.nat(),
        fc.double({ min: 0.4, max: 0.7, noNaN: true }),
        (truth, noise, where, slowed) => {
          // Not beside a knee or an end: there a slow point may be the knee.
          const inside = SIZES.flatMap((bytes, i) => {
            const near = [i - 2, i - 1, i + 1, i + 2].map((j) => SIZES[j]);
            const level = rateAt(truth, bytes);
            return near.every((other) => other !== undefined && rateAt(truth, other) === level) ? [i] : [];
          });
          const hit = inside[where % inside.length];
          const curve = SIZES.map((bytes, i): Point => {
            const rate = rateAt(truth, bytes) * (1 + (noise[i] ?? 0));
            return [bytes, i === hit ? rate * slowed : rate];
          });
          expectFound(truth, curve);
        },
      ),
    );
  });

  it('enclose the capacity also where the way down is long', () => {
    const truth = {
      caches: [
        { capacity: 32 * KIB, step: 2 },
        { capacity: 8192 * KIB, step: 4 },
      ],
      slowest: 2e10,
    };
    // Beyond the capacity only what still fits is hit, as where lines are replaced at random.
    const curve = SIZES.map((bytes): Point => {
      const share = Math.min(1, (8192 * KIB) / bytes);
      return [bytes, bytes <= 32 * KIB ? 1.6e11 : 1 / (share / 8e10 + (1 - share) / 2e10)];
    });
    const [first, second] = findPlateaus(curve);
    expect(first?.to).toBe(32 * KIB);
    expect(second?.to).toBeGreaterThanOrEqual(6144 * KIB);
    expect(second?.to).toBeLessThanOrEqual(12288 * KIB);
    expect(second?.leftBy).toBeGreaterThan(8192 * KIB);
    expect(truth.caches).toHaveLength(2);
  });

  it('are one where there is no cache, or no point', () => {
    const flat = SIZES.map((bytes): Point => [bytes, 3e10]);
    expect(findPlateaus(flat)).toEqual([
      { from: SIZES[0], to: SIZES.at(-1), level: expect.closeTo(3e10, -3), leftBy: null },
    ]);
    expect(findPlateaus([])).toEqual([]);
    expect(findPlateaus([[1, 1]])).toHaveLength(1);
  });

  /** Points at 1, 2, 3, ...: so many of each level. */
  const levels = (...parts: readonly (readonly [level: number, points: number])[]): Point[] =>
    parts
      .flatMap(([level, points]) => Array(points).fill(level) as number[])
      .map((level, i): Point => [i + 1, level]);
  const placesOf = (curve: readonly Point[]) => findPlateaus(curve).map(({ from, to }) => [from, to]);

  it('are two from a step of 6 % on, and where an end has one point from one to two thirds on', () => {
    const step = (height: number) => placesOf(levels([Math.exp(height), 8], [1, 8]));
    expect(step(0.055)).toEqual([[1, 16]]);
    expect(step(0.065)).toEqual([
      [1, 8],
      [9, 16],
    ]);
    const last = (times: number) => placesOf(levels([times, 8], [1, 1]));
    expect(last(1.45)).toEqual([[1, 9]]);
    expect(last(1.55)).toEqual([
      [1, 8],
      [9, 9],
    ]);
  });

  it('have three points between others: two are the way down, and it is left where it is half as far, by ratio', () => {
    const between = (points: number) => findPlateaus(levels([4, 8], [2, points], [1, 8]));
    expect(between(3).map(({ level }) => level)).toEqual([4, 2, 1].map((level) => expect.closeTo(level, 12)));
    expect(between(2).map(({ level }) => level)).toEqual([4, 1].map((level) => expect.closeTo(level, 12)));
    const down = findPlateaus(levels([4, 8], [2.1, 2], [1.9, 2], [1, 8]));
    expect(down[0]).toMatchObject({ to: 8, leftBy: 11 });
    const [first] = findPlateaus(levels([4, 8], [2.2, 1], [1.8, 1], [1, 8]));
    expect(first).toMatchObject({ to: 8, leftBy: 10 });
  });

  it('never rise: a slow start is part of the first', () => {
    const curve = SIZES.map((bytes, i): Point => [bytes, i < 3 ? 1e11 : bytes <= 1024 * KIB ? 2e11 : 3e10]);
    const plateaus = findPlateaus(curve);
    expect(plateaus.map(({ to }) => to)).toEqual([1024 * KIB, SIZES.at(-1)]);
  });
});
