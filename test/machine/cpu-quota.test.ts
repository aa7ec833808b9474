/** CPU quotas of both versions. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCfsQuota, parseCpuMax, tightest } from '../../src/machine/linux/cpu-quota.js';

describe('CPU quota', () => {
  it('is quota over period in v2', () => {
    expect(parseCpuMax('150000 100000\n')).toEqual({ cpus: 1.5, period: 0.1 });
  });

  it('is quota over period in v1', () => {
    expect(parseCfsQuota('25000\n', '50000\n')).toEqual({ cpus: 0.5, period: 0.05 });
  });

  it('is none when unlimited', () => {
    expect(parseCpuMax('max 100000\n')).toBeNull();
    expect(parseCfsQuota('-1\n', '100000\n')).toBeNull();
  });

  it('is the least of all levels', () => {
    const [two, half] = [parseCpuMax('200000 100000'), parseCpuMax('50000 100000')];
    expect(tightest([two, null, half])).toEqual(half);
    expect(tightest([null])).toBeNull();
  });

  it('is positive and finite, or null, for any text', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.tuple(fc.nat(), fc.nat()).map((p) => p.join(' ')),
        ),
        (text) => {
          const quota = parseCpuMax(text);
          expect(quota === null || (Number.isFinite(quota.cpus) && quota.cpus > 0)).toBe(true);
        },
      ),
    );
  });
});
