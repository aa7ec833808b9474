/** Shares of the memory: what a verdict says that they covered, and how they are told from one another. */
import { describe, expect, it, vi } from 'vitest';
import { batchesHere, notMeasured } from '../../src/cli/qualification/batches-here.js';
import { shippedSuite } from '../../src/cli/qualification/suites.js';
import { withEvenMemory } from '../../src/devices/even-memory.js';
import { memory } from '../../src/indicators/memory.js';
import type { GpuDescription } from '../../src/machine/gpus.js';
import type { MachineDescription } from '../../src/machine/types.js';
import { keyedBatch } from '../../src/qualify/baseline-key.js';
import { historyKey } from '../../src/qualify/rates.js';
import type { RecordBatch } from '../../src/record/schema.js';
import { cache, machineOf, machineWithGpus } from '../support/machine.js';
import { contextOf, judgement, knownMachine, partsRecord } from './support.js';

const GIB = 2 ** 30;
const gpu = (ordinal: number, freeBytes: number | null): GpuDescription => ({
  ordinal,
  name: 'NVIDIA H200',
  uuid: `GPU-${ordinal}`,
  pciBusId: `0000:0${ordinal}:00.0`,
  computeCapability: '9.0',
  multiprocessors: 132,
  l2Bytes: 5e7,
  memoryBytes: 140 * GIB,
  freeBytes,
  memoryBusBits: 6144,
  asyncEngines: 3,
  nvmlProblem: null,
});
const withGpus = (...devices: readonly GpuDescription[]): MachineDescription => ({
  ...machineWithGpus(...devices),
  memory: { ...machineOf().memory, available: 128 * GIB, total: 160 * GIB },
});

const ofShare = (bytes: number, share = 0.7): RecordBatch => {
  const [batch] = partsRecord([{ part: 'memory-pattern', launches: [0.1] }]).batches;
  if (batch === undefined) throw new Error('no batch');
  const parameters = { operation: 'copy', stores: 'cached', bytes, share, threads: 2, pin: true };
  return { ...batch, case: { indicator: 'memory', parameters } };
};

describe('what is looked at in turns with its peak', () => {
  it('is what multiplies on CPUs and is judged by its share', () => {
    const batches = batchesHere(shippedSuite('t1'), machineOf());
    const parts = batches.filter(({ inTurns }) => inTurns === true).map(({ labels }) => labels?.part);
    expect(parts).toEqual(['gemm-float32', 'gemm-float64']);
    expect(batches.length).toBeGreaterThan(parts.length);
  });
});

describe('the main memory of t1 and t2', () => {
  it('is more than the last caches hold, also where these are large', () => {
    const machine = machineOf();
    const large = {
      ...machine,
      cpu: { ...machine.cpu, caches: [cache(1, 32 * 2 ** 10, 1, 2), cache(3, 384 * 2 ** 20, 1, 2)] },
    };
    const sizes = batchesHere(shippedSuite('t2'), large)
      .filter(({ labels }) => ['memory', 'memory-triad'].includes(labels?.part ?? ''))
      .map(({ case: one }) => one.parameters.bytes);
    expect(sizes).toHaveLength(5);
    expect(new Set(sizes)).toEqual(new Set([4 * GIB]));
  });
});

describe('the memory patterns of t3', () => {
  const parts = (machine: MachineDescription, part: string) =>
    batchesHere(shippedSuite('t3'), machine).filter(({ labels }) => labels?.part === part);

  it('take most of the host’s free memory, in both ways to store', () => {
    const { gpus: _, ...withoutGpus } = withGpus();
    const own = parts(withoutGpus, 'memory-pattern');
    expect(own.map(({ case: one }) => [one.parameters.stores, Number(one.parameters.bytes) / GIB])).toEqual([
      ['cached', 64],
      ['streaming', 64],
    ]);
    const small = parts(machineOf(), 'memory-pattern');
    for (const { case: one } of small) expect(Number(one.parameters.bytes) / (16 * GIB)).toBeCloseTo(0.7, 2);
  });

  // Their kernels need not be built here, so no batches are made of it.
  it('take nearly all of what is free on GPUs, the same on all of them, so that they are measured at once', () => {
    const machine = withGpus(gpu(0, 139 * GIB), gpu(1, 138 * GIB));
    const entry = shippedSuite('t3').entries.find(({ part }) => part === 'gpu-memory-pattern');
    expect(entry?.flags).toMatchObject({ device: 'cuda:all', 'at-once': 'only' });
    // As the campaign does for the devices that a sweep names.
    const even = withEvenMemory(['cuda:0', 'cuda:1'], machine);
    const casesOn = (device: string) => memory.fromFlags({ ...entry?.flags, device }, even);
    const [one] = casesOn('cuda:0');
    expect(Number(one?.bytes) / (138 * GIB)).toBeCloseTo(0.9, 2);
    expect(casesOn('cuda:1')).toEqual([one]);
  });

  it('are of the GPUs that tell what is free, and of each that does not that is said', () => {
    const suite = shippedSuite('t3');
    const alone = { ...suite, entries: suite.entries.filter(({ part }) => part === 'gpu-memory-pattern') };
    // Of the cases alone: where the kernels of GPUs are not built there are no batches of them.
    const asked: unknown[] = [];
    const fromFlags = vi.spyOn(memory, 'fromFlags').mockImplementation(({ device }) => {
      asked.push(device);
      return [];
    });
    const left = (...devices: readonly GpuDescription[]) => {
      asked.length = 0;
      batchesHere(alone, withGpus(...devices));
      const measured = [...asked];
      return { measured, said: notMeasured(alone, withGpus(...devices)) };
    };
    const silent = (device: string) =>
      expect.stringMatching(
        new RegExp(`^gpu-memory-pattern on ${device}: it does not tell how much of its memory is free`),
      );
    expect(left(gpu(0, 139 * GIB), gpu(1, null), gpu(2, 139 * GIB))).toEqual({
      measured: ['cuda:0', 'cuda:2'],
      said: [silent('cuda:1')],
    });
    expect(left(gpu(0, null), gpu(1, null))).toEqual({
      measured: [],
      said: [silent('cuda:0'), silent('cuda:1')],
    });
    fromFlags.mockRestore();
  });

  it('are of a GPU that tells, whatever one does that the suite does not name', () => {
    const suite = shippedSuite('t3');
    const entries = suite.entries
      .filter(({ part }) => part === 'gpu-memory-pattern')
      .map((entry) => ({ ...entry, flags: { ...entry.flags, device: 'cuda' } }));
    const fromFlags = vi.spyOn(memory, 'fromFlags').mockReturnValue([]);
    expect(notMeasured({ ...suite, entries }, withGpus(gpu(0, 139 * GIB), gpu(1, null)))).toEqual([]);
    fromFlags.mockRestore();
  });

  it('are of no GPU where there is none', () => {
    expect(parts(machineOf(), 'gpu-memory-pattern')).toEqual([]);
    expect(
      notMeasured(shippedSuite('t3'), machineOf()).filter((text) => text.startsWith('GPUs: ')),
    ).toHaveLength(1);
  });
});

describe('a batch of a share of the memory', () => {
  it('says in its verdict how much that was, beside that it was right', () => {
    const machine = { ...machineOf(), memory: { ...machineOf().memory, total: 16 * GIB } };
    const record = partsRecord([{ part: 'memory-pattern', launches: [0.1] }]);
    const batches = [ofShare(8 * GIB)];
    const { verdict, findings, reason } = judgement(
      { check: 'correctness' },
      contextOf({ ...record, batches }, { machine }),
    );
    expect(verdict).toBe('pass');
    expect(findings.find(({ quantity }) => quantity === 'memory_covered')).toMatchObject({
      measured: 0.5,
      unit: '1',
      verdict: 'pass',
      limit: null,
    });
    expect(reason).toMatch(
      /memory covered 50(\.0)? %: 8\.\d+ GiB of 16\.\d+ GiB; the rest was not looked at/,
    );
  });

  it('does not call it a failure that the whole is not known', () => {
    const record = partsRecord([{ part: 'memory-pattern', launches: [0.1] }]);
    const batches = [ofShare(8 * GIB)];
    expect(judgement({ check: 'correctness' }, contextOf({ ...record, batches })).verdict).toBe('pass');
  });

  it('is the same case on a node that had a little more free, to baselines and to its own history', () => {
    const machine = knownMachine();
    const key = (one: RecordBatch) => [
      keyedBatch(machine, one, 'pibench_memory_rate_bytes_per_second'),
      historyKey(machine, one),
    ];
    expect(key(ofShare(8 * GIB))).toEqual(key(ofShare(9 * GIB)));
    expect(key(ofShare(8 * GIB))).not.toEqual(key(ofShare(8 * GIB, 0.5)));
  });
});
