/** What candidates that were measured in turns are worth beside each other. */
import { describe, expect, it } from 'vitest';
import { intervalOf } from '../../scripts/lib/order-interval.mjs';
import { judge, LEVEL, pairedRatio } from '../../scripts/lib/paired.mjs';
import { steady, turn } from './turns.js';

describe('the ratio of two candidates', () => {
  it('pairs the turns of a round, so that a drift of the machine cancels', () => {
    const own = { launches: [[turn(1), turn(2)], [turn(4)]] };
    const other = { launches: [[turn(1.1), turn(2.2)], [turn(4.4)]] };
    const { ratio, clean } = pairedRatio(own, other);
    expect(ratio).toBeCloseTo(1.1, 12);
    expect(clean).toBe(true);
  });

  it('leaves out rounds without an undisturbed sample, and says when too few are left', () => {
    const own = { launches: [[turn(1), turn(9, 4)], [turn(1)]] };
    const other = (first: number) => ({ launches: [[turn(1, first), turn(1)], [turn(1)]] });
    expect(pairedRatio(own, other(0))).toMatchObject({
      ratio: 1,
      clean: true,
      rounds: 2,
      launchRatios: [1, 1],
    });
    expect(pairedRatio(own, other(4)).clean).toBe(false);
  });

  it('decides against a target only by clean turns', () => {
    const own = { launches: steady(1) };
    const [slower, faster, disturbed] = [steady(1.2), steady(0.8), steady(1.2, 4)].map((launches) => ({
      launches,
    }));
    if (!slower || !faster || !disturbed) throw new Error('three are made');
    expect(judge(own, [slower], 1)).toBe('holds');
    expect(judge(own, [slower, faster], 1)).toBe('missed');
    expect(judge(own, [slower, disturbed], 1)).toBe('disturbed');
    expect(judge(own, [faster, disturbed], 1)).toBe('missed');
    expect(judge(own, [], 1)).toBeNull();
  });
});

describe('a ratio near its target', () => {
  const own = (ratios: number[][]) => ({ launches: ratios.map((launch) => launch.map(() => turn(1))) });
  const other = (ratios: number[][]) => ({
    launches: ratios.map((launch) => launch.map((ratio) => turn(ratio))),
  });
  const judged = (ratios: number[][], target: number) => judge(own(ratios), [other(ratios)], target);

  it('is a tie while its interval has the target inside, and decided when it has not', () => {
    const around = [
      [0.99, 1.001, 0.997, 1.01],
      [0.995, 1.003, 0.999, 1.005],
    ];
    expect(judged(around, 1)).toBe('tie');
    expect(judged(around, 0.98)).toBe('holds');
    expect(judged(around, 1.02)).toBe('missed');
  });

  it('has the interval of the sign test: 8 values with all of them, 32 without 8 at each end', () => {
    const upTo = (count: number) => Array.from({ length: count }, (_, i) => i);
    expect(intervalOf(upTo(7), LEVEL)).toBeNull();
    expect(intervalOf(upTo(8), LEVEL)).toEqual({ low: 0, high: 7 });
    expect(intervalOf(upTo(32), LEVEL)).toEqual({ low: 8, high: 23 });
  });

  it('is no verdict without an interval, however far away: disturbance decides nothing', () => {
    const few = steady(1).map((launch) => launch.map((one, round) => (round === 0 ? turn(9, 4) : one)));
    expect(judge({ launches: few }, [{ launches: steady(1.5) }], 1)).toBe('few');
    expect(judge({ launches: few }, [{ launches: steady(0.5) }], 1)).toBe('few');
  });

  it('is no verdict of one process, nor of processes that differ', () => {
    const eight = Array.from({ length: 8 }, () => 1.1);
    expect(judged([eight], 1)).toBe('few');
    expect(judged([eight, eight], 1)).toBe('holds');
    // The interval of all rounds lies above the target, and one launch below.
    expect(judged([eight, eight, eight, [0.9, 0.9]], 1)).toBe('tie');
    expect(judged([...Array.from({ length: 15 }, () => eight), [0.9, 0.9]], 1)).toBe('holds');
  });
});
