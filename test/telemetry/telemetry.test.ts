/** From two snapshots to telemetry. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computeTelemetry, type TelemetryInput } from '../../src/telemetry/telemetry.js';
import type { Snapshot, Telemetry } from '../../src/telemetry/types.js';
import { stat, threadFiles } from './fixtures/thread.js';

const psi = (total: number): string => `some avg10=0.00 avg60=0.00 avg300=0.00 total=${total}\n`;
const counter = (cpu: number): string =>
  `/sys/devices/system/cpu/cpu${cpu}/thermal_throttle/package_throttle_count`;
const ZONE = '/sys/class/thermal/thermal_zone0';

const before: Snapshot = {
  at: 100,
  files: {
    ...threadFiles(7, {
      minor: 10,
      major: 1,
      cpu: 2,
      schedstat: '1000000000 2000000 5\n',
      voluntary: 3,
      involuntary: 4,
      migrations: 1,
    }),
    ...threadFiles(8, { cpu: 3, schedstat: '1000 0 1\n', migrations: 0 }),
    '/proc/self/stat': stat({ user: 100, system: 20 }),
    '/proc/stat': 'cpu  1000 0 100 50000 10 0 5 40 0 0\n',
    '/proc/self/cgroup': '0::/\n',
    '/sys/fs/cgroup/cpu.stat': 'usage_usec 1\nnr_periods 1\nnr_throttled 0\nthrottled_usec 0\n',
    '/sys/fs/cgroup/cpu.max': '150000 100000\n',
    '/proc/pressure/cpu': psi(1_000_000),
    '/proc/pressure/memory': psi(0),
    '/proc/pressure/io': psi(500),
    [counter(0)]: '4\n',
    [counter(1)]: '4\n',
    [`${ZONE}/type`]: 'x86_pkg_temp\n',
    [`${ZONE}/temp`]: '40000\n',
    '/sys/class/powercap/intel-rapl:0/name': 'package-0\n',
    '/sys/class/powercap/intel-rapl:0/energy_uj': '1000000\n',
    '/sys/class/powercap/intel-rapl:0/max_energy_range_uj': '262143328850\n',
  },
};
const after: Snapshot = {
  at: 102,
  files: {
    ...before.files,
    ...threadFiles(7, {
      minor: 12,
      major: 1,
      cpu: 4,
      schedstat: '2900000000 102000000 9\n',
      voluntary: 3,
      involuntary: 14,
      migrations: 2,
    }),
    ...threadFiles(8, { cpu: 3, schedstat: '1900001000 0 2\n', migrations: 0 }),
    '/proc/self/stat': stat({ user: 470, system: 30 }),
    '/proc/stat': 'cpu  1380 0 120 50000 10 0 5 50 0 0\n',
    '/sys/fs/cgroup/cpu.stat': 'usage_usec 1\nnr_periods 21\nnr_throttled 6\nthrottled_usec 300000\n',
    '/proc/pressure/cpu': psi(1_250_000),
    '/proc/pressure/io': psi(900),
    [counter(0)]: '6\n',
    [counter(1)]: '6\n',
    [`${ZONE}/temp`]: '71500\n',
    '/sys/class/powercap/intel-rapl:0/energy_uj': '401000000\n',
  },
};
const input: TelemetryInput = {
  before,
  after,
  threadIds: [7, 8],
  frequency: { before: 3.8e9, after: 3.7e9 },
  allowedCpus: 4,
  onlineCpus: 8,
  clockTicks: 100,
};
const missing = (telemetry: Telemetry): string[] => telemetry.missing.map(({ what }) => what);
/** The same, with some files gone. */
function without(pattern: RegExp): Telemetry {
  const keep = ({ at, files }: Snapshot): Snapshot => ({
    at,
    files: Object.fromEntries(
      Object.entries(files).map(([path, text]) => [path, pattern.test(path) ? null : text]),
    ),
  });
  return computeTelemetry({ ...input, before: keep(before), after: keep(after) });
}

describe('telemetry of a window', () => {
  const telemetry = computeTelemetry(input);

  it('is complete when every file was read', () => {
    expect(telemetry.missing).toEqual([]);
    expect(telemetry).toMatchObject({
      window: 2,
      allowedCpus: 4,
      onlineCpus: 8,
      frequency: { before: 3.8e9 },
    });
  });

  it('tells what became of each measuring thread', () => {
    expect(telemetry.threads[0]).toEqual({
      tid: 7,
      cpuTime: 1.9,
      runDelay: 0.1,
      voluntarySwitches: 0,
      involuntarySwitches: 10,
      migrations: 1,
      minorFaults: 2,
      majorFaults: 0,
      cpuBefore: 2,
      cpuAfter: 4,
    });
    expect(telemetry.threads[1]).toMatchObject({ tid: 8, cpuTime: 1.9, migrations: 0, cpuBefore: 3 });
  });

  it('counts the CPU time of ranks that are processes as our own, not as others’', () => {
    const withRank = (snapshot: Snapshot, user: number): Snapshot => ({
      ...snapshot,
      files: { ...snapshot.files, '/proc/8/stat': stat({ user }) },
    });
    const own = computeTelemetry({ ...input, before: withRank(before, 10), after: withRank(after, 15) });
    expect(own.processCpuTime).toBeCloseTo((telemetry.processCpuTime ?? 0) + 0.05, 9);
    expect(own.otherCpuTime).toBeCloseTo((telemetry.otherCpuTime ?? 0) - 0.05, 9);
  });

  it('tells quota, pressure, steal, heat, throttling and energy', () => {
    expect(telemetry).toMatchObject({
      processCpuTime: 3.8,
      cgroup: { version: 2, quotaCpus: 1.5, periods: 20, throttledPeriods: 6, throttledTime: 0.3 },
      cpuPressure: 0.25,
      memoryPressure: 0,
      ioPressure: 0.0004,
      steal: 0.1,
      thermalThrottles: 2,
      temperatures: [{ name: 'x86_pkg_temp', before: 40, after: 71.5 }],
      energy: [{ domain: 'package-0', joules: 400 }],
    });
  });

  it("takes this process's time from that of all CPUs, and what is left is of others", () => {
    expect(telemetry.otherCpuTime).toBe(0.2);
  });

  it('tells of kinds of cores where there are several, and else nothing', () => {
    const coreKinds = [
      { name: 'performance', cores: 2, cpus: '0-1' },
      { name: 'efficiency', cores: 2, cpus: '2-3' },
    ] as const;
    expect(computeTelemetry({ ...input, coreKinds }).coreKinds).toEqual(coreKinds);
    expect(computeTelemetry({ ...input, coreKinds: [] })).not.toHaveProperty('coreKinds');
  });

  it('floors the time of others at zero, where ticks of two accounts disagree', () => {
    const busy = { ...after.files, '/proc/self/stat': stat({ user: 600, system: 30 }) };
    expect(computeTelemetry({ ...input, after: { at: 102, files: busy } }).otherCpuTime).toBe(0);
  });

  it('does not let a counter that stepped back count as negative', () => {
    const back = { ...after.files, '/proc/stat': 'cpu  1380 0 120 50000 10 0 5 39 0 0\n' };
    expect(computeTelemetry({ ...input, after: { at: 102, files: back } }).steal).toBe(0);
  });
});

describe('telemetry with files missing', () => {
  it('counts CPU time in ticks without schedstat, and does not know the run delay', () => {
    const telemetry = without(/schedstat$/);
    expect(telemetry.threads[0]).toMatchObject({ runDelay: null, cpuTime: 0 });
    expect(missing(telemetry)).toEqual(['run delay']);
  });

  it('does not know migrations without the scheduler debug file', () => {
    const telemetry = without(/\/sched$/);
    expect(telemetry.threads.map((thread) => thread.migrations)).toEqual([null, null]);
    expect(missing(telemetry)).toEqual(['migrations']);
  });

  it('does not know context switches from a status that could not be read, and keeps the thread', () => {
    const telemetry = without(/\/status$/);
    expect(
      telemetry.threads.map(({ tid, voluntarySwitches, involuntarySwitches }) => [
        tid,
        voluntarySwitches,
        involuntarySwitches,
      ]),
    ).toEqual([
      [7, null, null],
      [8, null, null],
    ]);
    expect(missing(telemetry)).toEqual(['context switches']);
  });

  /** Of each thread's file of that name. */
  const changed = (
    { at, files }: Snapshot,
    name: string,
    change: (path: string) => Readonly<Record<string, string | null>>,
  ): Snapshot => ({
    at,
    files: Object.fromEntries(
      Object.entries(files).flatMap(([path, text]) =>
        path.startsWith('/proc/self/task/') && path.endsWith(`/${name}`)
          ? Object.entries(change(path))
          : [[path, text]],
      ),
    ),
  });

  describe.each([
    {
      what: 'run delay',
      name: 'schedstat',
      empty: '0 0 0\n',
      kernel: 'no times in PATH: a kernel without scheduler statistics',
      so: '; CPU time is in ticks',
    },
    {
      what: 'context switches',
      name: 'status',
      empty: 'Name:\tnode\nThreads:\t2\n',
      kernel: 'no voluntary_ctxt_switches in PATH: the kernel does not count them',
      so: '',
    },
    {
      what: 'migrations',
      name: 'sched',
      empty: 'node (7, #threads: 11)\n',
      kernel: 'no nr_migrations in PATH: a kernel without CONFIG_SCHED_DEBUG',
      so: '',
    },
  ])('says of $what, where it is not known,', ({ what, name, empty, kernel, so }) => {
    const path = `/proc/self/task/{tid}/${name}`;
    const ofKernel = [{ what, why: `${kernel.replace('PATH', path)}${so}` }];
    const unread = [{ what, why: `${path} could not be read at both ends${so}` }];
    const asked = { empty: (own: string) => ({ [own]: empty }), unread: (own: string) => ({ [own]: null }) };

    it('that the kernel has none where the files were read, or are not there to be asked for', () => {
      for (const change of [asked.empty, () => ({})])
        expect(
          computeTelemetry({
            ...input,
            before: changed(before, name, change),
            after: changed(after, name, change),
          }).missing,
        ).toEqual(ofKernel);
    });

    it('no more than that they were not read where they were not, at one end or at both', () => {
      const last = changed(after, name, asked.unread);
      expect(computeTelemetry({ ...input, after: last }).missing).toEqual(unread);
      const first = changed(before, name, asked.unread);
      expect(computeTelemetry({ ...input, before: first }).missing).toEqual(unread);
      expect(computeTelemetry({ ...input, before: first, after: last }).missing).toEqual(unread);
    });
  });

  it('counts a thread that nobody asked of at the first end from its birth, and does not call it unreadable', () => {
    const unasked = Object.entries(before.files).filter(([path]) => !path.includes('/8/'));
    const started = computeTelemetry({ ...input, before: { at: 100, files: Object.fromEntries(unasked) } });
    expect(started.missing).toEqual([]);
    expect(started.threads[0]).toMatchObject({ tid: 7, cpuTime: 1.9, runDelay: 0.1 });
    expect(started.threads[1]).toMatchObject({
      tid: 8,
      cpuTime: 1.900001,
      runDelay: 0,
      migrations: 0,
      cpuBefore: 3,
      cpuAfter: 3,
    });
  });

  it('leaves out a thread that has ended, and names it', () => {
    const telemetry = computeTelemetry({ ...input, threadIds: [7, 99] });
    expect(telemetry.threads.map((thread) => thread.tid)).toEqual([7]);
    expect(missing(telemetry)).toEqual(['thread 99']);
  });

  it.each([
    ['cpu pressure', /pressure\/cpu/, 'cpuPressure'],
    ['memory pressure', /pressure\/memory/, 'memoryPressure'],
    ['io pressure', /pressure\/io/, 'ioPressure'],
    ['CPU quota', /cpu\.stat$/, 'cgroup'],
    ['thermal throttling', /thermal_throttle/, 'thermalThrottles'],
  ] as const)('knows no %s and says so', (what, pattern, field) => {
    const telemetry = without(pattern);
    expect(telemetry[field]).toBeNull();
    expect(missing(telemetry)).toEqual([what]);
  });

  it('names the quota of control groups that are hidden above those that it sees', () => {
    const contained = { ...after, files: { ...after.files, '/sys/fs/cgroup/cgroup.type': 'domain\n' } };
    const telemetry = computeTelemetry({ ...input, after: contained });
    expect(missing(telemetry)).toEqual(['CPU quota above']);
    expect(telemetry.cgroup).toMatchObject({ quotaCpus: 1.5, throttledPeriods: 6 });
  });

  it('knows neither steal nor the time of others without /proc/stat', () => {
    const telemetry = without(/^\/proc\/stat$/);
    expect(telemetry).toMatchObject({ steal: null, otherCpuTime: null, processCpuTime: 3.8 });
    expect(missing(telemetry)).toEqual(['steal', 'CPU time of others']);
  });

  it('names everything when nothing could be read, and why', () => {
    const nothing = { at: 0, files: {} };
    const telemetry = computeTelemetry({ ...input, before: nothing, after: nothing, frequency: null });
    expect(missing(telemetry).toSorted()).toEqual(
      [
        'thread 7',
        'thread 8',
        'energy',
        'temperatures',
        'process CPU time',
        'CPU quota',
        'cpu pressure',
        'memory pressure',
        'io pressure',
        'steal',
        'CPU time of others',
        'thermal throttling',
        'frequency',
      ].toSorted(),
    );
    expect(telemetry.missing.every(({ why }) => why.length > 0)).toBe(true);
  });

  it('survives any text in any file, and stays plain JSON', () => {
    const paths = Object.keys(after.files);
    const broken = fc.dictionary(fc.constantFrom(...paths), fc.option(fc.string()));
    fc.assert(
      fc.property(broken, broken, (first, second) => {
        const telemetry = computeTelemetry({
          ...input,
          before: { at: 100, files: { ...before.files, ...first } },
          after: { at: 102, files: { ...after.files, ...second } },
        });
        expect(JSON.parse(JSON.stringify(telemetry))).toEqual(telemetry);
      }),
    );
  });
});

describe('temperatures', () => {
  it('keep sensors of one name apart', () => {
    const zones = (first: string, second: string) => ({
      '/sys/class/thermal/thermal_zone0/type': 'cpu-thermal\n',
      '/sys/class/thermal/thermal_zone0/temp': first,
      '/sys/class/thermal/thermal_zone1/type': 'cpu-thermal\n',
      '/sys/class/thermal/thermal_zone1/temp': second,
      '/sys/class/hwmon/hwmon0/name': 'k10temp\n',
      '/sys/class/hwmon/hwmon0/temp1_input': '50000\n',
      '/sys/class/hwmon/hwmon0/temp1_label': 'Tctl\n',
    });
    const telemetry = computeTelemetry({
      ...input,
      before: { at: 0, files: zones('30000', '31000') },
      after: { at: 1, files: zones('32000', '33000') },
    });
    expect(telemetry.temperatures).toEqual([
      { name: 'cpu-thermal', before: 30, after: 32 },
      { name: 'cpu-thermal #2', before: 31, after: 33 },
      { name: 'k10temp Tctl', before: 50, after: 50 },
    ]);
  });
});
