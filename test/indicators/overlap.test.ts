import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { overlap, shareCpus } from '../../src/indicators/overlap.js';
import type { GpuDescription, GpuSurvey } from '../../src/machine/gpus.js';
import { machineOf } from '../support/machine.js';

const casesOf = (flags: Record<string, unknown>) => overlap.fromFlags(flags, machineOf());

describe('the cases of overlap', () => {
  it('without flags: two ranks, each of which has a thread that computes and one that communicates', () => {
    const [one, ...others] = casesOf({});
    expect(others).toEqual([]);
    expect(one).toMatchObject({ operation: 'all-reduce', size: 512, bytes: 4 * 2 ** 20, ranks: 2 });
    expect(overlap.threads(one ?? {})).toBe(2 * (Number(one?.threads) + 1));
  });

  it('are one for each size, and count the products of every rank', () => {
    const cases = casesOf({ bytes: '64KiB..1MiB*4', size: '100', ranks: '3', threads: '2' });
    expect(cases.map(({ bytes }) => bytes)).toEqual([65536, 262144, 1048576]);
    expect(overlap.work(cases[0] ?? {}).flop).toBe(3 * 2 * 100 ** 3);
    expect(overlap.threads(cases[0] ?? {})).toBe(9);
  });

  it.each([
    [{ ranks: '1' }, /one rank has nobody to exchange data with: use --ranks 2 or more/],
    [{ bytes: '7' }, /--bytes 7 is no multiple of an element of float32/],
    [{ size: '0' }, /--size takes a whole number of at least 1/],
    [{ dtype: 'uint8' }, /--dtype uint8 is unknown; there is float32/],
    [{ threads: '0' }, /--threads takes a whole number of at least 1/],
    [
      { pin: true, ranks: '8', threads: '3' },
      /--pin needs a CPU for each of 32 threads \(8 ranks of 3 \+ 1\)/,
    ],
  ])('refuse %j', (flags, says) => {
    expect(() => casesOf(flags)).toThrow(says);
  });
});

describe('the cases of overlap on GPUs', () => {
  const devices = [{ ordinal: 0 }, { ordinal: 1 }] as GpuDescription[];
  const machine = { ...machineOf(), gpus: { devices } as unknown as GpuSurvey };
  const onGpus = (dtype: string) => overlap.fromFlags({ device: 'cuda:0', dtype }, machine);

  it.each(['float32', 'bfloat16', 'float16', 'float8_e4m3', 'int8'])('have operands of %s', (dtype) => {
    expect(onGpus(dtype)).toMatchObject([{ dtype, ranks: 2 }]);
  });
  it('refuse what cannot be exchanged', () => {
    expect(() => onGpus('tf32')).toThrow(/--dtype tf32 is how a product rounds/);
    expect(() => onGpus('uint8')).toThrow(/--dtype uint8 is unknown/);
  });
});

describe('the CPUs of an overlap', () => {
  it('are shared out so that each rank computes on its own and communicates on the last of them', () => {
    expect(shareCpus([0, 1, 2, 3, 4, 5], 2)).toEqual({ computing: [0, 1, 3, 4], communicating: [2, 5] });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 2, max: 8 }), (threads, ranks) => {
        const cpus = Array.from({ length: ranks * (threads + 1) }, (_, i) => i);
        const { computing, communicating } = shareCpus(cpus, threads);
        expect(computing).toHaveLength(ranks * threads);
        expect(communicating).toHaveLength(ranks);
        expect([...computing, ...communicating].toSorted((a, b) => a - b)).toEqual(cpus);
      }),
    );
  });
});
