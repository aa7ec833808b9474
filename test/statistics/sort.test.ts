/** Sorting by digits gives what comparing gives, whatever the values are. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sortInPlace } from '../../src/statistics/sort.js';
import { SEEDED } from './support.js';

/** Long enough to be dealt out and not compared, made of a few drawn values and of what lies between them. */
function long(drawn: readonly number[]): Float64Array {
  const n = 6000;
  return Float64Array.from({ length: n }, (_, i) => {
    const [a, b] = [drawn[i % drawn.length] ?? 0, drawn[(i * 7 + 3) % drawn.length] ?? 0];
    return a + (b - a) * (((i * 7919) % n) / n);
  });
}

const expectSorted = (values: Float64Array): void => {
  const compared = values.slice().sort();
  // The bits: 0 and -0, and one NaN and another, are the same to others.
  const bits = (of: Float64Array) => new BigUint64Array(of.buffer);
  expect(bits(sortInPlace(values.slice()))).toEqual(bits(compared));
};

describe('sortInPlace', () => {
  it.each([
    ['times', fc.double({ min: 1e-9, max: 600, noNaN: true })],
    ['whole nanoseconds', fc.integer({ min: 1, max: 2_000_000 }).map((ns) => ns * 1e-9)],
    ['equal ones, zeros and denormal ones', fc.constantFrom(0, 5e-324, 1e-310, 1, 1, 1)],
    ['any finite ones', fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e300, max: 1e300 })],
  ])('sorts %s as comparing them does', (_, value) => {
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 40 }), (drawn) => expectSorted(long(drawn))),
      { ...SEEDED, numRuns: 30 },
    );
  });

  it('sorts a few, and those that are not finite, too', () => {
    expectSorted(Float64Array.of(3, 1, 2));
    expectSorted(new Float64Array());
    for (const odd of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0]) {
      const values = long([1, 2, 5]);
      values[17] = odd;
      values[18] = 0;
      expectSorted(values);
    }
  });
});
