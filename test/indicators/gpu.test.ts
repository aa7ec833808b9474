/** Cases of GPUs: which parameters make one, the work that they count, and what the addon is asked for. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { collective } from '../../src/indicators/collective.js';
import type { Parameters } from '../../src/indicators/indicator.js';
import { kernelLaunch } from '../../src/indicators/kernel-launch.js';
import { matmul } from '../../src/indicators/matmul.js';
import { memory } from '../../src/indicators/memory.js';
import { overlap } from '../../src/indicators/overlap.js';
import { peak } from '../../src/indicators/peak.js';
import { describeMachine } from '../../src/machine/describe.js';
import type { GpuDescription } from '../../src/machine/gpus.js';
import type { MachineDescription } from '../../src/machine/types.js';
import { datasheetShare } from '../../src/record/datasheet.js';
import type { RecordBatch } from '../../src/record/schema.js';
import { NOTHING_TOLD } from '../support/machine.js';

const bare = describeMachine(() => null, NOTHING_TOLD);
const L2 = 50 * 2 ** 20;
const gpu = (ordinal: number, computeCapability: string): GpuDescription => ({
  ordinal,
  name: 'a GPU',
  uuid: 'GPU-0',
  pciBusId: '0000:01:00.0',
  computeCapability,
  multiprocessors: 132,
  l2Bytes: L2,
  memoryBytes: 80 * 2 ** 30,
  memoryBusBits: 5120,
  asyncEngines: 3,
  nvmlProblem: null,
});
const withGpus = (...devices: readonly GpuDescription[]): MachineDescription => ({
  ...bare,
  gpus: { problem: null, cuda: '13.0', library: 'libcuda.so.1', devices },
});
const hopper = withGpus(gpu(0, '9.0'));
const place = { cpus: [], gpu: { ordinal: 0, kernels: '/kernels' } };
const device = 'cuda:0';

describe('a share of a GPU’s memory', () => {
  const free = (ordinal: number, freeBytes: number | null) => ({ ...gpu(ordinal, '9.0'), freeBytes });
  const bytesOf = (machine: MachineDescription, operation: string, share = '90%') =>
    memory.fromFlags({ device, operation, bytes: share }, machine)[0]?.bytes;

  it('is that of what is free on it, and refused where nothing tells, as others may use any part of it', () => {
    const machine = withGpus(free(0, 70 * 2 ** 30), free(1, 60 * 2 ** 30));
    expect(bytesOf(machine, 'read', '50%')).toBe(35 * 2 ** 30);
    for (const untold of [withGpus(free(0, null)), hopper])
      expect(() => bytesOf(untold, 'read', '50%')).toThrow(
        /how much memory is free is not known here: give a size/,
      );
  });

  it('leaves room for the process, on GPU and host', () => {
    const empty = withGpus(free(0, 80 * 2 ** 30));
    const [one = {}] = memory.fromFlags({ device, operation: 'read', bytes: '99.9%' }, empty);
    expect(memory.gpuMemory?.(one, L2)).toBeLessThanOrEqual(80 * 2 ** 30);
    // What is added up on the device need not be fetched.
    expect(memory.memory(one)).toBeLessThan(2 ** 30);
    const [copied = {}] = memory.fromFlags({ device, operation: 'copy', bytes: '50%' }, empty);
    expect(memory.memory(copied)).toBeGreaterThanOrEqual(Number(copied.bytes) / 2);
  });

  it('is refused where the memory is not the GPU’s alone', () => {
    expect(() => bytesOf(hopper, 'host-to-device')).toThrow(/takes memory at both ends: give a size/);
  });
});

describe('the memory of a copy', () => {
  const two = withGpus(gpu(0, '9.0'), gpu(1, '9.0'));
  const GIB = 2 ** 30;
  const OWN = 512 * 2 ** 20;
  it.each([
    // On the host only what is fetched to be checked, of half of the working set.
    ['device-copy', undefined, GIB / 2, GIB],
    ['peer', undefined, GIB, 2 * GIB],
    ['host-to-device', 'pinned', 2 * GIB, GIB],
    ['device-to-host', 'pageable', 2 * GIB, GIB],
    ['both-ways', 'pinned', 4 * GIB, 2 * GIB],
  ])('%s from or to %s memory takes %i bytes of the host and %i of the GPU', (operation, host, onHost, onGpu) => {
    const flags = { device, operation, bytes: '1GiB', ...(host === undefined ? {} : { host }) };
    const [one = {}] = memory.fromFlags(flags, two);
    expect(memory.memory(one) - OWN).toBe(onHost);
    expect((memory.gpuMemory?.(one, L2) ?? 0) - OWN).toBe(onGpu);
  });
});

it('the memory of a cold product has all the operands that take turns beyond the L2', () => {
  const needed = (cache: string) => {
    const [one = {}] = matmul.fromFlags({ device, size: '16', cache }, hopper);
    return matmul.gpuMemory?.(one, L2) ?? 0;
  };
  expect(needed('cold') - needed('hot')).toBe(2 * L2 + 3 * 16 * 16 * 4);
});

describe('overlap on GPUs', () => {
  const two = withGpus(gpu(0, '9.0'), gpu(1, '9.0'));
  const casesOf = (flags: Record<string, unknown>, machine = two) =>
    overlap.fromFlags({ device, ...flags }, machine);

  it('has a rank for each GPU, by NCCL, and counts the products of all of them', () => {
    const [one = {}] = casesOf({ size: '64', bytes: '1MiB', dtype: 'bfloat16' });
    expect(one).toEqual({
      operation: 'all-reduce',
      bytes: 2 ** 20,
      size: 64,
      dtype: 'bfloat16',
      ranks: 2,
      transport: 'nccl',
    });
    expect(overlap.usualStack?.({ device: 'cuda:all' })).toBe('nccl');
    expect(overlap.usualStack?.({})).toBeNull();
    expect(overlap.work(one).flop).toBe(2 * 2 * 64 ** 3);
    expect(overlap.title(one)).toMatch(/, 2 GPUs$/);
    expect(overlap.nativeWorkload(one, place, null, 7)).toMatchObject({
      workload: 'overlap',
      parameters: { transport: 'nccl', ordinal: 0, kernels: '/kernels', ranks: 2, m: 64, n: 64, k: 64 },
    });
  });

  it.each([
    [{ threads: '2' }, two, /--threads is for the CPU/],
    [{ ranks: '3' }, two, /--ranks 3 takes a GPU for each from cuda:0 on, and there are 2/],
    [{}, hopper, /one GPU has nobody to exchange data with/],
    [{ operation: 'broadcast' }, two, /--operation broadcast does not overlap/],
  ])('refuses %j', (flags, machine, why) => {
    expect(() => casesOf(flags, machine)).toThrow(why);
  });
});

describe('what a datasheet promises', () => {
  it('is of one GPU, and no measure of what several exchange', () => {
    const h200 = withGpus(
      { ...gpu(0, '9.0'), name: 'NVIDIA H200' },
      { ...gpu(1, '9.0'), name: 'NVIDIA H200' },
    );
    const rate = { median: 1e12 } as RecordBatch['rate'];
    const share = (indicator: string, parameters: Parameters, rateCounts: 'flop' | 'bytes') =>
      datasheetShare({ device, rate, rateCounts, case: { indicator, parameters } }, h200)?.share ?? null;
    const [reading = {}] = memory.fromFlags({ device, operation: 'read', bytes: '1GiB' }, h200);
    expect(share('memory', reading, 'bytes')).toBeGreaterThan(0);
    // What the L2 may hold a good part of says nothing of the memory behind it.
    const [near = {}] = memory.fromFlags({ device, operation: 'read', bytes: '16MiB' }, h200);
    expect(share('memory', near, 'bytes')).toBeNull();
    const [reduced = {}] = collective.fromFlags({ device, operation: 'all-reduce' }, h200);
    expect(share('collective', reduced, 'bytes')).toBeNull();
    const [overlapped = {}] = overlap.fromFlags({ device }, h200);
    expect(share('overlap', overlapped, 'flop')).toBeNull();
  });
});

describe('matmul on a GPU', () => {
  const [only = {}] = matmul.fromFlags({ device, size: '64', dtype: 'float8_e4m3' }, hopper);

  it('has no threads, and asks the addon for the GPU’s product', () => {
    expect(only).not.toHaveProperty('threads');
    expect(matmul.title(only)).toBe('matmul 64 x 64 x 64 float8_e4m3');
    expect(matmul.work(only)).toMatchObject({ flop: 2 * 64 ** 3, bytes: 2 * 64 ** 2 + 4 * 64 ** 2 });
    expect(matmul.nativeWorkload(only, place, null, 7)).toMatchObject({
      workload: 'cuda-matmul',
      parameters: { dtype: 'float8_e4m3', ordinal: 0, kernels: '/kernels', cold: 0, seed: 7 },
    });
  });

  it('has its operands on the host where a framework brings them to the GPU', () => {
    const [float32 = {}] = matmul.fromFlags({ device, size: '64' }, hopper);
    expect(matmul.nativeWorkload(float32, { cpus: [], gpu: null }, null, 7)).toMatchObject({
      workload: 'matmul',
      parameters: { m: 64, dtype: 'float32', threads: 1, cpus: [], transposeA: 'N', seed: 7 },
    });
  });

  it.each([
    [{ threads: '2' }, /--threads is for the CPU/],
    [{ transpose: 'TN' }, /neither --prepack nor --transpose/],
    [{ prepack: true }, /neither --prepack nor --transpose/],
  ])('refuses what only the CPU has: %j', (flags, why) => {
    expect(() => matmul.fromFlags({ device, size: '64', ...flags }, hopper)).toThrow(why);
  });
});

describe('peak on a GPU', () => {
  it('has every data type that the GPU computes with', () => {
    const types = (machine: MachineDescription): unknown[] =>
      peak.fromFlags({ device }, machine).map(({ dtype }) => dtype);
    expect(types(hopper)).toContain('float8_e4m3');
    expect(types(withGpus(gpu(0, '8.0')))).not.toContain('float8_e4m3');
  });

  it('does whole rounds of every loop: a power of two for each multiprocessor', () => {
    for (const parameters of peak.fromFlags({ device }, hopper)) {
      const each = Math.log2(peak.work(parameters).flop / 132);
      expect(each).toBe(Math.round(each));
    }
  });
});

describe('memory on a GPU', () => {
  const cases = (flags: object, machine = hopper) => memory.fromFlags({ device, ...flags }, machine);

  it('has passes in the L2 and past it, and copies over the links', () => {
    const all = cases({});
    const sizes = all.filter(({ operation }) => operation === 'read').map(({ bytes }) => bytes);
    expect(sizes).toEqual([25 * 2 ** 20, 2 ** 30]);
    const hosts = all.filter(({ operation }) => operation === 'host-to-device').map(({ host }) => host);
    expect(hosts).toEqual(['pinned', 'pageable']);
    expect(all.map(({ operation }) => operation)).not.toContain('peer');
  });

  it('copies both ways at once only pinned memory, whatever else is copied', () => {
    expect(cases({ host: 'pinned,pageable' })).toEqual(cases({}));
    const pageable = cases({ host: 'pageable' }).map(({ operation }) => operation);
    expect(pageable).toContain('host-to-device');
    expect(pageable).not.toContain('both-ways');
    expect(cases({ operation: 'both-ways', host: 'pageable,pinned' }).map(({ host }) => host)).toEqual([
      'pinned',
    ]);
  });

  it('reads which memory of the host is asked for, also where nothing is copied from or to it', () => {
    expect(() => cases({ operation: 'triad', host: 'nonsense' })).toThrow(/--host nonsense is unknown/);
    expect(cases({ operation: 'read,host-to-device', host: 'pinned' }).map(({ host }) => host)).toEqual([
      ...['none', 'none'],
      'pinned',
    ]);
  });

  it('copies to each other GPU where there are some', () => {
    const peers = cases({ operation: 'peer' }, withGpus(gpu(0, '9.0'), gpu(1, '9.0'), gpu(2, '9.0')));
    expect(peers.map(({ peer }) => peer)).toEqual(['cuda:1', 'cuda:2']);
    expect(() => cases({ operation: 'peer' })).toThrow(/there is only one/);
  });

  it('counts what passes move, copies within the device twice, bytes over a link once', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4096 }), (kib) => {
        const bytes = kib * 1024 * 384;
        const counted = (operation: string): number =>
          memory.work(cases({ operation, bytes: `${kib * 384}KiB` })[0] ?? {}).bytes;
        return (
          counted('triad') === bytes &&
          counted('copy') === bytes &&
          counted('device-copy') === bytes &&
          counted('host-to-device') === bytes &&
          counted('both-ways') === 2 * bytes
        );
      }),
    );
  });

  it.each([
    [{ stores: 'cached' }, /--stores is for the CPU/],
    [{ operation: 'both-ways', host: 'pageable' }, /both ways at once/],
    [{ operation: 'read', bytes: '8B' }, /too small/],
  ])('refuses %j', (flags, why) => {
    expect(() => cases(flags)).toThrow(why);
  });
});

describe('kernel-launch', () => {
  it('is measured on GPUs only', () => {
    expect(() => kernelLaunch.fromFlags({ device: 'cpu' }, bare)).toThrow(/add --device cuda:0/);
  });

  it('counts launches', () => {
    const cases = kernelLaunch.fromFlags({ device }, hopper);
    expect(cases.map((one) => kernelLaunch.work(one).launches)).toEqual([1, 500, 500, 500]);
    expect(kernelLaunch.rateUnit(cases[0] ?? {})).toBe('launches/s');
  });
});
