/** A node of the kind of a baseline that is not as the nodes that made it: a verdict, and never bad usage, so that none of yesterday stands. */
import { describe, expect, it } from 'vitest';
import type { GpuDescription } from '../../src/machine/gpus.js';
import type { MachineDescription } from '../../src/machine/types.js';
import { devicesOfMachine, requireSameKind } from '../../src/qualify/baseline.js';
import { hardwareOf } from '../../src/qualify/baseline-hardware.js';
import type { Baseline } from '../../src/qualify/baseline-schema.js';
import type { Context } from '../../src/qualify/criteria/criterion.js';
import { judgementsOf } from '../../src/qualify/criteria/index.js';
import type { Suite } from '../../src/qualify/suite.js';
import type { SuiteCheck } from '../../src/qualify/suite-file.js';
import { checksOf, judgeAll, outcomeOf } from '../../src/qualify/verdict.js';
import type { RecordBatch } from '../../src/record/schema.js';
import { baselineOf, contextOf, gpu, knownMachine, partsRecord, RATE, SECOND, survey } from './support.js';

const check = { check: 'floor', medianAtLeast: 0.95 } as const satisfies SuiteCheck;
const record = partsRecord([{ part: 'gemm', launches: [SECOND] }]);
const [batch] = record.batches as [RecordBatch];
const gpus = (...more: readonly Partial<GpuDescription>[]): MachineDescription => ({
  ...knownMachine(),
  gpus: survey(
    ...more.map((one, ordinal) =>
      gpu({ ordinal, pciDevice: '10de:2335', pciSubsystem: '10de:18bf', ...one }),
    ),
  ),
});
const ALL = Array.from({ length: 8 }, () => ({}));

/** Of nodes as this machine is. */
function baselineAs(machine: MachineDescription): Baseline {
  const made = baselineOf(batch, RATE);
  const devices = devicesOfMachine(machine).map(({ hardware: _, ...device }) => device);
  return {
    ...made,
    hardware: hardwareOf(machine),
    entries: made.entries.flatMap((entry) => devices.map((device) => ({ ...entry, device }))),
  };
}

const held = (baseline: Baseline, machine: MachineDescription, more: Partial<Context> = {}): Context =>
  contextOf(record, { baseline, machine, ...more });
/** What is said of the node itself, and not of a batch. */
const ofNode = (context: Context) => judgementsOf(check, context).filter((one) => one.batch === null);
const refuse = (baseline: Baseline, machine: MachineDescription) => () => {
  requireSameKind(baseline, devicesOfMachine(machine), 'fleet.json');
};

const here = knownMachine();
const withCpus = (cpu: Partial<MachineDescription['cpu']>): MachineDescription => ({
  ...here,
  cpu: { ...here.cpu, modelName: 'AMD EPYC', sockets: 1, ...cpu },
});

describe('a node with fewer CPUs than those of the baseline', () => {
  const there = withCpus({ threads: 3, cores: 3 });
  const own = withCpus({ threads: 2, cores: 2 });

  it('is no bad usage, and an open question that names what differs', () => {
    expect(refuse(baselineAs(there), own)).not.toThrow();
    const context = held(baselineAs(there), own);
    expect(ofNode(context)).toMatchObject([
      { id: 'floor@cpu', verdict: 'inconclusive', cause: { name: 'missing-device' } },
    ]);
    expect(ofNode(context)[0]?.reason).toMatch(
      /^cpus 2, limit = 3 \(t1 of baseline fleet\); cores 2, limit = 3 \(t1 of baseline fleet\); something of this node is gone or is set otherwise, .*\(pi-bench fleet baseline\)$/,
    );
    expect(outcomeOf(checksOf([judgeAll({ checks: [check] } as unknown as Suite, context)]))).toBe(
      'inconclusive',
    );
  });

  it('is told it once, and not in each attempt', () => {
    expect(ofNode(held(baselineAs(there), own, { reference: record }))).toEqual([]);
  });

  it('is said nothing of where it is as they are, or they do not tell', () => {
    expect(ofNode(held(baselineAs(own), own))).toEqual([]);
    const { hardware: _, ...older } = baselineAs(withCpus({ threads: 2, cores: 4 }));
    expect(ofNode(held(older, own))).toEqual([]);
  });

  it.each([
    ['of another name', withCpus({ modelName: 'Another CPU' })],
    ['of another family', withCpus({ family: 25, model: 1, stepping: 1, vendor: 'AuthenticAMD' })],
  ])('is of another kind where its CPU is %s: that is refused', (_, other) => {
    const known = withCpus({ family: 26, model: 2, stepping: 1, vendor: 'AuthenticAMD' });
    expect(refuse(baselineAs(other), known)).toThrow(/^fleet\.json is a baseline of other hardware: /);
  });
});

it('a node with more than those of the baseline lacks no device: it is set otherwise', () => {
  const off = withCpus({ threads: 2, cores: 2 });
  const on = withCpus({ threads: 4, cores: 2 });
  const [judgement] = ofNode(held(baselineAs(off), on));
  expect(judgement).toMatchObject({
    verdict: 'inconclusive',
    cause: { name: 'other-setting', severity: 'config' },
  });
  expect(judgement?.reason).toMatch(/^cpus 4, limit = 2 /);
  expect(judgement?.reason).not.toContain('gone');
});

describe('a node with a GPU of another power limit', () => {
  const baseline = baselineAs(gpus(...ALL));
  const outcome = (machine: MachineDescription) => {
    const checks: readonly SuiteCheck[] = [{ check: 'power-limit' }, check];
    return checksOf([judgeAll({ checks } as unknown as Suite, held(baseline, machine))]);
  };

  it('is judged, and falls by its power limit', () => {
    const machine = gpus({ powerLimitWatts: 500 }, ...ALL.slice(1));
    expect(refuse(baseline, machine)).not.toThrow();
    expect(outcomeOf(outcome(machine))).toBe('not-qualified');
    expect(outcome(machine).find(({ verdict }) => verdict === 'fail')).toMatchObject({
      id: 'power-limit@cuda:0',
      cause: 'power-limit',
    });
    expect(ofNode(held(baseline, machine))).toMatchObject([
      {
        id: 'floor@cuda:0',
        verdict: 'inconclusive',
        cause: { name: 'power-limit' },
        reason:
          'power limit 500 W, limit = 700 W (t1 of baseline fleet); set it (nvidia-smi -pl 700), or make a baseline of nodes with theirs (pi-bench fleet baseline)',
      },
    ]);
  });

  it('is no other node where NVML is silent about one of them, or about all', () => {
    const silent = { nvmlProblem: 'GPU is lost', powerLimitWatts: null, pciDevice: null, pciSubsystem: null };
    for (const machine of [gpus(silent, ...ALL.slice(1)), gpus(...ALL.map(() => silent))]) {
      expect(refuse(baseline, machine)).not.toThrow();
      expect(ofNode(held(baseline, machine))[0]).toMatchObject({
        id: 'floor@cuda:0',
        verdict: 'inconclusive',
        cause: { name: 'driver-fault' },
      });
    }
  });

  it('is of another kind where none of its GPUs has their name', () => {
    const other = gpus(...ALL.map(() => ({ name: 'NVIDIA H100 80GB HBM3' })));
    expect(refuse(baseline, other)).toThrow(
      /^fleet\.json is a baseline of other hardware: it is of NVIDIA H200/,
    );
  });
});
