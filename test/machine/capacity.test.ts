/** How much of a machine a launch may take. */
import { describe, expect, it } from 'vitest';
import { availableMemory, isMemoryLimitShown, isQuotaShown, usableCpus } from '../../src/machine/capacity.js';
import { describeMachine } from '../../src/machine/describe.js';
import type { Limits, MachineDescription } from '../../src/machine/types.js';
import { NOTHING_TOLD } from '../support/machine.js';
import { intelServer } from './fixtures/intel-server.js';
import { roomForMore } from './fixtures/offline-cpus.js';
import { readerOf } from './fixtures/reader-of.js';

const server = describeMachine(readerOf(intelServer), NOTHING_TOLD);
const limited = (limits: Partial<Limits>): MachineDescription => ({
  ...server,
  limits: { ...server.limits, ...limits },
});

describe('usable CPUs', () => {
  it('are those that the affinity allows', () => {
    expect(usableCpus(limited({ allowedCpus: '2-3,7' }))).toBe(3);
  });

  it('are only those that are online, where the affinity names all that are possible', () => {
    const machine = describeMachine(readerOf(roomForMore), NOTHING_TOLD);
    expect(machine.limits.allowedCpus).toBe('0-3');
    expect(usableCpus(machine)).toBe(4);
  });

  it('are no more than the whole CPUs of the quota', () => {
    expect(usableCpus(limited({ cpuQuota: 2.9 }))).toBe(2);
    expect(usableCpus(limited({ cpuQuota: 64 }))).toBe(8);
  });

  it('are at least one, with a quota below one CPU and with nothing known', () => {
    expect(usableCpus(limited({ cpuQuota: 0.2 }))).toBe(1);
    expect(usableCpus(describeMachine(() => null, NOTHING_TOLD))).toBe(1);
  });
});

describe('available memory', () => {
  it('is what the kernel estimates when nothing limits it', () => {
    expect(availableMemory(server)).toBe(480_000_000 * 1024);
  });

  it('is what the control group leaves when that is less', () => {
    expect(availableMemory(limited({ memoryHeadroom: 1e9 }))).toBe(1e9);
    expect(availableMemory(limited({ memoryHeadroom: 1e15 }))).toBe(480_000_000 * 1024);
  });

  it('is what the allowed NUMA nodes have when others are forbidden', () => {
    expect(availableMemory(limited({ allowedNodes: '1' }))).toBe(210_000_000 * 1024);
  });

  it('is unknown when nothing was read', () => {
    expect(availableMemory(describeMachine(() => null, NOTHING_TOLD))).toBeNull();
  });
});

describe('a limit that was not found', () => {
  const group = { version: 2, path: '/', visible: true } as const;
  const shownOf = (limits: Partial<Limits>) => {
    const all = { ...server.limits, ...limits };
    return [isQuotaShown(all), isMemoryLimitShown(all)];
  };

  it('is none where all groups that hold the process are seen, or the kernel has none', () => {
    const whole = { ...group, whole: true };
    expect(shownOf({ cgroup: whole, memoryCgroup: whole })).toEqual([true, true]);
    expect(shownOf({ cgroup: null, memoryCgroup: null })).toEqual([true, true]);
  });

  it('may be there where groups above are hidden, the group is not mounted, or none is told', () => {
    const part = { ...group, whole: false };
    expect(shownOf({ cgroup: part, memoryCgroup: part })).toEqual([false, false]);
    const unmounted = { ...part, visible: false };
    expect(shownOf({ cgroup: unmounted, memoryCgroup: unmounted })).toEqual([false, false]);
    expect(shownOf({ cgroupTold: false })).toEqual([false, false]);
  });

  it('is looked for in the group of its own controller', () => {
    const unmounted = { ...group, version: 1 as const, visible: false, whole: false };
    expect(shownOf({ cgroup: { ...group, whole: true }, memoryCgroup: unmounted })).toEqual([true, false]);
  });

  it('is judged by one group alone in descriptions from before both were looked at', () => {
    const { memoryCgroup: _, ...older } = server.limits;
    expect(isMemoryLimitShown({ ...older, cgroup: group })).toBe(true);
    expect(isMemoryLimitShown({ ...older, cgroup: { ...group, visible: false } })).toBe(false);
  });
});
