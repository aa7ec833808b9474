/** Whole descriptions, from the files of three machines and of none. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeMachine, type MachineDeps } from '../../src/machine/describe.js';
import type { GpuDescription } from '../../src/machine/gpus.js';
import { machineIdentity } from '../../src/machine/same-machine.js';
import { renderMachine } from '../../src/readers/terminal/machine.js';
import { terminalStyle } from '../../src/readers/terminal/style.js';
import { absencesOf } from '../../src/record/absences.js';
import { gpu, survey } from '../qualify/support.js';
import { bigLittle } from './fixtures/big-little.js';
import { epycVm } from './fixtures/epyc-vm.js';
import { graviton } from './fixtures/graviton.js';
import { intelHybrid } from './fixtures/intel-hybrid.js';
import { intelServer } from './fixtures/intel-server.js';
import { type Files, readerOf } from './fixtures/reader-of.js';

const deps: MachineDeps = {
  architecture: 'x64',
  nodeVersion: 'v22.12.0',
  v8Version: '12.4',
  glibcVersion: '2.35',
  getconf: () => null,
  env: {},
};
const describeFiles = (files: Files, own: Partial<MachineDeps> = {}) =>
  describeMachine(readerOf(files), { ...deps, ...own });

describe('describing an Intel server with two sockets', () => {
  const machine = describeFiles(intelServer);

  it('counts sockets, cores and threads', () => {
    expect(machine.cpu).toMatchObject({ sockets: 2, cores: 4, threads: 8, smt: true });
  });

  it('tells how the clock is governed, in hertz', () => {
    expect(machine.cpu.frequency).toEqual({
      base: 2.6e9,
      max: 3.4e9,
      limit: 3.4e9,
      governors: ['powersave'],
      driver: 'intel_pstate',
      turbo: { enabled: true, control: '/sys/devices/system/cpu/intel_pstate/no_turbo', off: '1' },
    });
  });

  it('puts caches of one kind together, with the CPUs of each', () => {
    const own = ['0,4', '1,5', '2,6', '3,7'];
    const sockets = ['0,2,4,6', '1,3,5,7'];
    expect(machine.cpu.caches).toEqual([
      { level: 1, type: 'data', size: 49_152, line: 64, sharedBy: 2, instances: 4, sharing: own },
      { level: 1, type: 'instruction', size: 32_768, line: 64, sharedBy: 2, instances: 4, sharing: own },
      { level: 2, type: 'unified', size: 1_310_720, line: 64, sharedBy: 2, instances: 4, sharing: own },
      { level: 3, type: 'unified', size: 50_331_648, line: 64, sharedBy: 4, instances: 2, sharing: sockets },
    ]);
  });

  it('tells memory, swap, huge pages and NUMA nodes in bytes', () => {
    expect(machine.memory).toEqual({
      total: 527_712_256 * 1024,
      available: 480_000_000 * 1024,
      hugePages: { size: 2_097_152, total: 16, free: 12 },
      transparentHugePages: 'always',
      swap: { total: 8_388_604 * 1024, used: 1_048_576 * 1024 },
      numaNodes: [
        { node: 0, cpus: '0,2,4,6', total: 263_856_128 * 1024, available: 210_000_000 * 1024 },
        { node: 1, cpus: '1,3,5,7', total: 263_856_128 * 1024, available: 210_000_000 * 1024 },
      ],
      numaBalancing: true,
    });
  });

  it('keeps the items of the command line that change timings, and the vulnerabilities that apply', () => {
    expect(machine.os.commandLine).toEqual(['isolcpus=2-3', 'nohz_full=2-3', 'mitigations=off']);
    expect(machine.cpu.vulnerabilities).toEqual({
      mmio_stale_data: 'Mitigation: Clear CPU buffers; SMT vulnerable',
    });
  });

  it('knows that it is neither a guest nor a container, and has no quota', () => {
    expect(machine.virtualisation).toEqual({
      guest: false,
      hypervisor: null,
      product: 'Dell Inc. PowerEdge R750',
      container: null,
    });
    expect(machine.limits).toMatchObject({ cpuQuota: null, memoryLimit: null, allowedCpus: '0-7' });
  });

  it('tells one boot from another by a hash', () => {
    const booted = (id: string) =>
      describeFiles({ ...intelServer, '/proc/sys/kernel/random/boot_id': `${id}\n` }).os.bootIdHash;
    const hash = booted('3f6c1f0e-6d1c-4a57-9d0b-0a1b2c3d4e5f');
    expect(hash).toMatch(/^[0-9a-f]{16}$/);
    expect(booted('3f6c1f0e-6d1c-4a57-9d0b-0a1b2c3d4e60')).not.toBe(hash);
    expect(machine.os.bootIdHash).toBeNull();
  });

  it('names system and C library, and never shows the machine id', () => {
    expect(machine.os).toMatchObject({
      id: 'ubuntu',
      name: 'Ubuntu',
      version: '22.04',
      kernelRelease: '5.15.0-94-generic',
      libc: { name: 'glibc', version: '2.35' },
      hostname: 'node17',
    });
    expect(JSON.stringify(machine)).not.toContain('0123456789abcdef');
  });
});

describe('describing a machine whose CPU shows no hypervisor', () => {
  const of = (vendor: string, product: string) =>
    describeFiles({
      ...intelServer,
      '/sys/class/dmi/id/sys_vendor': `${vendor}\n`,
      '/sys/class/dmi/id/product_name': `${product}\n`,
    }).virtualisation;
  it.each([
    ['QEMU', 'Standard PC (Q35 + ICH9, 2009)', 'KVM'],
    ['VMware, Inc.', 'VMware Virtual Platform', 'VMware'],
    ['innotek GmbH', 'VirtualBox', 'VirtualBox'],
    ['Microsoft Corporation', 'Virtual Machine', 'Hyper-V'],
    ['Parallels Software International Inc.', 'Parallels Virtual Platform', 'Parallels'],
  ])('is a guest by the firmware of an emulator, which hides itself: %s %s', (vendor, product, hypervisor) => {
    expect(of(vendor, product)).toMatchObject({ guest: true, hypervisor });
  });
  it.each([
    ['Amazon EC2', 'm7i.metal-24xl'],
    ['Amazon EC2', 'm7i.large'],
    ['Google', 'Google Compute Engine'],
    ['Microsoft Corporation', 'C2080'],
  ])('is bare metal by the firmware of who runs it: %s %s', (vendor, product) => {
    expect(of(vendor, product)).toMatchObject({ guest: false, hypervisor: null });
  });
});

describe('describing an Apptainer container on a node of Slurm', () => {
  const job = {
    ...intelServer,
    '/proc/self/cgroup': '0::/system.slice/slurmstepd.scope/job_7/step_0/user/task_0\n',
  };
  it('knows it by a file that its images have', () => {
    const files = { ...job, '/.singularity.d/runscript': '#!/bin/sh\n' };
    expect(describeFiles(files).virtualisation.container).toBe('apptainer');
  });
  it.each([
    ['APPTAINER_CONTAINER', '/images/pi-bench.sif'],
    ['SINGULARITY_CONTAINER', '/images/pi-bench.sif'],
    ['KUBERNETES_SERVICE_HOST', '10.0.0.1'],
    ['container', 'oci'],
  ])('does not know it by %s alone, which Slurm passes on from who submitted', (name, value) => {
    const ofNode =
      '40 20 0:50 / /var/lib/kubelet/pods/7/volumes/kubernetes.io~projected/token rw - tmpfs tmpfs rw\n';
    for (const mounts of [{}, { '/proc/self/mountinfo': ofNode }]) {
      const { virtualisation } = describeFiles({ ...job, ...mounts }, { env: { [name]: value } });
      expect(virtualisation.container).toBeNull();
    }
  });
  it('knows that it is none without them', () => {
    expect(describeFiles(job).virtualisation.container).toBeNull();
  });
});

describe('describing a container', () => {
  const HASH = '0123456789abcdef'.repeat(4);
  const of = (cgroup: string) =>
    describeFiles({ ...intelServer, '/proc/self/cgroup': cgroup }).virtualisation.container;
  it.each([
    `0::/system.slice/docker-${HASH}.scope\n`,
    `5:memory:/docker/${HASH}\n`,
  ])('of Docker, by its control group %j', (cgroup) => {
    expect(of(cgroup)).toBe('docker');
  });
  it('does not take a service that is called after Docker for one', () => {
    expect(of('0::/system.slice/docker-bench.service\n')).toBeNull();
  });
  it('believes its variables beside mounts that only a container has', () => {
    const inside = (mount: string, container: string) =>
      describeFiles({ ...intelServer, '/proc/self/mountinfo': mount }, { env: { container } }).virtualisation;
    const hostname = '610 600 8:1 /containers/9f1c/hostname /etc/hostname rw - ext4 /dev/sda1 rw\n';
    expect(inside(hostname, 'oci').container).toBe('other');
    const lxcfs = '70 60 0:44 /proc/meminfo /proc/meminfo rw,nosuid - fuse.lxcfs lxcfs rw\n';
    expect(inside(lxcfs, 'lxc').container).toBe('lxc');
  });
  it('by such mounts alone, as of containerd, whose id of the machine is its image’s', () => {
    const of = (mount: string) =>
      describeFiles({ ...intelServer, '/proc/self/cgroup': '0::/\n', '/proc/self/mountinfo': mount });
    const machine = of('610 600 8:1 /containers/9f1c/hostname /etc/hostname rw - ext4 /dev/sda1 rw\n');
    expect(machine.virtualisation.container).toBe('other');
    expect(machineIdentity(machine)).toBeNull();
    const lxcfs = of('70 60 0:44 /proc/meminfo /proc/meminfo rw,nosuid - fuse.lxcfs lxcfs rw\n');
    expect(lxcfs.virtualisation.container).toBe('lxc');
  });
  it('with the id of its image as that', () => {
    const idRow = (files: Files) =>
      /^ *machine id +(.*)$/m.exec(
        renderMachine(describeFiles({ ...intelServer, ...files }), null, terminalStyle({ isTTY: false })),
      )?.[1];
    expect(idRow({})).toMatch(/^[0-9a-f]{16}$/);
    expect(idRow({ '/run/.containerenv': '' })).toMatch(/^not known \(the image’s is [0-9a-f]{16}\)$/);
  });
  it('that systemd has booted, which makes it an id of its own', () => {
    const nspawn = describeFiles({ ...intelServer, '/run/systemd/container': 'systemd-nspawn\n' });
    expect(nspawn.virtualisation).toMatchObject({ container: 'other', booted: true });
    const podman = describeFiles({ ...intelServer, '/run/.containerenv': '' });
    expect(podman.virtualisation).not.toHaveProperty('booted');
  });
  it('and not WSL 2, which systemd calls one, and is a guest', () => {
    const wsl = {
      ...intelServer,
      '/proc/sys/kernel/osrelease': '5.15.153.1-microsoft-standard-WSL2\n',
      '/run/systemd/container': 'wsl\n',
    };
    expect(describeFiles(wsl).virtualisation).toMatchObject({
      ...{ guest: true, hypervisor: 'Hyper-V (WSL)', container: null },
    });
  });
});

describe('describing a container with limits in an AMD guest, cgroup v1', () => {
  const machine = describeFiles(epycVm);

  it('finds hypervisor, product and container', () => {
    expect(machine.virtualisation).toEqual({
      guest: true,
      hypervisor: 'KVM (Google Compute Engine)',
      product: 'Google Google Compute Engine',
      container: 'docker',
    });
  });

  it('finds the quota and the memory limit, with file cache counted as free', () => {
    expect(machine.limits).toMatchObject({
      cgroup: { version: 1, path: '/docker/9f1c', visible: true, whole: false },
      memoryCgroup: { version: 1, path: '/docker/9f1c', visible: true, whole: false },
      cpuQuota: 1.5,
      cpuQuotaPeriod: 0.1,
      cpuset: '0-1',
      memoryLimit: 4 * 1024 ** 3,
      memoryHeadroom: 3.5 * 1024 ** 3,
    });
  });

  it('takes a memory limit of almost 2^63 as none', () => {
    const unlimited = {
      ...epycVm,
      '/sys/fs/cgroup/memory/memory.limit_in_bytes': '9223372036854771712\n',
    };
    expect(describeFiles(unlimited).limits).toMatchObject({ memoryLimit: null, memoryHeadroom: null });
  });

  it('takes scheduler statistics of zeros as none, and absent settings as unknown', () => {
    expect(machine.os).toMatchObject({ schedstat: false, pressure: false, aslr: null, hostname: null });
    expect(machine.cpu.frequency).toMatchObject({ max: null, governors: [], turbo: null });
    expect(machine.cpu.smt).toBe(true);
  });

  it('does not take a virtual disk made from an image for a container', () => {
    const disk = { ...epycVm, '/proc/self/mountinfo': '27 1 254:0 / / rw - ext4 /dev/vda rw\n' };
    expect(describeFiles({ ...disk, '/proc/self/cgroup': '0::/\n' }).virtualisation.container).toBeNull();
  });
});

describe('describing a guest whose hypervisor hides the caches from the kernel', () => {
  const GETCONF = `LEVEL1_ICACHE_SIZE                 32768
LEVEL1_ICACHE_LINESIZE             64
LEVEL1_DCACHE_SIZE                 49152
LEVEL1_DCACHE_ASSOC                12
LEVEL1_DCACHE_LINESIZE             64
LEVEL2_CACHE_SIZE                  1048576
LEVEL2_CACHE_LINESIZE              64
LEVEL3_CACHE_SIZE                  532676608
LEVEL4_CACHE_SIZE                  
`;

  it("takes a core's own from the C library, says so, and leaves its count of a whole socket out", () => {
    const { caches, cachesFrom } = describeFiles(epycVm, { getconf: () => GETCONF }).cpu;
    expect(cachesFrom).toBe('C library');
    expect(caches).toEqual([
      { level: 1, type: 'data', size: 49_152, line: 64, sharedBy: 2, instances: 1 },
      { level: 1, type: 'instruction', size: 32_768, line: 64, sharedBy: 2, instances: 1 },
      { level: 2, type: 'unified', size: 1_048_576, line: 64, sharedBy: 2, instances: 1 },
    ]);
  });

  it('knows none where the C library tells none, as on arm64, or cannot be asked', () => {
    for (const text of ['LEVEL1_DCACHE_SIZE                 0\nLEVEL2_CACHE_SIZE \n', null]) {
      const { caches, cachesFrom } = describeFiles(epycVm, { getconf: () => text }).cpu;
      expect({ caches, cachesFrom }).toEqual({ caches: [], cachesFrom: null });
    }
  });

  it('does not ask where the kernel lists them', () => {
    const getconf = (): string => {
      throw new Error('asked');
    };
    expect(describeFiles(intelServer, { getconf }).cpu.cachesFrom).toBe('kernel');
  });
});

describe('describing an arm64 pod, cgroup v2 with nested limits', () => {
  const own = { architecture: 'arm64', glibcVersion: null, env: { KUBERNETES_SERVICE_HOST: '10.0.0.1' } };
  const machine = describeFiles(graviton, own);

  it('names the core, its matrix and vector extensions, and its topology', () => {
    expect(machine.cpu).toMatchObject({
      modelName: 'Neoverse-V1',
      sockets: 1,
      cores: 4,
      threads: 4,
      smt: false,
    });
    expect(machine.cpu.features).toEqual(expect.arrayContaining(['asimd', 'bf16', 'i8mm', 'sve']));
  });

  it('finds the limits that an ancestor sets', () => {
    expect(machine.limits).toMatchObject({
      cgroup: { version: 2, path: '/app', visible: true, whole: true },
      cpuQuota: 2.5,
      memoryLimit: 2 * 1024 ** 3,
      memoryHeadroom: 1024 ** 3,
    });
  });

  it('tells guest, pod and musl by what was read', () => {
    expect(machine.virtualisation).toMatchObject({ guest: true, container: 'kubernetes' });
    expect(machine.os.libc).toEqual({ name: 'musl', version: null });
  });

  it("does not take a cloud's bare metal for a guest", () => {
    const metal = { ...graviton, '/sys/class/dmi/id/product_name': 'c7g.metal\n' };
    expect(describeFiles(metal, own).virtualisation).toMatchObject({ guest: false, hypervisor: null });
  });
});

describe('describing a machine with cores of different kinds', () => {
  it('finds performance and efficiency cores by the counters that the kernel has of each', () => {
    expect(describeFiles(intelHybrid).cpu).toMatchObject({
      cores: 16,
      threads: 24,
      coreKinds: [
        { name: 'performance', cores: 8, cpus: '0-15' },
        { name: 'efficiency', cores: 8, cpus: '16-23' },
      ],
    });
  });

  it('finds them by their capacities, of which a tenth makes no kind', () => {
    expect(describeFiles(bigLittle, { architecture: 'arm64' }).cpu.coreKinds).toEqual([
      { name: 'performance', cores: 4, cpus: '4-7' },
      { name: 'efficiency', cores: 4, cpus: '0-3' },
    ]);
  });

  it('calls the CPU by the names of all of its cores, and tells the identity of the fast ones', () => {
    expect(describeFiles(bigLittle, { architecture: 'arm64' }).cpu).toMatchObject({
      vendor: 'ARM',
      modelName: 'Cortex-A76 + Cortex-A55',
      arm: { implementer: '0x41', part: '0xd0b', variant: '0x4' },
    });
  });

  it('names those between the fastest and the slowest', () => {
    const prime = { ...bigLittle, '/sys/devices/system/cpu/cpu7/cpu_capacity': '1300\n' };
    expect(describeFiles(prime, { architecture: 'arm64' }).cpu.coreKinds).toEqual([
      { name: 'performance', cores: 1, cpus: '7' },
      { name: 'middle', cores: 3, cpus: '4-6' },
      { name: 'efficiency', cores: 4, cpus: '0-3' },
    ]);
  });

  it('says nothing where all are alike, or of some CPU nothing tells', () => {
    expect(describeFiles(intelServer).cpu.coreKinds).toBeUndefined();
    const alike = Object.fromEntries(
      Object.entries(bigLittle).map(([path, text]) => [path, path.endsWith('capacity') ? '1024\n' : text]),
    );
    expect(describeFiles(alike).cpu.coreKinds).toBeUndefined();
    const { '/sys/devices/system/cpu/cpu3/cpu_capacity': _, ...partly } = bigLittle;
    expect(describeFiles(partly).cpu.coreKinds).toBeUndefined();
  });

  it('is shown to a person with the threads of each kind', () => {
    const shown = renderMachine(describeFiles(intelHybrid), null, terminalStyle({ isTTY: false }));
    expect(shown.replaceAll(/\s+/g, ' ')).toContain(
      '8 performance cores with 16 threads, 8 efficiency cores',
    );
  });
});

describe('the clock', () => {
  const ALL = [0, 1, 2, 3, 4, 5, 6, 7];
  const limitsOf = (khz: number, cpus: readonly number[] = ALL): Files =>
    Object.fromEntries(
      cpus.map((cpu) => [`/sys/devices/system/cpu/cpu${cpu}/cpufreq/scaling_max_freq`, `${khz}\n`]),
    );
  const clockOf = (files: Files): string =>
    renderMachine(
      describeFiles({ ...intelServer, ...files }),
      null,
      terminalStyle({ isTTY: false }),
    ).replaceAll(/\s+/g, ' ');

  it('is shown with what it is capped at, where that is less than the hardware offers', () => {
    expect(clockOf(limitsOf(800_000))).toMatch(/capped at 800 MHz, up to 3\.40? GHz/);
    expect(clockOf({})).not.toContain('capped');
    // Without turbo no more than the base clock is offered.
    const noTurbo = { '/sys/devices/system/cpu/intel_pstate/no_turbo': '1\n' };
    expect(clockOf({ ...noTurbo, ...limitsOf(2_600_000) })).not.toContain('capped');
    expect(clockOf({ ...noTurbo, ...limitsOf(800_000) })).toContain('capped');
  });

  it('is said to be limited where turbo is off and nobody can tell whether that is the base', () => {
    const bases = Object.fromEntries(
      ALL.map((cpu) => [`/sys/devices/system/cpu/cpu${cpu}/cpufreq/base_frequency`, '']),
    );
    const noTurbo = { ...bases, '/sys/devices/system/cpu/intel_pstate/no_turbo': '1\n' };
    const limited = clockOf({ ...noTurbo, ...limitsOf(1_200_000) });
    expect(limited).toContain('allowed up to 1.20 GHz (turbo off, base not known), up to');
    expect(limited).not.toContain('capped');
    expect(clockOf(noTurbo)).not.toContain('allowed');
    // What intel_pstate keeps back somebody has set.
    const percent = { '/sys/devices/system/cpu/intel_pstate/max_perf_pct': '40\n' };
    const capped = clockOf({ ...noTurbo, ...limitsOf(1_200_000), ...percent });
    expect(capped).toContain('capped at 1.20 GHz, up to');
    expect(capped).not.toContain('allowed');
  });

  it('is looked at on each CPU: of those that are capped is told which, and at what', () => {
    expect(clockOf(limitsOf(800_000, [3]))).toMatch(/capped at 800 MHz \(CPUs 3\), up to 3\.40? GHz/);
    const some = { ...limitsOf(2_000_000, [0]), ...limitsOf(800_000, [4, 5]) };
    expect(clockOf(some)).toMatch(
      /capped at 2(\.0+)? GHz \(CPUs 0\), capped at 800 MHz \(CPUs 4-5\), up to 3\.40? GHz/,
    );
  });

  it('is held against what each CPU offers, as those of small cores is less', () => {
    const small = Object.fromEntries(
      [6, 7].flatMap((cpu) =>
        ['scaling', 'cpuinfo'].map((whose) => [
          `/sys/devices/system/cpu/cpu${cpu}/cpufreq/${whose}_max_freq`,
          '2500000\n',
        ]),
      ),
    );
    expect(describeFiles({ ...intelServer, ...small }).cpu.frequency).toMatchObject({
      max: 3.4e9,
      limit: 3.4e9,
    });
    const capped = { ...small, ...limitsOf(2_000_000, [7]) };
    expect(describeFiles({ ...intelServer, ...capped }).cpu.frequency).toMatchObject({
      max: 3.4e9,
      limit: 3.4e9,
      caps: [{ limit: 2e9, max: 2.5e9, cpus: '7' }],
    });
    expect(clockOf(capped)).toMatch(/capped at 2(\.0+)? GHz \(CPUs 7\), up to 3\.40? GHz/);
  });

  it('is shown as high as the fastest CPU goes, also where the first is a small one', () => {
    const small = Object.fromEntries(
      ['scaling', 'cpuinfo'].map((whose) => [
        `/sys/devices/system/cpu/cpu0/cpufreq/${whose}_max_freq`,
        '2500000\n',
      ]),
    );
    expect(clockOf(small)).toMatch(/up to 3\.40? GHz/);
    expect(clockOf(small)).not.toContain('capped');
  });

  it('has the limit of intel_pstate, which no policy shows', () => {
    const file = '/sys/devices/system/cpu/intel_pstate/max_perf_pct';
    expect(clockOf({ [file]: '50\n' })).toContain('capped at 1.70 GHz, up to');
    expect(clockOf({ [file]: '100\n' })).not.toContain('capped');
    const { frequency } = describeFiles({ ...intelServer, [file]: '50\n', ...limitsOf(800_000, [2]) }).cpu;
    expect(frequency.caps).toEqual([
      { limit: 1.7e9, max: 3.4e9, cpus: '0-1,3-7', control: file },
      { limit: 0.8e9, max: 3.4e9, cpus: '2' },
    ]);
  });
});

describe('the power limit of a GPU', () => {
  const shown = (more: Partial<GpuDescription>) =>
    renderMachine(
      { ...describeFiles(intelHybrid), gpus: survey(gpu(more)) },
      null,
      terminalStyle({ isTTY: false }),
    ).replaceAll(/\s+/g, ' ');
  it('is shown as it is in force, with what is set and what is usual where these are others', () => {
    expect(shown({ enforcedPowerLimitWatts: 700 })).toContain(', 700 W, ECC');
    expect(shown({ enforcedPowerLimitWatts: 450 })).toContain(', 450 W (usual: 700 W, set: 700 W), ECC');
    expect(shown({ powerLimitWatts: 500 })).toContain(', 500 W (usual: 700 W), ECC');
  });
});

/** As in a container whose namespace begins with its own group. */
const inNamespace: Files = {
  ...intelServer,
  '/proc/self/cgroup': '0::/\n',
  '/sys/fs/cgroup/cgroup.type': 'domain\n',
  '/sys/fs/cgroup/cpu.max': 'max 100000\n',
};

describe('describing a machine of which little can be read', () => {
  it('leaves everything unknown when no file can be read', () => {
    const { cpu, memory, os, limits, virtualisation } = describeFiles({}, { glibcVersion: null });
    expect(cpu).toMatchObject({ vendor: null, modelName: null, cores: null, threads: null, smt: null });
    expect(cpu.vulnerabilities).toBeNull();
    expect(memory).toMatchObject({ total: null, available: null, swap: null, numaNodes: [] });
    expect(os).toMatchObject({ name: null, libc: null, clocksource: null, loadAverage: null });
    expect(limits).toMatchObject({ cgroup: null, allowedCpus: null, cpuQuota: null });
    expect(virtualisation).toEqual({ guest: null, hypervisor: null, product: null, container: null });
  });

  it('shows a control group that is not mounted as invisible', () => {
    const files = {
      '/proc/self/cgroup': '0::/../..\n',
      '/proc/self/mountinfo': graviton['/proc/self/mountinfo'] ?? '',
    };
    expect(describeFiles(files).limits.cgroup).toEqual({
      ...{ version: 2, path: '/../..' },
      ...{ visible: false, whole: false },
    });
  });

  it('says that there is no quota only where one could be seen', () => {
    const usable = (files: Files): string | undefined =>
      /^ *usable.*$/m.exec(renderMachine(describeFiles(files), null, terminalStyle({ isTTY: false })))?.[0];
    expect(usable(intelServer)).toMatch(/, no quota$/);
    expect(usable({ ...intelServer, '/proc/self/cgroup': '0::/../..\n' })).toMatch(/, quota not known$/);
    const { '/proc/self/cgroup': _, ...untold } = intelServer;
    expect(usable(untold)).toMatch(/, quota not known$/);
    expect(usable(inNamespace)).toMatch(/, quota not known: groups above are hidden$/);
    expect(usable({ ...inNamespace, '/sys/fs/cgroup/cpu.max': '200000 100000\n' })).toMatch(
      /, quota of 2 CPUs$/,
    );
  });

  it('labels no quota and no memory limit only where one could be seen', () => {
    const absences = (files: Files) => absencesOf(describeFiles({ ...intelServer, ...files }));
    const none = { cgroup_cpu_quota: 'none', cgroup_memory_limit_bytes: 'none', hypervisor: 'none' };
    expect(absences({})).toEqual(none);
    expect(absences(inNamespace)).toEqual({ hypervisor: 'none' });
    const { cgroup_memory_limit_bytes: _, ...quotaAlone } = none;
    const memoryElsewhere = {
      '/proc/self/cgroup': '5:memory:/docker/9f1c\n4:cpu,cpuacct:/\n',
      '/proc/self/mountinfo': '33 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n',
      '/sys/fs/cgroup/cpu,cpuacct/release_agent': '\n',
    };
    expect(absences(memoryElsewhere)).toEqual(quotaAlone);
  });

  it('shows a memory limit that could be there as not known', () => {
    const memory = (files: Files) =>
      /^ *memory.*$/m.exec(
        renderMachine(describeFiles({ ...intelServer, ...files }), null, terminalStyle({ isTTY: false })),
      )?.[0];
    expect(memory({})).not.toContain('limit');
    expect(memory(inNamespace)).toContain('limit not known');
  });

  it('survives any text in any file, and stays plain JSON', () => {
    const paths = Object.keys({ ...intelServer, ...epycVm, ...graviton });
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...paths), fc.string()), (broken) => {
        const machine = describeFiles({ ...intelServer, ...broken });
        expect(JSON.parse(JSON.stringify(machine))).toEqual(machine);
      }),
    );
  });
});
