/** What a batch says that its launches executed. */
import { describe, expect, it } from 'vitest';
import { clocksWithin, executedByAll, executedTexts } from '../../src/record/executed.js';

describe('what the launches of a batch executed', () => {
  it('is one text where all did the same', () => {
    expect(executedByAll(['avx512', 'avx512'])).toBe('avx512');
  });

  it('is every text where they differ, the most frequent first', () => {
    const told = ['avx512', 'avx2, chose cached stores', 'avx2, chose cached stores', null];
    const text = executedByAll(told);
    expect(text).toBe('avx2, chose cached stores or avx512');
    expect(executedTexts(text)).toEqual(['avx2, chose cached stores', 'avx512']);
  });

  it('is one way where only the clocks of hosts agreed differently, with the bound that holds for all', () => {
    const told = [0.9, 12.4, 2].map((us) => `2 hosts, clocks within ${us.toFixed(1)} us, MPI_Allreduce`);
    expect(executedByAll(told)).toBe('2 hosts, clocks within 12.4 us, MPI_Allreduce');
  });

  it('tells how well the clocks of several hosts agreed, at worst, and nothing where there is one clock', () => {
    expect(
      clocksWithin('Open MPI, 2 processes on 2 hosts, clocks within 12.4 us, MPI_Allreduce'),
    ).toBeCloseTo(12.4e-6, 12);
    expect(clocksWithin('2 hosts, clocks within 3.0 us, a or 2 hosts, clocks within 0.9 us, b')).toBeCloseTo(
      3e-6,
      12,
    );
    expect([clocksWithin('Open MPI, 2 processes on 1 host'), clocksWithin(null)]).toEqual([null, null]);
  });

  it('is not known where none told', () => {
    expect(executedByAll([null, null])).toBeNull();
    expect(executedByAll([])).toBeNull();
    expect(executedTexts(null)).toEqual([]);
  });
});
