import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergePerformance } from '../../src/report/formats/performance-json.js';

const BESIDE = { compile_time: 120.5, est_samples_per_sec: 140, programming_time: 3.25 };

describe('performance.json', () => {
  it('of two workers has the layout that Cerebras’ Model Zoo writes', () => {
    const merged = mergePerformance(
      [
        { calls: 1024, seconds: 8 },
        { calls: 896, seconds: 8 },
      ],
      BESIDE,
    );
    expect(merged).toEqual({
      compile_time: 120.5,
      est_samples_per_sec: 140,
      ordinals: [
        { samples_per_sec: 128, total_samples: 1024, total_time: 8 },
        { samples_per_sec: 112, total_samples: 896, total_time: 8 },
      ],
      programming_time: 3.25,
      samples_per_sec: 240,
      total_samples: 1920,
      total_time: 8,
    });
    const keys = Object.keys(merged);
    expect(keys).toEqual([...keys].sort());
  });

  it('of one worker has no ordinals', () => {
    expect(mergePerformance([{ calls: 1024, seconds: 8 }], BESIDE)).toEqual({
      ...BESIDE,
      samples_per_sec: 128,
      total_samples: 1024,
      total_time: 8,
    });
  });

  it('adds samples and rates and takes the slowest time, in any order of workers', () => {
    const workers = fc.array(
      fc.record({ calls: fc.integer({ min: 0, max: 1e6 }), seconds: fc.integer({ min: 0, max: 1000 }) }),
      { minLength: 1, maxLength: 8 },
    );
    fc.assert(
      fc.property(workers, (some) => {
        const forward = mergePerformance(some, BESIDE);
        const backward = mergePerformance(some.toReversed(), BESIDE);
        expect(backward.total_samples).toBe(forward.total_samples);
        expect(backward.total_time).toBe(forward.total_time);
        expect(backward.samples_per_sec).toBeCloseTo(forward.samples_per_sec, 6);
        expect(forward.total_time).toBe(Math.max(...some.map(({ seconds }) => seconds)));
      }),
    );
  });
});
