/** Batches of one part that differ only in how they are measured: each has its own check, its own attempts, its own past. */
import { describe, expect, it } from 'vitest';
import { historyRun } from '../../src/qualify/history.js';
import { identitiesOf, twinsOf } from '../../src/qualify/same-batch.js';
import type { Suite } from '../../src/qualify/suite.js';
import type { SuiteCheck } from '../../src/qualify/suite-file.js';
import { checksOf, judgeAll, outcomeOf, undecided } from '../../src/qualify/verdict.js';
import type { PiBenchRecord, RecordBatch } from '../../src/record/schema.js';
import { contextOf, knownMachine, partsRecord } from './support.js';

const SECOND = 0.001;
const RATE = 2e6 / SECOND;
type Asked = Partial<RecordBatch['asked']>;
interface Measured {
  readonly asked?: Asked;
  readonly launches: readonly number[];
  readonly rate?: number;
}

const fixed = (repetitions: number): Asked => ({ sampling: { kind: 'fixed', repetitions } });

/** One case of one part on one device, each time asked for in another way. */
function oneCase(all: readonly Measured[]): PiBenchRecord {
  const record = partsRecord(
    all.map(({ launches, asked, rate }) => ({
      part: 'gemm',
      launches,
      but: (batch) => ({
        ...batch,
        asked: { ...batch.asked, ...asked },
        rate: batch.rate === null ? null : { ...batch.rate, ...(rate === undefined ? {} : { median: rate }) },
      }),
    })),
  );
  const [first] = record.batches as [RecordBatch];
  return { ...record, batches: record.batches.map((batch) => ({ ...batch, case: first.case })) };
}

const asSuite = (check: SuiteCheck): Suite => ({ checks: [check] }) as unknown as Suite;
const spread: SuiteCheck = { check: 'stability', spreadAtMost: 0.1 };
const STEADY = [SECOND, SECOND * 1.01];
const UNSTEADY = [2 * SECOND, 2.3 * SECOND];

describe.each([
  ['repetitions', fixed(400), fixed(50)],
  ['warm-up', { warmup: { kind: 'auto' } }, { warmup: { kind: 'time', seconds: 2 } }],
  ['precision', { precision: 0.01 }, { precision: 0.05 }],
  ['nothing at all', {}, {}],
] as const satisfies readonly (readonly [
  string,
  Asked,
  Asked,
])[])('two batches of one part that differ in %s', (_, one, other) => {
  const first = oneCase([
    { asked: one, launches: STEADY },
    { asked: other, launches: UNSTEADY },
  ]);
  const judged = judgeAll(asSuite(spread), contextOf(first));

  it('are two checks, of which each is measured again by itself, and no good one hides a bad one', () => {
    expect(judged.map(({ judgement }) => judgement.id)).toEqual([
      'stability/gemm#1@cpu',
      'stability/gemm#2@cpu',
    ]);
    expect(undecided([judged])).toEqual([1]);
    const checks = checksOf([judged]);
    expect(checks.map(({ verdict, attempts }) => [verdict, attempts.length])).toEqual([
      ['pass', 1],
      ['inconclusive', 1],
    ]);
    expect(outcomeOf(checks)).toBe('inconclusive');
  });
});

describe('what is measured again', () => {
  it('is held to its own first launches, also where the number of launches differs', () => {
    const reference = oneCase([
      { asked: { stack: { provider: 'embedded', variant: 'avx512' }, ...fixed(50) }, launches: STEADY },
      { asked: { stack: { provider: 'embedded', variant: 'avx2' }, ...fixed(50) }, launches: UNSTEADY },
    ]);
    const again = oneCase([
      {
        asked: { stack: { provider: 'embedded', variant: 'avx2' }, ...fixed(50), inspections: 1 },
        launches: [2.02 * SECOND],
      },
    ]);
    const [only] = judgeAll(asSuite(spread), contextOf(again, { reference }));
    expect(only?.judgement).toMatchObject({
      id: 'stability/gemm#2@cpu',
      verdict: 'pass',
      findings: [{ measured: expect.closeTo(0.13 / 2.085, 9) }],
    });
  });

  it('is so with its twin, so that each keeps its place', () => {
    const { batches } = oneCase([
      { asked: { inspections: 5 }, launches: STEADY },
      { asked: fixed(50), launches: STEADY },
      { asked: { inspections: 3 }, launches: STEADY },
    ]);
    expect(twinsOf(batches)).toEqual([[0, 2], [1], [0, 2]]);
    expect(new Set(identitiesOf(batches)).size).toBe(3);
  });
});

describe('a rate', () => {
  const long = fixed(400);
  const short = fixed(50);
  it('has the past of what was measured as long', () => {
    const run = (): PiBenchRecord =>
      ({
        ...oneCase([
          { asked: long, launches: STEADY, rate: RATE },
          { asked: short, launches: STEADY, rate: 2 * RATE },
        ]),
        machine: knownMachine(),
        qualification: { outcome: 'qualified' },
      }) as unknown as PiBenchRecord;
    const history = [1, 2, 3].flatMap(() => historyRun(run()) ?? []);
    const verdicts = judgeAll(asSuite({ check: 'history', within: 0.1 }), contextOf(run(), { history }));
    expect(verdicts.map(({ judgement }) => judgement.verdict)).toEqual(['pass', 'pass']);
  });

  it('has as peers only what was measured as long', () => {
    const record = oneCase([long, short].flatMap((asked) => [0, 1].map(() => ({ asked, launches: STEADY }))));
    const batches = record.batches.map((batch, i) => ({ ...batch, device: `cuda:${i % 2}` }));
    const [only] = judgeAll(asSuite({ check: 'peers', within: 0.1 }), contextOf({ ...record, batches }));
    expect(only?.judgement).toMatchObject({ verdict: 'skipped', possible: false });
  });
});
