import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { repeats } from '../../src/qualify/criteria/index.js';
import { CHECKS, type CheckKind, type SuiteCheck } from '../../src/qualify/suite-file.js';
import { checksOf, decide, type JudgedCheck, outcomeOf } from '../../src/qualify/verdict.js';
import { VERDICTS } from '../../src/record/schema/qualification.js';
import type { QualificationCheck, Verdict } from '../../src/record/schema.js';

const verdict = fc.constantFrom(...VERDICTS);
const repeated = CHECKS.filter((kind) => repeats(kind as CheckKind)) as CheckKind[];
const single = CHECKS.filter((kind) => !repeats(kind as CheckKind)) as CheckKind[];

describe('what attempts come to', () => {
  it('is asked for again only of performance', () => {
    expect(repeated).toEqual([
      'efficiency',
      'sustained',
      'stability',
      'floor',
      'peers',
      'together',
      'history',
    ]);
  });

  it.each([
    [['pass'], 'pass'],
    [['fail'], null],
    [['fail', 'fail'], 'fail'],
    [['fail', 'pass'], null],
    [['fail', 'pass', 'fail'], 'fail'],
    [['fail', 'pass', 'pass'], 'warn'],
    [['inconclusive', 'pass', 'pass'], 'pass'],
    [['inconclusive', 'fail', 'fail'], 'fail'],
    [['inconclusive', 'inconclusive', 'inconclusive'], 'inconclusive'],
    [['fail', 'inconclusive', 'pass'], 'inconclusive'],
    [['inconclusive', 'warn', 'warn'], 'warn'],
    [['inconclusive', 'warn', 'pass'], 'warn'],
    [['inconclusive', 'pass', 'warn'], 'warn'],
  ] as const)('%j of performance is %s', (verdicts, comes) => {
    expect(decide('efficiency', verdicts)).toBe(comes);
  });

  it('never needs more than three attempts, and two bad ones never pass', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...repeated),
        fc.array(verdict, { minLength: 3, maxLength: 3 }),
        (kind, verdicts) => {
          const came = decide(kind, verdicts);
          expect(came).not.toBeNull();
          const failed = verdicts.filter((one) => one === 'fail').length;
          if (failed >= 2 && !['pass', 'warn', 'skipped'].includes(verdicts[0] ?? ''))
            expect(came).toBe('fail');
        },
      ),
    );
  });

  it('of correctness is failure as soon as one attempt fails, whatever the others say', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...single),
        fc.array(verdict, { minLength: 1, maxLength: 3 }),
        (kind, verdicts) => {
          if (verdicts.includes('fail')) expect(decide(kind, verdicts)).toBe('fail');
        },
      ),
    );
  });
});

const check = (id: string, verdict: Verdict, required: boolean): QualificationCheck => ({
  id,
  kind: 'quota',
  part: null,
  device: null,
  batch: null,
  required,
  verdict,
  severity: null,
  cause: null,
  reason: '',
  action: null,
  findings: [],
  attempts: [],
});

const attempt = (kind: CheckKind, verdict: Verdict, measured: number, blind = false): JudgedCheck => ({
  check: { check: kind } as SuiteCheck,
  judgement: {
    id: kind,
    kind,
    part: null,
    device: null,
    batch: 0,
    possible: true,
    verdict,
    blind,
    cause: null,
    reason: String(measured),
    findings: [],
  },
});

describe('the figures of a check', () => {
  it('are those of the first attempt, which had all launches, unless it was measured again for them', () => {
    const reason = (kind: CheckKind) =>
      checksOf([[attempt(kind, 'pass', 4)], [attempt(kind, 'pass', 1)]])[0]?.reason;
    expect(reason('complete')).toBe('4');
    const again = checksOf(['fail', 'pass', 'fail'].map((one, i) => [attempt('floor', one as Verdict, i)]));
    expect(again[0]?.reason).toMatch(/in 2 of 3 attempts: 2$/);
  });

  it('follow words that say whether it held with them', () => {
    const reasonOf = (...verdicts: readonly Verdict[]) =>
      checksOf(verdicts.map((one, i) => [attempt('floor', one, i)]))[0]?.reason;
    expect(reasonOf('fail', 'pass', 'pass')).toBe('in 1 of 3 attempts, which does not count as a failure: 0');
    expect(reasonOf('inconclusive', 'pass', 'pass')).toBe('1 of 3 attempts could not be judged: 2');
  });

  it('of what was not measured again say whether the time was up or somebody interrupted it', () => {
    const reasonOf = (interrupted: boolean) =>
      checksOf([[attempt('floor', 'fail', 0)]], interrupted)[0]?.reason;
    expect(reasonOf(false)).toBe('not measured again, as the time was up (1 of 3 attempts): 0');
    expect(reasonOf(true)).toBe('not measured again, as it was interrupted (1 of 3 attempts): 0');
  });

  it('of a warning are those of the attempt that gave cause for it', () => {
    const reasonOf = (kind: CheckKind, ...verdicts: readonly Verdict[]) =>
      checksOf(verdicts.map((one, i) => [attempt(kind, one, i)]))[0]?.reason;
    expect(reasonOf('counters', 'pass', 'warn')).toBe('1');
    expect(reasonOf('peers', 'inconclusive', 'warn', 'pass')).toBe('1 of 3 attempts could not be judged: 1');
    expect(reasonOf('peers', 'fail', 'warn', 'pass')).toMatch(/in 1 of 3 attempts, .*: 0$/);
  });
});

describe('two checks of one name in one attempt', () => {
  it('are refused, for one would answer for the other', () => {
    const twice = [attempt('floor', 'pass', 1), attempt('floor', 'fail', 2)];
    expect(() => checksOf([twice])).toThrow('two checks of one attempt are called floor');
  });
});

describe('a first attempt that could not see what a suite insists on', () => {
  const verdictAfter = (kind: CheckKind, second: Verdict) =>
    checksOf([[attempt(kind, 'inconclusive', 0, true)], [attempt(kind, second, 1)]])[0]?.verdict;

  it('decides where the machine does not show it, and hides no failure that counts at once', () => {
    expect(verdictAfter('sustained', 'pass')).toBe('inconclusive');
    expect(verdictAfter('counters', 'pass')).toBe('inconclusive');
    expect(verdictAfter('counters', 'fail')).toBe('fail');
  });
});

describe('the verdict on a node', () => {
  it('is qualified only where every required check is pass or warn', () => {
    const checks = fc.array(fc.tuple(verdict, fc.boolean()), { maxLength: 8 });
    fc.assert(
      fc.property(checks, (all) => {
        const outcome = outcomeOf(all.map(([one, required], i) => check(String(i), one, required)));
        const needed = all.filter(([, required]) => required).map(([one]) => one);
        const fine = needed.length > 0 && needed.every((one) => one === 'pass' || one === 'warn');
        expect(outcome === 'qualified').toBe(fine);
        expect(outcome === 'not-qualified').toBe(needed.includes('fail'));
      }),
    );
  });

  it('is not known where nothing was required', () => {
    expect(outcomeOf([])).toBe('inconclusive');
    expect(outcomeOf([check('a', 'pass', false)])).toBe('inconclusive');
  });
});
