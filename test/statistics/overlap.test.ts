import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeOverlap } from '../../src/statistics/merge-overlap.js';
import { hiddenShare, mostHidden, overlapGain, summariseOverlap } from '../../src/statistics/overlap.js';

const time = fc.double({ min: 1e-4, max: 10, noNaN: true });

describe('the hidden share', () => {
  it('is all where both at once take no longer than the product, none where they take turns', () => {
    expect(hiddenShare({ compute: 3, communicate: 1, both: 3 })).toBe(1);
    expect(hiddenShare({ compute: 3, communicate: 1, both: 4 })).toBe(0);
    expect(hiddenShare({ compute: 3, communicate: 1, both: 3.5 })).toBe(0.5);
  });

  it('is below 0 where both at once take longer than one after the other: nothing is held at an end', () => {
    expect(hiddenShare({ compute: 3, communicate: 1, both: 5 })).toBe(-1);
  });

  it('of perfect overlap is the most that can hide, whatever the times', () => {
    fc.assert(
      fc.property(time, time, (compute, communicate) => {
        const both = Math.max(compute, communicate);
        expect(hiddenShare({ compute, communicate, both })).toBeCloseTo(
          mostHidden({ compute, communicate }),
          9,
        );
      }),
    );
  });

  it('and the gain say the same of which is better', () => {
    fc.assert(
      fc.property(time, time, time, (compute, communicate, both) => {
        const times = { compute, communicate, both };
        if (hiddenShare(times) > 1e-9) expect(overlapGain(times)).toBeGreaterThan(1);
        if (hiddenShare(times) < -1e-9) expect(overlapGain(times)).toBeLessThan(1);
      }),
    );
  });
});

const parts = {
  matmul_alone: Float64Array.of(3, 3, 9),
  collective_alone: Float64Array.of(1, 1, 1),
  matmul_beside: Float64Array.of(3.5, 3.5, 3.5),
  collective_beside: Float64Array.of(2, 2, 2),
};

describe('a launch', () => {
  it('tells medians, and what hides by them', () => {
    expect(summariseOverlap(parts, Float64Array.of(3.5, 3.5, 20))).toEqual({
      compute: 3,
      communicate: 1,
      computeBeside: 3.5,
      communicateBeside: 2,
      hidden: 0.5,
    });
  });

  it('without one of the times tells nothing', () => {
    const { matmul_beside: _, ...others } = parts;
    expect(summariseOverlap(others, Float64Array.of(1))).toBeNull();
    expect(summariseOverlap({ ...parts, matmul_alone: new Float64Array() }, Float64Array.of(1))).toBeNull();
  });
});

describe('launches together', () => {
  const launch = (hidden: number) => ({
    compute: 3,
    communicate: 1,
    computeBeside: 3,
    communicateBeside: 1,
    hidden,
  });

  it('have the median, and an interval that may reach below 0', () => {
    const merged = mergeOverlap([0.01, 0.05, 0.09].map(launch));
    expect(merged?.hidden).toBe(0.05);
    expect(merged?.interval?.low).toBeLessThan(0);
    // Student's t of three values about their mean: 0.05 -+ 4.303 x 0.04 / sqrt(3).
    expect(merged?.interval?.high).toBeCloseTo(0.05 + (4.3027 * 0.04) / Math.sqrt(3), 4);
  });

  it('that are too few have no interval, and none at all nothing', () => {
    expect(mergeOverlap([launch(0.5), launch(0.6)])?.interval).toBeNull();
    expect(mergeOverlap([])).toBeNull();
  });
});
