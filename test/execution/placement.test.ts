import { describe, expect, it } from 'vitest';
import { coreCount, placeOthers, placeThreads, readCores } from '../../src/execution/placement.js';
import { usableCpus } from '../../src/machine/capacity.js';
import { describeMachine } from '../../src/machine/describe.js';
import { bigLittle } from '../machine/fixtures/big-little.js';
import { intelHybrid } from '../machine/fixtures/intel-hybrid.js';
import { roomForMore } from '../machine/fixtures/offline-cpus.js';
import { readerOf } from '../machine/fixtures/reader-of.js';
import { NOTHING_TOLD } from '../support/machine.js';

/** Two hyperthreads a core: 0 and 4, 1 and 5, 2 and 6, 3 and 7. */
const smt = {
  allowed: [0, 1, 2, 3, 4, 5, 6, 7],
  siblings: (cpu: number) => [cpu % 4, (cpu % 4) + 4],
  kinds: [],
  nodes: [],
};

describe('threads', () => {
  it('get a core each before any core gets a second thread', () => {
    expect(new Set(placeThreads(smt, 4)?.map((cpu) => cpu % 4)).size).toBe(4);
  });
  it('leave the first CPU, which serves interrupts, for last', () => {
    expect(placeThreads({ allowed: [0, 1, 2], siblings: (cpu) => [cpu], kinds: [], nodes: [] }, 2)).toEqual([
      1, 2,
    ]);
  });
  it('get every CPU once when there are as many', () => {
    expect([...(placeThreads(smt, 8) ?? [])].sort()).toEqual(smt.allowed);
  });
  it('are not placed when there are more of them than CPUs', () => {
    expect(placeThreads(smt, 9)).toBeNull();
  });
  it('stay within the CPUs that are allowed', () => {
    expect(placeThreads({ ...smt, allowed: [4, 5] }, 2)).toEqual([5, 4]);
  });
});

describe('threads on several NUMA nodes', () => {
  const cores = (nodes: readonly (readonly number[])[]) => ({
    allowed: [0, 1, 2, 3, 4, 5, 6, 7],
    siblings: (cpu: number) => [cpu],
    kinds: [],
    nodes,
  });
  const inTurns = cores([
    [0, 2, 4, 6],
    [1, 3, 5, 7],
  ]);
  const inBlocks = cores([
    [0, 1, 2, 3],
    [4, 5, 6, 7],
  ]);

  it('fill one node before the next, however firmware numbers the CPUs', () => {
    expect(placeThreads(inTurns, 4)).toEqual([2, 4, 6, 0]);
    expect(placeThreads(inBlocks, 4)).toEqual([1, 2, 3, 0]);
    expect(placeThreads(inTurns, 8)?.slice(4)).toEqual([1, 3, 5, 7]);
  });
  it('get a core each on the next node before the second thread of a core', () => {
    const smtOfTwo = { ...inBlocks, siblings: (cpu: number) => [cpu - (cpu % 2), cpu - (cpu % 2) + 1] };
    expect(placeThreads(smtOfTwo, 4)).toEqual([2, 0, 4, 6]);
  });
  it('are placed where the kernel says that the nodes are', () => {
    const files: Record<string, string> = {
      '/proc/self/status': 'Cpus_allowed_list:\t0-3\n',
      '/sys/devices/system/node/online': '0-1\n',
      '/sys/devices/system/node/node0/cpulist': '0,2\n',
      '/sys/devices/system/node/node1/cpulist': '1,3\n',
    };
    expect(placeThreads(readCores(readerOf(files)), 2)).toEqual([2, 0]);
  });
});

describe('threads on cores of different kinds', () => {
  const hybrid = readCores(readerOf(intelHybrid));

  it('get the performance cores first, the first CPU last of these', () => {
    expect(placeThreads(hybrid, 1)).toEqual([2]);
    expect(placeThreads(hybrid, 8)).toEqual([2, 4, 6, 8, 10, 12, 14, 0]);
  });
  it('get an efficiency core each before a performance core gets a second thread', () => {
    const sixteen = placeThreads(hybrid, 16) ?? [];
    expect(sixteen.slice(8)).toEqual([16, 17, 18, 19, 20, 21, 22, 23]);
    expect(placeThreads(hybrid, 18)?.slice(16)).toEqual([1, 3]);
    expect(new Set(placeThreads(hybrid, 24)).size).toBe(24);
  });
  it('get the big cores first where the kernel tells capacities, though the small have the lower numbers', () => {
    const big = readCores(readerOf(bigLittle));
    expect(placeThreads(big, 4)).toEqual([4, 5, 6, 7]);
    expect(placeThreads(big, 6)).toEqual([4, 5, 6, 7, 1, 2]);
  });
  it('are placed as ever where all that may be used are of one kind', () => {
    const files = { ...intelHybrid, '/proc/self/status': 'Cpus_allowed_list:\t16-19\n' };
    expect(placeThreads(readCores(readerOf(files)), 4)).toEqual([17, 18, 19, 16]);
  });
});

describe('the rest of the process', () => {
  it('gets the CPUs that no thread has', () => {
    expect(placeOthers(smt, [1, 2])).toEqual([0, 3, 4, 5, 6, 7]);
  });
  it('shares them when there are no others', () => {
    expect(placeOthers({ allowed: [0, 1], siblings: (cpu) => [cpu], kinds: [], nodes: [] }, [0, 1])).toEqual([
      0, 1,
    ]);
  });
});

it('counts the cores of which a CPU is allowed, whichever of theirs that is', () => {
  const siblings = (cpu: number): readonly number[] => [cpu % 4, (cpu % 4) + 4];
  expect(coreCount({ allowed: [0, 1, 2, 3, 4, 5, 6, 7], siblings })).toBe(4);
  expect(coreCount({ allowed: [1, 4, 5], siblings })).toBe(2);
});

it('reads the allowed CPUs and their siblings as the kernel writes them', () => {
  const files: Record<string, string> = {
    '/proc/self/status': 'Name:\tx\nCpus_allowed_list:\t0-1,4\n',
    '/sys/devices/system/cpu/cpu0/topology/core_cpus_list': '0,4\n',
  };
  const cores = readCores((path) => files[path] ?? null);
  expect(cores.allowed).toEqual([0, 1, 4]);
  expect(cores.siblings(0)).toEqual([0, 4]);
  expect(cores.siblings(1)).toEqual([1]);
});

it('leaves out CPUs that are possible and not online, to which no thread can be bound', () => {
  const cores = readCores(readerOf(roomForMore));
  expect(cores.allowed).toEqual([0, 1, 2, 3]);
  expect(placeThreads(cores, 4)).toEqual([1, 2, 3, 0]);
  expect(placeThreads(cores, 5)).toBeNull();
});

it('takes the list of its own where the one of CPUs online is about other CPUs', () => {
  const files = { ...roomForMore, '/proc/self/status': 'Cpus_allowed_list:\t8-9\n' };
  expect(readCores(readerOf(files)).allowed).toEqual([8, 9]);
});

it('takes those online where a sandbox tells of no list of its own, as many as a launch has threads by itself', () => {
  const gVisor = readerOf({
    '/proc/self/status': 'Name:\tnode\nMems_allowed:\t1\nMems_allowed_list:\t0\n',
    '/sys/devices/system/cpu/online': '0-3\n',
  });
  const cores = readCores(gVisor);
  const machine = describeMachine(gVisor, NOTHING_TOLD);
  expect(machine.limits.allowedCpus).toBe('0-3');
  expect(usableCpus(machine)).toBe(4);
  expect(placeThreads(cores, usableCpus(machine))).toEqual([1, 2, 3, 0]);
});
