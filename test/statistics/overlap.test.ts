import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LEVEL } from '../../src/statistics/interval.js';
import { mergeOverlap } from '../../src/statistics/merge-overlap.js';
import {
  hiddenShare,
  mostHidden,
  type OverlapSummary,
  overlapGain,
  shortestPart,
  summariseOverlap,
} from '../../src/statistics/overlap.js';
import { lookedInterval } from '../../src/statistics/stopping.js';

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

const repetitions = (
  of: readonly { compute: number; communicate: number; both: number }[],
): OverlapSummary | null =>
  summariseOverlap(
    {
      matmul_alone: Float64Array.from(of, ({ compute }) => compute),
      collective_alone: Float64Array.from(of, ({ communicate }) => communicate),
      matmul_beside: Float64Array.from(of, ({ both }) => both),
      collective_beside: Float64Array.from(of, ({ both }) => both),
    },
    Float64Array.from(of, ({ both }) => both),
  );

const sides = ({ hidden, gain = Number.NaN }: OverlapSummary): readonly number[] => [
  Math.sign(hidden),
  Math.sign(gain - 1),
];

describe('the shortest part', () => {
  it('is of the times that are measured for themselves', () => {
    const times = { compute: 3, communicate: 1, computeBeside: 3.5, communicateBeside: 2 };
    expect(shortestPart(times, true)).toEqual({ what: 'the collective alone', seconds: 1 });
    const short = { ...times, compute: 0.5 };
    expect(shortestPart(short, true)).toEqual({ what: 'the product alone', seconds: 0.5 });
    // Which a device's clock has not timed.
    expect(shortestPart(short, false)).toEqual({ what: 'the collective alone', seconds: 1 });
  });
});

describe('a launch', () => {
  it('tells medians of the times, and of what each repetition says by its own', () => {
    expect(summariseOverlap(parts, Float64Array.of(3.5, 3.5, 20))).toEqual({
      compute: 3,
      communicate: 1,
      computeBeside: 3.5,
      communicateBeside: 2,
      // 0.5, 0.5 and -10.
      hidden: 0.5,
      mostHidden: 1,
      gain: 4 / 3.5,
      computeSlowed: 3.5 / 3,
      communicateSlowed: 2,
    });
  });

  it('that is faster at once in most repetitions says so, whatever the medians of the times', () => {
    // Two modes of the machine, each of which hides half: by the medians at once would take far longer.
    const [fast, slow] = [
      { compute: 3, communicate: 1, both: 3.5 },
      { compute: 30, communicate: 10, both: 35 },
    ];
    const disturbed = { compute: 3, communicate: 1, both: 40 };
    const told = repetitions([fast, fast, slow, slow, disturbed]);
    expect(told).toMatchObject({ compute: 3, communicate: 1, hidden: 0.5, gain: 4 / 3.5 });
  });

  it('finds the share that was hidden in every repetition, however the machine’s speed wanders', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -2, max: 1, noNaN: true }),
        fc.array(fc.tuple(time, fc.double({ min: 1, max: 5, noNaN: true })), { minLength: 1, maxLength: 30 }),
        (hidden, drawn) => {
          const told = repetitions(
            drawn.map(([communicate, times]) => {
              const compute = times * communicate;
              return { compute, communicate, both: compute + communicate - hidden * communicate };
            }),
          );
          expect(told?.hidden).toBeCloseTo(hidden, 6);
        },
      ),
    );
  });

  it('says neither better nor worse where as many repetitions are the one as the other', () => {
    const [better, worse] = [
      { compute: 3, communicate: 1, both: 3 },
      { compute: 3, communicate: 1, both: 4.1 },
    ];
    expect(repetitions([better, worse])).toMatchObject({ hidden: 0, gain: 1 });
  });

  it('has no share of a repetition in which a part took no tick of the clock, and tells nothing of such alone', () => {
    const [whole, none] = [
      { compute: 3, communicate: 1, both: 3.5 },
      { compute: 3, communicate: 0, both: 3 },
    ];
    expect(repetitions([none, whole, none])).toMatchObject({ hidden: 0.5, gain: 4 / 3.5 });
    expect(repetitions([none])).toBeNull();
  });

  it('without one of the times tells nothing', () => {
    const { matmul_beside: _, ...others } = parts;
    expect(summariseOverlap(others, Float64Array.of(1))).toBeNull();
    expect(summariseOverlap({ ...parts, matmul_alone: new Float64Array() }, Float64Array.of(1))).toBeNull();
  });
});

describe('hidden and gain', () => {
  it('agree on which is better in any launch, and in any launches together', () => {
    const launch = fc
      .array(fc.record({ compute: time, communicate: time, both: time }), { minLength: 1, maxLength: 9 })
      .map((of) => repetitions(of) as OverlapSummary);
    fc.assert(
      fc.property(fc.array(launch, { minLength: 1, maxLength: 6 }), (launches) => {
        for (const one of [...launches, mergeOverlap(launches) as OverlapSummary]) {
          const [hidden, gain] = sides(one);
          expect(gain).toBe(hidden);
        }
      }),
      { numRuns: 1000 },
    );
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

  it('whose number was decided by looking have the interval of such launches, on a scale that may reach below 0', () => {
    const rising = [0.5, 0.51, 0.52, 0.53, 0.55, 0.56, 0.57, 0.58, 0.6, 0.61];
    const { ci } = lookedInterval(rising, LEVEL, 'linear');
    const merged = mergeOverlap(rising.map(launch), lookedInterval);
    expect(merged?.interval).toEqual({ level: LEVEL, ...ci });
    // As far on logarithms the two ends would not be.
    expect(0.555 - (ci?.low ?? 0)).toBeCloseTo((ci?.high ?? 0) - 0.555, 12);
    expect(merged?.interval?.low).toBeLessThan(mergeOverlap(rising.map(launch))?.interval?.low ?? 0);
    expect(mergeOverlap(rising.slice(0, 6).map(launch), lookedInterval)?.interval).toBeNull();
  });

  it('have no gain where one of them, of an older document, has none', () => {
    const gain = 1.1;
    expect(mergeOverlap([{ ...launch(0.5), gain }, launch(0.6)])).not.toHaveProperty('gain');
    expect(
      mergeOverlap([
        { ...launch(0.5), gain },
        { ...launch(0.6), gain: 1.2 },
      ])?.gain,
    ).toBeCloseTo(1.15, 12);
  });

  it('that are too few have no interval, and none at all nothing', () => {
    expect(mergeOverlap([launch(0.5), launch(0.6)])?.interval).toBeNull();
    expect(mergeOverlap([])).toBeNull();
  });
});
