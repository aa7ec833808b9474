/**
 * A required check that was skipped, or that could not be judged, never qualifies a node: for each kind of check by its real criterion,
 * and for each part of the long suites, of which much is not there on most nodes.
 */
import { describe, expect, it } from 'vitest';
import { requiring, shippedSuite, suiteFrom } from '../../src/cli/qualification/suites.js';
import type { Context, MemoryErrors } from '../../src/qualify/criteria/criterion.js';
import { judgementsOf } from '../../src/qualify/criteria/index.js';
import { qualificationOf } from '../../src/qualify/qualification.js';
import { historyKey } from '../../src/qualify/rates.js';
import type { Suite } from '../../src/qualify/suite.js';
import { CHECKS, type CheckKind, type SuiteCheck } from '../../src/qualify/suite-file.js';
import { checksOf, judgeAll, outcomeOf, undecided } from '../../src/qualify/verdict.js';
import type { PiBenchRecord, RecordBatch } from '../../src/record/schema.js';
import { ceilingsOf } from '../support/batch.js';
import { machineOf } from '../support/machine.js';
import { baselineOf, contextOf, gpu, knownMachine, partsRecord, survey } from './support.js';

const SECOND = 0.001;
const RATE = 2e6 / SECOND;
const SAMPLES = Array.from({ length: 40 }, (_, i) => SECOND * (1 + 0.001 * (i % 3)));

const same = (batch: RecordBatch): RecordBatch => batch;

const rated = (batch: RecordBatch, rate: Partial<NonNullable<RecordBatch['rate']>>): RecordBatch => ({
  ...batch,
  rate: batch.rate === null ? null : { ...batch.rate, ...rate },
});
/** Of launches that did not drift, and did nothing else meanwhile. */
const steady = (batch: RecordBatch): RecordBatch =>
  rated(
    {
      ...batch,
      inspections: batch.inspections.map((launch) => ({
        ...launch,
        statistics: { n: 100, drift: { overallLow: 0, fade: 0 } },
      })),
    },
    { sustained: batch.rate?.median ?? null },
  );

/** Good batches of these parts. */
const measured = (parts: readonly string[], but: (batch: RecordBatch) => RecordBatch = same): PiBenchRecord =>
  partsRecord(
    parts.map((part) => {
      const launch = { seconds: SECOND, samples: SAMPLES, ceilings: ceilingsOf(RATE * 1.2, null) };
      return { part, launches: [launch, launch], but: (batch) => but(steady(batch)) };
    }),
  );

const one = (but: (batch: RecordBatch) => RecordBatch = same, more: Partial<Context> = {}): Context =>
  contextOf(measured(['gemm'], but), more);
const on = (machine: Partial<ReturnType<typeof machineOf>>): Context =>
  contextOf(null, { machine: { ...machineOf(), ...machine } });

const withoutScore = (batch: RecordBatch): RecordBatch => ({ ...batch, rate: null });
const unseen = (batch: RecordBatch): RecordBatch => ({
  ...batch,
  measured: 0,
  inspections: batch.inspections.map((launch) => ({
    ...launch,
    status: 'crashed' as const,
    file: null,
    verification: null,
  })),
});
const onGpu = (batch: RecordBatch): RecordBatch => ({ ...batch, device: 'cuda:0' });
const beside = (overlap: number | null) => (batch: RecordBatch) => ({
  ...batch,
  atOnce: { of: 2, others: ['cuda:1'], overlap, ofAlone: 0.9 },
});

/** The same on several devices. */
const devices = (...rates: readonly number[]): Context => {
  const { batches, ...record } = measured(rates.map(() => 'gemm'));
  const [first] = batches as [RecordBatch];
  const alike = rates.map((rate, i) => rated({ ...first, device: `cuda:${i}` }, { median: rate }));
  return contextOf({ ...record, batches: alike });
};

const [good] = measured(['gemm']).batches as [RecordBatch];
const earlier = [1, 2, 3].map((i) => ({
  campaign: String(i),
  at: '',
  version: '0.0.0',
  rates: new Map([[historyKey(knownMachine(), good) ?? '', 2 * RATE]]),
}));
/** Slower than before, while others worked here. */
const disturbed = (batch: RecordBatch): RecordBatch => ({
  ...batch,
  flags: [
    { name: 'foreign-load', reason: 'others used 40 % of the CPUs', evidence: {} },
  ] as unknown as RecordBatch['flags'],
});

const { memory, limits } = machineOf();
const numaNode = (node: number, total: number | null) => ({ node, cpus: '0-1', total }) as never;
const silent = survey(gpu({ nvmlProblem: 'no library', powerLimitWatts: null, ecc: null, mig: null }));
const healthy: MemoryErrors = { corrected: 0, uncorrected: 0 };

type Case = readonly [check: SuiteCheck, context: Context];
interface Open {
  readonly skipped: Case | null;
  readonly inconclusive: Case | null;
}
/** Where a kind cannot come to a verdict at all, there is none. */
const OPEN: { readonly [K in CheckKind]: Open } = {
  counts: {
    skipped: [{ check: 'counts' }, on({})],
    inconclusive: [{ check: 'counts' }, { ...on({}), expected: { numa: 2 } }],
  },
  identity: { skipped: null, inconclusive: [{ check: 'identity' }, on({ gpus: survey(gpu({ uuid: '' })) })] },
  driver: {
    skipped: [{ check: 'driver' }, on({})],
    inconclusive: [{ check: 'driver' }, on({ gpus: silent })],
  },
  link: { skipped: [{ check: 'link' }, on({ gpus: silent })], inconclusive: null },
  ecc: { skipped: [{ check: 'ecc' }, on({ gpus: silent })], inconclusive: null },
  'remapped-rows': { skipped: [{ check: 'remapped-rows' }, on({ gpus: silent })], inconclusive: null },
  'power-limit': { skipped: [{ check: 'power-limit' }, on({ gpus: silent })], inconclusive: null },
  mig: { skipped: [{ check: 'mig' }, on({ gpus: silent })], inconclusive: null },
  governor: { skipped: [{ check: 'governor' }, on({})], inconclusive: null },
  quota: {
    skipped: [
      { check: 'quota' },
      on({ limits: { ...limits, cgroup: { version: 2, path: '/job', visible: false } } }),
    ],
    inconclusive: [
      { check: 'quota' },
      on({
        limits: { ...limits, cpuQuota: 2, allowedCpus: null, onlineCpus: null },
        cpu: { ...machineOf().cpu, threads: null },
      }),
    ],
  },
  numa: {
    skipped: [{ check: 'numa' }, on({})],
    inconclusive: [
      { check: 'numa' },
      on({ memory: { ...memory, numaNodes: [numaNode(0, 8), numaNode(1, null)] } }),
    ],
  },
  swap: { skipped: [{ check: 'swap' }, on({})], inconclusive: null },
  load: {
    skipped: [{ check: 'load' }, contextOf(null, { surroundings: { busy: null, memoryErrors: healthy } })],
    inconclusive: [
      { check: 'load' },
      contextOf(null, { surroundings: { busy: 0.9, memoryErrors: healthy } }),
    ],
  },
  correctness: {
    skipped: [{ check: 'correctness' }, contextOf(null)],
    inconclusive: [{ check: 'correctness' }, one(unseen)],
  },
  complete: {
    skipped: [{ check: 'complete' }, contextOf(null)],
    inconclusive: [{ check: 'complete' }, one(unseen)],
  },
  efficiency: {
    skipped: [{ check: 'efficiency', atLeast: 0 }, one(withoutScore)],
    inconclusive: [{ check: 'efficiency', atLeast: 0 }, one((batch) => ({ ...batch, roofline: null }))],
  },
  sustained: {
    skipped: [{ check: 'sustained', atLeast: 0 }, one(withoutScore)],
    inconclusive: [{ check: 'sustained', atLeast: 0 }, one((batch) => rated(batch, { sustained: null }))],
  },
  stability: {
    skipped: [{ check: 'stability', p05AtLeast: 0 }, one(withoutScore)],
    inconclusive: [{ check: 'stability', p05AtLeast: 0 }, one((batch) => rated(batch, { p05: null }))],
  },
  floor: {
    skipped: [{ check: 'floor', medianAtLeast: 0.9 }, one()],
    inconclusive: [
      { check: 'floor', medianAtLeast: 0.9, p05AtLeast: 0.9 },
      one(same, { baseline: baselineOf(good, RATE, { p05: null }) }),
    ],
  },
  peers: {
    skipped: [{ check: 'peers', within: 0.1 }, one()],
    inconclusive: [{ check: 'peers', within: 0.1 }, devices(RATE, 0.5 * RATE, 0.2 * RATE)],
  },
  together: {
    skipped: [{ check: 'together', atLeast: 0.5 }, one()],
    inconclusive: [{ check: 'together', atLeast: 0.5 }, one(beside(0.3))],
  },
  history: {
    skipped: [{ check: 'history', within: 0.1 }, one()],
    inconclusive: [{ check: 'history', within: 0.1 }, one(disturbed, { history: earlier })],
  },
  clock: {
    skipped: [
      { check: 'clock', atMost: 0 },
      one((batch) => ({
        ...batch,
        inspections: batch.inspections.map((launch) => ({
          ...launch,
          notChecked: [{ flag: 'throttled', why: 'no thermal counters here' }],
        })),
      })),
    ],
    inconclusive: [{ check: 'clock', atMost: 0 }, one(unseen)],
  },
  counters: {
    skipped: [{ check: 'counters' }, one()],
    inconclusive: [{ check: 'counters' }, one((batch) => onGpu(unseen(batch)))],
  },
};

const QUOTA: SuiteCheck = { check: 'quota', required: true };
const asSuite = (...checks: readonly SuiteCheck[]): Suite => ({ checks }) as unknown as Suite;
/** Of a node that is otherwise as it should be. */
const outcome = (check: SuiteCheck, context: Context) =>
  outcomeOf([
    ...checksOf([judgeAll(asSuite(QUOTA), contextOf(null))]),
    ...checksOf([judgeAll(asSuite(check), context)]),
  ]);

/** What the qualification by one suite says that it says nothing about. */
const notJudgedOf = (suite: Suite, context: Context): readonly string[] =>
  qualificationOf({
    suite,
    machine: context.machine,
    expected: {},
    baseline: null,
    startedAt: '',
    endedAt: '',
    wall: 1,
    judged: [judgeAll(suite, context)],
    attempts: [],
    interrupted: false,
    notJudged: [],
  }).notJudged;

const cases = (verdict: keyof Open): readonly (readonly [CheckKind, SuiteCheck, Context])[] =>
  (CHECKS as readonly CheckKind[]).flatMap((kind) => {
    const found = OPEN[kind][verdict];
    return found === null ? [] : [[kind, ...found] as const];
  });

describe('what is not judged for one reason', () => {
  const counters = (parts: readonly string[], unlike?: string) => {
    const but = (batch: RecordBatch): RecordBatch =>
      batch.asked.labels?.part === unlike ? onGpu(batch) : batch;
    return notJudgedOf(asSuite({ check: 'counters' }), contextOf(measured(parts, but)))
      .filter((text) => text.includes('a CPU counts no errors'))
      .join('\n');
  };
  const MANY = ['a', 'b', 'c', 'd', 'e'];

  it('is told once with its parts, or with their number where they are many, and all', () => {
    expect(counters(['a', 'b'])).toMatch(/^counters \(a, b\): a CPU counts no errors[^\n]*$/);
    expect(counters(MANY)).toMatch(/^counters \(all 5 parts\): a CPU counts no errors[^\n]*$/);
    expect(counters(MANY, 'c')).toMatch(/^counters \(a, b, d, e\): a CPU counts no errors[^\n]*$/);
  });
});

describe.each(['skipped', 'inconclusive'] as const)('a check that is %s', (verdict) => {
  it.each(
    cases(verdict),
  )('%s keeps a node from being qualified where it is required', (_, check, context) => {
    const judged = judgeAll(asSuite(check), context).map(({ judgement }) => judgement.verdict);
    expect(judged).toContain(verdict);
    expect(outcome({ ...check, required: true } as SuiteCheck, context)).toBe('inconclusive');
  });
});

it.each(
  cases('inconclusive'),
)('%s that is inconclusive is required by itself, and stands in nobody’s way where it is not', (kind, check, context) => {
  expect(outcome(check, context)).toBe('inconclusive');
  // That an output is right is always required.
  if (kind !== 'correctness')
    expect(outcome({ ...check, required: false } as SuiteCheck, context)).toBe('qualified');
});

describe('a limit that cannot be seen here', () => {
  const unwatched = one(same, { machine: { ...machineOf(), limits: { ...limits, cgroup: null } } });
  const untold = one((batch) => ({ ...batch, disturbedShare: null }));
  const kept = gpu({ pcieWidth: null, nvlinks: { up: 18, all: 18 } });
  const counted = one((batch) =>
    onGpu({
      ...batch,
      inspections: batch.inspections.map((launch) => ({
        ...launch,
        notChecked: [{ flag: 'link-degraded', why: 'NVML does not count NVLink errors of this GPU' }],
      })),
    }),
  );
  const PARTLY: readonly (readonly [quantity: string, check: SuiteCheck, context: Context])[] = [
    ['throttled_periods', { check: 'sustained', atLeast: 0, throttledAtMost: 0.02 }, unwatched],
    ['disturbed', { check: 'stability', p05AtLeast: 0, disturbedAtMost: 0.5 }, untold],
    ['pcie_lanes', { check: 'link' }, on({ gpus: survey(kept) })],
    ['nvlink_replays', { check: 'counters' }, counted],
  ];
  const judgedOf = (check: SuiteCheck, context: Context) => checksOf([judgeAll(asSuite(check), context)]);

  it.each(PARTLY)('%s keeps a check that somebody requires from passing', (quantity, check, context) => {
    const required = { ...check, required: true } as SuiteCheck;
    expect(outcome(required, context)).toBe('inconclusive');
    const [first] = judgedOf(required, context);
    expect(first).toMatchObject({ verdict: 'inconclusive', cause: 'not-seen', severity: 'config' });
    const finding = first?.findings.find((of) => of.quantity === quantity);
    expect(finding?.verdict).toBe('skipped');
    expect(first?.reason).toContain(finding?.note);
    // No other launch would see it.
    expect(undecided([judgeAll(asSuite(required), context)])).toEqual([]);
  });

  it.each(PARTLY)('%s is told where nobody does, and the rest is judged', (quantity, check, context) => {
    expect(outcome(check, context)).toBe('qualified');
    const told = notJudgedOf(asSuite(check), context);
    expect(told.join('\n')).toContain(quantity.replaceAll('_', ' '));
  });

  it('does not hide what fails beside it', () => {
    const check: SuiteCheck = { check: 'sustained', atLeast: 1, throttledAtMost: 0.02, required: true };
    const stopped = one((batch) => rated(batch, { sustained: RATE / 2 }));
    const [judgement] = judgementsOf(check, { ...unwatched, record: stopped.record });
    expect(judgement).toMatchObject({ verdict: 'fail', cause: { name: 'stopped' } });
  });

  it('is an open question where this machine could have shown it: a rate at once that has none alone', () => {
    const alone = (ofAlone: number | null) =>
      one((batch) => ({ ...batch, atOnce: { of: 2, others: ['cuda:1'], overlap: 1, ofAlone } }));
    expect(outcome({ check: 'together', atLeast: 0.5 }, alone(0.9))).toBe('qualified');
    expect(outcome({ check: 'together', atLeast: 0.5 }, alone(null))).toBe('inconclusive');
    expect(outcome({ check: 'together' }, alone(null))).toBe('qualified');
  });

  it('is none where the check names no such limit, or it does not apply', () => {
    expect(outcome({ check: 'sustained', atLeast: 0, required: true }, unwatched)).toBe('qualified');
    const covered = one(same, {
      machine: { ...machineOf(), memory: { ...memory, total: null } },
    });
    expect(outcome({ check: 'correctness', required: true }, covered)).toBe('qualified');
  });
});

describe('a suite that leaves out whether outputs are right', () => {
  const own = (checks: string): Suite =>
    suiteFrom(
      `name: site
campaign: { measure: [{ indicator: matmul, labels: { part: a } }, { indicator: matmul, labels: { part: b } }] }
checks:
${checks}`,
      'site.yaml',
    );
  const wrong = (batch: RecordBatch): RecordBatch =>
    batch.asked.labels?.part === 'b'
      ? {
          ...batch,
          verified: 'failed',
          rate: null,
          measured: 0,
          inspections: batch.inspections.map((launch) => ({
            ...launch,
            status: 'wrong' as const,
            verification: { method: 'all', checked: 1, passed: false, worstError: 1 } as never,
          })),
        }
      : batch;
  const judged = (suite: Suite, but: (batch: RecordBatch) => RecordBatch) =>
    checksOf([judgeAll(suite, contextOf(measured(['a', 'b'], but)))]);

  it.each([
    '  - { check: complete }\n',
    '  - { check: clock, atMost: 0 }\n  - { check: complete }\n',
    '  - { check: correctness, parts: [a] }\n  - { check: complete }\n',
  ])('qualifies no node that computes wrongly: %j', (checks) => {
    const suite = own(checks);
    expect(outcomeOf(judged(suite, wrong))).toBe('not-qualified');
    expect(outcomeOf(judged(suite, same))).toBe('qualified');
  });

  it('leaves a lost launch to the checks that it has, and open what was measured and not looked at', () => {
    const only = (part: string, but: (batch: RecordBatch) => RecordBatch) => (batch: RecordBatch) =>
      batch.asked.labels?.part === part ? but(batch) : batch;
    const unchecked = (batch: RecordBatch): RecordBatch => ({
      ...batch,
      inspections: batch.inspections.map((launch) => ({ ...launch, verification: null })),
    });
    const suite = own(
      '  - { check: stability, parts: [a], p05AtLeast: 0.1 }\n  - { check: complete, level: warn }\n',
    );
    expect(outcomeOf(judged(suite, only('b', unseen)))).toBe('qualified');
    expect(outcomeOf(judged(suite, only('b', unchecked)))).toBe('inconclusive');
    expect(outcomeOf(judged(suite, wrong))).toBe('not-qualified');
  });

  it('qualifies no node either by what it does not say', () => {
    expect(outcomeOf(judged(own('  - { check: floor, medianAtLeast: 0.9 }\n'), same))).toBe('inconclusive');
  });
});

describe('a suite that names all of its parts in counters', () => {
  it('looks at the counters over the run all the same, and at each part once', () => {
    const suite = suiteFrom(
      `name: site
campaign: { measure: [{ indicator: matmul, labels: { part: gemm } }] }
checks: [{ check: complete }, { check: counters }, { check: counters, parts: [gemm], correctedAtMost: 3 }]
`,
      'site.yaml',
    );
    const after = (uncorrected: number): Partial<Context> => ({
      surroundings: { busy: 0, memoryErrors: healthy },
      after: { memoryErrors: { corrected: 0, uncorrected }, gpus: { problem: null, devices: [] } },
    });
    const of = (uncorrected: number) => checksOf([judgeAll(suite, one(same, after(uncorrected)))]);
    expect(of(0).flatMap(({ id, kind }) => (kind === 'counters' ? id : []))).toEqual([
      'counters@cpu',
      'counters/gemm@cpu',
    ]);
    expect([0, 2].map((uncorrected) => outcomeOf(of(uncorrected)))).toEqual(['qualified', 'not-qualified']);
  });
});

describe('how fast a GPU is by itself, in t1', () => {
  const parts = ['gpu-gemm-bfloat16', 'gpu-memory'];
  const shipped = shippedSuite('t1');
  const suite = {
    ...shipped,
    checks: shipped.checks.filter(({ check }) => check === 'efficiency' || check === 'complete'),
  };
  /** Seen twice. */
  const checks = (share: number, name = 'NVIDIA H200', of: Suite = suite) => {
    const record = measured(parts, (batch) => ({
      ...onGpu(batch),
      datasheet: { rate: RATE / share, share, source: 'a datasheet' },
    }));
    const machine = { ...machineOf(), gpus: survey(gpu({ name })) };
    const judged = judgeAll(of, contextOf(record, { machine }));
    return checksOf([judged, judged]);
  };
  const slow = (share: number, name?: string) =>
    checks(share, name).filter(({ kind, verdict }) => kind === 'efficiency' && verdict === 'fail');

  it('is held to its datasheet, where ours were measured on its model', () => {
    expect(slow(0.3).map(({ part, cause }) => [part, cause])).toEqual(parts.map((part) => [part, 'slow']));
    expect(outcomeOf(checks(0.3))).toBe('not-qualified');
    expect(outcomeOf(checks(0.66))).toBe('qualified');
    expect(slow(0.3, 'NVIDIA H100 80GB HBM3')).toHaveLength(2);
  });

  it('is told to be held to nothing on another model', () => {
    expect(slow(0.3, 'NVIDIA A100-SXM4-80GB')).toEqual([]);
    expect(outcomeOf(checks(0.3, 'NVIDIA A100-SXM4-80GB'))).toBe('qualified');
    const told = checks(0.3, 'NVIDIA A100-SXM4-80GB').find(({ id }) => id === 'efficiency/gpu-memory@cuda:0');
    expect(told).toMatchObject({
      verdict: 'skipped',
      required: false,
      reason: 't1 has a limit for NVIDIA H200, NVIDIA H100 80GB HBM3 only, and this is NVIDIA A100-SXM4-80GB',
    });
  });

  describe.each([
    ['a part', 'parts: [gpu-gemm-bfloat16], '],
    ['its parts', 'parts: [gpu-gemm-bfloat16, gpu-memory], '],
    ['no part', ''],
  ])('where a suite that extends it names %s for another model', (_, named) => {
    const own = (more = '') =>
      suiteFrom(
        `name: site\nextends: t1\nchecks:\n  - { check: efficiency, ${named}models: [NVIDIA B200], atLeast: 0.5${more} }\n`,
        'site.yaml',
      );
    const ofGemm = (share: number, name: string, more?: string) => {
      const found = checks(share, name, own(more)).filter(
        ({ id }) => id === 'efficiency/gpu-gemm-bfloat16@cuda:0',
      );
      expect(found).toHaveLength(1);
      return found[0];
    };
    it('is held to the limit for its own model', () => {
      expect(ofGemm(0.3, 'NVIDIA H200', ', level: warn')?.verdict).toBe('fail');
      expect(ofGemm(0.45, 'NVIDIA H200')?.verdict).toBe('pass');
      expect(ofGemm(0.45, 'NVIDIA B200')?.verdict).toBe('fail');
      expect(ofGemm(0.55, 'NVIDIA B200')?.verdict).toBe('pass');
    });
    it('is held to nothing on a third one, which is not enough where somebody insists on it', () => {
      expect(ofGemm(0.3, 'NVIDIA A100')).toMatchObject({ verdict: 'skipped', required: false });
      expect(ofGemm(0.3, 'NVIDIA A100', ', required: true')).toMatchObject({
        verdict: 'skipped',
        required: true,
      });
    });
  });
});

describe.each(['t2', 't3'] as const)('%s', (tier) => {
  const shipped = shippedSuite(tier);
  const extended = (checks: string): Suite =>
    suiteFrom(`name: site\nextends: ${tier}\nchecks:\n${checks}`, 'site.yaml');
  const ofGpus = (part: string): boolean => part.startsWith('gpu-');
  const parts = [...new Set(shipped.entries.map(({ part }) => part))];
  const here = parts.filter((part) => !ofGpus(part));
  const gone = parts.filter(ofGpus);
  const whole = (but: (batch: RecordBatch) => RecordBatch = same): Context => contextOf(measured(here, but));
  const said = (suite: Suite, context: Context) => outcomeOf(checksOf([judgeAll(suite, context)]));

  it('qualifies a node without GPUs of which all is good, and whose GPUs nobody insists on', () => {
    expect(gone.length).toBeGreaterThan(5);
    expect(said(shipped, whole())).toBe('qualified');
  });

  it.each(here)('does not qualify a node of which every launch of %s was lost', (part) => {
    const lost = whole((batch) => (batch.asked.labels?.part === part ? withoutScore(unseen(batch)) : batch));
    expect(said(shipped, lost)).toBe('inconclusive');
  });

  it.each(
    gone,
  )('does not qualify a node without %s where somebody insists on it, alone or beside what is there', (part) => {
    for (const named of [part, `soak, ${part}`]) {
      const suite = extended(`  - { check: complete, parts: [${named}], required: true }\n`);
      expect(said(suite, whole())).toBe('inconclusive');
    }
    expect(said(extended('  - { check: complete, parts: [soak], required: true }\n'), whole())).toBe(
      'qualified',
    );
  });

  it('qualifies such a node where checks are required by their kind, which are of what is there', () => {
    expect(said(requiring(shipped, 'stability,complete'), whole())).toBe('qualified');
    expect(said(requiring(shipped, 'stability,peers'), whole())).toBe('inconclusive');
  });

  it('takes no two of its checks for attempts at one', () => {
    for (const context of [contextOf(null), whole()]) {
      const ids = judgeAll(shipped, context).map(({ judgement }) => judgement.id);
      expect(new Set(ids).size).toBe(ids.length);
    }
  });

  it('does not let a check that nobody needs hide one of its kind that is required', () => {
    const suite = extended(
      '  - { check: efficiency, parts: [gpu-gemm], atLeast: 0.1, required: false }\n  - { check: efficiency, parts: [gpu-soak], atLeast: 0.1, required: true }\n',
    );
    expect(said(suite, whole())).toBe('inconclusive');
  });

  it('looks at the counters over the run, too, where some part has limits of its own', () => {
    const suite = extended('  - { check: counters, parts: [gpu-soak], correctedAtMost: 3 }\n');
    const errors = {
      memoryErrors: { corrected: 0, uncorrected: 2 },
      gpus: { unheard: 'no time', noTime: true },
    };
    const context = { ...whole(), surroundings: { busy: 0, memoryErrors: healthy }, after: errors };
    expect(said(suite, context)).toBe('not-qualified');
  });
});
