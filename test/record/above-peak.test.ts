import { describe, expect, it } from 'vitest';
import { abovePeak } from '../../src/record/above-peak.js';

const of = (rate: number, peak: number | null) => abovePeak({ rate, peak, threads: 1, unit: 'FLOP/s' });

describe('a rate above the peak of the threads asked for', () => {
  it('is refused, with both figures', () => {
    expect(of(445e9, 246e9)).toMatch(/445 GFLOP\/s is 81 % above the peak of one thread \(246 GFLOP\/s\)/);
  });

  it('may be 5 % more: the clock moves between the two measurements', () => {
    expect(of(104.9e9, 100e9)).toBeNull();
    expect(of(105.1e9, 100e9)).not.toBeNull();
  });

  it('cannot be known where there is no peak', () => {
    expect(of(445e9, null)).toBeNull();
  });
});
