/**
 * Collectives between GPUs from the command to the record, on fakes of the driver and of NCCL (test/native/fake-cuda): that
 * everything is asked for, checked and said. Nothing here tells of a GPU, nor of NCCL.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { brokenRules } from '../../src/record/check.js';
import { type PiBenchRecord, written } from '../../src/record/schema.js';
import type { GpuTelemetry } from '../../src/telemetry/gpu.js';
import { fakeEnvironment, fakeGpu, onFakeGpu, onFakeNccl } from '../support/fake-gpu.js';
import { campaignFolder, piBenchIn, readInspectionFile, withFolder } from '../support/pi-bench.js';

const SHORT = ['--reps', '10', '--warmup', '2', '--inspections', '1', '--no-wait', '--quiet'];

beforeAll(() => void fakeGpu(), 120_000);

describe('a collective between GPUs', () => {
  it('is one case of all of them, verified, on a stack that is NCCL’s file', () =>
    withFolder(async (out) => {
      const what = ['collective', 'all-reduce', '--device', 'cuda:all', '--bytes', '8,64KiB'];
      const run = await onFakeNccl('devices=3', ...what, '--json', '--out', out, ...SHORT);
      expect(run.stderr).toBe('');
      expect(run.code).toBe(0);
      const record = JSON.parse(run.stdout) as PiBenchRecord;
      expect(written.record.safeParse(record).error).toBeUndefined();
      expect(brokenRules(record)).toEqual([]);
      expect(record.batches).toHaveLength(2);
      for (const { case: one, stack, verified, device, ranks } of record.batches) {
        expect([one.parameters.transport, one.parameters.ranks, device]).toEqual(['nccl', 3, 'cuda:0']);
        expect(stack).toMatchObject({ provider: 'nccl', file: 'libnccl.so.2', version: 'NCCL 2.21.5' });
        expect(stack.implementation).toBe('3 GPUs, a thread each, nccl');
        expect(verified).toBe('passed');
        expect(ranks?.ranks).toHaveLength(3);
        // What NCCL waits for, and moves, it does not say.
        expect([ranks?.useful, ranks?.ceiling]).toEqual([null, null]);
      }
    }));

  it.each([
    ['reduce-scatter', ['--redop', 'avg', '--dtype', 'int32', '--in-place']],
    ['broadcast', ['--root', '1']],
    ['gather', ['--root', '1', '--in-place', '--dtype', 'bfloat16']],
    ['all-to-all', []],
  ] as const)('computes %s', (operation, args) =>
    withFolder(async (out) => {
      const what = ['collective', operation, '--device', 'cuda:all', '--bytes', '4KiB', ...args];
      const run = await onFakeNccl('devices=2', ...what, '--out', out, ...SHORT);
      expect(run.stderr).toBe('');
      expect(run.code).toBe(0);
      expect(run.stdout).toMatch(/verified/);
    }));

  // The fake rounds after each step, as NCCL does, and multiplies by 1 / ranks before it adds.
  it.each([
    [3, 'all-reduce', 'sum', 'float16,float8_e4m3'],
    [3, 'reduce-scatter', 'prod', 'float16,float8_e4m3'],
    [2, 'reduce', 'max', 'float16,float8_e4m3'],
    [4, 'all-reduce', 'avg', 'float64,bfloat16,float16,float8_e4m3'],
  ] as const)('of %i computes %s with %s of %s exactly', (gpus, operation, redop, dtype) =>
    withFolder(async (out) => {
      const what = ['collective', operation, '--redop', redop, '--dtype', dtype, '--bytes', '3KiB'];
      const settings = `devices=${gpus},nccl-version=22403`;
      const run = await onFakeNccl(
        settings,
        ...what,
        '--device',
        'cuda:all',
        '--json',
        '--out',
        out,
        ...SHORT,
      );
      expect(run.stderr).toBe('');
      const { batches } = JSON.parse(run.stdout) as PiBenchRecord;
      expect(batches).toHaveLength(dtype.split(',').length);
      for (const { verified, inspections } of batches) {
        expect(verified).toBe('passed');
        expect(inspections[0]?.verification?.tolerance).toMatch(/^none/);
      }
    }));

  it('of three compares averages of real numbers within what these round, and those of integers exactly', () =>
    withFolder(async (out) => {
      const what = ['collective', 'all-reduce', '--redop', 'avg', '--bytes', '3KiB', '--device', 'cuda:all'];
      const more = ['--dtype', 'float32,bfloat16,float16,int32', '--json', '--out', out, ...SHORT];
      const run = await onFakeNccl('devices=3', ...what, ...more);
      expect(run.code, run.stdout).toBe(0);
      const { batches } = JSON.parse(run.stdout) as PiBenchRecord;
      const of = (name: string) =>
        batches.find((batch) => batch.case.parameters.dtype === name)?.inspections[0]?.verification;
      for (const name of ['float32', 'bfloat16', 'float16']) {
        expect(of(name)?.tolerance).toMatch(
          /^\S+ of the average: what is multiplied by 1 \/ 3 first rounds$/,
        );
        expect(of(name)?.worstError).toBeGreaterThan(0);
        expect(of(name)?.worstError).toBeLessThanOrEqual(1);
      }
      expect(of('int32')).toMatchObject({ worstError: 0 });
    }));

  it('moves float8_e4m3 with a library and on GPUs that have no such type', () =>
    withFolder(async (out) => {
      const what = ['collective', 'all-gather', '--dtype', 'float8_e4m3', '--bytes', '3KiB'];
      const settings = 'devices=3,nccl-version=22105,capability=80';
      const run = await onFakeNccl(settings, ...what, '--device', 'cuda:all', '--out', out, ...SHORT);
      expect(run.code, run.stdout).toBe(0);
      expect(run.stdout).toMatch(/verified/);
    }));

  it.each([
    [
      'a library that is older than the type',
      'devices=2,nccl-version=22304',
      /NCCL reduces float8_e4m3 from 2\.24 on, and this is 2\.23\.4:\s+install a newer one/,
    ],
    [
      'a GPU that cannot',
      'devices=2,nccl-version=22403,capability=89',
      /on GPUs of compute capability 9\.0\s+and later, and cuda:0 has 8\.9: use --dtype float16/,
    ],
  ])('of float8_e4m3 with %s fails in one line', (_, settings, says) =>
    withFolder(async (out) => {
      const what = ['collective', 'all-reduce', '--dtype', 'float8_e4m3', '--bytes', '1KiB'];
      const run = await onFakeNccl(settings, ...what, '--device', 'cuda:all', '--out', out, ...SHORT);
      expect(run.code).toBe(2);
      expect(run.stdout).toMatch(says);
    }));

  it('is timed by events, whose steps and not the host’s decide which samples are too short', () =>
    withFolder(async (out) => {
      const what = ['collective', 'all-reduce', '--device', 'cuda:all', '--bytes', '8'];
      const run = await onFakeNccl('devices=2,event-step=5000', ...what, '--json', '--out', out, ...SHORT);
      const { clock } = readInspectionFile(campaignFolder(out), 0);
      expect(clock.name).toBe('cuda-event');
      expect(clock.resolution).toBeCloseTo(5e-6, 9);
      const [batch] = (JSON.parse(run.stdout) as PiBenchRecord).batches;
      // Ranks that wait for each other on a busy machine take longer than a step is short for.
      const isShort = Math.max(...((batch?.launches?.medians ?? []) as number[])) < 3e-3;
      if (isShort) expect(batch?.flags.map(({ name }) => name)).toContain('clock-limited');
    }));

  // Its result is there whenever somebody looks who waits for the whole GPU.
  it('whose library does not compute on the stream that it is given has a wrong result', () =>
    withFolder(async (out) => {
      const what = ['collective', 'all-reduce', '--device', 'cuda:all', '--bytes', '4KiB'];
      const run = await onFakeNccl('devices=2,nccl-beside=1', ...what, '--out', out, ...SHORT);
      expect(run.code, run.stdout).toBe(3);
      expect(run.stdout).toMatch(/element \d+ of what rank \d got is/);
    }));

  it('whose library changes an input has a wrong result', () =>
    withFolder(async (out) => {
      const what = ['collective', 'all-reduce', '--device', 'cuda:all', '--bytes', '4KiB'];
      const run = await onFakeNccl('devices=2,nccl-scribbles=1', ...what, '--out', out, ...SHORT);
      expect(run.code, run.stdout).toBe(3);
      expect(run.stdout).toMatch(/element 0 of what rank 1 gave is no longer/);
    }));

  it('of one GPU says that it is a copy to itself, without a bus', () =>
    withFolder(async (out) => {
      const what = [
        'collective',
        'all-reduce',
        '--transport',
        'nccl',
        '--device',
        'cuda:0',
        '--bytes',
        '64KiB',
      ];
      const run = await onFakeNccl('devices=1', ...what, '--json', '--out', out, ...SHORT);
      const record = JSON.parse(run.stdout) as PiBenchRecord;
      expect(record.batches[0]?.stack.implementation).toMatch(/one GPU: a copy to itself/);
      expect(record.kpis.map(({ name }) => name)).not.toContain(
        'pibench_collective_bus_rate_bytes_per_second',
      );
    }));

  it('has what each of its GPUs did meanwhile, and the flags of any of them', () =>
    withFolder(async (out) => {
      const what = ['collective', 'all-reduce', '--device', 'cuda:all', '--bytes', '64KiB'];
      const run = await onFakeNccl('devices=2,nvlinks-up=3', ...what, '--json', '--out', out, ...SHORT);
      const [batch] = (JSON.parse(run.stdout) as PiBenchRecord).batches;
      const { gpu } = readInspectionFile(campaignFolder(out), 0).telemetry as { gpu?: GpuTelemetry };
      expect(gpu?.nvml).toMatchObject({ problem: null, nvlinks: { up: 3, all: 4 } });
      expect(gpu?.others).toMatchObject([{ problem: null, nvlinks: { up: 3, all: 4 } }]);
      const flags = batch?.inspections[0]?.flags.filter(({ name }) => name === 'link-degraded') ?? [];
      expect(flags.map(({ evidence }) => evidence.rank)).toEqual([0, 1]);
      expect(batch?.flags.find(({ name }) => name === 'link-degraded')?.inspections).toEqual([0]);
    }));

  it('with a wrong element has no score', () =>
    withFolder(async (out) => {
      const what = ['collective', 'all-reduce', '--device', 'cuda:all', '--bytes', '1KiB'];
      const run = await onFakeNccl('devices=2,nccl-wrong=1', ...what, '--out', out, ...SHORT);
      expect(run.code).toBe(3);
      expect(run.stdout).toMatch(/WRONG .*element 0/);
    }));

  it.each([
    ['refuses a call', 'devices=2,nccl-fails=1', /rank \d: a call of NCCL failed: as the fake NCCL was told/],
    ['has no communicators', 'devices=2,nccl-init=2', /ncclCommInitAll failed: as the fake NCCL was told/],
  ])('where NCCL %s fails in one line', (_, settings, says) =>
    withFolder(async (out) => {
      const what = ['collective', 'all-reduce', '--device', 'cuda:all', '--bytes', '1KiB'];
      const run = await onFakeNccl(settings, ...what, '--out', out, ...SHORT);
      expect(run.code).toBe(2);
      expect(run.stdout).toMatch(says);
    }));

  it('hides behind products on every GPU, which are verified with it', () =>
    withFolder(async (out) => {
      const what = ['overlap', '--device', 'cuda:all', '--size', '48', '--bytes', '64KiB'];
      const run = await onFakeNccl('devices=2', ...what, '--json', '--out', out, ...SHORT);
      expect(run.stderr).toBe('');
      expect(run.code).toBe(0);
      const record = JSON.parse(run.stdout) as PiBenchRecord;
      expect(written.record.safeParse(record).error).toBeUndefined();
      expect(brokenRules(record)).toEqual([]);
      const [batch] = record.batches;
      expect(batch).toMatchObject({ device: 'cuda:0', verified: 'passed', stack: { provider: 'nccl' } });
      expect(batch?.stack.implementation).toMatch(/^matmul .*, 2 GPUs, a thread each, nccl$/);
      expect(batch?.inspections[0]?.verification?.method).toMatch(/matmul beside it, of every rank/);
      const { compute = 0, communicate = 0 } = batch?.overlap ?? {};
      expect(Math.min(compute, communicate)).toBeGreaterThan(0);
      const shown = await onFakeNccl('', 'show', campaignFolder(out));
      expect(shown.stdout).toMatch(/hidden +-?[\d.]+ % of the communication/);
    }));

  it('hides in float16 and in float8_e4m3, too', () =>
    withFolder(async (out) => {
      const what = ['overlap', '--device', 'cuda:all', '--size', '48', '--bytes', '4KiB'];
      for (const dtype of ['float16', 'float8_e4m3']) {
        const args = [...what, '--dtype', dtype, '--json', '--out', out, ...SHORT];
        const run = await onFakeNccl('devices=2,nccl-version=22403', ...args);
        expect(run.code, run.stderr).toBe(0);
        const [batch] = (JSON.parse(run.stdout) as PiBenchRecord).batches;
        expect([batch?.verified, batch?.case.parameters.dtype]).toEqual(['passed', dtype]);
      }
    }));

  it.each([
    ['a product that is wrong', 'devices=2,wrong=1', 3, /WRONG .*matmul of rank \d/],
    ['a product that fails', 'devices=2,launch-fails=60', 2, /CUDA_ERROR_LAUNCH_FAILED/],
  ])('beside %s has no score', (_, settings, code, says) =>
    withFolder(async (out) => {
      const what = ['overlap', '--device', 'cuda:all', '--size', '48', '--bytes', '64KiB'];
      const run = await onFakeNccl(settings, ...what, '--out', out, ...SHORT);
      expect(run.code, run.stderr).toBe(code);
      expect(run.stdout).toMatch(says);
    }));

  it.each([
    ['without NCCL', [], /--stack nccl: libnccl\.so\.2 was not found\. NVIDIA’s package libnccl2/],
    ['with our own kernels', ['--stack', 'embedded'], /--transport nccl is executed by --stack nccl/],
  ] as const)('%s is refused in one line', async (_, args, says) => {
    const run = await onFakeGpu(
      'devices=2',
      'collective',
      'all-reduce',
      '--device',
      'cuda:all',
      '--bytes',
      '8',
      ...args,
    );
    expect(run.code).toBe(64);
    expect(run.stderr).toMatch(says);
    expect(run.stderr.trim().split('\n')).toHaveLength(1);
  });
});

/** As t2 has them, and as somebody would write who insists on them. */
const suiteOf = (required: boolean): string => `
name: exchange
campaign:
  defaults: { duration: 100ms, warmup: 20ms, inspections: 1 }
  measure:
    - indicator: matmul
      parameters: { size: 64, threads: 1 }
      labels: { part: host }
    - indicator: collective
      parameters: { operation: "all-reduce,all-gather", bytes: 64KiB }
      devices: cuda:all
      labels: { part: gpu-collectives }
    - indicator: overlap
      parameters: { size: 48, bytes: 64KiB }
      devices: cuda:all
      labels: { part: gpu-overlap }
checks:
  - { check: counts }
  - { check: correctness }
  - { check: complete }
  - { check: clock, atMost: 0.005 }
  - { check: counters }
${required ? '  - { check: complete, parts: [gpu-collectives], required: true }' : ''}
`;

describe('exchanges between GPUs in a qualification', () => {
  async function judged(gpus: number, { nccl = true, required = false, settings = '' }) {
    return withFolder(async (folder) => {
      writeFileSync(join(folder, 'exchange.yaml'), suiteOf(required));
      const fakes = fakeGpu();
      const env = {
        ...fakeEnvironment(fakes, `devices=${gpus},${settings}`),
        ...(nccl ? { LD_LIBRARY_PATH: `${fakes}:${fakes}/nccl` } : {}),
        XDG_STATE_HOME: join(folder, 'state'),
      };
      const args = ['qualify', '--suite', 'exchange.yaml', '--expect', `gpu=${gpus}`, '--quiet', '--json'];
      const { code, stdout, stderr } = await piBenchIn({ cwd: folder, env }, ...args);
      if (stdout === '') throw new Error(stderr);
      const { qualification, batches } = JSON.parse(stdout) as PiBenchRecord;
      if (qualification === undefined) throw new Error('no verdict');
      return {
        code,
        parts: [...new Set(batches.map(({ asked }) => asked.labels?.part))],
        checks: qualification.checks,
        notJudged: qualification.notJudged.join('\n'),
      };
    });
  }

  it('are measured and judged where there are two GPUs and NCCL', async () => {
    const { parts, checks, notJudged } = await judged(2, {});
    expect(parts).toEqual(['host', 'gpu-collectives', 'gpu-overlap']);
    const of = (kind: string) =>
      checks.filter((check) => check.kind === kind && check.part?.startsWith('gpu-') === true);
    for (const kind of ['correctness', 'complete'])
      expect(of(kind).map(({ id, verdict }) => [id, verdict])).toEqual([
        [`${kind}/gpu-collectives#1@cuda:0`, 'pass'],
        [`${kind}/gpu-collectives#2@cuda:0`, 'pass'],
        [`${kind}/gpu-overlap@cuda:0`, 'pass'],
      ]);
    // Somebody watched the GPUs meanwhile.
    expect(of('counters').map(({ verdict }) => verdict)).toEqual(['pass', 'pass', 'pass']);
    expect(notJudged).toMatch(/exchanges between GPUs have been tried on a fake driver and a fake NCCL only/);
  });

  it('count what NVML tells of any of the GPUs', async () => {
    const { checks } = await judged(2, { settings: 'remap-waits=1' });
    const found = checks.find(({ id }) => id === 'counters/gpu-overlap@cuda:0');
    expect(found).toMatchObject({ verdict: 'fail', cause: 'remap-pending', severity: 'reset' });
  });

  it('are left out and told with one GPU, which copies to itself', async () => {
    const { code, parts, checks, notJudged } = await judged(1, {});
    expect(parts).toEqual(['host']);
    expect(notJudged).toMatch(
      /^gpu-collectives, gpu-overlap: there is one GPU, and an exchange takes two: what one copies to itself says nothing of a link$/m,
    );
    expect(checks.filter(({ required, verdict }) => required && verdict === 'skipped')).toEqual([]);
    expect(code).toBe(0);
  });

  it('are left out and told without NCCL, and then not required', async () => {
    const { code, parts, notJudged } = await judged(2, { nccl: false });
    expect(parts).toEqual(['host']);
    expect(notJudged).toMatch(
      /^gpu-collectives, gpu-overlap: libnccl\.so\.2 was not found, so nothing is known of it here\. NVIDIA’s package libnccl2/m,
    );
    expect(code).toBe(0);
  });

  it('make a node inconclusive without NCCL where a suite insists on them', async () => {
    const { code, checks } = await judged(2, { nccl: false, required: true });
    expect(checks.find(({ id }) => id === 'complete' || id.startsWith('complete/gpu'))).toMatchObject({
      required: true,
      verdict: 'skipped',
      reason: 'nothing was measured of gpu-collectives',
    });
    expect(code).toBe(2);
  });
});
