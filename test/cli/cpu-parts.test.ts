/** What runs on a part of the CPU: with its CPUs, its share of a quota, its memory. */
import { describe, expect, it } from 'vitest';
import { batchesHere, notMeasured } from '../../src/cli/qualification/batches-here.js';
import { shippedSuite, suiteFrom } from '../../src/cli/qualification/suites.js';
import { sweptBatches } from '../../src/cli/swept-batches.js';
import { cpuParts, leftOutText } from '../../src/devices/cpu-parts.js';
import { machineOn } from '../../src/devices/machine-on-part.js';
import { findIndicator } from '../../src/indicators/index.js';
import type { Flags } from '../../src/indicators/indicator.js';
import { availableMemory, usableCpus } from '../../src/machine/capacity.js';
import type { MachineDescription } from '../../src/machine/types.js';
import { groupsOf } from '../../src/record/at-once.js';
import { machineOf } from '../support/machine.js';

const MIB = 2 ** 20;
const GIB = 2 ** 30;

/** Eight CPUs on two nodes, of which the second has less free. */
function twoNodes(limits: Partial<MachineDescription['limits']> = {}): MachineDescription {
  const machine = machineOf({ allowedCpus: '0-7', ...limits });
  const numaNodes = [
    { node: 0, cpus: '0-3', total: 16 * GIB, available: 10 * GIB },
    { node: 1, cpus: '4-7', total: 16 * GIB, available: 4 * GIB },
  ];
  return { ...machine, memory: { ...machine.memory, available: 14 * GIB, numaNodes } };
}

const batchesOf = (indicator: string, flags: Flags, machine: MachineDescription) =>
  sweptBatches(
    findIndicator(indicator),
    { warmup: 'auto', timeout: '10min', inspections: '1', ...flags },
    machine,
    new Map(),
  );
const triad = (device: string, bytes: string | undefined, more: Flags = {}, machine = twoNodes()) =>
  batchesOf(
    'memory',
    { device, operation: 'triad', stores: 'streaming', ...(bytes === undefined ? {} : { bytes }), ...more },
    machine,
  );
const placed = (batches: ReturnType<typeof batchesOf>) =>
  batches.map(({ device, case: { parameters } }) => [device, parameters.threads]);

describe('a machine as a part of its CPU has it', () => {
  it('has a node’s CPUs and memory, of a CPU only that CPU, and is whole where no part is meant', () => {
    const machine = twoNodes();
    const told = (device: string) => {
      const part = machineOn(device, machine);
      return [part.limits.allowedCpus, usableCpus(part), availableMemory(part)];
    };
    expect(told('numa:1')).toEqual(['4-7', 4, 4 * GIB]);
    expect(told('cpu:5')).toEqual(['5', 1, 14 * GIB]);
    expect(machineOn('cpu', machine)).toBe(machine);
    expect(machineOn('cuda:0', machine)).toBe(machine);
  });
});

describe('a NUMA node whose threads would have the memory of another', () => {
  const placedOn = (device: string, machine: MachineDescription) =>
    placed(triad(device, '1GiB', {}, machine));
  /** As of a Threadripper, of which half the dies have no memory. */
  const farNode = (): MachineDescription => {
    const { memory, ...machine } = twoNodes();
    const [far, near] = memory.numaNodes;
    const numaNodes = [far && { ...far, total: 0, available: 0 }, near] as typeof memory.numaNodes;
    return { ...machine, memory: { ...memory, numaNodes } };
  };

  it('is refused, with why, and how its CPUs can be measured all the same', () => {
    expect(() => placedOn('numa:0', farNode())).toThrow(
      /--device numa:0: the threads of numa:0 would have memory of other nodes: it has none of its own; .*taskset -c 0-3$/,
    );
    expect(() => placedOn('numa:1', twoNodes({ allowedNodes: '0' }))).toThrow(/taken from node 0 only/);
    const turns = twoNodes({ memoryPolicy: 'interleave:0-1' });
    expect(() => placedOn('numa:1', turns)).toThrow(/by the policy interleave:0-1/);
    expect(() => placedOn('numa:all', turns)).toThrow(
      /--device numa:all: the threads of numa:0 .*; the threads of/,
    );
  });

  it('is left out of all nodes, which is said', () => {
    expect(placedOn('numa:all', farNode())).toEqual([['numa:1', 4]]);
    expect(leftOutText('cpu,numa:all', cpuParts(farNode()))).toBe(
      'numa:all leaves out numa:0: the threads of numa:0 would have memory of other nodes: it has none of its own',
    );
    expect(leftOutText('numa:all', cpuParts(twoNodes()))).toBeNull();
    expect(leftOutText('numa:1', cpuParts(farNode()))).toBeNull();
  });

  it('is left out of a suite, and named', () => {
    const suite = shippedSuite('t2');
    const parts = (machine: MachineDescription) =>
      batchesHere(suite, machine).filter(({ labels }) => labels?.part === 'numa');
    expect(new Set(parts(farNode()).map(({ device }) => device))).toEqual(new Set(['numa:1']));
    expect(notMeasured(suite, farNode())).toContainEqual(expect.stringContaining('leaves out numa:0'));
    const none = twoNodes({ memoryPolicy: 'interleave:0-1' });
    expect(parts(none)).toEqual([]);
    expect(notMeasured(suite, none)).toContainEqual(
      expect.stringMatching(
        /^numa: of no NUMA node the threads would have its own memory: it is taken by the policy interleave:0-1, [^;]*$/,
      ),
    );
  });

  it('is left out of a suite that names it, and its other checks say what is wrong with the node', () => {
    const suite = suiteFrom(
      `name: site
campaign:
  measure:
    - { indicator: memory, parameters: { operation: triad, bytes: 64MiB, stores: streaming }, devices: "numa:0,numa:1", labels: { part: nodes } }
    - { indicator: memory, parameters: { operation: copy, bytes: 64MiB, stores: streaming }, devices: "numa:0", labels: { part: first } }
checks: [{ check: numa }, { check: complete }]
`,
      'site.yaml',
    );
    expect(batchesHere(suite, farNode()).map(({ device }) => device)).toEqual(['numa:1']);
    const why = 'the threads of numa:0 would have memory of other nodes: it has none of its own';
    expect(notMeasured(suite, farNode())).toEqual([
      `nodes leaves out numa:0: ${why}`,
      `first leaves out numa:0: ${why}`,
    ]);
    expect(batchesHere(suite, twoNodes())).toHaveLength(3);
  });

  it('is none where a policy prefers it with others, as the kernel begins with the thread’s own', () => {
    const preferring = (nodes: string) => twoNodes({ memoryPolicy: `prefer (many):${nodes}` });
    expect(placedOn('numa:all', preferring('0-1'))).toEqual([
      ['numa:0', 4],
      ['numa:1', 4],
    ]);
    expect(() => placedOn('numa:0', preferring('1'))).toThrow(/by the policy prefer \(many\):1/);
  });

  it('is none where a policy takes memory from that node alone', () => {
    expect(placedOn('numa:1', twoNodes({ memoryPolicy: 'prefer:1' }))).toEqual([['numa:1', 4]]);
    expect(placedOn('numa:1', twoNodes({ allowedNodes: '1', memoryPolicy: 'bind:1' }))).toEqual([
      ['numa:1', 4],
    ]);
  });
});

describe('a quota that parts of the CPU share when they are measured at once', () => {
  const atOnce = (device: string, cpuQuota: number, more: Flags = {}) =>
    placed(triad(device, '1GiB', { 'at-once': 'only', ...more }, twoNodes({ cpuQuota })));

  it('keeps as many threads running on each as its share', () => {
    expect(atOnce('numa:all', 4)).toEqual([
      ['numa:0', 2],
      ['numa:1', 2],
    ]);
    expect(atOnce('numa:0,numa:1', 5)).toEqual([
      ['numa:0', 2],
      ['numa:1', 2],
    ]);
    expect(atOnce('cpu:each', 8)).toHaveLength(8);
  });

  it('is refused where it keeps none running, unless somebody says how many there are', () => {
    expect(() => atOnce('cpu:each', 4)).toThrow(
      /the quota of 4 CPUs keeps no thread running on each of 8 devices/,
    );
    expect(atOnce('cpu:each', 4, { threads: '1' })).toHaveLength(8);
  });

  it('is each one’s own where they are measured one after the other', () => {
    expect(placed(triad('numa:all', '1GiB', {}, twoNodes({ cpuQuota: 4 })))).toEqual([
      ['numa:0', 4],
      ['numa:1', 4],
    ]);
  });
});

describe('threads on a part of the CPU', () => {
  it('are as many as it has CPUs, and no more than a quota keeps running', () => {
    expect(placed(triad('numa:0', '1GiB'))).toEqual([['numa:0', 4]]);
    expect(placed(triad('numa:0', '1GiB', {}, twoNodes({ cpuQuota: 2.5 })))).toEqual([['numa:0', 2]]);
    expect(() => triad('numa:0', '1GiB', { threads: '5' })).toThrow(/numa:0 has 4 CPUs that may be used/);
  });

  it('are of a suite as many as there are CPUs, whatever a quota leaves of them', () => {
    const threadsOf = (cpuQuota: number | null) =>
      batchesHere(shippedSuite('t2'), twoNodes({ cpuQuota }))
        .filter(({ labels }) => ['numa', 'memory-triad', 'gemm'].includes(labels?.part ?? ''))
        .map(({ device, case: { parameters } }) => [device, parameters.threads, parameters.pin]);
    expect(threadsOf(3)).toEqual(threadsOf(null));
    expect(threadsOf(3)).toContainEqual(['cpu', 8, true]);
    expect(threadsOf(3)).toContainEqual(['numa:1', 4, true]);
  });

  it('are at once as many on each node as the smallest has, so that nodes of different sizes can be at once', () => {
    const machine = twoNodes({ allowedCpus: '0-6' });
    expect(placed(triad('numa:all', '1GiB', {}, machine))).toEqual([
      ['numa:0', 4],
      ['numa:1', 3],
    ]);
    const atOnce = triad('numa:all', '1GiB', { 'at-once': 'only' }, machine);
    expect(placed(atOnce)).toEqual([
      ['numa:0', 3],
      ['numa:1', 3],
    ]);
    expect(groupsOf(atOnce)).toEqual([
      [0, 1],
      [0, 1],
    ]);
    // So the sizes that follow from the threads are the same on both.
    const swept = triad('numa:all', undefined, { 'at-once': 'only' }, machine);
    expect(swept.length).toBeGreaterThan(8);
    expect(swept.every(({ atOnce: marked }) => marked === true)).toBe(true);
  });
});

describe('latency on a part of the CPU', () => {
  it('is that of one thread on each, however many CPUs it has', () => {
    const batches = (more: Flags) => batchesOf('latency', { bytes: '32KiB', ...more }, twoNodes());
    expect(placed(batches({ device: 'numa:all' }))).toEqual([
      ['numa:0', 1],
      ['numa:1', 1],
    ]);
    expect(placed(batches({ device: 'numa:all', 'at-once': 'only' }))).toHaveLength(2);
    expect(placed(batches({ device: 'cpu:5' }))).toEqual([['cpu:5', 1]]);
    expect(() => batches({ device: 'numa:0', threads: '2' })).toThrow(/--threads 2: latency is that of one/);
  });
});

describe('memory on a NUMA node', () => {
  const bytesOf = (batches: ReturnType<typeof batchesOf>) =>
    batches.map(({ case: { parameters } }) => Number(parameters.bytes));

  it('is as a share what is free on that node', () => {
    expect(bytesOf(triad('numa:all', '50%'))).toEqual([5 * GIB, 2 * GIB]);
  });

  it('is at once the same share on each, though not of the same size', () => {
    const batches = triad('numa:all', '50%', { 'at-once': 'only' });
    expect(bytesOf(batches)).toEqual([5 * GIB, 2 * GIB]);
    expect(groupsOf(batches)).toEqual([
      [0, 1],
      [0, 1],
    ]);
  });

  it('bounds the sizes that nobody asked for', () => {
    const { memory, ...machine } = twoNodes();
    const [near, far] = memory.numaNodes.map((node) => ({ ...node, available: 200 * MIB }));
    const small = { ...machine, memory: { ...memory, numaNodes: [near, far] as typeof memory.numaNodes } };
    expect(Math.max(...bytesOf(triad('numa:1', undefined, {}, small)))).toBe(64 * MIB);
  });

  it('is not more than it has free: what is beyond would be another’s', () => {
    expect(() => triad('numa:1', '5GiB')).toThrow(
      /needs 5\.\d+ GiB of memory and 4\.00 GiB is free on numa:1/,
    );
    expect(() => triad('numa:0', '5GiB')).not.toThrow();
    expect(() => triad('cpu', '12GiB')).not.toThrow();
  });
});
