/** The machine-wide files: /proc/stat, pressure, cpu.stat, temperatures. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCgroupCpuStat } from '../../src/telemetry/cgroup-cpu-stat.js';
import { parseCpuTimes } from '../../src/telemetry/cpu-times.js';
import { parsePressure } from '../../src/telemetry/pressure.js';
import { parseTemperature } from '../../src/telemetry/temperatures.js';

describe('/proc/stat', () => {
  it('counts user, nice, system and interrupts as busy, and steal apart', () => {
    const text =
      'cpu  2662 3 1241 317805 92 5 24 9 100 0\ncpu0 825 0 485 159596 3 0 5 2 0 0\nintr 145836 0 0\nctxt 329540\n';
    expect(parseCpuTimes(text)).toEqual({ busyTicks: 2662 + 3 + 1241 + 5 + 24, stealTicks: 9 });
  });

  it('does not know the steal of a kernel that does not count it', () => {
    expect(parseCpuTimes('cpu  1 2 3 4 5 6 7\n')).toEqual({ busyTicks: 19, stealTicks: null });
  });

  it('is unknown without the line for all CPUs', () => {
    expect(parseCpuTimes('cpu0 825 0 485 159596 3 0 5 2 0 0\n')).toBeNull();
  });
});

describe('pressure', () => {
  it('is the total of the line for some tasks', () => {
    const text =
      'some avg10=0.03 avg60=0.22 avg300=0.53 total=6937716\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=12\n';
    expect(parsePressure(text)).toBe(6_937_716);
  });

  it('is unknown from a file without that line', () => {
    expect(parsePressure('full avg10=0.00 avg60=0.00 avg300=0.00 total=12\n')).toBeNull();
  });
});

describe('cpu.stat', () => {
  it('is in nanoseconds in v1', () => {
    expect(
      parseCgroupCpuStat(
        'nr_periods 120\nnr_throttled 40\nthrottled_time 2500000000\nnr_bursts 0\nburst_time 0\n',
      ),
    ).toEqual({ version: 1, periods: 120, throttledPeriods: 40, throttledNanoseconds: 2_500_000_000 });
  });

  it('is in microseconds in v2', () => {
    const text =
      'usage_usec 39294145\nuser_usec 26633202\nsystem_usec 12660943\nnr_periods 12\nnr_throttled 4\nthrottled_usec 250000\nnr_bursts 0\nburst_usec 0\n';
    expect(parseCgroupCpuStat(text)).toEqual({
      version: 2,
      periods: 12,
      throttledPeriods: 4,
      throttledNanoseconds: 250_000_000,
    });
  });

  it('shows no throttling of a v2 group without the cpu controller', () => {
    expect(parseCgroupCpuStat('usage_usec 1\nuser_usec 1\nsystem_usec 0\nnice_usec 0\n')).toEqual({
      version: 2,
      periods: 0,
      throttledPeriods: 0,
      throttledNanoseconds: 0,
    });
  });

  it('is unknown from other text', () => {
    expect(parseCgroupCpuStat('nr_periods 1\n')).toBeNull();
  });
});

describe('temperatures', () => {
  it('are in thousandths of a degree, below zero too', () => {
    expect([parseTemperature('45500\n'), parseTemperature('-5000\n')]).toEqual([45.5, -5]);
  });

  it('are unknown below absolute zero and from other text', () => {
    expect([parseTemperature('-300000'), parseTemperature('N/A')]).toEqual([null, null]);
  });
});

describe('any text', () => {
  it('is a valid value or unknown, and never throws', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        for (const parse of [parseCpuTimes, parseCgroupCpuStat]) {
          const values = Object.values(parse(`cpu ${text}`) ?? {});
          expect(values.every((value) => value === null || value >= 0)).toBe(true);
        }
        expect(parsePressure(text) ?? 0).toBeGreaterThanOrEqual(0);
        expect(parseTemperature(text) ?? 0).toBeGreaterThanOrEqual(-273.15);
      }),
    );
  });
});
