/** Under which conditions a campaign may go on, and where. */
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { beginCampaign } from '../../src/cli/begin-campaign.js';
import type { describeHere } from '../../src/cli/here.js';
import type { BatchSoFar } from '../../src/cli/where-it-stands.js';
import type { GpuDescription } from '../../src/machine/gpus.js';
import type { MachineDescription } from '../../src/machine/types.js';
import { identity } from '../../src/package.js';
import { relevantEnvironment } from '../../src/stacks/environment.js';
import { type Journal, readJournal } from '../../src/store/journal.js';
import { cutToWholeLines } from '../../src/store/json-lines.js';
import { JOURNAL } from '../../src/store/store.js';
import { matmulCase } from '../support/batch.js';
import { campaignOf, specOf } from '../support/campaign.js';
import { machineOf } from '../support/machine.js';
import { withModule } from '../support/mocked.js';
import { withFolder } from '../support/pi-bench.js';

const here = { describe: vi.fn<typeof describeHere>() };
const { checkSame, goOn, UserError } = await withModule(
  'src/cli/here.ts',
  { describeHere: here.describe },
  async () => ({
    ...(await import('../../src/cli/go-on.js')),
    ...(await import('../../src/errors.js')),
  }),
);

const bare = machineOf();
const machine: MachineDescription = { ...bare, os: { ...bare.os, kernelRelease: '6.1.0-1' } };
const withGpus = (...uuids: readonly string[]): MachineDescription => ({
  ...machine,
  gpus: {
    problem: null,
    cuda: '12.4',
    library: null,
    devices: uuids.map((uuid, ordinal) => ({ uuid, ordinal }) as GpuDescription),
  },
});

const governed = (governors: readonly string[], turbo: boolean | null): MachineDescription => ({
  ...machine,
  cpu: {
    ...machine.cpu,
    frequency: {
      ...machine.cpu.frequency,
      governors,
      turbo: turbo === null ? null : { enabled: turbo, control: '/sys/no_turbo', off: '1' },
    },
  },
});
const huge = (transparentHugePages: string | null): MachineDescription => ({
  ...machine,
  memory: { ...machine.memory, transparentHugePages },
});
const withQuota = (cpuQuota: number | null, visible = true): MachineDescription => ({
  ...machine,
  limits: { ...machine.limits, cpuQuota, cgroup: { version: 2, path: '/', visible } },
});
const withMicrocode = (microcode: string | null): MachineDescription => ({
  ...machine,
  cpu: { ...machine.cpu, microcode },
});
/** By which it is the same one whatever its host is called. */
const withId = (one: MachineDescription): MachineDescription => ({
  ...one,
  os: { ...one.os, machineIdHash: 'one' },
});
const gpuSet = (set: Partial<GpuDescription>): MachineDescription => {
  const { gpus } = withGpus('GPU-a');
  return {
    ...machine,
    gpus: { ...gpus, devices: gpus?.devices.map((gpu) => ({ ...gpu, ...set })) } as typeof gpus & object,
  };
};

beforeEach(() => {
  here.describe.mockReset();
});

/** A batch that goes on, beside a launch in that environment. */
const held = (batch = specOf(), environment: BatchSoFar['environment'] = null): BatchSoFar => ({
  batch,
  toCome: 1,
  first: null,
  environment,
});

const resumed = (there: MachineDescription, now: MachineDescription) => {
  here.describe.mockReturnValue(now);
  return () => checkSame({ head: { machine: there, piBench: identity() } } as unknown as Journal, [held()]);
};

it('goes on where all is as it was', () => {
  expect(resumed(machine, machine)).not.toThrow();
  expect(resumed(withGpus('GPU-a', 'GPU-b'), withGpus('GPU-a', 'GPU-b'))).not.toThrow();
  // Of a campaign that had GPUs the driver is asked, also where none is visible.
  expect(here.describe.mock.calls).toEqual([[false], [true]]);
});

it.each([
  ['a GPU was exchanged', withGpus('GPU-a'), withGpus('GPU-b'), 'GPUs: GPU-a then, GPU-b now'],
  ['a GPU is gone', withGpus('GPU-a'), machine, 'GPUs: GPU-a then, none now'],
  [
    'GPUs are in another order, so that a device is another one',
    withGpus('GPU-a', 'GPU-b'),
    withGpus('GPU-b', 'GPU-a'),
    'GPUs: GPU-a GPU-b then, GPU-b GPU-a now',
  ],
  [
    'other CPUs may be used',
    machine,
    { ...machine, limits: { ...machine.limits, allowedCpus: '0' } },
    'CPUs that may be used: 0-1 then, 0 now',
  ],
  [
    'the kernel is another one',
    machine,
    { ...machine, os: { ...machine.os, kernelRelease: '6.1.0-2' } },
    'kernel: 6.1.0-1 then, 6.1.0-2 now',
  ],
  [
    'Node is another one, which computes what a framework does in JavaScript',
    machine,
    { ...machine, runtime: { ...machine.runtime, node: 'v26.1.0' } },
    'Node: v24.0.0 then, v26.1.0 now',
  ],
  [
    'the governor is another one',
    governed(['powersave'], null),
    governed(['performance'], null),
    'governor: powersave then, performance now',
  ],
  ['turbo was switched off', governed([], true), governed([], false), 'turbo: on then, off now'],
  [
    'huge pages come by other rules',
    huge('never'),
    huge('always'),
    'transparent huge pages: never then, always now',
  ],
  ['the quota is another one', withQuota(4), withQuota(1), 'CPU quota: 4 then, 1 now'],
  ['a quota was set', withQuota(null), withQuota(1), 'CPU quota: none then, 1 now'],
  [
    'the microcode is another one',
    withMicrocode('0x1'),
    withMicrocode('0x2'),
    'microcode: 0x1 then, 0x2 now',
  ],
  [
    'the GPU driver is another one',
    gpuSet({ driver: '535.1' }),
    gpuSet({ driver: '570.2' }),
    'GPU driver: 535.1 then, 570.2 now',
  ],
  ['ECC was switched', gpuSet({ ecc: true }), gpuSet({ ecc: false }), 'ECC of cuda:0: on then, off now'],
  ['a GPU was divided', gpuSet({ mig: false }), gpuSet({ mig: true }), 'MIG of cuda:0: off then, on now'],
  [
    'a power limit was set',
    gpuSet({ enforcedPowerLimitWatts: 700 }),
    gpuSet({ enforcedPowerLimitWatts: 500 }),
    'power limit of cuda:0: 700 W then, 500 W now',
  ],
  [
    'memory was added',
    withId({ ...machine, memory: { ...machine.memory, total: 64e9 } }),
    withId({ ...machine, memory: { ...machine.memory, total: 128e9 } }),
    'memory bytes: 64000000000 then, 128000000000 now',
  ],
])('refuses where %s, with what changed', (_, there, now, told) => {
  expect(resumed(there, now)).toThrow(
    new UserError(
      `this campaign was begun under other conditions (${told}): resume it under those, or start it anew`,
    ),
  );
});

it.each([
  ['the host got another name', machine, { ...machine, os: { ...machine.os, hostname: 'renamed' } }],
  [
    'a boot left a little less memory',
    { ...machine, memory: { ...machine.memory, total: 64_000_000_000 } },
    { ...machine, memory: { ...machine.memory, total: 63_999_000_000 } },
  ],
  ['the governor could not be read then', governed([], null), governed(['performance'], true)],
  ['the governor cannot be read now', governed(['performance'], true), governed([], null)],
  ['huge pages were not told', huge(null), huge('always')],
  ['the control group cannot be seen now', withQuota(4), withQuota(null, false)],
  ['the microcode was not told', withMicrocode(null), withMicrocode('0x2')],
  ['NVML does not answer now', gpuSet({ driver: '535.1', ecc: true, powerLimitWatts: 700 }), gpuSet({})],
])('goes on where %s: what is not known has not changed', (_, there, now) => {
  expect(resumed(withId(there), withId(now))).not.toThrow();
});

it('looks at every label of a record that says what a number depends on, or the resumed record would be wrong', () => {
  const [then, now] = [gpuSet({}), gpuSet({})].map((one, i) => ({
    ...one,
    cpu: { ...one.cpu, sockets: 1 + i, cores: 2 + i, threads: 2 + i, smt: i === 0 },
    memory: {
      ...one.memory,
      numaNodes: Array.from({ length: 1 + i }, (_, node) => ({
        node,
        cpus: '0',
        total: null,
        available: null,
      })),
    },
    os: {
      ...one.os,
      name: 'Debian',
      version: `${12 + i}`,
      libc: { name: 'glibc' as const, version: `2.${i}` },
    },
    limits: { ...one.limits, memoryLimit: 1e9 * (1 + i) },
  })) as unknown as [MachineDescription, MachineDescription];
  const labels = [
    'sockets',
    'cores',
    'CPUs',
    'SMT',
    'NUMA nodes',
    'operating system',
    'C library',
    'memory limit',
  ];
  for (const label of labels)
    expect(resumed(withId(then), withId(now))).toThrow(new RegExp(`[(;] ?${label}`));
});

it('asks for no conditions where nothing is launched any more, but for the machine', () => {
  const [other, elsewhere] = [
    { ...machine, os: { ...machine.os, kernelRelease: '6.1.0-2' } },
    withId({ ...machine, os: { ...machine.os, hostname: 'another' } }),
  ];
  const head = {
    machine: { ...machine, os: { ...machine.os, machineIdHash: 'this one' } },
    piBench: identity(),
  };
  const recordMade = (now: MachineDescription) => () => {
    here.describe.mockReturnValue(now);
    checkSame({ head } as unknown as Journal, []);
  };
  expect(recordMade({ ...other, os: { ...other.os, machineIdHash: 'this one' } })).not.toThrow();
  expect(recordMade(elsewhere)).toThrow(/^this campaign was begun on another machine/);
});

it('names all that changed in one line', () => {
  const now = { ...machine, limits: { ...machine.limits, allowedCpus: '2' } };
  expect(resumed(withGpus('GPU-a'), now)).toThrow(/\(GPUs: [^;\n]+; CPUs that may be used: [^;\n]+\): /);
});

const onCase = (provider = 'embedded') => specOf({ case: matmulCase(), stack: { provider, variant: null } });
const inShell = (then: Readonly<Record<string, string>> | undefined, batches = [onCase()]) => {
  here.describe.mockReturnValue(machine);
  const head = { machine, piBench: identity(), campaign: campaignOf(batches) };
  return () =>
    checkSame(
      { head } as unknown as Journal,
      batches.map((batch) => held(batch, then ?? null)),
    );
};

describe('in a shell with other variables', () => {
  beforeEach(() => {
    for (const name of Object.keys(relevantEnvironment(process.env))) vi.stubEnv(name, undefined);
    vi.stubEnv('LD_LIBRARY_PATH', '/b');
  });
  afterEach(() => vi.unstubAllEnvs());

  it('refuses where launches would run in another environment, and names from what to what', () => {
    const refused = (told: string) =>
      new UserError(
        `this campaign was begun under other conditions (${told}): resume it under those, or start it anew`,
      );
    expect(inShell({ LD_LIBRARY_PATH: '/b' })).not.toThrow();
    expect(inShell({ LD_LIBRARY_PATH: '/a' })).toThrow(refused('LD_LIBRARY_PATH: /a then, /b now'));
    expect(inShell({})).toThrow(refused('LD_LIBRARY_PATH: not set then, /b now'));
    expect(inShell({ LD_LIBRARY_PATH: '/b', MALLOC_ARENA_MAX: '1' })).toThrow(
      refused('MALLOC_ARENA_MAX: 1 then, not set now'),
    );
  });

  it('goes on with variables that all launches get from pi-bench, and with a journal that does not say them', () => {
    const then = { LD_LIBRARY_PATH: '/b', OMP_NUM_THREADS: '3' };
    const onLibrary = onCase('openblas');
    expect(inShell(then, [onLibrary])).not.toThrow();
    expect(inShell(then, [onLibrary, onCase()])).toThrow(/\(OMP_NUM_THREADS: 3 then, not set now\)/);
    expect(inShell(undefined)).not.toThrow();
  });

  it('goes on where only what no launch of its batches reads was set, and is refused beside one that reads it', () => {
    const then = {
      LD_LIBRARY_PATH: '/b',
      CUDA_VISIBLE_DEVICES: '0',
      NCCL_DEBUG: 'INFO',
      UCX_LOG_LEVEL: 'info',
    };
    vi.stubEnv('CUDA_VISIBLE_DEVICES', '2');
    expect(inShell(then)).not.toThrow();
    const onGpu = specOf({
      case: matmulCase(),
      stack: { provider: 'cublas', variant: null },
      device: 'cuda:0',
    });
    expect(inShell(then, [onCase(), onGpu])).toThrow(/\(CUDA_VISIBLE_DEVICES: 0 then, 2 now\)/);
    expect(inShell(then, [onCase('cblas')])).toThrow(
      /\(CUDA_VISIBLE_DEVICES: .*; NCCL_DEBUG: INFO then, not set now; UCX_LOG_LEVEL: /,
    );
  });

  it('goes on where a path is empty that was not set', () => {
    vi.stubEnv('LD_LIBRARY_PATH', '');
    expect(inShell({})).not.toThrow();
    vi.stubEnv('LD_LIBRARY_PATH', undefined);
    expect(inShell({ LD_LIBRARY_PATH: '' })).not.toThrow();
  });

  it('holds each batch to what was around its own launches', () => {
    here.describe.mockReturnValue(machine);
    const [one, other] = [onCase(), onCase('openblas')];
    const head = { machine, piBench: identity(), campaign: campaignOf([one, other]) };
    const check = (...batches: readonly BatchSoFar[]) => checkSame({ head } as unknown as Journal, batches);
    expect(() => check(held(one, { LD_LIBRARY_PATH: '/b' }), held(other))).not.toThrow();
    expect(() => check(held(one, { LD_LIBRARY_PATH: '/b' }), held(other, { LD_LIBRARY_PATH: '/a' }))).toThrow(
      /\(LD_LIBRARY_PATH: \/a then, \/b now\)/,
    );
  });

  it('is told by the first line of a journal', () =>
    withFolder(async (folder) => {
      const { journal } = beginCampaign(campaignOf([specOf()]), folder, machine);
      expect(journal[0]).toMatchObject({ environment: { LD_LIBRARY_PATH: '/b' } });
    }));

  it('is told by the line of whoever resumed it', () =>
    withFolder(async (folder) => {
      const { store } = beginCampaign(campaignOf([specOf()]), folder, machine);
      vi.stubEnv('LD_LIBRARY_PATH', '/c');
      const { journal } = goOn(store.folder(), readJournal(join(store.folder(), JOURNAL)));
      expect(journal[1]).toMatchObject({ event: 'resumed', environment: { LD_LIBRARY_PATH: '/c' } });
    }));
});

it('refuses where another host runs the same image, and where nothing tells whether it is another', () => {
  const pod = (bootIdHash: string, total: number): MachineDescription => ({
    ...machine,
    os: { ...machine.os, bootIdHash },
    memory: { ...machine.memory, total },
    virtualisation: { ...machine.virtualisation, container: 'docker' },
  });
  expect(resumed(pod('a', 64e9), pod('a', 64e9))).not.toThrow();
  expect(resumed(pod('a', 64e9), pod('b', 128e9))).toThrow(/^this campaign was begun on another machine/);
  expect(resumed(pod('a', 64e9), pod('b', 64e9))).toThrow(
    /^this campaign was begun before this machine was booted, or on another one of its kind, .*: start it anew$/,
  );
});

it('goes on in another folder where its own became read-only after a kill had cut off a line', () =>
  withFolder(async (folder) => {
    vi.stubEnv('TMPDIR', join(folder, 'elsewhere'));
    const { store } = beginCampaign({ ...campaignOf([]), id: 'cut-off' }, folder, machine);
    const own = store.folder();
    const path = join(own, JOURNAL);
    appendFileSync(path, '{"event":"sta');
    // Modes of files do not hold for root, so it is said here.
    const readOnly: typeof cutToWholeLines = (file, lines) => {
      if (file === path) throw new Error('EROFS: read-only file system');
      cutToWholeLines(file, lines);
    };
    const { goOn: goOnReadOnly } = await withModule(
      'src/store/json-lines.ts',
      { cutToWholeLines: readOnly },
      () => import('../../src/cli/go-on.js'),
    );
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    try {
      const went = goOnReadOnly(own, readJournal(path));
      expect(went.store.folder().startsWith(join(folder, 'elsewhere'))).toBe(true);
      expect(went.journal.map(({ event }) => event)).toEqual(['campaign', 'resumed']);
      expect(String(write.mock.calls[0]?.[0])).toContain(`the campaign goes to ${went.store.folder()}`);
      expect(readFileSync(path, 'utf8')).toMatch(/"sta$/);
    } finally {
      write.mockRestore();
      vi.unstubAllEnvs();
    }
  }));
