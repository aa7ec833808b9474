import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cpusOfPart } from '../../src/devices/cpu-parts.js';
import { asksForGpu, devicesNamed, gpuNamed, isGpu, ordinalOf } from '../../src/devices/device.js';
import { UserError } from '../../src/errors.js';

const two = { ordinals: [0, 1], problem: null };
const none = { ordinals: [], problem: 'no driver' };

describe('a device by its name', () => {
  it('is the CPU, one GPU, or all of them', () => {
    expect(devicesNamed('cpu', none)).toEqual(['cpu']);
    expect(devicesNamed('cuda:1', two)).toEqual(['cuda:1']);
    expect(devicesNamed('cuda', two)).toEqual(['cuda:0']);
    expect(devicesNamed('cuda:00', two)).toEqual(['cuda:0']);
    expect(devicesNamed('cuda:all', two)).toEqual(['cuda:0', 'cuda:1']);
  });

  it('says why there is no GPU, and which there are', () => {
    expect(() => devicesNamed('cuda:0', none)).toThrow(new UserError('--device cuda:0: no driver'));
    expect(() => devicesNamed('cuda:7', two)).toThrow(/cuda:7 is not here; there is cuda:0, cuda:1/);
    for (const wrong of ['gpu', 'cuda:', 'cuda:x', 'cuda:-1', ''])
      expect(() => devicesNamed(wrong, two)).toThrow(UserError);
  });

  it('is a NUMA node or a CPU, those that may be used', () => {
    const parts = {
      cpus: [0, 1, 4],
      nodes: [
        { node: 0, cpus: [0, 1], farMemory: null },
        { node: 2, cpus: [4], farMemory: null },
      ],
    };
    expect(devicesNamed('numa:all', none, parts)).toEqual(['numa:0', 'numa:2']);
    expect(devicesNamed('cpu:each', none, parts)).toEqual(['cpu:0', 'cpu:1', 'cpu:4']);
    expect(devicesNamed('cpu:4', none, parts)).toEqual(['cpu:4']);
    expect(cpusOfPart('numa:0', parts)).toEqual([0, 1]);
    expect(cpusOfPart('cpu:4', parts)).toEqual([4]);
    expect(cpusOfPart('cpu', parts)).toBeNull();
    expect(() => devicesNamed('cpu:2', none, parts)).toThrow(/not here, or may not be used; there is cpu:0,/);
    expect(() => devicesNamed('numa:all', none)).toThrow(/the kernel tells of no NUMA nodes/);
  });

  it('is a GPU wherever a list has one', () => {
    for (const text of ['cuda', 'cuda:1', 'cuda:all', 'cpu,cuda:0', 'numa:all, cuda:all'])
      expect(asksForGpu(text)).toBe(true);
    for (const text of ['cpu', 'numa:0,cpu:3', '']) expect(asksForGpu(text)).toBe(false);
  });

  it('comes back from its number', () => {
    fc.assert(
      fc.property(fc.nat(1000), (ordinal) => {
        const device = gpuNamed(ordinal);
        return isGpu(device) && asksForGpu(device) && ordinalOf(device) === ordinal;
      }),
    );
  });
});
