/** What checks of a part's batch come to by themselves: its outputs, its launches, what others reach, what it was before. */
import { describe, expect, it } from 'vitest';
import { referencesOf } from '../../src/qualify/baseline-references.js';
import { judgementsOf } from '../../src/qualify/criteria/index.js';
import { historyKey } from '../../src/qualify/rates.js';
import type { PiBenchRecord, RecordBatch } from '../../src/record/schema.js';
import {
  baselineOf,
  contextOf,
  flag,
  judgement,
  knownMachine,
  oneLaunch,
  partsRecord,
  RATE,
  SECOND,
} from './support.js';

const never = (): never => {
  throw new Error('there is a record');
};

describe('a check that only warns', () => {
  const check = { check: 'stability', p05AtLeast: 0.9, level: 'warn' } as const;
  const samples = Array.from({ length: 100 }, (_, i) => SECOND * (i % 10 === 0 ? 4 : 1));
  const bad = (...names: readonly string[]) =>
    oneLaunch({ seconds: SECOND, samples }, (batch) => ({
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
    expect(judgement({ check: 'correctness' }, oneLaunch(SECOND))).toMatchObject({
      verdict: 'pass',
      id: 'correctness/gemm@cpu',
    });
  });
  it('claims no more than was looked at: what each launch left, and not what its repetitions wrote over', () => {
    const { findings } = judgement({ check: 'correctness' }, oneLaunch(SECOND));
    expect(findings.find(({ quantity }) => quantity === 'verified_launches')?.source).toBe(
      'what each launch left is checked',
    );
  });
  it('fails for one wrong output, and says which', () => {
    const { verdict, cause, reason } = judgement(
      { check: 'correctness' },
      oneLaunch({ seconds: SECOND, passed: false }),
    );
    expect(verdict).toBe('fail');
    expect(cause).toMatchObject({ name: 'wrong-result', severity: 'isolate' });
    expect(reason).toContain('thread 0 counts 0');
  });
  it('is inconclusive where nothing was verified', () => {
    const context = oneLaunch(SECOND, (batch) => ({
      ...batch,
      inspections: batch.inspections.map((launch) => ({ ...launch, verification: null })),
    }));
    expect(judgement({ check: 'correctness' }, context).verdict).toBe('inconclusive');
  });
});

describe('completeness', () => {
  it.each([
    ['incomplete', 'the time was up'],
    ['interrupted', 'it was interrupted'],
  ] as const)('of a campaign that is %s says so of launches that did not begin', (status, why) => {
    const context = oneLaunch(SECOND, (batch) => ({ ...batch, planned: 2 }));
    const record = { ...(context.record as PiBenchRecord), status };
    expect(judgement({ check: 'complete' }, { ...context, record })).toMatchObject({
      verdict: 'inconclusive',
      cause: { name: 'no-time' },
      reason: expect.stringContaining(why),
    });
  });
  it.each([
    'crashed',
    'timed-out',
    'killed',
  ] as const)('is inconclusive where a launch %s, with its reason', (status) => {
    const context = oneLaunch(SECOND, (batch) => ({
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
    const context = oneLaunch(SECOND, (batch) => ({ ...batch, planned: 2 }));
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
        oneLaunch(SECOND, (batch) => ({
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
    const context = oneLaunch(SECOND, (batch) => ({
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
  it.each([
    [0.96, 'pass'],
    [0.1, 'fail'],
  ] as const)('holds a latency to it, too, by its loads: %f of them come to %s', (share, verdict) => {
    const parameters = { bytes: 2 ** 30, threads: 1 };
    const chase = { ...batch, case: { indicator: 'latency', parameters }, rateUnit: 'loads/s' };
    const loads = { kpi: 'pibench_latency_rate_loads_per_second', unit: 'loads/s' };
    const baseline = baselineOf(chase, RATE / share, loads);
    const context = contextOf({ ...record, batches: [chase] }, { baseline });
    expect(judgement(check, context)).toMatchObject({ verdict, findings: [{ quantity: 'rate' }, {}] });
    expect(referencesOf(baseline, context.machine, { batches: [chase] })).toHaveLength(1);
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
  it('names the one device that is slow, by leaving each out in turn', () => {
    const verdicts = judgementsOf(check, gpus([RATE, RATE, 0.94 * RATE, RATE])).map(({ verdict }) => verdict);
    expect(verdicts).toEqual(['pass', 'pass', 'fail', 'pass']);
  });
});

describe('the clock of a CPU', () => {
  it.each([
    [0, 'pass', null],
    [2, 'fail', 'thermal'],
  ] as const)('that came to its thermal limit %i times: %s', (thermalThrottles, verdict, cause) => {
    const flags =
      thermalThrottles === 0 ? [] : [flag('throttled', { throttledPeriods: 0, thermalThrottles })];
    const judged = judgement({ check: 'clock', atMost: 0.005 }, oneLaunch({ seconds: SECOND, flags }));
    expect([judged.verdict, judged.cause?.name ?? null]).toEqual([verdict, cause]);
    expect(judged.findings).toMatchObject([{ quantity: 'thermal_limits', measured: thermalThrottles }]);
  });
});

describe('at once with the other devices of its node', () => {
  it.each([
    [0.4, 'fail', 'shared'],
    [0.6, 'pass', null],
  ] as const)('%f of the rate that it has alone, of 0.5 at least: %s', (ofAlone, verdict, cause) => {
    const context = oneLaunch(SECOND, (batch) => ({
      ...batch,
      atOnce: { of: 2, others: ['cuda:1'], overlap: 1, ofAlone },
    }));
    const judged = judgement({ check: 'together', atLeast: 0.5 }, context);
    expect([judged.verdict, judged.cause?.name ?? null]).toEqual([verdict, cause]);
  });
});
