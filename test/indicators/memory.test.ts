import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memory } from '../../src/indicators/memory.js';
import {
  assumedLast,
  defaultSizes,
  mainMemory,
  ofOneCore,
  shortOfMain,
} from '../../src/indicators/memory-sizes.js';
import { CACHES, cache, machineOf } from '../support/machine.js';
import { UNBOUND } from './support.js';

const KIB = 1024;
const MIB = 1024 * KIB;

const casesOf = (flags: Record<string, unknown>) => memory.fromFlags(flags, machineOf());

describe('the cases of memory', () => {
  it('without flags: every operation, both ways to store, from half the first cache to four times the last', () => {
    const cases = casesOf({});
    const of = (operation: string, stores: string): number[] =>
      cases
        .filter((one) => one.operation === operation && one.stores === stores)
        .map(({ bytes }) => Number(bytes));
    for (const operation of ['write', 'copy', 'scale', 'add', 'triad']) {
      for (const stores of ['cached', 'streaming']) {
        expect(of(operation, stores)).toEqual([32, 128, 512, 2048, 8192, 32768, 131072].map((k) => k * KIB));
      }
    }
    const read = of('read', 'none');
    expect(read[0]).toBe(32 * KIB);
    expect(read.at(-1)).toBe(128 * MIB);
    expect(read.length).toBeGreaterThan(20);
    expect(cases).toHaveLength(5 * 2 * 7 + read.length);
    for (const { threads, pin } of cases) expect([threads, pin]).toEqual([2, true]);
  });

  it('are those that flags name, each once', () => {
    const flags = {
      operation: 'triad,copy,copy',
      bytes: '1MiB,32KiB..128KiB*2',
      stores: 'auto',
      threads: '1',
    };
    expect(
      casesOf(flags).map(({ operation, stores, bytes }) => [operation, stores, Number(bytes) / KIB]),
    ).toEqual([
      ['copy', 'auto', 32],
      ['copy', 'auto', 64],
      ['copy', 'auto', 128],
      ['copy', 'auto', 1024],
      ['triad', 'auto', 32],
      ['triad', 'auto', 64],
      ['triad', 'auto', 128],
      ['triad', 'auto', 1024],
    ]);
  });

  it('of reading have no way to store, whatever --stores says', () => {
    // A campaign file's lists come one by one.
    expect(casesOf({ operation: 'read', stores: 'streaming', bytes: '1MiB' })).toEqual([
      { operation: 'read', stores: 'none', bytes: MIB, threads: 2, pin: true },
    ]);
  });

  it.each([
    [{ operation: 'sort' }, /--operation sort is unknown; there is read, write, copy, scale, add, triad/],
    [{ stores: 'fast' }, /--stores fast is unknown; there is cached, streaming, auto/],
    [{ bytes: '32' }, /--bytes takes sizes with their unit, such as .*; got "32"/],
    [{ bytes: '1MiB..1KiB' }, /--bytes takes sizes/],
    [{ bytes: '1KiB..1MiB*1' }, /--bytes takes sizes/],
    [{ bytes: '1KiB,' }, /--bytes takes sizes/],
    [{ bytes: '1KiB..1TiB*1.0001' }, /--bytes takes at most 1000 sizes/],
    [
      { bytes: '100B', operation: 'triad' },
      /--bytes 100 B is too small: triad on 2 threads takes 384 B or more/,
    ],
    [{ bytes: '70%,1GiB' }, /--bytes takes sizes such as 1GiB,4GiB, or one share of the free memory/],
    [{ bytes: '100%' }, /--bytes takes a share such as 1%/],
    [{ bytes: '0.1%' }, /is less than 64 MiB: give a size/],
    [{ threads: '0' }, /--threads takes a whole number/],
    [{ threads: '3', pin: true }, /--pin needs a CPU for each of 3 threads/],
  ])('%j is refused in words', (flags, says) => {
    expect(() => casesOf(flags)).toThrow(says);
  });

  it('are called the working set that whole lines make, and measured once', () => {
    const bytesOf = (flags: Record<string, unknown>) => casesOf(flags).map(({ bytes }) => bytes);
    expect(bytesOf({ bytes: '1KiB', operation: 'triad', stores: 'cached' })).toEqual([768]);
    const many = { operation: 'add', stores: 'cached', threads: '64', pin: false };
    expect(bytesOf({ ...many, bytes: '24KiB,32KiB,64KiB' })).toEqual([24 * 1024, 60 * 1024]);
    // What rounding takes by the way stays as it was asked for.
    expect(bytesOf({ ...many, bytes: '1MiB' })).toEqual([MIB]);
  });

  it('of a share of the memory take that much of what is free, in whole steps, and say so', () => {
    const [one = {}] = casesOf({ operation: 'copy', stores: 'cached', bytes: '70%' });
    // Of 16 GiB.
    expect(one).toMatchObject({ bytes: 179 * 64 * MIB, share: 0.7 });
    expect(memory.title(one)).toMatch(/^memory copy 11\.2 GiB \(70 % of the free\), cached stores/);
    expect(memory.check(one)).toBeUndefined();
  });

  it('of a share of the memory have no more for a thread than it fills and checks in a minute or two', () => {
    const huge = { ...machineOf(), memory: { ...machineOf().memory, available: 2 ** 42 } };
    const [one] = memory.fromFlags({ operation: 'copy', stores: 'cached', bytes: '70%', threads: '2' }, huge);
    expect(one?.bytes).toBe(2 * 32 * 2 ** 30);
  });

  it('that no flags make are refused: reading with stores, writing without', () => {
    const base = { bytes: MIB, threads: 1, pin: false };
    expect(() => memory.check({ ...base, operation: 'read', stores: 'cached' })).toThrow(/makes no case/);
    expect(() => memory.check({ ...base, operation: 'copy', stores: 'none' })).toThrow(/makes no case/);
    expect(() => memory.check({ ...base, operation: 'copy', stores: 'cached' })).not.toThrow();
  });
});

const parameters = fc.record({
  operation: fc.constantFrom('write', 'copy', 'scale', 'add', 'triad'),
  stores: fc.constantFrom('cached', 'streaming'),
  bytes: fc.integer({ min: 16 * KIB, max: 1024 * MIB }),
  threads: fc.integer({ min: 1, max: 64 }),
  pin: fc.boolean(),
});
const STREAMS: Readonly<Record<string, number>> = { write: 1, copy: 2, scale: 2, add: 3, triad: 3 };
const FLOP: Readonly<Record<string, number>> = { scale: 1, add: 1, triad: 2 };

describe('the work of memory', () => {
  it('counts the bytes that loads and stores move, as the workload is asked to move them', () => {
    fc.assert(
      fc.property(parameters, (one) => {
        const { bytes, flop } = memory.work(one);
        const native = memory.nativeWorkload(one, UNBOUND, null, 1).parameters;
        const elements = Number(native.elements) * Number(native.passes) * one.threads;
        expect(bytes).toBe(8 * (STREAMS[one.operation] ?? 0) * elements);
        expect(flop).toBe((FLOP[one.operation] ?? 0) * elements);
      }),
    );
  });

  it('names the write-allocate of plain stores beside them: one stream, none for streaming stores', () => {
    fc.assert(
      fc.property(parameters, (one) => {
        const { bytes, writeAllocateBytes } = memory.work(one);
        const stream = bytes / (STREAMS[one.operation] ?? 1);
        expect(writeAllocateBytes).toBe(one.stores === 'cached' ? stream : 0);
      }),
    );
    const auto = { operation: 'copy', stores: 'auto', bytes: MIB, threads: 1, pin: false };
    expect(memory.work(auto).writeAllocateBytes).toBeUndefined();
  });

  it('has arrays that fit into the working set, in whole lines, and repetitions of 16 MiB a thread or more', () => {
    fc.assert(
      fc.property(parameters, (one) => {
        const { elements, passes } = memory.nativeWorkload(one, UNBOUND, null, 1).parameters;
        const arrays = STREAMS[one.operation] ?? 1;
        expect(Number(elements) % 8).toBe(0);
        expect(Number(elements) * 8 * arrays * one.threads).toBeLessThanOrEqual(one.bytes);
        expect((Number(elements) + 8) * 8 * arrays * one.threads).toBeGreaterThan(one.bytes);
        expect(Number(elements) * 8 * arrays * Number(passes)).toBeGreaterThanOrEqual(16 * MIB);
        expect(memory.memory(one)).toBeGreaterThanOrEqual(one.bytes);
      }),
    );
  });
});

const anywhere = (threads: number) => ({ threads, allowed: null });

describe('the default sizes', () => {
  it('reach from the first cache far past the last, on any machine', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 16, max: 192 }),
        fc.integer({ min: 1, max: 512 }),
        fc.integer({ min: 1, max: 128 }),
        (first, last, threads) => {
          const caches = [cache(1, first * KIB, 1, threads), cache(3, last * MIB, threads, 1)];
          const { sparse, dense } = defaultSizes({ caches, cachesFrom: 'kernel' }, anywhere(threads), null);
          for (const sizes of [sparse, dense]) {
            expect(sizes[0]).toBeLessThanOrEqual((first * KIB * threads) / 2);
            expect(sizes.at(-1)).toBeGreaterThanOrEqual(4 * last * MIB);
            expect([...sizes].sort((a, b) => a - b)).toEqual(sizes);
          }
        },
      ),
    );
  });

  it('go past a last cache of the usual size where only those of a core are known', () => {
    const { dense } = defaultSizes(
      { caches: [cache(2, MIB, 1, 2)], cachesFrom: 'C library' },
      anywhere(1),
      null,
    );
    expect(dense.at(-1)).toBe(128 * MIB);
  });

  it('go past all last caches together, where these are not of one size', () => {
    const caches = [cache(1, 32 * KIB, 1, 16), cache(3, 96 * MIB, 8, 1), cache(3, 32 * MIB, 8, 1)];
    for (const some of [caches, caches.toReversed()]) {
      const { sparse, dense } = defaultSizes({ caches: some, cachesFrom: 'kernel' }, anywhere(16), null);
      expect([sparse.at(-1), dense.at(-1)]).toEqual([512 * MIB, 512 * MIB]);
    }
  });

  it('begin at half of the first caches that the threads use, of which two on a core share one', () => {
    const sharing = ['0,4', '1,5', '2,6', '3,7'];
    const caches = [{ ...cache(1, 32 * KIB, 2, 4), sharing }, cache(3, 32 * MIB, 8, 1)];
    const first = (threads: number, allowed: readonly number[] | null): number | undefined =>
      defaultSizes({ caches, cachesFrom: 'kernel' }, { threads, allowed }, null).dense[0];
    const all = [0, 1, 2, 3, 4, 5, 6, 7];
    expect([first(8, all), first(4, all), first(1, all)]).toEqual([64 * KIB, 64 * KIB, 16 * KIB]);
    // Two cores with both of their threads each.
    expect(first(4, [0, 1, 4, 5])).toBe(32 * KIB);
    expect(first(8, null)).toBe(64 * KIB);
  });

  it('stay within half of the memory that is free', () => {
    const { sparse, dense } = defaultSizes({ caches: CACHES, cachesFrom: 'kernel' }, anywhere(1), 100 * MIB);
    expect(Math.max(...sparse, ...dense)).toBe(32 * MIB);
  });
});

describe('the working set of main memory', () => {
  const main = (last: number, instances: number, free: number | null) =>
    mainMemory({ caches: [cache(3, last, 8, instances)], cachesFrom: 'kernel' }, free);

  it('is four times the last caches, and 512 MiB where that is less', () => {
    expect([main(32 * MIB, 1, null), main(32 * MIB, 4, null)]).toEqual([512 * MIB, 512 * MIB]);
    // Two sockets of 384 MiB: 512 MiB would lie in them.
    expect(main(384 * MIB, 2, null)).toBe(4096 * MIB);
    expect(mainMemory({ caches: [], cachesFrom: null }, null)).toBe(512 * MIB);
  });

  it('takes no more than half of what is free for it, down to 512 MiB', () => {
    expect(main(384 * MIB, 2, 6000 * MIB)).toBe(2048 * MIB);
    expect(main(384 * MIB, 2, 700 * MIB)).toBe(512 * MIB);
  });

  it('is short where free memory allows no size past the caches', () => {
    const of = (instances: number) => ({
      caches: [cache(3, 384 * MIB, 8, instances)],
      cachesFrom: 'kernel' as const,
      threads: 16,
    });
    expect(shortOfMain(512 * MIB, of(2), 700 * MIB)).toEqual({
      which: 'last',
      held: 768 * MIB,
      times: 2 / 3,
    });
    expect(shortOfMain(2048 * MIB, of(2), 6000 * MIB)).toMatchObject({ times: 8 / 3 });
    expect(shortOfMain(4096 * MIB, of(2), null)).toBeNull();
    // A size that somebody chose.
    expect(shortOfMain(MIB, of(2), 6000 * MIB)).toBeNull();
    expect(shortOfMain(512 * MIB, { caches: [], cachesFrom: null }, 700 * MIB)).toBeNull();
  });

  it('is twice all caches where those of the cores hold more than the last', () => {
    // 96 cores with 2 MiB each, beside 36 MiB for all.
    const cpu = {
      caches: [cache(2, 2 * MIB, 1, 96), cache(3, 36 * MIB, 96, 1)],
      cachesFrom: 'kernel' as const,
      threads: 96,
    };
    expect(mainMemory(cpu, null)).toBe(512 * MIB);
    expect(mainMemory({ ...cpu, caches: [cache(2, 2 * MIB, 1, 192)] }, null)).toBe(2048 * MIB);
    expect(mainMemory({ ...cpu, caches: [cache(2, 4 * MIB, 1, 96), ...cpu.caches.slice(1)] }, null)).toBe(
      1024 * MIB,
    );
    expect(shortOfMain(256 * MIB, cpu, 600 * MIB)).toEqual({
      which: 'all',
      held: 228 * MIB,
      times: 256 / 228,
    });
  });

  it('is past what so many CPUs share on most servers where the system lists no caches, and says what it rests on', () => {
    const hidden = (threads: number) => ({ caches: [], cachesFrom: null, threads });
    expect(mainMemory(hidden(2), null)).toBe(512 * MIB);
    expect(mainMemory(hidden(128), null)).toBe(2048 * MIB);
    expect(assumedLast(2048 * MIB, hidden(128), null)).toBe(512 * MIB);
    expect(assumedLast(MIB, hidden(128), null)).toBeNull();
    expect(
      assumedLast(
        2048 * MIB,
        { caches: [cache(3, 512 * MIB, 8, 1)], cachesFrom: 'kernel', threads: 8 },
        null,
      ),
    ).toBeNull();
  });

  it('is short of assumed caches, too', () => {
    const hidden = { caches: [], cachesFrom: null, threads: 64 };
    const held = { which: 'last', held: 256 * MIB };
    expect(shortOfMain(256 * MIB, hidden, 512 * MIB)).toEqual({ ...held, times: 1 });
    expect(shortOfMain(128 * MIB, hidden, 256 * MIB)).toEqual({ ...held, times: 0.5 });
    expect(shortOfMain(1024 * MIB, hidden, null)).toBeNull();
  });

  it('is held against the caches of those that read it, whoever’s size it is', () => {
    const { cpu } = machineOf();
    const two = { ...cpu, caches: [cache(3, 384 * MIB, 8, 2)], cachesFrom: 'kernel' as const };
    const short = (bytes: number, free: number) => shortOfMain(bytes, two, free, ofOneCore(two));
    // `main` is 2 GiB of the machine for want of more: of its one last cache a core has enough.
    expect(short(2048 * MIB, 6000 * MIB)).toBeNull();
    expect(short(1024 * MIB, 3000 * MIB)).toMatchObject({ held: 384 * MIB, times: 8 / 3 });
    const hidden = { ...cpu, caches: [], cachesFrom: null, threads: 64 };
    for (const bytes of [128 * MIB, 1024 * MIB])
      expect(assumedLast(bytes, hidden, null, ofOneCore(hidden))).toBe(32 * MIB);
    expect(assumedLast(64 * MIB, hidden, null, ofOneCore(hidden))).toBeNull();
  });

  it('is what `main` means, on the CPU', () => {
    const [one] = casesOf({ operation: 'triad', stores: 'streaming', bytes: 'main' });
    expect(one).toEqual({ operation: 'triad', stores: 'streaming', bytes: 512 * MIB, threads: 2, pin: true });
    expect(() => casesOf({ bytes: 'main,1GiB' })).toThrow(/--bytes takes sizes/);
  });
});
