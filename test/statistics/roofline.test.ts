/** The roofline against cases that can be reckoned by hand, and what must hold of every case. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { roofline } from '../../src/statistics/roofline.js';

describe('a case by hand', () => {
  // 2 GFLOP in 0.1 s are 20 GFLOP/s.
  const base = { flop: 2e9, elapsed: 0.1, peak: 50e9 };

  it('of 20 operations a byte is bound by arithmetic: 20 x 10 GB/s allow more than the peak', () => {
    const { efficiency, intensity, bound, attainable, share } = roofline({
      ...base,
      bytes: 1e8,
      bandwidth: 10e9,
    });
    expect(intensity).toBe(20);
    expect(bound).toBe('arithmetic');
    expect(attainable).toBe(50e9);
    expect(efficiency).toBeCloseTo(0.4, 12);
    expect(share).toBeCloseTo(0.4, 12);
  });

  it('of 4 operations a byte is bound by memory: 4 x 10 GB/s allow 40 of 50 GFLOP/s', () => {
    const { efficiency, intensity, bound, attainable, share } = roofline({
      ...base,
      bytes: 5e8,
      bandwidth: 10e9,
    });
    expect(intensity).toBe(4);
    expect(bound).toBe('memory');
    expect(attainable).toBe(40e9);
    expect(efficiency).toBeCloseTo(0.4, 12);
    expect(share).toBeCloseTo(0.5, 12);
  });

  it('at the ridge, where both allow the same, is bound by arithmetic', () => {
    const { bound, attainable } = roofline({ ...base, bytes: 4e8, bandwidth: 10e9 });
    expect(bound).toBe('arithmetic');
    expect(attainable).toBe(50e9);
  });

  it('without a known rate of the memory has an efficiency and no bound', () => {
    expect(roofline({ ...base, bytes: 1e8, bandwidth: null })).toEqual({
      peak: 50e9,
      efficiency: 0.4,
      bandwidth: null,
      intensity: 20,
      bound: null,
      attainable: null,
      share: null,
    });
  });
});

const positive = fc.double({ min: 1e-6, max: 1e12, noNaN: true });
const inputs = fc.record({
  flop: positive,
  bytes: positive,
  elapsed: positive,
  peak: positive,
  bandwidth: positive,
});

describe('every case', () => {
  it('reaches a share of what is attainable that is no less than its efficiency, and equal where arithmetic binds', () => {
    fc.assert(
      fc.property(inputs, (input) => {
        const { efficiency, share, bound } = roofline(input);
        expect(share).toBeGreaterThanOrEqual(efficiency);
        if (bound === 'arithmetic') expect(share).toBe(efficiency);
      }),
    );
  });

  it('is bound by memory exactly where intensity x bandwidth is below the peak', () => {
    fc.assert(
      fc.property(inputs, (input) => {
        const { bound, attainable, intensity } = roofline(input);
        const below = intensity * input.bandwidth < input.peak;
        expect(bound).toBe(below ? 'memory' : 'arithmetic');
        expect(attainable).toBe(Math.min(input.peak, intensity * input.bandwidth));
      }),
    );
  });

  it('changes its bound where the bandwidth crosses peak / intensity', () => {
    fc.assert(
      fc.property(inputs, (input) => {
        const ridge = (input.peak * input.bytes) / input.flop;
        expect(roofline({ ...input, bandwidth: ridge * 0.999 }).bound).toBe('memory');
        expect(roofline({ ...input, bandwidth: ridge * 1.001 }).bound).toBe('arithmetic');
      }),
    );
  });

  it('has efficiency x peak = rate', () => {
    fc.assert(
      fc.property(inputs, (input) => {
        const rate = input.flop / input.elapsed;
        expect((roofline(input).efficiency * input.peak) / rate).toBeCloseTo(1, 9);
      }),
    );
  });
});
