/** What benchmarks share of reckoning. */
import { expect, it } from 'vitest';
import { median, wholeMedian } from '../../scripts/lib/measure.mjs';

it('the median of an even number of counts is a count, too: a flag takes no half', () => {
  expect(median([120, 127])).toBe(123.5);
  expect(wholeMedian([120, 127])).toBe(124);
  expect(wholeMedian([5, 3, 4])).toBe(4);
});
