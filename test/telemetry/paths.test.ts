/** Which files a snapshot reads. */
import { describe, expect, it } from 'vitest';
import { snapshotPaths } from '../../src/telemetry/paths.js';

/** Of a machine that has these files and no others. */
function pathsOf(files: Readonly<Record<string, string>>, allowedCpus: readonly number[] = []): string[] {
  const list = (folder: string): string[] => {
    const under = Object.keys(files).filter((path) => path.startsWith(`${folder}/`));
    return [...new Set(under.map((path) => path.slice(folder.length + 1).split('/')[0] ?? ''))];
  };
  return snapshotPaths((path) => files[path] ?? null, list, allowedCpus);
}

const THREAD = {
  '/proc/self/schedstat': '1 2 3\n',
  '/proc/self/status': 'Name: node\n',
  '/proc/self/stat': '1 (node) R\n',
  '/proc/self/sched': 'node (1, #threads: 1)\n',
};

describe('snapshot paths', () => {
  it('have a place for the thread id, and come only for files that the kernel has', () => {
    expect(pathsOf(THREAD, [0])).toEqual([
      '/proc/self/task/{tid}/schedstat',
      '/proc/self/task/{tid}/status',
      '/proc/self/task/{tid}/stat',
      '/proc/self/task/{tid}/sched',
      '/proc/self/stat',
    ]);
    const { '/proc/self/schedstat': _, '/proc/self/sched': __, ...older } = THREAD;
    expect(pathsOf(older, [0])).toEqual([
      '/proc/self/task/{tid}/status',
      '/proc/self/task/{tid}/stat',
      '/proc/self/stat',
    ]);
  });

  it('are none where nothing can be read', () => {
    expect(pathsOf({}, [0, 1])).toEqual([]);
  });

  it('take in the quota and throttling of the group and of each visible ancestor, v2', () => {
    const files = {
      '/proc/self/cgroup': '0::/a/b\n',
      '/proc/self/mountinfo': '26 20 0:23 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n',
      '/sys/fs/cgroup/cpu.stat': 'usage_usec 1\n',
      '/sys/fs/cgroup/a/cpu.stat': 'usage_usec 1\n',
      '/sys/fs/cgroup/a/cpu.max': 'max 100000\n',
      '/sys/fs/cgroup/a/b/cpu.stat': 'usage_usec 1\n',
      '/sys/fs/cgroup/a/b/cpu.max': '50000 100000\n',
      '/sys/fs/cgroup/other/cpu.stat': 'usage_usec 1\n',
    };
    expect(pathsOf(files)).toEqual([
      '/proc/self/cgroup',
      '/sys/fs/cgroup/a/b/cpu.stat',
      '/sys/fs/cgroup/a/b/cpu.max',
      '/sys/fs/cgroup/a/cpu.stat',
      '/sys/fs/cgroup/a/cpu.max',
      '/sys/fs/cgroup/cpu.stat',
    ]);
  });

  it('take in the file of the outermost group by which it tells whether others are above', () => {
    const files = {
      '/proc/self/cgroup': '0::/a\n',
      '/proc/self/mountinfo': '26 20 0:23 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n',
      '/sys/fs/cgroup/cpu.stat': 'usage_usec 1\n',
      '/sys/fs/cgroup/cgroup.type': 'domain\n',
      '/sys/fs/cgroup/a/cgroup.type': 'domain\n',
    };
    expect(pathsOf(files)).toEqual([
      '/proc/self/cgroup',
      '/sys/fs/cgroup/cpu.stat',
      '/sys/fs/cgroup/cgroup.type',
    ]);
  });

  it('take the cpu controller where a hybrid system keeps it, v1', () => {
    const files = {
      '/proc/self/cgroup': '2:cpu,cpuacct:/job\n1:memory:/m\n0::/user.slice\n',
      '/proc/self/mountinfo': `33 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct
41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw
`,
      '/sys/fs/cgroup/cpu,cpuacct/job/cpu.stat': 'nr_periods 0\n',
      '/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us': '-1\n',
      '/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us': '100000\n',
      '/sys/fs/cgroup/unified/user.slice/cpu.stat': 'usage_usec 1\n',
    };
    expect(pathsOf(files).slice(1)).toEqual([
      '/sys/fs/cgroup/cpu,cpuacct/job/cpu.stat',
      '/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us',
      '/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us',
    ]);
  });

  it('take in the sensors of the processor, past gaps in their numbers, and no disk', () => {
    const files = {
      '/sys/class/thermal/thermal_zone0/type': 'acpitz\n',
      '/sys/class/thermal/thermal_zone2/type': 'x86_pkg_temp\n',
      '/sys/class/thermal/thermal_zone2/temp': '41000\n',
      '/sys/class/hwmon/hwmon0/name': 'nvme\n',
      '/sys/class/hwmon/hwmon0/temp1_input': '30000\n',
      '/sys/class/hwmon/hwmon3/name': 'coretemp\n',
      '/sys/class/hwmon/hwmon3/temp1_input': '42000\n',
      '/sys/class/hwmon/hwmon3/temp1_label': 'Package id 0\n',
      '/sys/class/hwmon/hwmon3/temp2_input': '40000\n',
      '/sys/class/hwmon/hwmon3/temp2_label': 'Core 0\n',
      // Where each disk and memory module has a chip, the processor's may have a high number.
      '/sys/class/hwmon/hwmon136/name': 'k10temp\n',
      '/sys/class/hwmon/hwmon136/temp1_input': '43000\n',
      '/sys/class/hwmon/hwmon20/name': 'acpitz\n',
      '/sys/class/hwmon/hwmon20/temp1_input': '30000\n',
    };
    expect(pathsOf(files)).toEqual([
      '/sys/class/thermal/thermal_zone2/type',
      '/sys/class/thermal/thermal_zone2/temp',
      '/sys/class/hwmon/hwmon3/name',
      '/sys/class/hwmon/hwmon3/temp1_input',
      '/sys/class/hwmon/hwmon3/temp1_label',
      '/sys/class/hwmon/hwmon20/name',
      '/sys/class/hwmon/hwmon20/temp1_input',
      '/sys/class/hwmon/hwmon136/name',
      '/sys/class/hwmon/hwmon136/temp1_input',
    ]);
  });

  it('name an energy domain even if only root may read its counter', () => {
    const domain = '/sys/class/powercap/intel-rapl:0';
    const files = {
      [`${domain}/name`]: 'package-0\n',
      [`${domain}/max_energy_range_uj`]: '262143328850\n',
      [`${domain}/intel-rapl:0:1/name`]: 'dram\n',
      [`${domain}/intel-rapl:0:1/energy_uj`]: '12\n',
    };
    expect(pathsOf(files)).toEqual([
      `${domain}/name`,
      `${domain}/max_energy_range_uj`,
      `${domain}/intel-rapl:0:1/name`,
      `${domain}/intel-rapl:0:1/energy_uj`,
    ]);
  });

  it('take in the throttle counters of the allowed CPUs alone', () => {
    const counter = (cpu: number): string =>
      `/sys/devices/system/cpu/cpu${cpu}/thermal_throttle/core_throttle_count`;
    const files = { [counter(0)]: '0\n', [counter(1)]: '0\n', [counter(2)]: '0\n' };
    expect(pathsOf(files, [1])).toEqual([counter(1)]);
  });
});
