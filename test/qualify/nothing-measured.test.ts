/** What must never happen: a check that passes although what it is about was not measured, or could not be seen. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { GpuDescription } from '../../src/machine/gpus.js';
import type { MachineDescription } from '../../src/machine/types.js';
import type { Baseline } from '../../src/qualify/baseline-schema.js';
import type { Context } from '../../src/qualify/criteria/criterion.js';
import { judgementsOf } from '../../src/qualify/criteria/index.js';
import { atLeast, atMost } from '../../src/qualify/findings.js';
import { historyRun } from '../../src/qualify/history.js';
import { historyKey } from '../../src/qualify/rates.js';
import type { Suite } from '../../src/qualify/suite.js';
import { CHECKS, type SuiteCheck } from '../../src/qualify/suite-file.js';
import { checksOf, decide, type JudgedCheck, judgeAll, outcomeOf } from '../../src/qualify/verdict.js';
import { versionNotices } from '../../src/qualify/versions.js';
import type { PiBenchRecord, RecordBatch, Verdict } from '../../src/record/schema.js';
import { ceilingsOf } from '../support/batch.js';
import { machineOf } from '../support/machine.js';
import { baselineOf, contextOf, gpu, judgement, knownMachine, partsRecord, survey } from './support.js';

const SECOND = 0.001;
const RATE = 2e6 / SECOND;
const SAMPLES = Array.from({ length: 40 }, (_, i) => SECOND * (1 + 0.001 * (i % 3)));

const MEASURED: readonly SuiteCheck[] = [
  { check: 'correctness' },
  { check: 'complete' },
  { check: 'efficiency', atLeast: 0 },
  { check: 'sustained', atLeast: 0, throttledAtMost: 1 },
  {
    check: 'stability',
    cvAtMost: 9,
    p05AtLeast: 0,
    driftAtMost: 9,
    spreadAtMost: 9,
    disturbedAtMost: 1,
    modesAtMost: 9,
  },
  { check: 'floor', medianAtLeast: 0.01, p05AtLeast: 0.01 },
  { check: 'peers', within: 1 },
  { check: 'together', atLeast: 0 },
  { check: 'history', within: 1 },
  { check: 'clock', atMost: 1 },
  { check: 'counters', correctedAtMost: 9 },
];

const lost = (batch: RecordBatch): RecordBatch => ({
  ...batch,
  measured: 0,
  verified: 'not-run',
  rate: null,
  elapsed: null,
  pooled: null,
  launches: null,
  roofline: null,
  inspections: batch.inspections.map((launch) => ({
    ...launch,
    status: 'crashed' as const,
    reason: 'it went away',
    file: null,
    statistics: null,
    rate: null,
    verification: null,
  })),
});

const good = (device = 'cpu') =>
  partsRecord(
    [0, 1, 2].map(() => ({
      part: 'gemm',
      launches: [{ seconds: SECOND, samples: SAMPLES, ceilings: ceilingsOf(RATE * 1.2, null) }],
      but: (batch) => ({ ...batch, device }),
    })),
  );

const outcome = (check: SuiteCheck, context: Context): string => {
  const judged: readonly JudgedCheck[] = judgementsOf(check, context).map((one) => ({
    check,
    judgement: one,
  }));
  return outcomeOf(checksOf([judged]));
};

it('every criterion about what was measured is tried here', () => {
  const machine = [
    'counts',
    'identity',
    'driver',
    'link',
    'ecc',
    'remapped-rows',
    'power-limit',
    'mig',
    'governor',
    'quota',
    'numa',
    'swap',
    'load',
  ];
  expect([...machine, ...MEASURED.map(({ check }) => check)].sort()).toEqual([...CHECKS].sort());
});

describe.each(['cpu', 'cuda:0'])('on %s', (device) => {
  it.each(
    MEASURED.map((check) => [check.check, check] as const),
  )('%s neither passes nor qualifies where every launch was lost', (_, check) => {
    const record = good(device);
    const [batch] = record.batches as [RecordBatch];
    const context = contextOf(
      { ...record, batches: record.batches.map(lost) },
      {
        baseline: baselineOf(batch, RATE),
        history: [1, 2, 3].map((i) => ({
          campaign: String(i),
          at: '',
          version: '0.0.0',
          rates: new Map([[historyKey(knownMachine(), batch) ?? '', RATE]]),
        })),
      },
    );
    const verdicts = judgementsOf(check, context).map(({ verdict }) => verdict);
    expect(verdicts.length).toBeGreaterThan(0);
    for (const verdict of verdicts) expect(['pass', 'warn']).not.toContain(verdict);
    expect(outcome(check, context)).not.toBe('qualified');
  });

  it.each(
    MEASURED.map((check) => [check.check, check] as const),
  )('%s neither passes nor qualifies where there is no record at all', (_, check) => {
    expect(outcome(check, contextOf(null))).not.toBe('qualified');
  });
});

describe('a figure', () => {
  it('holds only where it and its limit are numbers', () => {
    const any = fc.oneof(fc.double(), fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, null));
    const limit = fc.oneof(fc.double(), fc.constantFrom(Number.NaN, Number.NEGATIVE_INFINITY));
    fc.assert(
      fc.property(any, limit, (measured, bound) => {
        const known = measured !== null && Number.isFinite(measured) && Number.isFinite(bound);
        const looked = { quantity: 'x', measured, source: 'test' };
        const [low, high] = [atLeast(looked, bound), atMost(looked, bound)];
        expect(low.verdict === 'pass').toBe(known && measured >= bound);
        expect(high.verdict === 'pass').toBe(known && measured <= bound);
        if (!known) expect([low.verdict, high.verdict]).toEqual(['inconclusive', 'inconclusive']);
        // A document has no place for what is no finite number.
        for (const value of [low.measured, low.limit])
          expect(value === null || Number.isFinite(value)).toBe(true);
      }),
    );
  });
});

const one = (but: (batch: RecordBatch) => RecordBatch, samples: readonly number[] = SAMPLES) =>
  contextOf(
    partsRecord([
      {
        part: 'gemm',
        launches: [{ seconds: SECOND, samples, ceilings: ceilingsOf(RATE * 1.2, null) }],
        but,
      },
    ]),
  );
const same = (batch: RecordBatch): RecordBatch => batch;
const seen = (batch: RecordBatch, launch: Partial<RecordBatch['inspections'][number]>): RecordBatch => ({
  ...batch,
  inspections: batch.inspections.map((own) => ({ ...own, ...launch })),
});

describe('what a check is about and could not be had', () => {
  it('is no output that was compared in no element', () => {
    const nothing = one((batch) =>
      seen(batch, {
        verification: {
          passed: true,
          method: 'none',
          tolerance: 'exact',
          worstError: 0,
          checked: 0,
          wrong: 0,
          firstWrong: '',
        },
      }),
    );
    expect(judgement({ check: 'correctness' }, nothing).verdict).toBe('inconclusive');
  });

  it('is a peak that was lost, or that a rate passes', () => {
    const check = { check: 'efficiency', atLeast: 0.6 } as const;
    expect(judgement(check, one(same)).verdict).toBe('pass');
    const without = judgement(
      check,
      one((batch) => ({ ...batch, roofline: null })),
    );
    expect(without).toMatchObject({ verdict: 'inconclusive', possible: true });
    const beyond = one((batch) =>
      batch.roofline == null ? batch : { ...batch, roofline: { ...batch.roofline, efficiency: 1.4 } },
    );
    expect(judgement(check, beyond)).toMatchObject({ verdict: 'inconclusive', possible: true });
  });

  it('is a rate over the wall clock', () => {
    const check = { check: 'sustained', atLeast: 0.5, throttledAtMost: 0.1 } as const;
    const unknown = one((batch) => ({
      ...batch,
      rate: batch.rate === null ? null : { ...batch.rate, sustained: null },
    }));
    const machine = machineOf({ cgroup: { version: 2, path: '/', visible: true } });
    expect(judgement(check, { ...unknown, machine }).verdict).toBe('inconclusive');
  });

  it('is a quota of which a launch could not read the counters, whatever else could not be', () => {
    const check = { check: 'sustained', atLeast: 0.5, throttledAtMost: 0.1 } as const;
    const machine = machineOf({ cgroup: { version: 2, path: '/', visible: true } });
    const whys = [
      'CPU quota: the counters are not visible',
      'thermal limit: the processor does not count it',
    ];
    const blind = one((batch) =>
      seen(batch, { notChecked: whys.map((why) => ({ flag: 'throttled', why })) }),
    );
    const { findings } = judgement(check, { ...blind, machine });
    expect(findings.find(({ quantity }) => quantity === 'throttled_periods')?.verdict).toBe('skipped');
  });

  it.each([
    ['spreadAtMost', { check: 'stability', p05AtLeast: 0, spreadAtMost: 9 }, same],
    ['driftAtMost', { check: 'stability', p05AtLeast: 0, driftAtMost: 9 }, same],
    [
      'modesAtMost',
      { check: 'stability', p05AtLeast: 0, modesAtMost: 9 },
      (batch: RecordBatch) => seen(batch, { notChecked: [{ flag: 'multimodal', why: 'too few' }] }),
    ],
    [
      'p05AtLeast',
      { check: 'stability', modesAtMost: 9, p05AtLeast: 0 },
      (batch: RecordBatch) => ({
        ...batch,
        rate: batch.rate === null ? null : { ...batch.rate, p05: null },
      }),
    ],
  ] as const)('is what %s limits: one limit that holds does not answer for another', (_, check, but) => {
    expect(judgement(check, one(but)).verdict).toBe('inconclusive');
  });
});

describe('a baseline that somebody gave', () => {
  const check = { check: 'floor', medianAtLeast: 0.95, p05AtLeast: 0.9 } as const;
  const context = one(same);
  const [batch] = context.record?.batches as [RecordBatch];
  const held = (baseline: Baseline, more: Partial<Context> = {}) => ({ ...context, baseline, ...more });
  const qualified = (baseline: Baseline, more: Partial<Context> = {}) => outcome(check, held(baseline, more));

  it('is held where it has the case', () => {
    expect(qualified(baselineOf(batch, RATE))).toBe('qualified');
  });
  it.each([
    ['another case', { parameters: { m: 7 } }],
    ['another stack', { stack: { provider: 'mkl', variant: null } }],
    [
      'another power limit',
      { device: { ...baselineOf(batch, RATE).entries[0]?.device, powerLimitWatts: 500 } },
    ],
    ['another unit', { unit: 'B/s' }],
    ['no p05', { p05: null }],
  ])('qualifies nothing where its entry is of %s', (_, more) => {
    expect(qualified(baselineOf(batch, RATE, more as never))).toBe('inconclusive');
  });
  it('qualifies nothing where one of two cases is not in it', () => {
    const record = partsRecord([
      { part: 'gemm', launches: [SECOND] },
      { part: 'other', launches: [SECOND] },
    ]);
    const [first] = record.batches as [RecordBatch];
    expect(outcome(check, contextOf(record, { baseline: baselineOf(first, RATE) }))).toBe('inconclusive');
  });
  it('qualifies no node that lost some of its GPUs, without measuring again; who says how many have to be here is held to that', () => {
    const [entry] = baselineOf(batch, RATE).entries;
    if (entry === undefined) throw new Error('an entry');
    const ofGpu = { ...entry, device: { ...entry.device, kind: 'gpu' as const, name: 'NVIDIA H200' } };
    const counted = { ...baselineOf(batch, RATE), entries: [entry, ofGpu], gpusPerNode: 8 };
    const withGpus = (count: number, more: Partial<Context> = {}) => {
      const gpus = survey(...Array.from({ length: count }, (_, ordinal) => gpu({ ordinal })));
      return held(counted, { machine: { ...knownMachine(), gpus }, ...more });
    };
    const checks = (own: Context) => checksOf([judgeAll({ checks: [check] } as unknown as Suite, own)]);
    expect(outcomeOf(checks(withGpus(8)))).toBe('qualified');
    expect(outcomeOf(checks(withGpus(7)))).toBe('inconclusive');
    expect(outcomeOf(checks(withGpus(7, { expected: { gpu: 7 } })))).toBe('qualified');
    expect(checks(withGpus(7)).find(({ id }) => id === 'floor@cuda')).toMatchObject({
      verdict: 'inconclusive',
      cause: 'missing-device',
      reason: expect.stringMatching(/^gpus 7, limit ≥ 8 \(t1 of baseline fleet\): those that are not here/),
    });
    const older = { ...counted, gpusPerNode: undefined };
    const notices = (expected: Context['expected'], baseline: Baseline) =>
      versionNotices('0.1.0', { baseline, history: [], expected }).filter((text) => /GPUs/.test(text));
    expect(notices({}, older as never)).toEqual([
      'floor: whether some of this node’s GPUs are missing: baseline fleet does not say how many a node has (make it anew, or give --expect gpu=N)',
    ]);
    expect(notices({ gpu: 8 }, older as never)).toEqual([]);
    expect(notices({}, counted)).toEqual([]);
  });
  it('qualifies no node whose GPUs are gone', () => {
    const [entry] = baselineOf(batch, RATE).entries;
    if (entry === undefined) throw new Error('an entry');
    const ofGpu = { ...entry, device: { ...entry.device, kind: 'gpu' as const, name: 'NVIDIA H200' } };
    const both = { ...baselineOf(batch, RATE), entries: [entry, ofGpu] };
    expect(qualified(both)).toBe('inconclusive');
    const reasons = judgementsOf(check, held(both)).map(({ reason }) => reason);
    expect(reasons.join()).toMatch(/of nodes with NVIDIA H200, and no GPU is here/);
  });
});

describe('others that do not agree among themselves', () => {
  const record = (rates: readonly number[]) => {
    const made = partsRecord(rates.map((rate) => ({ part: 'gemm', launches: [2e6 / rate] })));
    const [first] = made.batches as [RecordBatch];
    const batches = made.batches.map((own, i) => ({ ...own, case: first.case, device: `cuda:${i}` }));
    return contextOf({ ...made, batches });
  };
  it('let no device pass, however slow it is', () => {
    const verdicts = judgementsOf({ check: 'peers', within: 0.03 }, record([RATE, 0.7 * RATE, 0.4 * RATE]));
    expect(verdicts.map(({ verdict }) => verdict)).not.toContain('pass');
  });
  it('are no history', () => {
    const context = one(same);
    const key = historyKey(knownMachine(), context.record?.batches[0] as RecordBatch) ?? '';
    const history = [RATE, 3 * RATE, 9 * RATE, 2 * RATE].map((rate, i) => ({
      campaign: String(i),
      at: '',
      version: '0.0.0',
      rates: new Map([[key, rate]]),
    }));
    expect(judgement({ check: 'history', within: 0.1 }, { ...context, history })).toMatchObject({
      verdict: 'skipped',
      possible: false,
    });
  });
  it('nor are peers or earlier runs of which no launch ran to its end', () => {
    const cut = (batch: RecordBatch): RecordBatch => ({ ...batch, measured: 0 });
    const four = record([0.5 * RATE, RATE, RATE, RATE]);
    const beside = (but: (batch: RecordBatch) => RecordBatch) => {
      const { batches } = four.record as PiBenchRecord;
      const held = {
        ...(four.record as PiBenchRecord),
        batches: batches.map((one, i) => (i > 0 ? but(one) : one)),
      };
      return judgementsOf({ check: 'peers', within: 0.03 }, contextOf(held))[0]?.verdict;
    };
    expect([beside(same), beside(cut)]).toEqual(['fail', 'skipped']);
    const earlier = (but: (batch: RecordBatch) => RecordBatch) =>
      historyRun({
        ...partsRecord([{ part: 'gemm', launches: [SECOND], but }]),
        machine: knownMachine() as never,
        qualification: { outcome: 'qualified' } as never,
      })?.rates.size;
    expect([earlier(same), earlier(cut)]).toEqual([1, 0]);
  });
  it('nor are runs of a machine that has the same id and another CPU', () => {
    const [batch] = one(same).record?.batches as [RecordBatch];
    const known = knownMachine();
    const keyOn = (modelName: string, device = 'cpu') =>
      historyKey({ ...known, cpu: { ...known.cpu, modelName } }, { ...batch, device });
    expect(keyOn('Zen 4')).not.toBe(keyOn('Zen 5'));
  });
  it('nor are those of other containers with the same image: they go by the boot of the host', () => {
    const [batch] = one(same).record?.batches as [RecordBatch];
    const contained = (bootIdHash: string | null): MachineDescription => {
      const { os, virtualisation, ...rest } = knownMachine();
      return {
        ...rest,
        os: { ...os, bootIdHash },
        virtualisation: { ...virtualisation, container: 'kubernetes' },
      };
    };
    const key = (boot: string | null) => historyKey(contained(boot), batch);
    expect(key('boot-a')).toBe(key('boot-a'));
    expect(key('boot-a')).not.toBe(key('boot-b'));
    expect(key(null)).toBeNull();
    const context = one(same);
    const said = (machine: MachineDescription) =>
      judgement({ check: 'history', within: 0.1 }, { ...context, machine });
    expect(said(contained(null))).toMatchObject({
      verdict: 'skipped',
      reason:
        '0 earlier qualified runs, as nobody knows the boot of the host (in a container no id is the machine’s own), measured it, and it takes 3',
    });
    const id = (boot: string | null) =>
      judgement({ check: 'identity' }, contextOf(null, { machine: contained(boot) }));
    expect(id('boot-a').findings[1]?.note).toMatch(/goes by the boot of the host/);
    expect(id(null).findings[1]?.note).toMatch(/its CPUs have no history$/);
    // No id that somebody could give would be a reason for another one.
    expect(id(null)).toMatchObject({ verdict: 'pass', cause: null });
  });
  it('nor is what was measured for another purpose, or beside others', () => {
    const context = one(same);
    const [batch] = context.record?.batches as [RecordBatch];
    const key = historyKey(knownMachine(), batch);
    const other = { ...batch, asked: { ...batch.asked, labels: { part: 'soak' } } };
    expect(historyKey(knownMachine(), other)).not.toBe(key);
    expect(historyKey(knownMachine(), { ...batch, asked: { ...batch.asked, atOnce: true } })).not.toBe(key);
    expect(historyKey(machineOf(), { ...batch, device: 'cuda:0' })).toBeNull();
  });
});

describe('attempts that could not be judged', () => {
  it('never turn a failure into a pass', () => {
    expect(decide('efficiency', ['fail', 'skipped', 'skipped'])).toBe('inconclusive');
    const verdict = fc.constantFrom<Verdict>('fail', 'inconclusive', 'skipped');
    fc.assert(
      fc.property(fc.array(verdict, { minLength: 1, maxLength: 3 }), (verdicts) => {
        expect(['pass', 'warn']).not.toContain(decide('efficiency', verdicts));
      }),
    );
  });

  it('stay required, whatever kept the last of them from being judged', () => {
    const check = { check: 'efficiency', atLeast: 0.9 } as const;
    const context = one(same);
    const slow = judgeAll({ checks: [check] } as never, context);
    const without = contextOf(context.record, {});
    const skipped = judgementsOf({ check: 'floor', medianAtLeast: 0.9 }, without).map((judgement) => ({
      check,
      judgement: { ...judgement, id: slow[0]?.judgement.id ?? '', possible: false },
    }));
    const checks = checksOf([slow, skipped, skipped]);
    expect(checks[0]).toMatchObject({ required: true, verdict: 'inconclusive' });
  });
});

describe('a machine that does not tell', () => {
  const gpu = (uuid: string, ordinal: number) => ({ ordinal, uuid, name: 'GPU' }) as GpuDescription;
  it('has no swap that is unused, and no NUMA node that is whole', () => {
    expect(judgement({ check: 'swap' }, contextOf(null))).toMatchObject({
      verdict: 'skipped',
      possible: false,
    });
    const bare = machineOf();
    const node = (total: number | null) => ({ node: 0, cpus: '0-1', total }) as never;
    const machine = { ...bare, memory: { ...bare.memory, numaNodes: [node(8), node(null)] } };
    expect(judgement({ check: 'numa' }, contextOf(null, { machine })).verdict).toBe('inconclusive');
  });
  it('warns where a set of CPUs hides the others of the node', () => {
    const machine = machineOf({ allowedCpus: '0-1', onlineCpus: '0-63' });
    expect(judgement({ check: 'quota' }, contextOf(null, { machine }))).toMatchObject({
      verdict: 'warn',
      cause: { name: 'cpu-set' },
    });
  });
  it('cannot tell GPUs apart that call themselves alike, or not at all', () => {
    const verdictOf = (...uuids: readonly string[]) => {
      const gpus = { problem: null, cuda: null, library: null, devices: uuids.map(gpu) } as never;
      return judgement({ check: 'identity' }, contextOf(null, { machine: { ...machineOf(), gpus } })).verdict;
    };
    expect(verdictOf('GPU-1', 'GPU-2')).not.toBe('inconclusive');
    expect(verdictOf('GPU-1', 'GPU-1')).toBe('inconclusive');
    expect(verdictOf('')).toBe('inconclusive');
  });
});

describe('counters of a GPU', () => {
  const during = (notChecked: RecordBatch['inspections'][number]['notChecked']) =>
    one((batch) => ({ ...seen(batch, { notChecked }), device: 'cuda:0' }));
  const verdicts = (flag: string, why: string) =>
    Object.fromEntries(
      judgement({ check: 'counters' }, during([{ flag, why }])).findings.map(({ quantity, verdict }) => [
        quantity,
        verdict,
      ]),
    );
  const NVLINK = ['nvlink_replays', 'nvlink_recoveries', 'nvlink_checksums'];
  const REMAPS = ['new_failed_remaps', 'new_pending_remaps', 'new_rows_uncorrected', 'new_rows_corrected'];
  it.each([
    ['link-degraded', 'NVML does not show the PCIe link of this GPU', ['degraded_links']],
    ['link-degraded', 'NVML does not count repeated transfers over PCIe', ['pcie_replays']],
    ['link-degraded', 'NVML does not count NVLink errors of this GPU', NVLINK],
    ['link-degraded', 'NVML does not tell: no library', ['degraded_links', 'pcie_replays', ...NVLINK]],
    ['device-errors', 'NVML shows no replaced rows of this GPU’s memory', REMAPS],
    ['device-errors', 'NVML shows no memory errors of this GPU', ['uncorrected_errors', 'corrected_errors']],
    ['device-errors', 'nobody could watch the fault reports of this GPU’s driver', ['xids']],
  ])('that %s does not see (%s) are not taken for none', (flag, why, unseen) => {
    const all = verdicts(flag, why);
    for (const [quantity, verdict] of Object.entries(all))
      expect([quantity, verdict]).toEqual([quantity, unseen.includes(quantity) ? 'skipped' : 'pass']);
  });
});
