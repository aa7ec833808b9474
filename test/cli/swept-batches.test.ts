/** Flags of which each may have several values, and the batches that they make. */
import { describe, expect, it, vi } from 'vitest';
import { sweptBatches } from '../../src/cli/swept-batches.js';
import { findIndicator } from '../../src/indicators/index.js';
import type { Flags } from '../../src/indicators/indicator.js';
import type { GpuDescription } from '../../src/machine/gpus.js';
import { machineOf, machineWithGpus } from '../support/machine.js';

const GIB = 2 ** 30;
const HOW: Flags = { warmup: 'auto', timeout: '10min', inspections: '1', device: 'cpu' };
const batchesOf = (indicator: string, flags: Flags, machine = machineOf()) =>
  sweptBatches(findIndicator(indicator), { ...HOW, ...flags }, machine, new Map());

describe('a campaign of too many batches', () => {
  it('is refused, whether flags have too many values or each of them makes many cases', () => {
    expect(() => batchesOf('matmul', { m: '1..300+1', n: '1..300+1', k: '8' })).toThrow(
      /make 90000 batches or more; a campaign has at most 10000: ask for fewer/,
    );
    // Every operation, with each way to store, has a batch for each size.
    expect(() => batchesOf('memory', { bytes: '1MiB..900MiB+1Mi', threads: '1,2' })).toThrow(
      /make 10\d\d\d batches or more/,
    );
  });
});

describe('a launcher', () => {
  const launchersOf = (launcher: string | readonly string[]) => {
    const asked: unknown[] = [];
    const collective = findIndicator('collective');
    const fromFlags = vi.spyOn(collective, 'fromFlags').mockImplementation((flags) => {
      asked.push(flags.launcher);
      return [];
    });
    batchesOf('collective', { operation: 'all-reduce', transport: 'mpi', launcher });
    fromFlags.mockRestore();
    return asked;
  };

  it('keeps the commas of its arguments; programs alone are a list', () => {
    expect(launchersOf('mpirun --mca btl tcp,self')).toEqual(['mpirun --mca btl tcp,self']);
    expect(launchersOf('mpirun, mpirun.mpich')).toEqual(['mpirun', 'mpirun.mpich']);
  });

  it('is each of a list, as a campaign file has it, with the commas of its arguments', () => {
    const both = ['mpirun --mca btl tcp,self', 'srun --mpi=pmi2'];
    expect(launchersOf(both)).toEqual(both);
    expect(launchersOf(['mpirun', 'mpirun.mpich'])).toEqual(['mpirun', 'mpirun.mpich']);
    expect(() => launchersOf(['srun --mpi=pmi2', 'srun --mpi=pmi2'])).toThrow(
      '--launcher has srun --mpi=pmi2 more than once: leave one out',
    );
  });
});

const gpu = (ordinal: number, freeBytes: number) =>
  ({
    ordinal,
    name: 'a GPU',
    computeCapability: '9.0',
    memoryBytes: 80 * GIB,
    l2Bytes: 2 ** 25,
    freeBytes,
  }) as GpuDescription;
const devices = [gpu(0, 70 * GIB), gpu(1, 60 * GIB), gpu(2, GIB)];
const machine = machineWithGpus(...devices);

describe('a GPU that is named twice', () => {
  // Of a stack of one's own: what executes it need not be here.
  const own = new Map([['own', { provider: 'cublas', variant: null, own: 'own' }]]);
  const batchesOn = (flags: Flags) =>
    sweptBatches(
      findIndicator('matmul'),
      { ...HOW, size: '64', stack: 'own', device: 'cuda:0,cuda:00', ...flags },
      machine,
      own,
    );

  it('is one device, which is measured once', () => {
    expect(batchesOn({}).map(({ device }) => device)).toEqual(['cuda:0']);
  });

  it('is refused at once: it would be measured beside itself', () => {
    expect(() => batchesOn({ 'at-once': 'only' })).toThrow(/cuda:0,cuda:00 is one device here/);
  });
});

describe('a share of the memory of GPUs', () => {
  // Of the cases alone: where the kernels of GPUs are not built there are no batches of them.
  const sizesOn = (device: string) => {
    const sizes: number[] = [];
    const memory = findIndicator('memory');
    const casesOf = memory.fromFlags.bind(memory);
    const fromFlags = vi.spyOn(memory, 'fromFlags').mockImplementation((flags, itsMachine) => {
      sizes.push(...casesOf(flags, itsMachine).map(({ bytes }) => Number(bytes) / GIB));
      return [];
    });
    batchesOf('memory', { device, operation: 'read', bytes: '50%' }, machine);
    fromFlags.mockRestore();
    return sizes;
  };

  it('is the same on all that are named, and minds no other', () => {
    expect(sizesOn('cuda:0')).toEqual([35]);
    expect(sizesOn('cuda:0,cuda:1')).toEqual([30, 30]);
    expect(sizesOn('cuda:all')).toEqual([0.5, 0.5, 0.5]);
  });
});
