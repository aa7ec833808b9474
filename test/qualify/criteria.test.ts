import { describe, expect, it } from 'vitest';
import { judgementsOf } from '../../src/qualify/criteria/index.js';
import { historyKey } from '../../src/qualify/rates.js';
import type { PiBenchRecord, RecordBatch } from '../../src/record/schema.js';
import { drift } from '../../src/statistics/drift.js';
import { median } from '../../src/statistics/quantile.js';
import { ceilingsOf, inTurnsOf } from '../support/batch.js';
import { machineOf } from '../support/machine.js';
import { idleBatch } from '../support/records.js';
import { baselineOf, contextOf, judgement, knownMachine, partsRecord } from './support.js';

const SECOND = 0.001;
/** Of 2 x 100^3 operations. */
const RATE = 2e6 / SECOND;
const flag = (name: string, evidence: RecordBatch['flags'][number]['evidence'] = {}) => ({
  name,
  reason: `${name} happened`,
  evidence,
});
const one = (
  launch: Parameters<typeof partsRecord>[0][number]['launches'][number],
  but?: (batch: RecordBatch) => RecordBatch,
) => contextOf(partsRecord([{ part: 'gemm', launches: [launch], ...(but === undefined ? {} : { but }) }]));

const never = (): never => {
  throw new Error('there is a record');
};

describe('a check that only warns', () => {
  const check = { check: 'stability', p05AtLeast: 0.9, level: 'warn' } as const;
  const samples = Array.from({ length: 100 }, (_, i) => SECOND * (i % 10 === 0 ? 4 : 1));
  const bad = (...names: readonly string[]) =>
    one({ seconds: SECOND, samples }, (batch) => ({
      ...batch,
      flags: names.map((name) => ({ ...flag(name), inspections: [0] })),
    }));
  it('warns of a bad figure also where others were at work', () => {
    expect(judgement(check, bad()).verdict).toBe('warn');
    expect(judgement(check, bad('foreign-load')).verdict).toBe('warn');
    expect(judgement({ ...check, level: 'fail' }, bad('foreign-load')).verdict).toBe('inconclusive');
  });
  it('also of devices that agree on nothing', () => {
    const peers = { check: 'peers', within: 0.03, level: 'warn' } as const;
    const record = partsRecord(
      [1, 0.9, 0.6, 0.5].map((share) => ({ part: 'gemm', launches: [SECOND / share] })),
    );
    const [first] = record.batches as [RecordBatch];
    const batches = record.batches.map((batch, i) => ({ ...batch, case: first.case, device: `cuda:${i}` }));
    const verdicts = judgementsOf(peers, contextOf({ ...record, batches })).map(({ verdict }) => verdict);
    expect(verdicts).not.toContain('inconclusive');
    expect(verdicts).toContain('warn');
  });
  it('and is an open question where there is no figure', () => {
    expect(judgement({ check: 'stability', spreadAtMost: 1, level: 'warn' }, bad()).verdict).toBe(
      'inconclusive',
    );
  });
});

describe('correctness', () => {
  it('passes where every launch was verified', () => {
    expect(judgement({ check: 'correctness' }, one(SECOND))).toMatchObject({
      verdict: 'pass',
      id: 'correctness/gemm@cpu',
    });
  });
  it('fails for one wrong output, and says which', () => {
    const { verdict, cause, reason } = judgement(
      { check: 'correctness' },
      one({ seconds: SECOND, passed: false }),
    );
    expect(verdict).toBe('fail');
    expect(cause).toMatchObject({ name: 'wrong-result', severity: 'isolate' });
    expect(reason).toContain('thread 0 counts 0');
  });
  it('is inconclusive where nothing was verified', () => {
    const context = one(SECOND, (batch) => ({
      ...batch,
      inspections: batch.inspections.map((launch) => ({ ...launch, verification: null })),
    }));
    expect(judgement({ check: 'correctness' }, context).verdict).toBe('inconclusive');
  });
});

describe('completeness', () => {
  it.each([
    'crashed',
    'timed-out',
    'killed',
  ] as const)('is inconclusive where a launch %s, with its reason', (status) => {
    const context = one(SECOND, (batch) => ({
      ...batch,
      measured: 0,
      inspections: batch.inspections.map((launch) => ({ ...launch, status, reason: 'it went away' })),
    }));
    const { verdict, reason } = judgement({ check: 'complete' }, context);
    expect(verdict).toBe('inconclusive');
    expect(reason).toContain(`${status}: it went away`);
  });
});

describe('a launch that there was no time for', () => {
  it('is inconclusive, and takes more time', () => {
    const context = one(SECOND, (batch) => ({ ...batch, planned: 2 }));
    expect(judgement({ check: 'complete' }, context)).toMatchObject({
      verdict: 'inconclusive',
      cause: { name: 'no-time' },
    });
  });

  it.each([
    { check: 'correctness' },
    { check: 'clock', atMost: 0 },
  ] as const)('is no lost launch to $check either', (check) => {
    const causeOf = (launches: (of: RecordBatch['inspections']) => RecordBatch['inspections']) =>
      judgement(
        check,
        one(SECOND, (batch) => ({
          ...batch,
          measured: 0,
          rate: null,
          inspections: launches(batch.inspections),
        })),
      ).cause?.name;
    expect(causeOf(() => [])).toBe('no-time');
    const nothing = { file: null, statistics: null, verification: null } as const;
    const ended = (status: 'crashed' | 'interrupted', more = {}) =>
      causeOf((all) => all.map((launch) => ({ ...launch, ...nothing, status, ...more })));
    expect(ended('crashed')).toBe('lost-launch');
    // Also where one that was stopped before its first repetition left a document, in which nothing is said of flags.
    expect(ended('interrupted')).toBe('no-time');
    expect(ended('interrupted', { file: 'inspections/0.json' })).toBe('no-time');
  });

  it('has shown nothing of its clock where it left a document without a repetition', () => {
    const context = one(SECOND, (batch) => ({
      ...batch,
      measured: 0,
      rate: null,
      inspections: batch.inspections.map((launch) => ({
        ...launch,
        status: 'interrupted' as const,
        statistics: null,
        verification: null,
      })),
    }));
    expect(judgement({ check: 'clock', atMost: 0 }, context).verdict).toBe('inconclusive');
  });
});

describe('efficiency', () => {
  const at = (share: number) => one({ seconds: SECOND, ceilings: ceilingsOf(RATE / share, null) });
  it('holds at its limit and above', () => {
    expect(judgement({ check: 'efficiency', atLeast: 0.6 }, at(0.61)).verdict).toBe('pass');
    expect(judgement({ check: 'efficiency', atLeast: 0.6 }, at(0.59))).toMatchObject({
      verdict: 'fail',
      cause: { name: 'slow' },
    });
  });
  it('is that of the same moments, where calls and peak were looked at in turns', () => {
    const check = { check: 'efficiency', atLeast: 0.6 } as const;
    const moved = (inTurns: number, best: number, reading: number | null = null) =>
      judgement(check, one({ seconds: SECOND, ceilings: inTurnsOf(RATE / best, reading, inTurns) }));
    expect(moved(0.9, 0.4)).toMatchObject({
      verdict: 'pass',
      findings: [{ measured: 0.9, source: expect.stringContaining('in turns') }],
    });
    expect(moved(0.5, 0.9)).toMatchObject({ verdict: 'fail', cause: { name: 'slow' } });
    expect(moved(1.1, 0.9).verdict).toBe('inconclusive');
    // Half of what memory allows, which is no matter of arithmetic.
    expect(moved(0.3, 0.3, (2 * 120e3) / SECOND)).toMatchObject({
      verdict: 'fail',
      findings: [{ measured: expect.closeTo(0.5, 9), source: expect.stringContaining('rate of reading') }],
    });
  });
  it('is a warning where the suite says so', () => {
    expect(judgement({ check: 'efficiency', atLeast: 0.6, level: 'warn' }, at(0.3)).verdict).toBe('warn');
  });
  it('cannot be judged without a peak; what has none to measure is not required to have one', () => {
    const check = { check: 'efficiency', atLeast: 0.6 } as const;
    expect(judgement(check, one(SECOND))).toMatchObject({ verdict: 'inconclusive', possible: true });
    const gpu = one(SECOND, (batch) => ({ ...batch, device: 'cuda:0' }));
    expect(judgement(check, gpu)).toMatchObject({ verdict: 'skipped', possible: false });
  });
});

describe('a figure of speed that is bad', () => {
  const slow = (name: string, evidence = {}) =>
    judgement(
      { check: 'efficiency', atLeast: 0.6 },
      one({ seconds: SECOND, ceilings: ceilingsOf(RATE * 3, null), flags: [flag(name, evidence)] }),
    );
  it.each([
    ['throttled', { throttledPeriods: 3 }, 'cpu-quota', 'fail'],
    ['throttled', { thermalThrottles: 3, throttledPeriods: 0 }, 'thermal', 'fail'],
    ['stolen', {}, 'stolen', 'fail'],
    ['contended', {}, 'busy', 'inconclusive'],
    ['preempted', {}, 'busy', 'inconclusive'],
    ['outlying', {}, 'slow', 'fail'],
  ] as const)('of a launch that was %s has its cause', (name, evidence, cause, verdict) => {
    expect(slow(name, evidence)).toMatchObject({ verdict, cause: { name: cause } });
  });
});

describe('sustained', () => {
  const lasting = (share: number, more: Partial<RecordBatch> = {}) =>
    one(SECOND, (batch) => ({
      ...batch,
      ...more,
      rate: batch.rate === null ? null : { ...batch.rate, sustained: batch.rate.median * share },
    }));
  const check = { check: 'sustained', atLeast: 0.9, throttledAtMost: 0.02 } as const;
  it('fails where the burst does not last', () => {
    expect(judgement(check, lasting(0.89))).toMatchObject({ verdict: 'fail', cause: { name: 'stopped' } });
    expect(judgement(check, lasting(0.91)).verdict).toBe('pass');
  });
  it('fails where the control group stood still, however little of the rate was lost', () => {
    const machine = machineOf({ cgroup: { version: 2, path: '/', visible: true } });
    const throttled = {
      ...flag('throttled', { throttledPeriods: 5, throttledPeriodsShare: 0.5 }),
      inspections: [0],
    };
    const context = one(SECOND, (batch) => ({
      ...batch,
      flags: [throttled],
      inspections: batch.inspections.map((launch) => ({ ...launch, flags: [throttled] })),
    }));
    expect(judgement(check, { ...context, machine })).toMatchObject({
      verdict: 'fail',
      cause: { name: 'cpu-quota' },
    });
  });
  it('says where counters cannot be seen', () => {
    const { findings } = judgement(check, lasting(0.99));
    expect(findings.map(({ quantity, verdict }) => [quantity, verdict])).toEqual([
      ['sustained_of_burst', 'pass'],
      ['throttled_periods', 'skipped'],
    ]);
  });
});

describe('what does no work, as a barrier', () => {
  const samples = Array.from({ length: 40 }, (_, i) => SECOND * (i % 10 === 0 ? 2 : 1));
  const idle = one({ seconds: SECOND, samples }, idleBatch);
  it('has no rate that could last, or be held to that of others', () => {
    const none = { verdict: 'skipped', possible: false };
    expect(judgement({ check: 'sustained', atLeast: 0.9 }, idle)).toMatchObject(none);
    const both = partsRecord([
      { part: 'gemm', launches: [SECOND] },
      { part: 'meet', launches: [SECOND], but: idleBatch },
    ]);
    const baseline = baselineOf(both.batches[0] as RecordBatch, RATE);
    const [, meet] = judgementsOf({ check: 'floor', medianAtLeast: 0.9 }, contextOf(both, { baseline }));
    expect(meet).toMatchObject(none);
    expect(meet?.reason).toMatch(/it does no work/);
    const batches = ['cuda:0', 'cuda:1', 'cuda:2'].flatMap((device) =>
      (idle.record?.batches ?? []).map((batch) => ({ ...batch, device })),
    );
    const record = { ...(idle.record as PiBenchRecord), batches };
    const peers = judgementsOf({ check: 'peers', within: 0.03 }, contextOf(record));
    expect(peers.map(({ verdict }) => verdict)).toEqual(['skipped', 'skipped', 'skipped']);
    const key = historyKey(knownMachine(), (idle.record?.batches ?? [])[0] as RecordBatch) ?? '';
    const history = [1, 2, 3].map((i) => ({
      campaign: String(i),
      at: '',
      version: '',
      rates: new Map([[key, 0]]),
    }));
    expect(judgement({ check: 'history', within: 0.1 }, { ...idle, history })).toMatchObject(none);
  });
  it('is unsteady by its times', () => {
    expect(judgement({ check: 'stability', p05AtLeast: 0.7 }, idle)).toMatchObject({
      verdict: 'fail',
      cause: { name: 'unsteady' },
    });
    expect(judgement({ check: 'stability', p05AtLeast: 0.4 }, idle).verdict).toBe('pass');
  });
});

describe('stability', () => {
  const fades = { check: 'stability', driftAtMost: 0.15, fadeAtMost: 0.2 } as const;
  const launched = (level: (at: number) => number, length = 2000) => {
    const samples = Array.from({ length }, (_, i) => SECOND * level(i / length) * (1 + 0.002 * (i % 5)));
    return one({ seconds: median(samples), samples }, (batch) => ({
      ...batch,
      inspections: batch.inspections.map((launch) => ({
        ...launch,
        statistics: { ...launch.statistics, drift: drift(samples) } as unknown as typeof launch.statistics,
      })),
    }));
  };
  const steady = Array.from({ length: 40 }, (_, i) => SECOND * (1 + 0.001 * (i % 3)));
  it('fails for a tenth of the repetitions that are slow', () => {
    const stalled = steady.map((seconds, i) => (i % 10 === 0 ? seconds * 2 : seconds));
    const check = { check: 'stability', p05AtLeast: 0.7 } as const;
    expect(judgement(check, one({ seconds: SECOND, samples: steady })).verdict).toBe('pass');
    expect(judgement(check, one({ seconds: SECOND, samples: stalled }))).toMatchObject({
      verdict: 'fail',
      cause: { name: 'unsteady' },
    });
  });
  it.each([
    ['a step at a twentieth', (at: number) => (at < 0.05 ? 1 : 1.67)],
    ['a step at an eighth', (at: number) => (at < 0.125 ? 1 : 1.67)],
    ['a step in the middle', (at: number) => (at < 0.5 ? 1 : 1.67)],
    ['a step near the end', (at: number) => (at < 0.93 ? 1 : 1.67)],
    ['a ramp over the first third', (at: number) => 1 + 0.67 * Math.min(1, at / 0.33)],
    ['a decay', (at: number) => 1.67 - 0.67 * Math.exp(-at / 0.1)],
    ['a level that comes back', (at: number) => (at < 0.12 || at > 0.9 ? 1 : 1.67)],
  ] as const)('fails for a launch that fades: %s', (_, level) => {
    expect(judgement(fades, launched(level))).toMatchObject({ verdict: 'fail', cause: { name: 'unsteady' } });
  });
  it('passes one that does not, or becomes faster, and does not judge one of too few repetitions', () => {
    expect(
      judgement(
        fades,
        launched(() => 1),
      ),
    ).toMatchObject({ verdict: 'pass' });
    expect(
      judgement(
        fades,
        launched((at) => (at < 0.3 ? 1.1 : 1)),
      ),
    ).toMatchObject({ verdict: 'pass' });
    const few = launched(() => 1, 5);
    expect(judgement(fades, few).findings.map(({ verdict, note }) => [verdict, note])).toEqual(
      Array(2).fill(['skipped', expect.stringMatching(/fewer than 8 repetitions/)]),
    );
  });
  it('compares one fresh launch with those of the first attempt', () => {
    const check = { check: 'stability', spreadAtMost: 0.1 } as const;
    const reference = partsRecord([{ part: 'gemm', launches: [SECOND, SECOND] }]);
    const fresh = partsRecord([{ part: 'gemm', launches: [SECOND * 1.3] }]);
    expect(judgement(check, contextOf(fresh, { reference })).verdict).toBe('fail');
    expect(judgement(check, contextOf(reference)).verdict).toBe('pass');
  });
});

describe('floor', () => {
  const check = { check: 'floor', medianAtLeast: 0.95, p05AtLeast: 0.9 } as const;
  const record = partsRecord([{ part: 'gemm', launches: [SECOND] }]);
  const [batch] = record.batches as [RecordBatch];
  it('is skipped, and not required, without a baseline', () => {
    expect(judgement(check, contextOf(record))).toMatchObject({ verdict: 'skipped', possible: false });
  });
  it.each([
    [1, 'pass'],
    [1 / 0.96, 'pass'],
    [1 / 0.94, 'fail'],
  ] as const)('against a baseline of %f of the own rate: %s', (share, verdict) => {
    const baseline = baselineOf(batch, RATE * share);
    expect(judgement(check, contextOf(record, { baseline })).verdict).toBe(verdict);
  });
  it('is skipped for a case that the baseline does not have', () => {
    const other = partsRecord([
      { part: 'x', launches: [SECOND] },
      { part: 'gemm', launches: [SECOND] },
    ]);
    const baseline = baselineOf(other.batches[1] as RecordBatch, RATE);
    expect(judgement(check, contextOf(record, { baseline })).verdict).toBe('skipped');
  });
  it('does not hold a burst to what others reach for a minute, and says what the baseline has', () => {
    const soak: RecordBatch = {
      ...batch,
      asked: {
        ...batch.asked,
        sampling: { kind: 'budget', seconds: 60, least: 5, most: 20_000 },
        warmup: { kind: 'time', seconds: 0.5 },
      },
    };
    const found = judgement(check, contextOf(record, { baseline: baselineOf(soak, RATE) }));
    expect(found).toMatchObject({ verdict: 'skipped', possible: true });
    expect(found.reason).toMatch(/has this case for 60s after 0\.5s, and it was measured \d+ repetitions/);
  });
  it('stays required, so that no node passes, where the baseline has none of the cases', () => {
    const baseline = baselineOf(batch, RATE);
    const entries = baseline.entries.map((one) => ({ ...one, parameters: { ...one.parameters, m: 7 } }));
    const context = contextOf(record, { baseline: { ...baseline, entries } });
    expect(judgement(check, context)).toMatchObject({ verdict: 'skipped', possible: true });
  });
});

describe('history', () => {
  const check = { check: 'history', within: 0.1 } as const;
  const record = partsRecord([{ part: 'gemm', launches: [SECOND] }]);
  const key = historyKey(knownMachine(), record.batches[0] as RecordBatch) ?? '';
  const runs = (rates: readonly number[]) =>
    rates.map((rate, i) => ({
      campaign: String(i),
      at: '',
      version: '0.0.0',
      rates: new Map([[key, rate]]),
    }));
  it('takes three earlier runs', () => {
    expect(judgement(check, contextOf(record, { history: runs([RATE, RATE]) })).verdict).toBe('skipped');
  });
  it('fails for a node that became slower than it ever was', () => {
    expect(
      judgement(check, contextOf(record, { history: runs([1.3 * RATE, 1.31 * RATE, 1.29 * RATE]) })).verdict,
    ).toBe('fail');
    expect(
      judgement(check, contextOf(record, { history: runs([1.05 * RATE, RATE, 1.02 * RATE]) })).verdict,
    ).toBe('pass');
  });
});

describe('peers', () => {
  const check = { check: 'peers', within: 0.03 } as const;
  const gpus = (rates: readonly number[]) => {
    const record = partsRecord(rates.map((rate) => ({ part: 'gemm', launches: [2e6 / rate] })));
    const [first] = record.batches as [RecordBatch];
    const batches = record.batches.map((batch, i) => ({ ...batch, case: first.case, device: `cuda:${i}` }));
    return contextOf({ ...record, batches });
  };
  it('are those that were measured again with it, and of the others those of the first attempt', () => {
    const verdicts = (first: readonly number[], again: readonly number[]) => {
      const reference = gpus(first.map((share) => share * RATE)).record;
      const { record } = gpus(again.map((share) => share * RATE));
      return judgementsOf(check, { ...contextOf(record ?? never()), reference }).map(
        ({ verdict }) => verdict,
      );
    };
    // All are as warm as it is now.
    expect(verdicts([0.95, 1, 1, 1], [0.965, 0.965, 0.965, 0.965])[0]).toBe('pass');
    expect(verdicts([0.95, 1, 1, 1], [0.979, 1.03, 1.03, 1.03])[0]).toBe('fail');
    expect(verdicts([0.95, 1, 1, 1], [0.95])[0]).toBe('fail');
  });
  it('cannot be told from fewer than three devices', () => {
    expect(judgement(check, gpus([RATE, RATE]))).toMatchObject({ verdict: 'skipped', possible: false });
  });
  it('names the one device that is slow, by leaving each out in turn', async () => {
    const { judgementsOf } = await import('../../src/qualify/criteria/index.js');
    const verdicts = judgementsOf(check, gpus([RATE, RATE, 0.94 * RATE, RATE])).map(({ verdict }) => verdict);
    expect(verdicts).toEqual(['pass', 'pass', 'fail', 'pass']);
  });
});

describe('the machine before anything is measured', () => {
  it('fails with a quota below the CPUs that may be used', () => {
    const at = (cpuQuota: number | null) =>
      judgement({ check: 'quota' }, contextOf(null, { machine: machineOf({ cpuQuota }) }));
    expect(at(1.8)).toMatchObject({ verdict: 'fail', cause: { name: 'cpu-quota', severity: 'config' } });
    expect(at(2).verdict).toBe('pass');
    expect(at(null).verdict).toBe('pass');
  });
  it('is not judged by a quota that cannot be seen', () => {
    const machine = machineOf({ cgroup: { version: 2, path: '/x', visible: false } });
    expect(judgement({ check: 'quota' }, contextOf(null, { machine }))).toMatchObject({
      verdict: 'skipped',
      possible: false,
    });
  });
  it('fails where something that is expected is missing', () => {
    const expected = (counts: Record<string, number>) =>
      judgement({ check: 'counts' }, contextOf(null, { expected: counts }));
    expect(expected({ cpu: 2 }).verdict).toBe('pass');
    expect(expected({ cpu: 4 }).verdict).toBe('fail');
    expect(expected({ gpu: 8 })).toMatchObject({ verdict: 'fail', cause: { name: 'missing-device' } });
    expect(expected({}).verdict).toBe('skipped');
  });
  it('is not judged while others work on it', () => {
    const busy = (share: number | null) =>
      judgement(
        { check: 'load', busyAtMost: 0.1 },
        contextOf(null, { surroundings: { busy: share, memoryErrors: null } }),
      );
    expect(busy(0.05).verdict).toBe('pass');
    expect(busy(0.4)).toMatchObject({ verdict: 'inconclusive', cause: { name: 'busy' } });
    expect(busy(null)).toMatchObject({ verdict: 'skipped', possible: false });
  });
  it('fails for a memory error that could not be corrected, and warns of those that could', () => {
    const errors = (uncorrected: number, corrected: number) =>
      judgement(
        { check: 'ecc' },
        contextOf(null, { surroundings: { busy: 0, memoryErrors: { uncorrected, corrected } } }),
      );
    expect(errors(0, 0).verdict).toBe('pass');
    expect(errors(0, 3)).toMatchObject({ verdict: 'warn', cause: { name: 'corrected-errors' } });
    expect(errors(1, 0)).toMatchObject({
      verdict: 'fail',
      cause: { name: 'memory-errors', severity: 'isolate' },
    });
  });
});
