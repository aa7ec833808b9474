/**
 * Measuring on a GPU from the command to the record, on a driver that is a fake (test/native/fake-cuda): that everything is
 * asked for, checked and told. How fast a GPU is only a GPU shows (scripts/gpu-check.sh).
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { MachineDescription } from '../../src/machine/types.js';
import { addonPath } from '../../src/native.js';
import { LEAST_OVERLAP, overlapOf, shareOfAlone } from '../../src/record/at-once.js';
import type { PiBenchRecord } from '../../src/record/schema.js';
import type { GpuTelemetry } from '../../src/telemetry/gpu.js';
import { fakeEnvironment, fakeGpu, onBrokenDriver, onFakeGpu, withoutGpu } from '../support/fake-gpu.js';
import {
  campaignFolder,
  piBenchIn,
  printedRecord,
  type Run,
  readInspectionFile,
  readSamples,
  withFolder,
} from '../support/pi-bench.js';
import { there } from '../support/there.js';

const FEW = ['--inspections', '1', '--reps', '3', '--warmup', '1'];
const SMALL = ['matmul', '--device', 'cuda:0', '--size', '48', ...FEW];

async function measured(
  settings: string,
  ...args: readonly string[]
): Promise<{ run: Run; record: PiBenchRecord }> {
  return withFolder(async (out) => {
    const run = await onFakeGpu(settings, ...args, '--json', '--quiet', '--out', out);
    return { run, record: printedRecord(run) };
  });
}

/** What stands in the record of the first launch that was lost. */
const reasonOf = ({ batches }: PiBenchRecord): string => batches[0]?.inspections[0]?.reason ?? '';
const flagsOf = ({ batches }: PiBenchRecord): string[] => (batches[0]?.flags ?? []).map(({ name }) => name);

beforeAll(() => void fakeGpu(), 120_000);

it('links nothing of CUDA into the addon', () => {
  const { stdout, status } = spawnSync('ldd', [addonPath()], { encoding: 'utf8' });
  expect(status).toBe(0);
  expect(stdout).not.toMatch(/cuda|nvidia|cublas/i);
});

describe('a product on a GPU', () => {
  it('goes to a verified record that names a fake as one', async () => {
    await withFolder(async (out) => {
      const args = [
        'matmul',
        '--device',
        'cuda:0',
        '--size',
        '64',
        '--reps',
        '40',
        '--inspections',
        '2',
        '--warmup',
        '5',
      ];
      const run = await onFakeGpu('', ...args, '--json', '--quiet', '--out', out);
      expect(run.code, run.stderr).toBe(0);
      const record = printedRecord(run);
      const [batch] = record.batches;
      expect(batch).toMatchObject({ device: 'cuda:0', verified: 'passed', measured: 2 });
      expect(batch?.case.parameters).not.toHaveProperty('threads');
      expect(record.labels.gpus).toMatch(/FAKE/);
      const document = readInspectionFile(campaignFolder(out), 0);
      expect(document.clock.name).toBe('cuda-event');
      expect(document.verification?.method).toBe('reference + same bits + exact integers');
      expect(document.ceilings?.arithmetic?.rate).toBeGreaterThan(0);
      const { seconds } = readSamples(campaignFolder(out), 0);
      expect(seconds.length).toBe(40);
      const { clock, nvml } = document.telemetry.gpu as unknown as GpuTelemetry;
      const { samples, hostSeconds, deviceSeconds } = there(clock, 'clock of the GPU');
      expect(samples).toBe(40);
      expect(hostSeconds).toBeGreaterThan(deviceSeconds * 0.9);
      expect(nvml).toMatchObject({ problem: null, eccUncorrected: 0 });
    });
  });

  it('is right in every data type, by whole tiles and beyond them, with operands that rotate', async () => {
    const types = 'float32,float64,tf32,float16,bfloat16,float8_e4m3,int8';
    const { record, run } = await measured('', 'sweep', ...SMALL, '--dtype', types, '--cache', 'hot,cold');
    expect(run.code, run.stderr).toBe(0);
    expect(record.batches.map(({ verified }) => verified)).toEqual(Array(14).fill('passed'));
  });

  it('is found where nothing but its name in a list, or behind --, asks for it', async () => {
    const both = await measured('', 'sweep', 'matmul', '--device', 'cpu,cuda:0', '--size', '48', ...FEW);
    expect(both.run.code, both.run.stderr).toBe(0);
    expect(both.record.batches.map(({ device }) => device)).toEqual(['cpu', 'cuda:0']);
    await withFolder(async (folder) => {
      const file = join(folder, 'stacks.yaml');
      writeFileSync(file, 'stacks: [{ name: ours, stack: embedded }]\n');
      const run = await onFakeGpu('', 'explore', file, '--dry-run', '--', ...SMALL);
      expect(run.code, run.stderr).toBe(0);
      expect(run.stdout).toContain('1 of 1 candidate');
    });
  });

  it('says where its rows have a length for which the fast kernels are not made', async () => {
    const executed = async (size: string) => {
      const shape = ['--m', '32', '--n', size, '--k', size, '--dtype', 'float32'];
      const { record, run } = await measured('', 'matmul', '--device', 'cuda:0', ...shape, ...FEW);
      expect(run.code, run.stderr).toBe(0);
      return record.batches[0]?.stack.implementation;
    };
    expect(await executed('32')).toBe('scalar 128x256x16');
    expect(await executed('33')).toBe('scalar 128x256x16, rows of any length');
  });

  it('that is wrong in one element has no score', async () => {
    const { record, run } = await measured('wrong=1', ...SMALL);
    expect(run.code).toBe(3);
    expect(record.batches[0]).toMatchObject({ verified: 'failed', rate: null });
    expect(record.batches[0]?.inspections[0]?.verification?.firstWrong).toMatch(/12345|expected/);
  });

  it('that was wrong in one element only while it was measured has none, however coarse its sums are', async () => {
    // Of this seed neither Freivalds' vector nor the sampled elements show it, as of some they do.
    const drawn = ['--seed', '5'];
    const shape = ['--m', '32', '--n', '1024', '--k', '1024', '--dtype', 'float8_e4m3'];
    const { record, run } = await measured(
      'wrong-until-filled=1',
      'matmul',
      '--device',
      'cuda:0',
      ...shape,
      ...drawn,
      ...FEW,
    );
    expect(run.code, run.stderr).toBe(3);
    const { verification } = there(record.batches[0]?.inspections[0], 'a launch');
    expect(verification).toMatchObject({ passed: false, wrong: 1 });
    expect(verification?.method).toBe('freivalds, sampled elements + same bits + exact integers');
    expect(verification?.firstWrong).toMatch(/^C\[16\]\[0\] is .*, and of one call more /);
  });

  it('takes one allocation for each operand, however many sets of them rotate', async () => {
    const tiny = ['matmul', '--device', 'cuda:0', '--size', '4', '--cache', 'cold', ...FEW];
    const { record, run } = await measured('most-allocations=40', ...tiny);
    expect(run.code, reasonOf(record)).toBe(0);
    expect(record.batches[0]?.verified).toBe('passed');
  });

  it('has a ceiling of memory where reading its operands takes longer than starting to read', async () => {
    for (const [size, known] of [
      [16, false],
      [640, true],
    ] as const) {
      await withFolder(async (out) => {
        const shape = ['--m', '16', '--n', String(size), '--k', String(size)];
        const args = ['matmul', '--device', 'cuda:0', ...shape, ...FEW, '--quiet', '--out', out];
        const run = await onFakeGpu('', ...args);
        expect(run.code, run.stderr).toBe(0);
        expect(readInspectionFile(campaignFolder(out), 0).ceilings?.memory != null, `${size}`).toBe(known);
      });
    }
  });

  it('has no ceiling of memory where reading did not find all that lies there', async () => {
    await withFolder(async (out) => {
      const large = ['--m', '16', '--n', '640', '--k', '640', ...FEW];
      const args = ['matmul', '--device', 'cuda:0', ...large, '--quiet', '--out', out];
      const run = await onFakeGpu('half-read=1', ...args);
      expect(run.code, run.stderr).toBe(0);
      const { ceilings, verification } = readInspectionFile(campaignFolder(out), 0);
      expect(verification?.passed).toBe(true);
      expect(ceilings?.arithmetic?.rate).toBeGreaterThan(0);
      expect(ceilings?.memory).toBeNull();
    });
  });

  it('has no ceiling of arithmetic where the matrix units are faster than our instructions for them', async () => {
    for (const [dtype, known] of [
      ['bfloat16', false],
      ['float32', true],
      ['float64', true],
    ] as const) {
      await withFolder(async (out) => {
        const run = await onFakeGpu('capability=100', ...SMALL, '--dtype', dtype, '--quiet', '--out', out);
        expect(run.code, run.stderr).toBe(0);
        const { ceilings } = readInspectionFile(campaignFolder(out), 0);
        expect(ceilings?.arithmetic != null, dtype).toBe(known);
      });
    }
  });

  it('is measured on each device when all are asked for, and only on those that are here', async () => {
    const { record } = await measured('devices=2', 'matmul', '--device', 'cuda:all', '--size', '32', ...FEW);
    expect(record.batches.map(({ device }) => device)).toEqual(['cuda:0', 'cuda:1']);
    const other = await onFakeGpu('', 'matmul', '--device', 'cuda:3');
    expect(other).toMatchObject({ code: 64 });
    expect(other.stderr).toMatch(/cuda:3 is not here; there is cuda:0/);
  });
});

it('launches do not wait for their kernels where the environment would have them wait', async () => {
  await withFolder(async (out) => {
    const env = { ...fakeEnvironment(fakeGpu()), CUDA_LAUNCH_BLOCKING: '1' };
    const run = await piBenchIn({ env }, ...SMALL, '--json', '--quiet', '--out', out);
    expect(run.code, run.stderr).toBe(0);
    expect(printedRecord(run).batches[0]).toMatchObject({ verified: 'passed', measured: 1 });
  });
});

describe('a GPU that is divided', () => {
  const described = async (settings: string) => {
    const run = await onFakeGpu(settings, 'machine', '--json');
    return (JSON.parse(run.stdout) as MachineDescription).gpus?.devices[0];
  };

  it('is told by the UUID of the part, and has no more free than that', async () => {
    const part = await described('mig=1,free-mib=80000,memory=600000000');
    expect(part).toMatchObject({ mig: true, memoryBytes: 600_000_000, freeBytes: 600_000_000 });
    expect(part?.uuid).toMatch(/^MIG-/);
  });

  it('and one that is whole by its own', async () => {
    const whole = await described('free-mib=100');
    expect(whole).toMatchObject({ mig: false, freeBytes: 100 * 2 ** 20 });
    expect(whole?.uuid).toMatch(/^GPU-/);
  });
});

it.each([
  ['handle=6', /^NVML knows no device 0000:00:00\.0$/],
  ['handle=8', /^NVML does not tell of 0000:00:00\.0: as the fake library was told$/],
])('a GPU of which NVML does not tell is described with the reason why: %s', async (settings, why) => {
  const run = await onFakeGpu(settings, 'machine', '--json');
  const { gpus } = JSON.parse(run.stdout) as MachineDescription;
  expect(gpus?.devices[0]?.nvmlProblem).toMatch(why);
});

it('a power limit that another limiter holds lower than the one that is set is told beside it', async () => {
  const run = await onFakeGpu('enforced-limit=450000', 'machine', '--json');
  expect((JSON.parse(run.stdout) as MachineDescription).gpus?.devices[0]).toMatchObject({
    powerLimitWatts: 700,
    enforcedPowerLimitWatts: 450,
    defaultPowerLimitWatts: 700,
  });
});

describe('several GPUs at once', () => {
  const BESIDE = ['--at-once', 'beside'];
  const placesOf = ({ batches }: PiBenchRecord) =>
    batches.map(({ device, atOnce, case: one }) => [
      device,
      one.parameters.peer ?? '',
      atOnce?.others.join() ?? 'alone',
    ]);

  it('begin together, each in a process of its own, and say what that leaves of their rates alone', () =>
    withFolder(async (out) => {
      const long = ['--duration', '300ms', '--inspections', '1', '--warmup', '1'];
      const args = ['matmul', '--device', 'cuda:all', '--size', '48', ...long, ...BESIDE];
      const run = await onFakeGpu('devices=2', ...args, '--json', '--quiet', '--out', out);
      expect(run.code, run.stderr).toBe(0);
      const record = printedRecord(run);
      expect(placesOf(record)).toEqual([
        ['cuda:0', '', 'alone'],
        ['cuda:1', '', 'alone'],
        ['cuda:0', '', 'cuda:1'],
        ['cuda:1', '', 'cuda:0'],
      ]);
      const together = record.batches.slice(2);
      const documents = together.map(({ inspections }) =>
        readInspectionFile(campaignFolder(out), inspections[0]?.index ?? -1),
      );
      const windows = documents.flatMap(({ atOnce }) => atOnce ?? []);
      // Nobody goes on before all have come. How long they are beside each other then is up to who else has the CPUs.
      const came = documents.map(({ atOnce, spans }) => {
        const spent = (span: string) => spans.find(({ name }) => name === span)?.seconds ?? Number.NaN;
        return (atOnce?.began ?? Number.NaN) - spent('settle') - spent('gate');
      });
      for (const { began } of windows) expect(began).toBeGreaterThan(Math.max(...came));
      expect(together.map(({ atOnce }) => atOnce?.overlap)).toEqual(
        windows.map((own) => overlapOf(own, windows)),
      );
      for (const batch of together) {
        expect(batch.verified).toBe('passed');
        const isBeside = (batch.atOnce?.overlap ?? 0) >= LEAST_OVERLAP;
        expect(shareOfAlone(batch, record.batches)).toBeGreaterThan(0);
        expect(batch.atOnce?.ofAlone).toBe(isBeside ? shareOfAlone(batch, record.batches) : null);
      }
      const labels = record.kpis.map(({ labels: own }) => own.at_once);
      expect(new Set(labels)).toEqual(new Set([null, true]));
    }));

  it('are measured where the driver waits for the device at its first copy', async () => {
    const { record, run } = await measured(
      'first-copy-waits=1',
      ...['memory', '--device', 'cuda:0', '--operation', 'device-copy', '--bytes', '1MiB', ...FEW],
    );
    expect(run.code, run.stderr).toBe(0);
    expect(record.batches[0]?.verified).toBe('passed');
  });

  it('are both watched while one copies to the other', async () => {
    await withFolder(async (out) => {
      const copy = ['memory', '--device', 'cuda:0', '--operation', 'peer', '--bytes', '1MiB', ...FEW];
      const args = [...copy, '--json', '--quiet', '--out', out];
      const run = await onFakeGpu('devices=2,ecc-corrected=1,linked=0', ...args);
      expect(run.code, run.stderr).toBe(0);
      const { others, linked } = readInspectionFile(campaignFolder(out), 0).telemetry
        .gpu as unknown as GpuTelemetry;
      expect([others?.length, linked]).toEqual([1, [false]]);
      const [launch] = printedRecord(run).batches[0]?.inspections ?? [];
      const errors = launch?.flags.filter(({ name }) => name === 'device-errors');
      expect(errors?.map(({ evidence }) => evidence.gpu)).toEqual(['cuda:0', 'cuda:1']);
    });
  });

  it('copy by way of the host without a gate, behind which the driver could not wait for it', async () => {
    await withFolder(async (out) => {
      const copy = ['memory', '--device', 'cuda:0', '--operation', 'peer', '--bytes', '1MiB', ...FEW];
      const args = [...copy, '--json', '--quiet', '--out', out];
      const run = await onFakeGpu('devices=2,peer=0,peer-copies-wait=1', ...args);
      expect(run.code, run.stderr).toBe(0);
      const document = readInspectionFile(campaignFolder(out), 0);
      expect(document.stack.implementation).toMatch(/through the host$/);
      expect(document.clock.name).toBe('monotonic');
      expect(document.verification?.passed).toBe(true);
    });
  });

  it('copy to each other, there, back, and both ways at once', async () => {
    const { record, run } = await measured(
      'devices=3',
      ...['memory', '--device', 'cuda:all', '--operation', 'peer', '--bytes', '1MiB', ...FEW, ...BESIDE],
    );
    expect(run.code, run.stderr).toBe(0);
    const places = placesOf(record);
    expect(places.filter(([, , others]) => others === 'alone')).toHaveLength(6);
    const both = places.filter(([, , others]) => others !== 'alone');
    expect(both).toHaveLength(6);
    for (const [device, peer, others] of both) expect([device, others]).toEqual([device, peer]);
    expect(record.batches.every(({ verified }) => verified === 'passed')).toBe(true);
  });
});

it(
  'a node of several GPUs is qualified with all of them at once, and not without one that is expected',
  () =>
    withFolder(async (folder) => {
      writeFileSync(
        join(folder, 'pair.yaml'),
        `
name: pair
cooldown: 100ms
campaign:
  measure:
    - indicator: matmul
      parameters: { size: 48 }
      devices: cuda:all
      duration: 300ms
      warmup: 1
      inspections: 1
      atOnce: beside
      labels: { part: gemm }
checks:
  - { check: counts }
  - { check: correctness }
  - { check: complete }
  - { check: together }
`,
      );
      const env = { ...fakeEnvironment(fakeGpu(), 'devices=2'), XDG_STATE_HOME: join(folder, 'state') };
      const judged = async (suite: string, gpus: number) => {
        const args = ['qualify', '--suite', suite, '--expect', `gpu=${gpus}`, '--quiet', '--json'];
        const run = await piBenchIn({ cwd: folder, env }, ...args);
        const { qualification } = printedRecord(run);
        return {
          code: run.code,
          checks: qualification?.checks ?? [],
          notJudged: qualification?.notJudged.join(),
        };
      };
      const { code, checks, notJudged } = await judged('pair.yaml', 2);
      const of = (kind: string) => checks.filter((check) => check.kind === kind);
      expect(of('correctness').map(({ verdict }) => verdict)).toEqual(Array(4).fill('pass'));
      expect(of('together').map(({ id }) => id)).toEqual([
        'together/gemm#2@cuda:0',
        'together/gemm#2@cuda:1',
      ]);
      // On a busy machine they may not be together long enough, and then nobody can tell.
      for (const { findings } of of('together')) {
        const [overlap, share] = findings.map(({ measured }) => measured ?? null);
        expect(overlap).not.toBeNull();
        expect(share !== null).toBe(Number(overlap) >= LEAST_OVERLAP);
      }
      expect([0, 2]).toContain(code);
      expect(notJudged).toMatch(/fake driver only/);
      // That one is not there no measuring changes.
      writeFileSync(join(folder, 'count.yaml'), 'name: count\nchecks:\n  - { check: counts }\n');
      expect(await judged('count.yaml', 3)).toMatchObject({
        code: 1,
        checks: [{ id: 'counts', verdict: 'fail' }],
      });
    }),
  120_000,
);

it.each([
  ['remap-pending=1', 1, 'fail', 'remap-pending'],
  ['remap-failed=1', 1, 'fail', 'remap-failed'],
  ['', 0, 'pass', null],
])('what NVML tells of replaced memory rows is judged: %j', (settings, code, verdict, cause) =>
  withFolder(async (folder) => {
    writeFileSync(
      join(folder, 'rows.yaml'),
      'name: rows\nchecks:\n  - { check: counts }\n  - { check: remapped-rows }\n',
    );
    const env = { ...fakeEnvironment(fakeGpu(), settings), XDG_STATE_HOME: join(folder, 'state') };
    const args = ['qualify', '--suite', 'rows.yaml', '--expect', 'gpu=1', '--quiet', '--json'];
    const run = await piBenchIn({ cwd: folder, env }, ...args);
    expect(run.code, run.stderr).toBe(code);
    const { qualification } = printedRecord(run);
    expect(qualification?.checks).toMatchObject([
      { id: 'counts', verdict: 'pass' },
      { id: 'remapped-rows@cuda:0', verdict, cause },
    ]);
  }));

it.each([
  ['standing-uncorrected=2', 'ecc', 'errors-stand'],
  ['sram-exceeded=1', 'ecc', 'sram-exceeded'],
  ['recovery-action=2', 'ecc', 'recovery-needed'],
  ['retirement-pending=1', 'remapped-rows', 'retirement-pending'],
])('what stood before anything is measured is judged: %j', (settings, check, cause) =>
  withFolder(async (folder) => {
    writeFileSync(
      join(folder, 'one.yaml'),
      `name: one\nchecks:\n  - { check: counts }\n  - { check: ${check} }\n`,
    );
    const env = { ...fakeEnvironment(fakeGpu(), settings), XDG_STATE_HOME: join(folder, 'state') };
    const args = ['qualify', '--suite', 'one.yaml', '--expect', 'gpu=1', '--quiet', '--json'];
    const run = await piBenchIn({ cwd: folder, env }, ...args);
    expect(run.code, run.stderr).toBe(1);
    const [found] =
      printedRecord(run).qualification?.checks.filter(({ device }) => device === 'cuda:0') ?? [];
    expect(found).toMatchObject({ verdict: 'fail', cause });
  }));

it('a look without load finds links that are too narrow and the work of others, on each GPU', () =>
  withFolder(async (folder) => {
    const settings = 'devices=2,pcie-width=8,nvlinks-up=3,others=1';
    const env = { ...fakeEnvironment(fakeGpu(), settings), XDG_STATE_HOME: join(folder, 'state') };
    const args = ['qualify', '--tier', 't0', '--expect', 'gpu=2', '--quiet', '--json'];
    const run = await piBenchIn({ cwd: folder, env }, ...args);
    const { qualification, machine } = printedRecord(run);
    expect(machine.gpus).toMatchObject({ problem: null });
    for (const device of ['cuda:0', 'cuda:1']) {
      const of = (kind: string) =>
        qualification?.checks.find((check) => check.kind === kind && check.device === device);
      expect(of('link')).toMatchObject({ verdict: 'fail', cause: 'link', severity: 'triage' });
      expect(of('link')?.reason).toMatch(/^pcie lanes 8, limit ≥ 16 .*; nvlinks up 3, limit ≥ 4 /);
      expect(of('load')).toMatchObject({ verdict: 'inconclusive', cause: 'busy' });
    }
    expect(run.code).toBe(1);
  }));

it('peak, memory and kernel-launch are measured and verified on a GPU', async () => {
  const peak = await measured('', 'peak', '--device', 'cuda:0', '--dtype', 'float32,bfloat16', ...FEW);
  expect(peak.record.batches.map(({ verified }) => verified)).toEqual(['passed', 'passed']);
  const memory = await measured('devices=2', 'memory', '--device', 'cuda:0', '--bytes', '1MiB', ...FEW);
  const operations = memory.record.batches.map((batch) => batch.case.parameters.operation);
  expect(new Set(operations).size).toBe(9);
  expect(memory.record.batches.filter(({ verified }) => verified !== 'passed')).toEqual([]);
  const launch = await measured('', 'kernel-launch', '--device', 'cuda:0', ...FEW);
  expect(launch.record.batches.map(({ verified }) => verified)).toEqual(Array(4).fill('passed'));
  expect(launch.record.kpis.map(({ name }) => name)).toContain('pibench_kernel_launch_seconds');
}, 120_000);

it.each([
  ['bfloat16', 'embedded:mma', ['wgmma']],
  ['float64', 'embedded:scalar', ['mma']],
  ['bfloat16', 'embedded', []],
  ['float64', 'embedded', []],
] as const)('a peak of %s by %s is no ceiling where the GPU has a more capable engine', (dtype, stack, unused) =>
  withFolder(async (out) => {
    const args = ['peak', '--device', 'cuda:0', '--dtype', dtype, '--stack', stack, ...FEW];
    const run = await onFakeGpu('capability=90', ...args, '--quiet', '--out', out);
    expect(run.code, run.stderr).toBe(0);
    expect(readInspectionFile(campaignFolder(out), 0).ceilings?.unusedInstructions).toEqual(unused);
  }));

it.each(['pinned', 'pageable'])('copies of %s memory tell on which NUMA node it lies', (host) =>
  withFolder(async (out) => {
    const copy = ['memory', '--device', 'cuda:0', '--operation', 'host-to-device', '--bytes', '1MiB'];
    await onFakeGpu('', ...copy, '--host', host, ...FEW, '--quiet', '--out', out);
    const { hostMemory } = readInspectionFile(campaignFolder(out), 0).telemetry
      .gpu as unknown as GpuTelemetry;
    expect(hostMemory?.memoryNodes).toBeGreaterThan(0);
    const shares = (hostMemory?.nodes ?? []).map(({ share }) => share);
    // A container may refuse to tell.
    if (hostMemory?.nodes !== null) expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 12);
  }));

it.each([
  ['kernel-launch', ['--mode', 'latency'], null],
  ['kernel-launch', ['--mode', 'graph'], null],
  ['memory', ['--operation', 'host-to-device', '--bytes', '1MiB', '--host', 'pageable'], null],
  ['memory', ['--operation', 'host-to-device', '--bytes', '1MiB', '--host', 'pinned'], 3],
] as const)('who timed the repetitions is told: %s %j', (indicator, asked, samples) =>
  withFolder(async (out) => {
    const run = await onFakeGpu(
      '',
      indicator,
      '--device',
      'cuda:0',
      ...asked,
      ...FEW,
      '--quiet',
      '--out',
      out,
    );
    expect(run.code, run.stderr).toBe(0);
    const { clock, telemetry } = readInspectionFile(campaignFolder(out), 0);
    expect(clock.name).toBe(samples === null ? 'monotonic' : 'cuda-event');
    expect((telemetry.gpu as unknown as GpuTelemetry).clock?.samples ?? null).toBe(samples);
  }));

it('copies pin memory of the host only where they read or write there', async () => {
  const pinned = (operation: string) =>
    measured(
      'most-pinned=100000',
      ...['memory', '--device', 'cuda:0', '--operation', operation, '--bytes', '1MiB', '--host', 'pinned'],
      ...FEW,
    );
  const within = await measured(
    'most-pinned=100000',
    ...['memory', '--device', 'cuda:0', '--operation', 'device-copy', '--bytes', '1MiB', ...FEW],
  );
  expect(within.run.code, reasonOf(within.record)).toBe(0);
  const up = await pinned('host-to-device');
  expect(up.record.batches[0]?.inspections[0]?.status).toBe('out-of-memory');
});

it('the pass that is chosen is the fastest on a GPU that is awake', async () => {
  const args = ['memory', '--device', 'cuda:0', '--operation', 'read', '--bytes', '64KiB', ...FEW];
  const { record, run } = await measured('passes-wake=6', ...args);
  expect(run.code, reasonOf(record)).toBe(0);
  expect(record.batches[0]?.stack.implementation).toBe('vector');
});

it('the rate over the wall clock has no part of what enqueueing took, while the device waited for it', async () => {
  await withFolder(async (out) => {
    const args = ['matmul', '--device', 'cuda:0', '--size', '48', '--reps', '400', '--inspections', '1'];
    const run = await onFakeGpu('', ...args, '--warmup', '2', '--json', '--quiet', '--out', out);
    expect(run.code, run.stderr).toBe(0);
    const { wall, evicting, telemetry, callsPerSample } = readInspectionFile(campaignFolder(out), 0);
    const { clock } = telemetry.gpu as unknown as GpuTelemetry;
    const { groups, betweenSeconds = Number.NaN, enqueueSeconds } = there(clock, 'clock of the GPU');
    expect(groups).toBeGreaterThan(1);
    expect(betweenSeconds).toBeGreaterThan(0);
    expect(betweenSeconds).toBeLessThan(wall);
    expect(enqueueSeconds).toBeGreaterThan(0);
    const flop = 2 * 48 ** 3 * 400 * callsPerSample;
    const sustained = printedRecord(run).batches[0]?.inspections[0]?.rate?.sustained ?? 0;
    expect(sustained * (wall - evicting - betweenSeconds)).toBeCloseTo(flop, -3);
  });
});

it('no group of repetitions fills the queue that it waits behind', async () => {
  const small = ['--operation', 'both-ways', '--bytes', '4KiB', '--inspections', '1', '--reps', '300'];
  const { record, run } = await measured('', 'memory', '--device', 'cuda:0', ...small);
  expect(run.code, reasonOf(record)).toBe(0);
});

describe('what goes wrong on a GPU is told', () => {
  it.each([
    ['a launch that fails', 'launch-fails=12', /CUDA_ERROR_LAUNCH_FAILED/],
    ['memory errors that cannot be corrected', 'ecc-fails=12', /CUDA_ERROR_ECC_UNCORRECTABLE/],
    ['a device that is lost on the way', 'lost=12', /CUDA_ERROR_UNKNOWN/],
    ['kernels of a newer toolkit', 'old-image=1', /does not take the kernels/],
    ['a module without the kernel', 'no-kernels=1', /is not in the module/],
  ])('%s', async (_, settings, reason) => {
    const { record, run } = await measured(settings, ...SMALL);
    expect(run.code).toBe(2);
    expect(record.batches[0]?.inspections[0]?.status).toBe('failed');
    expect(reasonOf(record)).toMatch(reason);
  });

  it('with what was counted of the GPU until then', async () => {
    const { record } = await measured('ecc-fails=12,xid=48,ecc-uncorrected=2', ...SMALL);
    expect(reasonOf(record)).toMatch(
      /CUDA_ERROR_ECC_UNCORRECTABLE.*; NVML since the launch began: XID 48, uncorrected memory errors 2$/,
    );
  });

  it('too little memory, before anything is launched', async () => {
    const run = await onFakeGpu('memory=600000000', 'matmul', '--device', 'cuda:0', '--size', '8192');
    expect(run).toMatchObject({ code: 64 });
    expect(run.stderr).toMatch(/of memory on cuda:0, which has/);
  });

  it('too little memory, where somebody else has it', async () => {
    const { record } = await measured(
      'taken=1073000000',
      'matmul',
      '--device',
      'cuda:0',
      '--size',
      '512',
      ...FEW,
    );
    expect(record.batches[0]?.inspections[0]).toMatchObject({ status: 'out-of-memory' });
    expect(reasonOf(record)).toMatch(/out of memory on the device/);
  });
});

describe('why there is no GPU', () => {
  it.each([
    ['an old driver', 'version=10020', /speaks CUDA 10\.2, pi-bench needs 11\.4 or newer/],
    ['no device', 'devices=0', /CUDA_ERROR_NO_DEVICE.*CUDA_VISIBLE_DEVICES/],
    ['two halves of different drivers', 'init=803', /not of the same version/],
    ['the toolkit’s stub', 'init=34', /stub to link with/],
  ])('%s', async (_, settings, reason) => {
    const run = await onFakeGpu(settings, 'matmul', '--device', 'cuda:0');
    expect(run).toMatchObject({ code: 64 });
    expect(run.stderr).toMatch(reason);
  });

  it('a driver that lacks a function', async () => {
    const run = await onBrokenDriver('cuGraphLaunch', 'matmul', '--device', 'cuda:0');
    expect(run.code).toBe(64);
    expect(run.stderr).toMatch(/has no cuGraphLaunch/);
  }, 120_000);

  it('none at all, which is no fault of the machine', async ({ skip }) => {
    const { stdout } = await withoutGpu('doctor', '--json');
    const { findings } = JSON.parse(stdout) as {
      findings: { name: string; ok: boolean | null; text: string }[];
    };
    const gpu = findings.find(({ name }) => name === 'GPU');
    if (gpu === undefined) skip('there is a GPU here');
    expect(gpu?.ok).toBeNull();
    expect(gpu?.text).toMatch(/^none: .*libcuda\.so\.1/);
  });
});

describe('what the driver tells of a launch becomes flags', () => {
  const RAISED = ['thermal', 'power-capped', 'power-brake', 'foreign-load', 'link-degraded', 'device-errors'];
  const long = [
    'matmul',
    '--device',
    'cuda:0',
    '--size',
    '32',
    // NVML is asked every 20 ms, by a thread that may lose its CPU for ten times as long.
    '--duration',
    '600ms',
    '--inspections',
    '1',
    '--warmup',
    '1',
  ];
  it('heat, the power limit, a brake, others on the GPU, a narrow slot, errors', async () => {
    const settings = 'reasons=228,others=2,pcie-width=8,ecc-corrected=3';
    const { record } = await measured(settings, ...long);
    expect(flagsOf(record)).toEqual(expect.arrayContaining(RAISED));
  });
  it('counters by what came in the launch: rows newly replaced, and errors of NVLinks', async () => {
    const settings =
      'rows-corrected=1,rows-uncorrected=2,remap-waits=1,nvlink-replays=3,nvlink-recoveries=1,nvlink-checksums=5';
    const { record } = await measured(settings, ...long);
    const evidenceOf = (name: string) =>
      record.batches[0]?.flags.find((flag) => flag.name === name)?.evidence ?? {};
    expect(evidenceOf('device-errors')).toMatchObject({
      newRowsCorrected: 1,
      newRowsUncorrected: 2,
      newRemapPending: true,
      newRemapFailed: false,
    });
    expect(evidenceOf('link-degraded')).toMatchObject({
      nvlinkReplays: 3,
      nvlinkRecoveries: 1,
      nvlinkChecksums: 5,
    });
  });
  it('as many others as there are, and power as it is at each moment', async () => {
    const { record } = await measured('others=300,reasons=4,instant-milliwatts=123000', ...long);
    const evidenceOf = (name: string) =>
      record.batches[0]?.flags.find((flag) => flag.name === name)?.evidence ?? {};
    expect(evidenceOf('foreign-load')).toMatchObject({ others: 300 });
    expect(evidenceOf('power-capped')).toMatchObject({ medianWatts: 123, mostWatts: 123 });
  });
  it('a power limit that moved, and how warm the memory became meanwhile', async () => {
    const { record } = await measured(
      'limit-moves=500000,memory-celsius=60,memory-warms=1,reasons=32',
      ...long,
    );
    const flagNamed = (name: string) => record.batches[0]?.flags.find((flag) => flag.name === name);
    expect(flagNamed('power-limit-moved')).toMatchObject({
      reason: expect.stringMatching(/moved from 700 W to 500 W/),
      evidence: { fromWatts: 700, toWatts: 500 },
    });
    // It was asked before the repetitions, too, and is a degree more each time.
    expect(flagNamed('thermal')?.evidence.memoryCelsius).toBeGreaterThan(61);
  });
  it('others who draw, who come and go, and who only show in the memory', async () => {
    const { record } = await measured('drawing=1,passing=1', ...long);
    const evidenceOf = ({ batches }: PiBenchRecord) =>
      batches[0]?.flags.find(({ name }) => name === 'foreign-load')?.evidence ?? {};
    expect(evidenceOf(record)).toMatchObject({ others: 2, drawing: 1, passing: 1, unlistedBytes: 0 });
    const hidden = await measured('used-mib=2000,own-hidden=1', ...SMALL);
    expect(evidenceOf(hidden.record)).toMatchObject({ others: 0, unlistedBytes: 2000 * 2 ** 20 });
  });
  it('that nobody is listed, ourselves among them, is not taken for nobody', async () => {
    const whyNot = async (settings: string) => {
      const { record } = await measured(settings, ...SMALL);
      return (
        record.batches[0]?.inspections[0]?.notChecked.find(({ flag }) => flag === 'foreign-load')?.why ?? null
      );
    };
    expect(await whyNot('own-hidden=1')).toMatch(/ours is there/);
    expect(await whyNot('drawing=-1')).toMatch(/who draws/);
    expect(await whyNot('')).toBeNull();
  });
  it('and what stands before it is none of its own', async () => {
    const { record } = await measured('remap-pending=1', ...long);
    const [flag] = record.batches[0]?.flags.filter(({ name }) => name === 'device-errors') ?? [];
    expect(flag?.evidence).toMatchObject({ remapPending: true, newRemapPending: false, newRowsCorrected: 0 });
  });
  it('a clock that somebody locked, and one that nothing explains', async () => {
    const evidenceOf = async (settings: string) =>
      (await measured(settings, ...long)).record.batches[0]?.flags.find(({ name }) => name === 'clock-held')
        ?.evidence;
    expect(await evidenceOf('reasons=2,sm-mhz=1200')).toMatchObject({
      applicationClocksShare: 1,
      unexplainedLoss: null,
      medianSmHertz: 1.2e9,
      mostSmHertz: 1.98e9,
    });
    expect(await evidenceOf('sm-mhz=1200')).toMatchObject({ unexplainedLoss: expect.closeTo(0.394, 3) });
  });
  it('and a GPU in order raises none of them', async () => {
    const { record } = await measured('', ...long);
    for (const name of [...RAISED, 'clock-held']) expect(flagsOf(record)).not.toContain(name);
  });
});
