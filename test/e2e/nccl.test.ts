/**
 * Collectives between GPUs from the command to the record, on fakes of the driver and of NCCL (test/native/fake-cuda): that
 * everything is asked for, checked and said. Nothing here tells of a GPU, nor of NCCL.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { brokenRules } from '../../src/record/check.js';
import { type PiBenchRecord, written } from '../../src/record/schema.js';
import { fakeGpu, onFakeGpu, onFakeNccl } from '../support/fake-gpu.js';
import { withFolder } from '../support/pi-bench.js';

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
