import { describe, expect, it } from 'vitest';
import { latency } from '../../src/indicators/latency.js';
import type { CacheDescription, MachineDescription } from '../../src/machine/types.js';
import { cache, machineOf } from '../support/machine.js';

const MIB = 2 ** 20;
const GIB = 1024 * MIB;

/** Of eight CPUs. */
const eight = (limits: Partial<MachineDescription['limits']> = {}): MachineDescription =>
  machineOf({ allowedCpus: '0-7', ...limits });
const casesOf = (flags: Record<string, unknown>, machine = eight()) =>
  latency.fromFlags({ bytes: '1MiB', ...flags }, machine);
const loaded = (load: number, more: Record<string, unknown> = {}) => ({
  order: 'random',
  bytes: MIB,
  stride: 64,
  threads: 1,
  pin: true,
  load,
  loadBytes: 512 * MIB,
  ...more,
});

describe('latency under load', () => {
  it('is a case for each number of loading threads, of each order and size', () => {
    expect(casesOf({ load: '3,0,1' })).toEqual([0, 1, 3].map((load) => loaded(load)));
    const cases = casesOf({ load: '0,2', bytes: '1MiB,2MiB', order: 'random,pages' });
    expect(cases.map(({ order, bytes, load }) => [order, Number(bytes) / MIB, load])).toEqual(
      ['random', 'pages'].flatMap((order) =>
        [1, 2].flatMap((mib) => [0, 2].map((load) => [order, mib, load])),
      ),
    );
    expect(casesOf({ load: '0..2+1' }).map(({ load }) => load)).toEqual([0, 1, 2]);
  });

  it('is no part of a case for which nobody asks', () => {
    const [one = {}] = casesOf({});
    expect(one).not.toHaveProperty('load');
    expect(one).not.toHaveProperty('loadBytes');
    expect(latency.threads(one)).toBe(1);
    expect(latency.title(one)).toBe('latency 1.00 MiB, random order, pinned');
  });

  it('is in the title, and in the threads that are kept busy', () => {
    expect([0, 1, 3].map((load) => latency.title(loaded(load)))).toEqual([
      'latency 1.00 MiB, random order, 0 loading threads, pinned',
      'latency 1.00 MiB, random order, 1 loading thread, pinned',
      'latency 1.00 MiB, random order, 3 loading threads, pinned',
    ]);
    expect([0, 1, 3].map((load) => latency.threads(loaded(load)))).toEqual([1, 2, 4]);
  });

  it('gives the addon its threads and their sets, and the CPUs of all', () => {
    const asked = (load: number) =>
      latency.nativeWorkload(loaded(load), { cpus: [3, 4, 5, 6], gpu: null }, null, 7).parameters;
    expect(asked(3)).toMatchObject({ load: 3, loadBytes: 512 * MIB, cpus: [3, 4, 5, 6] });
    expect(asked(0)).toEqual(
      latency.nativeWorkload(casesOf({})[0] ?? {}, { cpus: [3, 4, 5, 6], gpu: null }, null, 7).parameters,
    );
  });

  it('counts the memory of all their sets', () => {
    const [none, three] = [latency.memory(loaded(0)), latency.memory(loaded(3))];
    expect(none).toBe(latency.memory(casesOf({})[0] ?? {}));
    expect(three - none).toBeGreaterThanOrEqual(3 * 512 * MIB);
    expect(three - none).toBeLessThan(3 * 516 * MIB);
  });

  it('reads sets that are past the caches of a core: four times the last, twice all of them', () => {
    const setOn = (caches: readonly CacheDescription[]): unknown => {
      const machine = eight();
      return casesOf({ load: '1' }, { ...machine, cpu: { ...machine.cpu, caches } })[0]?.loadBytes;
    };
    // Of eight last caches one is met by one thread.
    expect(setOn([cache(1, 32 * 1024, 1, 8), cache(3, 300 * MIB, 8, 8)])).toBe(1200 * MIB);
    expect(setOn([cache(1, MIB, 1, 8), cache(2, 500 * MIB, 1, 8), cache(3, 100 * MIB, 8, 1)])).toBe(
      1202 * MIB,
    );
    expect(setOn([cache(1, 32 * 1024, 1, 8), cache(3, 16 * MIB, 8, 1)])).toBe(512 * MIB);
    expect(setOn([])).toBe(512 * MIB);
  });

  it.each([
    [{ load: '8' }, /--load 8 takes 9 CPUs, one for .*and 8 may be used here: ask for 7 at most$/],
    [{ load: '0,8' }, /--load 8 takes 9 CPUs/],
    [
      { load: '1', pin: false },
      /--no-pin: a loading thread could come to the CPU.*leave --no-pin or --load out/,
    ],
    [{ load: '1', device: 'cuda:0' }, /measures the CPU’s caches and memory: leave --device cuda:0 out/],
    [
      { load: '1', threads: '2' },
      /--threads 2: latency is that of one thread: leave --threads out; with --load/,
    ],
    [{ load: '-1' }, /--load takes whole numbers of threads, such as 0,1,3; got "-1"/],
    [{ load: '1.5' }, /--load takes whole numbers of threads/],
    [{ load: 'all' }, /--load takes whole numbers of threads/],
    [{ load: '1,1' }, /--load has 1 more than once/],
  ])('%j is refused in one line', (flags, says) => {
    expect(() => casesOf(flags)).toThrow(says);
    expect(() => casesOf(flags)).not.toThrow(/\n/);
  });

  it('is refused where a quota leaves too few CPUs, and taken where nothing loads without pinning', () => {
    expect(() => casesOf({ load: '2' }, eight({ cpuQuota: 2.5 }))).toThrow(
      /--load 2 takes 3 CPUs.*2 may be used here/,
    );
    expect(casesOf({ load: '1' }, eight({ cpuQuota: 2.5 }))).toHaveLength(1);
    expect(casesOf({ load: '0', pin: false })).toEqual([loaded(0, { pin: false })]);
  });

  it('is refused where memory has no room for the sets', () => {
    const machine = eight();
    const small = { ...machine, memory: { ...machine.memory, available: 1.5 * GIB } };
    expect(() => casesOf({ load: '0,7' }, small)).toThrow(
      /^--load 7: 7 loading threads, each with 512 MiB to be past the caches, need 3\.50 GiB of memory and 1\.50 GiB is free: ask for fewer$/,
    );
    expect(casesOf({ load: '3' }, small)).toHaveLength(1);
  });

  it('has by itself sizes that find room beside the sets', () => {
    const machine = eight();
    const cpu = { ...machine.cpu, caches: [cache(1, 32 * 1024, 1, 8), cache(3, 256 * MIB, 8, 1)] };
    const free = 4.5 * GIB;
    const small = { ...machine, cpu, memory: { ...machine.memory, available: free } };
    const largest = (flags: Record<string, unknown>) => latency.fromFlags(flags, small).at(-1) ?? {};
    expect(largest({}).bytes).toBe(GIB);
    const beside = largest({ load: '0,4' });
    expect(beside.bytes).toBe(128 * MIB);
    expect(latency.memory(beside)).toBeLessThanOrEqual(free);
  });

  it('is what to ask less of where its sets are more than the working set', () => {
    expect(latency.lessMemory?.(loaded(3))).toBe('ask for fewer with --load');
    expect(latency.lessMemory?.(loaded(1, { bytes: GIB }))).toBe('choose a smaller size');
    expect(latency.lessMemory?.(casesOf({})[0] ?? {})).toBe('choose a smaller size');
  });

  it.each([
    [{ loadBytes: undefined }, /load and loadBytes make a case together/],
    [{ load: undefined }, /load and loadBytes make a case together/],
    [{ pin: false }, /loading threads are pinned/],
    [{ load: -1 }, /latency/],
    [{ load: 4096 }, /latency/],
    [{ loadBytes: 1000 }, /latency/],
  ])('with %j makes no case', (wrong, says) => {
    const { ...parameters } = Object.fromEntries(
      Object.entries(loaded(2, wrong)).filter(([, value]) => value !== undefined),
    );
    expect(() => latency.check(parameters as ReturnType<typeof loaded>)).toThrow(says);
  });
});
