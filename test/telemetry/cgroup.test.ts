/** CPU bandwidth control over several levels. */
import { describe, expect, it } from 'vitest';
import { cgroupTelemetry, hasGroupsAbove } from '../../src/telemetry/cgroup.js';
import type { Snapshot } from '../../src/telemetry/types.js';

const v2 = (periods: number, throttled: number, microseconds: number): string =>
  `usage_usec 1\nuser_usec 1\nsystem_usec 0\nnr_periods ${periods}\nnr_throttled ${throttled}\nthrottled_usec ${microseconds}\n`;
const snapshot = (files: Snapshot['files']): Snapshot => ({ at: 0, files });

describe('CPU bandwidth control', () => {
  it('takes the tightest quota of all levels, and the counts of the level throttled longest', () => {
    const quotas = {
      '/sys/fs/cgroup/pod/app/cpu.max': '100000 100000\n',
      '/sys/fs/cgroup/pod/cpu.max': '25000 50000\n',
      '/sys/fs/cgroup/cpu.stat': 'usage_usec 1\nuser_usec 1\nsystem_usec 0\n',
    };
    const before = snapshot({
      ...quotas,
      '/sys/fs/cgroup/pod/app/cpu.stat': v2(10, 1, 500),
      '/sys/fs/cgroup/pod/cpu.stat': v2(100, 50, 9_000_000),
    });
    const after = snapshot({
      ...quotas,
      '/sys/fs/cgroup/pod/app/cpu.stat': v2(30, 2, 700),
      '/sys/fs/cgroup/pod/cpu.stat': v2(140, 80, 10_250_000),
    });
    expect(cgroupTelemetry(before, after)).toEqual({
      version: 2,
      quotaCpus: 0.5,
      period: 0.05,
      periods: 40,
      throttledPeriods: 30,
      throttledTime: 1.25,
    });
  });

  it('blames the quota of the level that was throttled, not a tighter one that was not used up', () => {
    const quotas = {
      '/sys/fs/cgroup/pod/app/cpu.max': '200000 100000\n',
      '/sys/fs/cgroup/pod/cpu.max': '800000 100000\n',
    };
    const at = (throttled: number, microseconds: number) =>
      snapshot({
        ...quotas,
        '/sys/fs/cgroup/pod/app/cpu.stat': v2(100, 0, 0),
        '/sys/fs/cgroup/pod/cpu.stat': v2(100, throttled, microseconds),
      });
    expect(cgroupTelemetry(at(0, 0), at(50, 900_000))).toMatchObject({ quotaCpus: 8, throttledPeriods: 50 });
    expect(cgroupTelemetry(at(0, 0), at(0, 0))).toMatchObject({ quotaCpus: 2, throttledPeriods: 0 });
  });

  it('reads the files of v1', () => {
    const directory = '/sys/fs/cgroup/cpu/job';
    const files = (throttled: number, nanoseconds: number) => ({
      [`${directory}/cpu.stat`]: `nr_periods 9\nnr_throttled ${throttled}\nthrottled_time ${nanoseconds}\n`,
      [`${directory}/cpu.cfs_quota_us`]: '150000\n',
      [`${directory}/cpu.cfs_period_us`]: '100000\n',
    });
    expect(cgroupTelemetry(snapshot(files(0, 0)), snapshot(files(3, 2e9)))).toMatchObject({
      version: 1,
      quotaCpus: 1.5,
      period: 0.1,
      throttledPeriods: 3,
      throttledTime: 2,
    });
  });

  it('shows a group without a quota as such, not as unknown', () => {
    const files = { '/sys/fs/cgroup/cpu.stat': v2(0, 0, 0), '/sys/fs/cgroup/cpu.max': 'max 100000\n' };
    expect(cgroupTelemetry(snapshot(files), snapshot(files))).toMatchObject({ quotaCpus: null, periods: 0 });
  });

  it('holds a quota that was set within the window against the run', () => {
    const at = (quota: string) => ({ '/c/cpu.stat': v2(0, 0, 0), '/c/cpu.max': quota });
    expect(cgroupTelemetry(snapshot(at('max 100000')), snapshot(at('200000 100000')))?.quotaCpus).toBe(2);
    expect(cgroupTelemetry(snapshot(at('200000 100000')), snapshot(at('max 100000')))?.quotaCpus).toBe(2);
  });

  it('is unknown when no level could be read at both ends', () => {
    const files = { '/c/cpu.stat': v2(1, 1, 1) };
    expect(cgroupTelemetry(snapshot({}), snapshot(files))).toBeNull();
    expect(cgroupTelemetry(snapshot(files), snapshot({ '/c/cpu.stat': null }))).toBeNull();
  });
});

describe('control groups above those that are seen', () => {
  const ROOT_OF_V2 = 'usage_usec 1\nuser_usec 1\nsystem_usec 0\n';
  const v1 = 'nr_periods 9\nnr_throttled 0\nthrottled_time 0\n';
  const above = (files: Snapshot['files']): boolean => hasGroupsAbove(snapshot(files));

  it('are there where the outermost is not the root', () => {
    const job = { '/sys/fs/cgroup/job/cpu.stat': v2(1, 0, 0), '/sys/fs/cgroup/cpu.stat': v2(1, 0, 0) };
    expect(above({ ...job, '/sys/fs/cgroup/cgroup.type': 'domain\n' })).toBe(true);
    expect(above({ '/sys/fs/cgroup/cpu/cpu.stat': v1 })).toBe(true);
  });

  it('are none where it is', () => {
    expect(above({ '/sys/fs/cgroup/job/cpu.stat': v2(1, 0, 0), '/sys/fs/cgroup/cpu.stat': ROOT_OF_V2 })).toBe(
      false,
    );
    expect(above({ '/sys/fs/cgroup/cpu/cpu.stat': v1, '/sys/fs/cgroup/cpu/release_agent': '\n' })).toBe(
      false,
    );
  });

  it('are not looked for where no group is seen at all', () => {
    expect(above({})).toBe(false);
    expect(above({ '/sys/fs/cgroup/cpu.stat': null })).toBe(false);
  });
});
