import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { latency } from '../../src/indicators/latency.js';
import { defaultSizes } from '../../src/indicators/memory-sizes.js';
import type { CacheDescription } from '../../src/machine/types.js';
import { CACHES, machineOf } from '../support/machine.js';
import { UNBOUND } from './support.js';

const KIB = 1024;
const MIB = 1024 * KIB;

const casesOf = (flags: Record<string, unknown>) => latency.fromFlags(flags, machineOf());
const caseOf = (bytes: number, stride = 64, order = 'random') => ({
  order,
  bytes,
  stride,
  threads: 1,
  pin: true,
});
/** What the addon is asked for. */
const asked = (parameters: ReturnType<typeof caseOf>) =>
  latency.nativeWorkload(parameters, UNBOUND, null, 7).parameters as {
    readonly lines: number;
    readonly loads: number;
  };

describe('the cases of latency', () => {
  it('without flags: one thread in random order, over the sizes over which memory reads', () => {
    const cases = casesOf({});
    const { dense } = defaultSizes(machineOf().cpu, { threads: 1, allowed: [0, 1] }, null);
    expect(cases.map(({ bytes }) => bytes)).toEqual(dense);
    expect([dense[0], dense.at(-1)]).toEqual([16 * KIB, 128 * MIB]);
    for (const { bytes, ...others } of cases)
      expect(others).toEqual({ order: 'random', stride: 64, threads: 1, pin: true });
  });

  it('are those that flags name, each once', () => {
    const flags = { bytes: '1MiB,32KiB..128KiB*2,32KiB', order: 'pages,random', pin: false };
    expect(casesOf(flags).map(({ order, bytes, pin }) => [order, Number(bytes) / KIB, pin])).toEqual(
      ['random', 'pages'].flatMap((order) => [32, 64, 128, 1024].map((kib) => [order, kib, false])),
    );
    expect(casesOf({ bytes: 'main' }).map(({ bytes }) => bytes)).toEqual([512 * MIB]);
    const [share = {}] = casesOf({ bytes: '50%' });
    expect(share).toMatchObject({ bytes: 8192 * MIB, share: 0.5 });
    expect(latency.title(share)).toBe('latency 8.00 GiB (50 % of the free), random order, pinned');
  });

  it('are called what their whole lines take, and measured once', () => {
    expect(casesOf({ bytes: '1025B,1087B,1088B' }).map(({ bytes }) => bytes)).toEqual([1024, 1088]);
  });

  it('of a large share of the memory link no more than takes a minute or two', () => {
    const huge = { ...machineOf(), memory: { ...machineOf().memory, available: 2 ** 42 } };
    expect(latency.fromFlags({ bytes: '70%' }, huge)[0]?.bytes).toBe(16 * 2 ** 30);
  });

  it('go by the longest line of the caches with data, by 64 bytes where nothing tells', () => {
    const strideOn = (caches: readonly CacheDescription[]): unknown => {
      const machine = { ...machineOf(), cpu: { ...machineOf().cpu, caches } };
      return latency.fromFlags({ bytes: '32KiB' }, machine)[0]?.stride;
    };
    const [first, ...others] = CACHES as [CacheDescription, ...CacheDescription[]];
    expect(strideOn([{ ...first, line: 128 }, ...others])).toBe(128);
    expect(strideOn([{ ...first, line: 256, type: 'instruction' }, ...others])).toBe(64);
    expect(strideOn(CACHES.map((cache) => ({ ...cache, line: null })))).toBe(64);
    expect(strideOn(CACHES.map((cache) => ({ ...cache, line: 4 })))).toBe(64);
    expect(strideOn([])).toBe(64);
    expect(latency.title(caseOf(32 * KIB, 128))).toBe(
      'latency 32.0 KiB, lines of 128 B, random order, pinned',
    );
  });

  it.each([
    [{ order: 'sorted' }, /--order sorted is unknown; there is random, pages/],
    [{ bytes: '32' }, /--bytes takes sizes with their unit, such as .*; got "32"/],
    [{ bytes: '1MiB..1KiB' }, /--bytes takes sizes/],
    [{ bytes: '1000B' }, /--bytes 1000 B is too small: latency takes 1\.00 KiB or more, 16 lines/],
    [{ bytes: '300GiB' }, /--bytes 300 GiB is too large: latency takes 256 GiB at most/],
    [{ bytes: '70%,1GiB' }, /one share of the free memory/],
    [{ threads: '2' }, /--threads 2: latency is that of one thread: leave --threads out/],
    [{ threads: '0' }, /--threads takes a whole number/],
    [{ device: 'cuda:0' }, /measures the CPU’s caches and memory: leave --device cuda:0 out/],
  ])('%j is refused in words', (flags, says) => {
    expect(() => casesOf(flags)).toThrow(says);
  });

  it('take the one thread that there is where it is asked for', () => {
    expect(casesOf({ threads: '1', bytes: '32KiB' })).toEqual([caseOf(32 * KIB)]);
  });

  it.each([
    { threads: 2 },
    { stride: 8 },
    { stride: 20 },
    { bytes: 512 },
    { order: 'sorted' },
    { operation: 'read' },
  ])('that no flags make are refused: %j', (wrong) => {
    expect(() => latency.check({ ...caseOf(MIB), ...wrong })).toThrow(/latency/);
  });
});

describe('the work of latency', () => {
  const parameters = fc
    .record({
      lines: fc.oneof(fc.integer({ min: 16, max: 70_000 }), fc.integer({ min: 16, max: 2 ** 32 })),
      stride: fc.constantFrom(16, 64, 128, 4096),
      order: fc.constantFrom('random', 'pages'),
    })
    .map(({ lines, stride, order }) => caseOf(lines * stride, stride, order));

  it('is the loads that the addon is asked for, a whole number of them and enough for the clock', () => {
    fc.assert(
      fc.property(parameters, (one) => {
        const { loads } = asked(one);
        expect(latency.work(one)).toEqual({ flop: 0, bytes: 0, loads });
        expect(Number.isSafeInteger(loads)).toBe(true);
        expect(loads).toBeGreaterThanOrEqual(2 ** 15);
        expect(loads).toBeLessThan(2 ** 17);
      }),
    );
  });

  it('never is whole rounds, after which a chain that nobody followed would be where it should', () => {
    fc.assert(
      fc.property(parameters, (one) => {
        const { lines, loads } = asked(one);
        expect(lines).toBe(one.bytes / one.stride);
        expect(loads % lines).not.toBe(0);
      }),
    );
    // Where rounds and loads are about as many.
    for (let lines = 2 ** 15 - 2; lines <= 2 ** 15 + 2; ++lines) {
      const { loads } = asked(caseOf(lines * 64));
      expect(loads % lines).not.toBe(0);
    }
  });

  it('needs the memory of the ring and what orders its lines', () => {
    fc.assert(
      fc.property(parameters, (one) => {
        const needed = latency.memory(one);
        const { lines, loads } = asked(one);
        const longest = Math.max(lines, loads + 1);
        expect(needed).toBeGreaterThanOrEqual(longest * (one.stride + 4));
        expect(needed).toBeLessThan(1.5 * one.bytes + 2 ** 16 * (one.stride + 5) + 4 * MIB);
      }),
    );
  });
});
