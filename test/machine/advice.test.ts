/** Advice follows from what was read, and from nothing else. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { placeThreads, readCores } from '../../src/execution/placement.js';
import { advise } from '../../src/machine/advice.js';
import { readAllowedCores } from '../../src/machine/allowed-cores.js';
import { describeMachine } from '../../src/machine/describe.js';
import { NOTHING_TOLD } from '../support/machine.js';
import { epycVm } from './fixtures/epyc-vm.js';
import { graviton } from './fixtures/graviton.js';
import { intelHybrid } from './fixtures/intel-hybrid.js';
import { intelServer } from './fixtures/intel-server.js';
import { type Files, readerOf } from './fixtures/reader-of.js';

const adviseFiles = (files: Files, architecture = 'x64') =>
  advise(
    describeMachine(readerOf(files), { ...NOTHING_TOLD, architecture }),
    readAllowedCores(readerOf(files)),
  );
const topics = (files: Files, architecture?: string): string[] =>
  adviseFiles(files, architecture).map((advice) => advice.topic);
const about = (files: Files, topic: string) => adviseFiles(files).find((advice) => advice.topic === topic);

/** The server with everything as it should be. */
const quiet: Files = {
  ...intelServer,
  ...Object.fromEntries(
    [0, 1, 2, 3, 4, 5, 6, 7].map((cpu) => [
      `/sys/devices/system/cpu/cpu${cpu}/cpufreq/scaling_governor`,
      'performance\n',
    ]),
  ),
  '/sys/devices/system/cpu/intel_pstate/no_turbo': '1\n',
  '/sys/devices/system/cpu/smt/active': '0\n',
  '/sys/kernel/mm/transparent_hugepage/enabled': 'always [madvise] never\n',
  '/proc/sys/kernel/numa_balancing': '0\n',
  '/proc/sys/kernel/randomize_va_space': '0\n',
  '/proc/loadavg': '0.02 0.10 0.20 1/200 100\n',
  '/proc/meminfo': 'SwapTotal: 8 kB\nSwapFree: 8 kB\n',
};

describe('advice', () => {
  it('is none for a machine that is set up for measuring', () => {
    expect(adviseFiles(quiet)).toEqual([]);
  });

  it('names all that was seen on a server as it is delivered, the important first', () => {
    expect(topics(intelServer).toSorted()).toEqual([
      'aslr',
      'governor',
      'load',
      'numa-balancing',
      'smt',
      'swap',
      'transparent-huge-pages',
      'turbo',
    ]);
    const levels = adviseFiles(intelServer).map((advice) => advice.level);
    const rank = ['important', 'worthwhile', 'note'];
    expect(levels).toEqual(levels.toSorted((a, b) => rank.indexOf(a) - rank.indexOf(b)));
    expect(adviseFiles(intelServer)[0]?.level).toBe('important');
  });

  it('names quota, guest, few CPUs, clock and missing statistics of a limited guest', () => {
    expect(topics(epycVm)).toEqual(
      expect.arrayContaining([
        'cpu-quota',
        'virtual-machine',
        'few-cpus',
        'clocksource',
        'schedstat',
        'psi',
        'transparent-huge-pages',
      ]),
    );
    expect(about(epycVm, 'cpu-quota')?.seen).toBe('a quota of 1.50 CPUs in periods of 100 ms');
  });

  it('gives the exact command, to be run on the host when this is a container', () => {
    expect(about(intelServer, 'turbo')?.action).toContain(
      'echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo',
    );
    expect(about(intelServer, 'governor')?.action).toMatch(/^echo performance \| sudo tee /);
    expect(about(epycVm, 'clocksource')?.action).toMatch(/^on the host: echo tsc \| sudo tee /);
  });

  it('names how many CPUs have a limit to their clock, and what sets it', () => {
    const CPUS = '/sys/devices/system/cpu';
    expect(
      about({ ...quiet, [`${CPUS}/cpu3/cpufreq/scaling_max_freq`]: '800000\n' }, 'clock-limit'),
    ).toMatchObject({
      seen: expect.stringMatching(/^the clock of 1 CPU \(3\) is capped at 800 MHz of 3\.40? GHz$/),
      action: expect.stringContaining('/scaling_max_freq'),
    });
    const control = `${CPUS}/intel_pstate/max_perf_pct`;
    expect(about({ ...quiet, [control]: '50\n' }, 'clock-limit')).toMatchObject({
      seen: expect.stringMatching(/^the clock is capped at 1\.70? GHz of/),
      action: `echo 100 | sudo tee ${control}`,
    });
    const both = { ...quiet, [control]: '50\n', [`${CPUS}/cpu3/cpufreq/scaling_max_freq`]: '800000\n' };
    expect(about(both, 'clock-limit')).toMatchObject({
      seen: expect.stringMatching(
        /^the clock of 7 CPUs \(0-2,4-7\) is capped at 1\.70? GHz of 3\.40? GHz, the clock of 1 CPU \(3\) is capped at 800 MHz of/,
      ),
      action: expect.stringMatching(/^echo 100 \| sudo tee \S+max_perf_pct; for /),
    });
  });

  it('allows each CPU its own clock again: of a hybrid the fast ones are not capped at that of the small', () => {
    const folder = mkdtempSync(join(tmpdir(), 'clock-limit-'));
    const own = (cpu: number) => (cpu < 6 ? '3400000\n' : '2500000\n');
    const file = (cpu: number, name: string) => `/sys/devices/system/cpu/cpu${cpu}/cpufreq/${name}_max_freq`;
    const cpus = [0, 1, 2, 3, 4, 5, 6, 7];
    const files: Files = Object.fromEntries(
      cpus.flatMap((cpu) => [
        [file(cpu, 'cpuinfo'), own(cpu)],
        [file(cpu, 'scaling'), cpu === 7 ? '2000000\n' : own(cpu)],
      ]),
    );
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const action = about({ ...quiet, ...files }, 'clock-limit')?.action ?? '';
    const here = action.replaceAll('/sys/', `${folder}/sys/`).replaceAll('sudo ', '');
    execFileSync('sh', ['-c', here]);
    expect(cpus.map((cpu) => readFileSync(join(folder, file(cpu, 'scaling')), 'utf8'))).toEqual(
      cpus.map(own),
    );
    rmSync(folder, { recursive: true });
  });

  it('finds the counter of arm64 good enough', () => {
    expect(topics(graviton, 'arm64')).not.toContain('clocksource');
  });

  it('is to measure on the fast cores alone where they are of different kinds, a thread a core', () => {
    expect(about(intelHybrid, 'mixed-cores')?.action).toBe('measure on performance cores alone: --threads 8');
    const some = { ...intelHybrid, '/proc/self/status': 'Cpus_allowed_list:\t16-19\n' };
    expect(topics(some)).not.toContain('mixed-cores');
  });

  /** The CPUs that so many threads get which the advice names, of CPUs that may be used. */
  const placedBy = (topic: string, files: Files, allowed: string) => {
    const some = { ...files, '/proc/self/status': `Cpus_allowed_list:\t${allowed}\n` };
    const threads = /--threads (\d+)/.exec(about(some, topic)?.action ?? '')?.[1];
    return threads === undefined ? null : placeThreads(readCores(readerOf(some)), Number(threads));
  };

  it('names as many threads as the CPUs that may be used have cores, so that no two share one', () => {
    const smt = { ...quiet, '/sys/devices/system/cpu/smt/active': '1\n' };
    // The server's second threads are four up.
    const cores = (allowed: string) =>
      placedBy('smt', smt, allowed)
        ?.map((cpu) => cpu % 4)
        .toSorted();
    expect(cores('0-1,4-5')).toEqual([0, 1]);
    expect(cores('0-2,4')).toEqual([0, 1, 2]);
    expect(cores('0-7')).toEqual([0, 1, 2, 3]);
    // No two of these share a core.
    expect(placedBy('smt', smt, '0-2')).toBeNull();
    const quota = { '/sys/fs/cgroup/user.slice/cpu.max': '200000 100000\n' };
    expect(placedBy('smt', { ...smt, ...quota }, '0-7')).toHaveLength(2);
  });

  it('names as many as the fast cores that may be used, where these are not all', () => {
    expect(placedBy('mixed-cores', intelHybrid, '0-7,16-23')).toEqual([2, 4, 6, 0]);
    expect(placedBy('mixed-cores', intelHybrid, '0-23')).toHaveLength(8);
  });

  it('says nothing of kinds of cores where a quota keeps no more running than there are fast ones', () => {
    const group = {
      '/proc/self/cgroup': '0::/\n',
      '/proc/self/mountinfo': intelServer['/proc/self/mountinfo'] ?? '',
    };
    const limited = (quota: number) =>
      topics({ ...intelHybrid, ...group, '/sys/fs/cgroup/cpu.max': `${quota * 100_000} 100000\n` });
    expect(limited(8)).not.toContain('mixed-cores');
    expect(limited(9)).toContain('mixed-cores');
  });

  it('is not about a quota that no launch can use up, as of a pod with CPUs of its own', () => {
    const group = '/sys/fs/cgroup/user.slice/cpu.max';
    const pod = { ...quiet, '/proc/self/status': 'Cpus_allowed_list:\t0-3\n' };
    expect(topics({ ...pod, [group]: '400000 100000\n' })).toEqual([]);
    expect(about({ ...pod, [group]: '399000 100000\n' }, 'cpu-quota')?.level).toBe('important');
  });

  it('says of few CPUs what takes their time: others where all are measured, else what shares the quota', () => {
    const two = { ...quiet, '/proc/self/status': 'Cpus_allowed_list:\t0-1\n' };
    expect(about(two, 'few-cpus')?.why).toContain('with every CPU measured');
    const quota = { ...quiet, '/sys/fs/cgroup/user.slice/cpu.max': '200000 100000\n' };
    expect(about(quota, 'few-cpus')).toMatchObject({
      seen: '2 usable CPUs',
      why: expect.stringContaining('the quota is shared'),
    });
  });

  it('takes a load of the last minute for other work only where others run now', () => {
    const level = (text: string) => about({ ...quiet, '/proc/loadavg': text }, 'load')?.level;
    expect(level('10.0 3.0 1.0 1/200 100\n')).toBe('note');
    expect(level('10.0 3.0 1.0 2/200 100\n')).toBe('worthwhile');
    expect(level('10.0 3.0 1.0 9/200 100\n')).toBe('important');
    // One that is short of the others.
    expect(level('10.0 3.0 1.0\n')).toBe('important');
  });

  it('says that quotas of hidden control groups above may be there, as in a container', () => {
    const contained = { ...quiet, '/proc/self/cgroup': '0::/\n', '/sys/fs/cgroup/cgroup.type': 'domain\n' };
    expect(topics(contained)).toEqual(['cgroups-above']);
    expect(about(contained, 'cgroups-above')?.level).toBe('worthwhile');
  });

  it('names the control group of memory where that alone is hidden', () => {
    const cpu = '33 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n';
    const hidden = {
      ...quiet,
      '/proc/self/cgroup': '5:memory:/docker/9f1c\n4:cpu:/\n',
      '/proc/self/mountinfo': cpu,
      '/sys/fs/cgroup/cpu/release_agent': '\n',
    };
    expect(topics(hidden)).toEqual(['cgroup-hidden']);
    expect(about(hidden, 'cgroup-hidden')?.seen).toContain('/docker/9f1c of memory');
  });

  it('warns when the control group is hidden, since a quota could not be seen', () => {
    const hidden = { ...quiet, '/proc/self/cgroup': '0::/../other\n' };
    expect(topics(hidden)).toEqual(['cgroup-hidden']);
  });

  it('says that a quota could be there unseen where no control group is told', () => {
    const { '/proc/self/cgroup': _, ...untold } = quiet;
    expect(topics(untold)).toEqual(['cgroup-untold']);
  });

  it.each([
    ['governor', { '/sys/devices/system/cpu/cpu5/cpufreq/scaling_governor': 'schedutil\n' }],
    ['clock-limit', { '/sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq': '800000\n' }],
    ['turbo', { '/sys/devices/system/cpu/intel_pstate/no_turbo': '0\n' }],
    ['smt', { '/sys/devices/system/cpu/smt/active': '1\n' }],
    ['load', { '/proc/loadavg': '1.00 0.10 0.20 1/200 100\n' }],
    ['swap', { '/proc/meminfo': 'SwapTotal: 8000000 kB\nSwapFree: 7000000 kB\n' }],
    ['transparent-huge-pages', { '/sys/kernel/mm/transparent_hugepage/enabled': 'always madvise [never]\n' }],
    ['numa-balancing', { '/proc/sys/kernel/numa_balancing': '1\n' }],
    ['isolation', { '/sys/devices/system/cpu/isolated': '\n' }],
    ['aslr', { '/proc/sys/kernel/randomize_va_space': '2\n' }],
    ['mixed-cores', { '/sys/devices/cpu_core/cpus': '0-1,4-5\n', '/sys/devices/cpu_atom/cpus': '2-3,6-7\n' }],
    ['few-cpus', { '/proc/self/status': 'Cpus_allowed_list:	0-1\n' }],
    ['schedstat', { '/proc/self/schedstat': '0 0 0\n' }],
    ['psi', { '/proc/pressure/cpu': undefined }],
    ['clocksource', { '/sys/devices/system/clocksource/clocksource0/current_clocksource': 'hpet\n' }],
    ['cpu-quota', { '/sys/fs/cgroup/user.slice/cpu.max': '400000 100000\n' }],
  ])('is about %s alone when only that is wrong', (topic, change) => {
    const files = { ...quiet, ...change } as Files;
    expect(topics(files)).toEqual([topic]);
  });

  it('tells who is in a container that a network of its own keeps campaigns from waiting for each other', () => {
    const contained = { ...quiet, '/run/.containerenv': '' };
    expect(topics(contained)).toEqual(['own-network']);
    expect(about(contained, 'own-network')?.seen).toContain('podman');
  });

  it('is only what follows from the little that could be read', () => {
    expect(topics({})).toEqual(['cgroup-untold', 'schedstat', 'psi']);
  });
});
