import { describe, expect, it } from 'vitest';
import { peak } from '../../src/indicators/peak.js';
import { machineOf } from '../support/machine.js';
import { UNBOUND } from './support.js';

const casesOf = (flags: Record<string, unknown>) => peak.fromFlags(flags, machineOf());

describe('the cases of peak', () => {
  it('are without flags one for each data type, on all CPUs', () => {
    expect(casesOf({})).toEqual(
      ['float32', 'float64', 'bfloat16', 'int8'].map((dtype) => ({ dtype, threads: 2, pin: true })),
    );
  });

  it('are those that --dtype names', () => {
    expect(casesOf({ dtype: 'int8, float32', threads: '1' }).map(({ dtype }) => dtype)).toEqual([
      'float32',
      'int8',
    ]);
  });

  it('are each once, however often --dtype names them', () => {
    expect(casesOf({ dtype: 'int8,int8' })).toHaveLength(1);
  });

  it.each(['float12', '', 'float32,', 'float32;int8'])('are none for --dtype %j', (dtype) => {
    expect(() => casesOf({ dtype })).toThrow(/--dtype .*is unknown; there is float32/);
  });

  it('of a type for GPUs alone are refused with that reason', () => {
    expect(() => casesOf({ dtype: 'float16' })).toThrow(/float16 is for GPUs; on the CPU there is float32/);
  });

  it('that no flags make are refused', () => {
    expect(() => peak.check({ dtype: 'float32', threads: 1, pin: true })).not.toThrow();
    expect(() => peak.check({ dtype: 'float32', threads: 0, pin: true })).toThrow(/^peak: /);
    expect(() => peak.check({ dtype: 'float32', threads: 1, pin: true, size: 3 })).toThrow(/^peak: /);
  });
});

describe('the work of peak', () => {
  it.each([1, 2, 3, 64, 4096])('on %i threads is what the workload is asked to execute', (threads) => {
    const parameters = { dtype: 'float32', threads, pin: false };
    const { flop, bytes } = peak.work(parameters);
    expect(flop).toBe(3 * 2 ** 26 * threads);
    expect(Number.isSafeInteger(flop)).toBe(true);
    expect(bytes).toBe(0);
    const native = peak.nativeWorkload(parameters, UNBOUND, 'avx2', 1);
    expect(native.parameters).toMatchObject({ operations: flop, threads, isa: 'avx2', dtype: 'float32' });
  });

  it('takes no memory', () => {
    expect(peak.memory({ dtype: 'int8', threads: 2, pin: true })).toBe(0);
  });
});

it('a case is called by its type and threads', () => {
  expect(peak.title({ dtype: 'int8', threads: 1, pin: false })).toBe('peak int8, 1 thread');
  expect(peak.title({ dtype: 'int8', threads: 2, pin: true })).toBe('peak int8, 2 threads, pinned');
});
