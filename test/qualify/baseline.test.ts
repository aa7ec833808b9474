import { describe, expect, it } from 'vitest';
import type { GpuDescription } from '../../src/machine/gpus.js';
import {
  devicesOfMachine,
  entryProblem,
  parseBaseline,
  requireSameHardware,
} from '../../src/qualify/baseline.js';
import { baselineDevice, keyedBatch } from '../../src/qualify/baseline-key.js';
import { referencesOf } from '../../src/qualify/baseline-references.js';
import type { BaselineDevice, BaselineEntry } from '../../src/qualify/baseline-schema.js';
import { machineOf } from '../support/machine.js';
import { baselineEntry, emptyBaseline, gpu, knownMachine, partsRecord, survey } from './support.js';

const machine = machineOf();
const entry = (more: Partial<BaselineEntry> = {}): BaselineEntry =>
  baselineEntry(baselineDevice(machine, 'cpu'), more);
const text = (more: Partial<BaselineEntry> = {}, head: object = {}): string =>
  JSON.stringify({ ...emptyBaseline(), entries: [entry(more)], ...head });

describe('a baseline', () => {
  it('is read back as it was written', () => {
    expect(parseBaseline(text(), 'fleet.json').entries).toEqual([entry()]);
  });

  it.each([
    ['{', /fleet\.json is not JSON/],
    ['{}', /fleet\.json is no baseline: --baseline takes what pi-bench fleet baseline wrote/],
    [text({}, { schemaVersion: 9 }), /has version 9; this pi-bench reads up to 1: use a newer pi-bench/],
    [text({}, { entries: [] }), /fleet\.json: entries/],
    [
      text({ median: 233e9 }),
      /entries\.0 .* is refused: 233\.0 GFLOP\/s is 233\.0 % of the peak of 100\.0 GFLOP\/s/,
    ],
    [text({ median: 10e9 }), /10\.0 % of the peak/],
    [text({ spread: { mad: -1, low: 1, high: 2 } }), /is refused: its spread is -1/],
    [
      text({ distribution: { probabilities: [0.5], seconds: [] } }),
      /is refused: its distribution has 1 probabilities and 0 times/,
    ],
    [
      text({ distribution: { probabilities: [0.1, 0.5], seconds: [2, 1] } }),
      /its distribution is not ascending times above 0/,
    ],
    [text({ p05: 0 }), /entries\.0 .* is refused: its p05 is 0/],
    [text({ p05: -1 }), /its p05 is -1/],
    [text({ p05: 100e9 }), /its p05 is 100000000000, and its median 90000000000/],
    [
      text({}, { entries: [entry(), entry({ median: 50e9, p05: null })] }),
      /entries\.0 and entries\.1 are of the same case/,
    ],
  ])('%.60s is refused with one line', (json, says) => {
    expect(() => parseBaseline(json, 'fleet.json')).toThrow(says);
  });

  it('of other hardware is refused, and both are named', () => {
    const other = { ...baselineDevice(machine, 'cpu'), name: 'AMD EPYC 7B13', cpus: 64 };
    const baseline = parseBaseline(text({ device: other }), 'fleet.json');
    const here = devicesOfMachine(machine);
    expect(() => requireSameHardware(baseline, here, 'fleet.json', 'here is')).toThrow(
      /baseline of other hardware: it is of AMD EPYC 7B13 \(64 CPUs\), and here is not known \(2 CPUs\)/,
    );
    expect(() =>
      requireSameHardware(parseBaseline(text(), 'fleet.json'), here, 'fleet.json', 'here is'),
    ).not.toThrow();
  });

  it('of another CPU with the same name is refused by the first fact that differs', () => {
    const judge =
      (hardware: Record<string, string | number | boolean> | undefined, across: readonly string[] = []) =>
      () => {
        const baseline = parseBaseline(text({}, { hardware }), 'fleet.json');
        const here = { ...baselineDevice(machine, 'cpu'), hardware: { ...own } };
        requireSameHardware(baseline, [here], 'fleet.json', 'here is', across);
      };
    const own = { architecture: 'x64', cpu_family_model_stepping: '26-2-1', sockets: 2 };
    expect(judge(own)).not.toThrow();
    expect(judge({ ...own, cpu_family_model_stepping: '25-1-1', sockets: 1 })).toThrow(
      /^fleet\.json is a baseline of other hardware: cpu_family_model_stepping is 25-1-1 there and 26-2-1 here; make one/,
    );
    expect(judge({ ...own, sockets: 1 })).toThrow(/: sockets is 1 there and 2 here;/);
    expect(judge({ ...own, sockets: 1 }, ['sockets'])).not.toThrow();
    // What one of them does not know cannot differ.
    expect(judge({ architecture: 'x64', cores: 4 })).not.toThrow();
    expect(judge(undefined)).not.toThrow();
  });

  it('of GPUs alone holds beside any CPU', () => {
    const gpu = { ...baselineDevice(machine, 'cpu'), kind: 'gpu' as const, name: 'H200', cpus: null };
    const baseline = parseBaseline(text({ device: gpu }, { hardware: { sockets: 1 } }), 'fleet.json');
    const here = [{ ...baselineDevice(machine, 'cpu'), hardware: { sockets: 2 } }, gpu];
    expect(() => requireSameHardware(baseline, here, 'fleet.json', 'here is')).not.toThrow();
  });

  it('is held to what the machine tells of its hardware', () => {
    const [cpu] = devicesOfMachine(knownMachine());
    expect(cpu?.hardware).toMatchObject({ architecture: expect.any(String), cores: expect.any(Number) });
  });

  it('of another power limit is refused by that alone, with what to do', () => {
    const gpu = (powerLimitWatts: number | null): BaselineDevice => ({
      kind: 'gpu',
      name: 'H200',
      cpus: null,
      pciDevice: '10de:2335',
      pciSubsystem: null,
      powerLimitWatts,
    });
    const baseline = parseBaseline(text({ device: gpu(700) }), 'fleet.json');
    const judge = (limit: number | null) => () =>
      requireSameHardware(baseline, [baselineDevice(machine, 'cpu'), gpu(limit)], 'fleet.json', 'here is');
    expect(judge(700)).not.toThrow();
    expect(judge(500)).toThrow(
      /^fleet\.json is a baseline of H200 with a power limit of 700 W, and here is H200 with a power limit of 500 W: set it \(nvidia-smi -pl 700\), or make a baseline/,
    );
    expect(judge(null)).toThrow(/and here is H200 with an unknown power limit/);
  });

  it('has the power limit that is in force, which need not be the one that is set', () => {
    const limitOf = (more: Partial<GpuDescription>) =>
      baselineDevice({ ...machine, gpus: survey(gpu(more)) }, 'cuda:0').powerLimitWatts;
    expect(limitOf({ enforcedPowerLimitWatts: 450 })).toBe(450);
    expect(limitOf({ enforcedPowerLimitWatts: null })).toBe(700);
    expect(limitOf({})).toBe(700);
  });

  it('is held against each kind of device by itself: the same CPU answers for no GPU', () => {
    const gpu = (powerLimitWatts: number, name = 'H200'): BaselineDevice => ({
      kind: 'gpu',
      name,
      cpus: null,
      pciDevice: '10de:2335',
      pciSubsystem: null,
      powerLimitWatts,
    });
    const cpu = baselineDevice(machine, 'cpu');
    const both = parseBaseline(text({}, { entries: [entry(), entry({ device: gpu(700) })] }), 'fleet.json');
    const judge =
      (...here: BaselineDevice[]) =>
      () => {
        requireSameHardware(both, here, 'fleet.json', 'here is');
      };
    expect(judge(cpu, gpu(700))).not.toThrow();
    expect(judge(cpu, gpu(500))).toThrow(
      /^fleet\.json is a baseline of H200 with a power limit of 700 W, and here is H200 with a power limit of 500 W: set it/,
    );
    expect(judge(cpu, gpu(700), gpu(500))).toThrow(/and here is H200 with a power limit of 500 W/);
    expect(judge(cpu, gpu(700, 'H100'))).toThrow(
      /^fleet\.json is a baseline of other hardware: it is of H200 \(power limit 700 W\), and here is H100 \(power limit 700 W\);/,
    );
    // A GPU that is gone is missing, and not other hardware.
    expect(judge(cpu)).not.toThrow();
    expect(judge(gpu(700))).not.toThrow();
  });
});

describe('what a record keeps of the baseline that it was held to', () => {
  const record = partsRecord([{ part: 'gemm', launches: [0.001, 0.0011] }]);
  const [batch] = record.batches;
  if (batch === undefined) throw new Error('no batch');
  const own = knownMachine();
  const distribution = { probabilities: [0.01, 0.5, 1], seconds: [1, 2, 3] };
  const baseline = (more: Partial<BaselineEntry> = {}) =>
    parseBaseline(
      text({
        ...keyedBatch(own, batch, 'pibench_matmul_rate_flops_per_second'),
        distribution,
        ...more,
      }),
      'fleet.json',
    );

  it('are the entries that judge its batches, with what a picture of them takes', () => {
    expect(referencesOf(baseline(), own, record)).toEqual([
      { batch: 0, nodes: 5, median: 90e9, p05: 80e9, low: 80e9, high: 100e9, distribution },
    ]);
  });

  it('are none of another case, or in another unit', () => {
    expect(referencesOf(baseline({ parameters: { m: 1 } }), own, record)).toEqual([]);
    expect(referencesOf(baseline({ unit: 'OP/s' }), own, record)).toEqual([]);
  });
});

describe('an entry', () => {
  it('may pass a measured peak by what peaks scatter, and never one of a datasheet', () => {
    const at = (share: number, measured: boolean) =>
      entryProblem(
        entry({ median: share * 100e9, p05: null, peak: { value: 100e9, source: 'x', measured } }),
      );
    expect(at(1.01, true)).toBeNull();
    expect(at(1.01, false)).not.toBeNull();
    expect(at(1.05, true)).not.toBeNull();
    expect(at(0.2, false)).toBeNull();
  });
});
