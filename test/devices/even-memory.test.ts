/** What GPUs that are asked for together have free. */
import { expect, it } from 'vitest';
import { withEvenMemory } from '../../src/devices/even-memory.js';
import type { GpuDescription } from '../../src/machine/gpus.js';
import { machineOf, machineWithGpus } from '../support/machine.js';

const gpu = (ordinal: number, freeBytes: number | null, name = 'large'): GpuDescription =>
  ({ ordinal, name, memoryBytes: 80, freeBytes }) as GpuDescription;
const machine = machineWithGpus(gpu(0, 70), gpu(1, 60), gpu(2, 1), gpu(3, 50, 'small'));
const freeOf = (...named: readonly string[]) =>
  withEvenMemory(named, machine).gpus?.devices.map(({ freeBytes }) => freeBytes);

it('is what the fullest of their kind among them has free, whoever else is full', () => {
  expect(freeOf('cuda:0')).toEqual([70, 60, 1, 50]);
  expect(freeOf('cuda:0', 'cuda:1', 'cuda:3')).toEqual([60, 60, 1, 50]);
  expect(freeOf('cuda:0', 'cuda:1', 'cuda:2')).toEqual([1, 1, 1, 50]);
});

it('is not known where one of them does not tell, and nobody’s where none is a GPU', () => {
  const untold = { ...machine, gpus: { ...machine.gpus, devices: [gpu(0, null), gpu(1, 60)] } };
  const known = withEvenMemory(['cuda:0', 'cuda:1'], untold).gpus?.devices.map(({ freeBytes }) => freeBytes);
  expect(known).toEqual([null, null]);
  expect(freeOf('cpu')).toEqual([70, 60, 1, 50]);
  const without = machineOf();
  expect(withEvenMemory(['cpu'], without)).toBe(without);
});
