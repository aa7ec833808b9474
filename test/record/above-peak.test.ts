import { describe, expect, it } from 'vitest';
import { abovePeak, aboveThreads } from '../../src/record/above-peak.js';

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

describe('CPU time, where there is no peak', () => {
  it('is flagged where it is more than the threads asked for have, with the figures', () => {
    expect(aboveThreads(1.98, 1, 1)).toMatchObject({
      name: 'above-ceiling',
      reason: expect.stringMatching(
        /^the launch used 1\.98 s of CPU time in 1\.00 s, more than 1 thread can: /,
      ),
      evidence: { cpuSeconds: 1.98, windowSeconds: 1, threads: 1 },
    });
    expect(aboveThreads(1.98, 1, 2)).toBeNull();
  });

  it('may be half a thread more: a process keeps its own books', () => {
    expect(aboveThreads(2.49, 1, 2)).toBeNull();
    expect(aboveThreads(2.51, 1, 2)).not.toBeNull();
  });

  it('says nothing in so short a window that ticks are more', () => {
    expect(aboveThreads(0.06, 0.02, 1)).toBeNull();
  });

  it('cannot be judged where it is not known', () => {
    expect(aboveThreads(null, 1, 1)).toBeNull();
  });
});
