/** How fast and how steady a part is by itself, and what explains it where it is not. */
import { describe, expect, it } from 'vitest';
import { judgementsOf } from '../../src/qualify/criteria/index.js';
import { historyKey } from '../../src/qualify/rates.js';
import type { PiBenchRecord, RecordBatch } from '../../src/record/schema.js';
import { drift } from '../../src/statistics/drift.js';
import { median } from '../../src/statistics/quantile.js';
import { ceilingsOf, inTurnsOf, noPeakBeside } from '../support/batch.js';
import { machineOf } from '../support/machine.js';
import { idleBatch } from '../support/records.js';
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

describe('efficiency', () => {
  const at = (share: number) => oneLaunch({ seconds: SECOND, ceilings: ceilingsOf(RATE / share, null) });
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
      judgement(check, oneLaunch({ seconds: SECOND, ceilings: inTurnsOf(RATE / best, reading, inTurns) }));
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
  const CEILINGS: readonly (readonly [string, RegExp, (share: number) => Partial<RecordBatch>])[] = [
    [
      'the data sheet of a GPU',
      /data sheet/,
      (share) => ({ datasheet: { rate: RATE / share, share, source: 'data sheet' } }),
    ],
    [
      'own passes over memory, of a collective',
      /own passes over memory/,
      (share) => ({ ranks: { ceiling: { share } } as RecordBatch['ranks'] }),
    ],
  ];
  it.each(CEILINGS)('is that of %s', (_, source, of) => {
    const judged = (share: number) =>
      judgement(
        { check: 'efficiency', atLeast: 0.6 },
        oneLaunch(SECOND, (batch) => ({ ...batch, device: 'cuda:0', roofline: null, ...of(share) })),
      );
    expect(judged(0.59)).toMatchObject({
      verdict: 'fail',
      cause: { name: 'slow' },
      findings: [{ measured: 0.59, source: expect.stringMatching(source) }],
    });
    expect(judged(0.61).verdict).toBe('pass');
  });
  it('is a warning where the suite says so', () => {
    expect(judgement({ check: 'efficiency', atLeast: 0.6, level: 'warn' }, at(0.3)).verdict).toBe('warn');
  });
  it('cannot be judged without a peak; what has none to measure is not required to have one', () => {
    const check = { check: 'efficiency', atLeast: 0.6 } as const;
    expect(judgement(check, oneLaunch(SECOND))).toMatchObject({ verdict: 'inconclusive', possible: true });
    const gpu = oneLaunch(SECOND, (batch) => ({ ...batch, device: 'cuda:0' }));
    expect(judgement(check, gpu)).toMatchObject({ verdict: 'skipped', possible: false });
    // No loop of this build is a peak there, so no launch has lost one.
    const more = oneLaunch({ seconds: SECOND, ceilings: noPeakBeside('SME') });
    expect(judgement(check, more)).toMatchObject({
      verdict: 'skipped',
      possible: false,
      reason: expect.stringContaining('the best loop of this build does not use SME'),
    });
    const none = oneLaunch({ seconds: SECOND, ceilings: noPeakBeside() });
    expect(judgement(check, none)).toMatchObject({ verdict: 'inconclusive', possible: true });
  });
});

describe('a figure of speed that is bad', () => {
  const slow = (name: string, evidence = {}) =>
    judgement(
      { check: 'efficiency', atLeast: 0.6 },
      oneLaunch({ seconds: SECOND, ceilings: ceilingsOf(RATE * 3, null), flags: [flag(name, evidence)] }),
    );
  it.each([
    ['throttled', { throttledPeriods: 3 }, 'cpu-quota', 'fail'],
    ['throttled', { thermalThrottles: 3, throttledPeriods: 0 }, 'thermal', 'fail'],
    ['stolen', {}, 'stolen', 'fail'],
    ['contended', {}, 'busy', 'inconclusive'],
    ['preempted', {}, 'busy', 'inconclusive'],
    ['outlying', {}, 'slow', 'fail'],
    ['thermal', {}, 'thermal', 'fail'],
    ['power-brake', {}, 'power-brake', 'fail'],
    ['far-memory', { farShare: 0.5, gpuNode: 0, nodes: '1', asked: 'preferred' }, 'far-memory', 'fail'],
    ['power-capped', { limitWatts: 300, defaultLimitWatts: 400 }, 'power-limit', 'fail'],
    // That it reaches the limit it came with is usual under full load.
    ['power-capped', { limitWatts: 400, defaultLimitWatts: 400 }, 'slow', 'fail'],
    ['power-capped', { limitWatts: 300, defaultLimitWatts: null }, 'slow', 'fail'],
  ] as const)('of a launch that was %s has its cause', (name, evidence, cause, verdict) => {
    expect(slow(name, evidence)).toMatchObject({ verdict, cause: { name: cause } });
  });
});

describe('a figure of speed that nobody knows', () => {
  const spread = { check: 'stability', spreadAtMost: 0.5 } as const;
  const contended = [flag('contended', {})];
  const one = (more: Partial<RecordBatch>) =>
    judgement(
      spread,
      oneLaunch({ seconds: SECOND, flags: contended }, (batch) => ({ ...batch, ...more })),
    );

  it('makes no node slow, unsteady or busy: launches are missing, or those that came do not tell', () => {
    expect(one({ planned: 2 })).toMatchObject({ verdict: 'inconclusive', cause: { name: 'no-time' } });
    expect(one({})).toMatchObject({ verdict: 'inconclusive', cause: { name: 'not-told' } });
    const withoutPeak = judgement({ check: 'efficiency', atLeast: 0.6 }, oneLaunch(SECOND));
    expect(withoutPeak).toMatchObject({ verdict: 'inconclusive', cause: { name: 'not-told' } });
  });

  it('does not excuse another that is known to be bad', () => {
    const both = { ...spread, p05AtLeast: 1 } as const;
    const samples = Array.from({ length: 40 }, (_, i) => SECOND * (i % 10 === 0 ? 2 : 1));
    expect(judgement(both, oneLaunch({ seconds: SECOND, samples }))).toMatchObject({
      verdict: 'fail',
      cause: { name: 'unsteady' },
    });
  });

  it('is no slowness either where a rate passes its peak, as that is wrong then', () => {
    const above = oneLaunch({ seconds: SECOND, ceilings: ceilingsOf(RATE / 1.2, null) });
    expect(judgement({ check: 'efficiency', atLeast: 0.6 }, above)).toMatchObject({
      verdict: 'inconclusive',
      cause: { name: 'not-told' },
    });
  });

  it.each([
    ['its output was wrong', { verified: 'failed' }],
    ['no launch of it was measured to its end', { measured: 0 }],
  ] as const)('of a batch without a score says why there is none: %s', (why, more) => {
    const context = oneLaunch(SECOND, (batch) => ({ ...batch, rate: null, ...more }));
    expect(judgement(spread, context).reason).toBe(`it has no score, as ${why}`);
  });
});

describe('sustained', () => {
  const lasting = (share: number, more: Partial<RecordBatch> = {}) =>
    oneLaunch(SECOND, (batch) => ({
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
    const context = oneLaunch(SECOND, (batch) => ({
      ...batch,
      flags: [throttled],
      inspections: batch.inspections.map((launch) => ({ ...launch, flags: [throttled] })),
    }));
    expect(judgement(check, { ...context, machine })).toMatchObject({
      verdict: 'fail',
      cause: { name: 'cpu-quota' },
    });
  });
  it('says of ranks that what lies between repetitions is in no rate', () => {
    const notes = (more: Partial<RecordBatch>) =>
      judgement(check, lasting(0.99, more)).findings.map(({ note }) => note)[0];
    const seen = 'of the repetitions alone: what ranks do between them is not seen';
    expect([notes({}), notes({ ranks: {} as RecordBatch['ranks'] })]).toEqual([null, seen]);
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
  const idle = oneLaunch({ seconds: SECOND, samples }, idleBatch);
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
    return oneLaunch({ seconds: median(samples), samples }, (batch) => ({
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
    expect(judgement(check, oneLaunch({ seconds: SECOND, samples: steady })).verdict).toBe('pass');
    expect(judgement(check, oneLaunch({ seconds: SECOND, samples: stalled }))).toMatchObject({
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
  const sees = (more: Partial<RecordBatch>) => oneLaunch(SECOND, (batch) => ({ ...batch, ...more }));
  const ofModes = (modes: number) =>
    oneLaunch({ seconds: SECOND, samples: steady, flags: [flag('multimodal', { modes })] });
  it.each([
    ['slowing', { driftAtMost: 0.15 }, launched((at) => 1 + 0.67 * at), launched((at) => 1.67 - 0.67 * at)],
    ['fading', { fadeAtMost: 0.2 }, launched((at) => (at < 0.5 ? 1 : 1.67)), launched(() => 1)],
    ['modes', { modesAtMost: 2 }, ofModes(3), ofModes(2)],
    ['disturbed', { disturbedAtMost: 0.1 }, sees({ disturbedShare: 0.2 }), sees({ disturbedShare: 0.05 })],
  ] as const)('fails by %s alone', (quantity, limit, bad, good) => {
    const check = { check: 'stability', ...limit } as const;
    expect(judgement(check, bad)).toMatchObject({
      verdict: 'fail',
      cause: { name: 'unsteady' },
      findings: [{ quantity, verdict: 'fail' }],
    });
    expect(judgement(check, good)).toMatchObject({ verdict: 'pass', findings: [{ quantity }] });
  });
  it('compares one fresh launch with those of the first attempt', () => {
    const check = { check: 'stability', spreadAtMost: 0.1 } as const;
    const reference = partsRecord([{ part: 'gemm', launches: [SECOND, SECOND] }]);
    const fresh = partsRecord([{ part: 'gemm', launches: [SECOND * 1.3] }]);
    expect(judgement(check, contextOf(fresh, { reference })).verdict).toBe('fail');
    expect(judgement(check, contextOf(reference)).verdict).toBe('pass');
  });
});
