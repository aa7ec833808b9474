import { describe, expect, it } from 'vitest';
import { renderScore } from '../../src/readers/terminal/score.js';
import { shownLength, terminalStyle } from '../../src/readers/terminal/style.js';
import type { RecordBatch } from '../../src/record/schema.js';
import { prescriptionsOf } from '../../src/score/prescription.js';
import { type ScoreDocument, type ScoreQuestion, scoreStacks } from '../../src/score/score.js';
import { crashed } from '../support/crashed.js';
import { aboutSeconds, type DescribedBatch, type DescribedRecord, recordOf } from '../support/records.js';

function score(
  results: DescribedRecord,
  reference: DescribedRecord,
  asked: Partial<ScoreQuestion> = {},
): ScoreDocument {
  return scoreStacks({
    results: { record: recordOf({ id: 'results', ...results }), name: 'results' },
    reference: { record: recordOf({ id: 'reference', ...reference }), name: 'reference' },
    referenceStack: null,
    across: [],
    force: false,
    ...asked,
  });
}

const of = (provider: string, m: number, seconds: number, launches = 12): DescribedBatch => ({
  stack: { provider, version: '1' },
  parameters: { m },
  launches: aboutSeconds(seconds, launches),
});

const REFERENCE: DescribedRecord = { batches: [of('base', 10, 1), of('base', 20, 1)] };

describe('a score', () => {
  it('is the geometric mean over the cases of the rates over the reference’s', () => {
    const { scores } = score({ batches: [of('x', 10, 1 / 2), of('x', 20, 1 / 8)] }, REFERENCE);
    expect(scores[0]?.score).toBeCloseTo(4, 9);
    expect(scores[0]?.cases.map(({ ratio }) => Number(ratio.toFixed(9)))).toEqual([2, 8]);
    const { low, high } = scores[0]?.interval ?? { low: 0, high: 0 };
    expect(low).toBeLessThan(4);
    expect(low).toBeGreaterThan(3.97);
    expect(high).toBeGreaterThan(4);
  });

  it('says why it is another mean than that of a comparison', () => {
    const shown = renderScore(score({ batches: [of('x', 10, 1), of('x', 20, 1)] }, REFERENCE), {
      ...terminalStyle({}),
      width: 300,
    });
    expect(shown).toContain(
      'Rates are those of the medians; the mean over cases of compare is that of the centres of the launches’ ratios',
    );
  });

  it('is weakened by a campaign that measured at the same time, on either side', () => {
    const contended = (id: string, described: DescribedRecord) => ({
      name: id,
      record: { ...recordOf({ id, ...described }), contendedBy: `another beside ${id}` },
    });
    const results = { batches: [of('x', 10, 1 / 2), of('x', 20, 1 / 8)] };
    const { scores } = score(results, REFERENCE, {
      results: contended('results', results),
      reference: contended('reference', REFERENCE),
    });
    const told = scores[0]?.weakenedBy.filter(({ flag }) => flag === 'contended-by') ?? [];
    expect(new Set(told.map((weakness) => `${weakness.of}: ${weakness.reason}`))).toEqual(
      new Set([
        'stack: another beside results measured at the same time',
        'reference: another beside reference measured at the same time',
      ]),
    );
  });

  it('of a record with an injected error is refused, and one that was forced says what it is of', () => {
    const record = recordOf({ id: 'results', batches: [of('x', 10, 1 / 2), of('x', 20, 1 / 8)] });
    const faulty = {
      ...record,
      campaign: { ...record.campaign, fault: { kind: 'crash', inspection: 0, at: 0 } as const },
    };
    const asked = { results: { record: faulty, name: 'results' } };
    const objection = 'results has an error injected on purpose: it measures no software';
    expect(() => score({ batches: [] }, REFERENCE, asked)).toThrow(
      `${objection}; --force scores all the same, and says so`,
    );
    const forced = score({ batches: [] }, REFERENCE, { ...asked, force: true });
    expect(forced.forcedPast).toEqual([objection]);
    const where = { ...faulty, labels: { ...faulty.labels, cpu_family_model_stepping: '25-17-1' } };
    expect(prescriptionsOf(forced, where).prescriptions[0]?.yaml.replaceAll(/\s+/g, ' ')).toContain(
      objection,
    );
    expect(score(REFERENCE, REFERENCE, { force: true }).forcedPast).toEqual([]);
  });

  it('is of rates: what does no work, as a barrier, has no part in it, and that is said', () => {
    const idle = (provider: string): DescribedBatch => ({ ...of(provider, 30, 1), idle: true });
    const reference = { batches: [...REFERENCE.batches, idle('base')] };
    const document = score({ batches: [of('x', 10, 1 / 2), of('x', 20, 1 / 8), idle('x')] }, reference);
    expect(document.scores[0]?.score).toBeCloseTo(4, 9);
    expect(document.scores[0]?.cases).toHaveLength(2);
    expect(document.scores[0]?.unscored).toHaveLength(1);
    expect(renderScore(document, terminalStyle({}))).toMatch(/not scored .*no work is done/s);
    const [none] = score({ batches: [idle('x')] }, { batches: [idle('base')] }).scores;
    expect([none?.score, none?.reason]).toEqual([null, expect.stringMatching(/none has a rate/)]);
  });

  it('is none of what no launch measured to its end, on either side', () => {
    const asked = (results: DescribedRecord, cut: 'results' | 'reference') => {
      const records = {
        results: recordOf({ id: 'results', ...results }),
        reference: recordOf({ id: 'reference', ...REFERENCE }),
      };
      const named = (side: 'results' | 'reference') => {
        const { batches, ...rest } = records[side];
        const left = batches.map((batch) => ({ ...batch, measured: 0 }));
        return { record: side === cut ? { ...rest, batches: left } : records[side], name: side };
      };
      return scoreStacks({
        ...{ results: named('results'), reference: named('reference') },
        ...{ referenceStack: null, across: [], force: false },
      }).scores[0];
    };
    const results: DescribedRecord = { batches: [of('x', 10, 1 / 2), of('x', 20, 1 / 8)] };
    for (const cut of ['results', 'reference'] as const) {
      const none = asked(results, cut);
      expect(none?.score).toBeNull();
      expect(none?.reason).toMatch(/^no launch of (its|the reference’s) .* was measured to its end$/);
    }
  });

  it('is turned over when results and reference change places', () => {
    const results: DescribedRecord = { batches: [of('x', 10, 0.7), of('x', 20, 0.9)] };
    const there = score(results, REFERENCE).scores[0]?.score ?? 0;
    const back = score(REFERENCE, results).scores[0]?.score ?? 0;
    expect(there * back).toBeCloseTo(1, 12);
  });

  it('does not change when both are a hundred times as slow', () => {
    const slow = (factor: number): number =>
      score(
        { batches: [of('x', 10, 0.7 * factor), of('x', 20, 0.9 * factor)] },
        { batches: [of('base', 10, factor), of('base', 20, factor)] },
      ).scores[0]?.score ?? 0;
    expect(slow(100)).toBeCloseTo(slow(1), 9);
  });

  it('ranks the stacks of a record', () => {
    const { scores } = score({ batches: [of('x', 10, 1), of('y', 10, 0.5), of('z', 10, 2)] }, REFERENCE);
    expect(scores.map(({ name }) => name)).toEqual(['y', 'x', 'z']);
  });

  it('is not had by a stack with one wrong output, however fast, and the others keep theirs', () => {
    const { scores } = score(
      {
        batches: [
          of('right', 10, 1),
          of('wrong', 10, 0.1),
          { ...of('wrong', 20, 0.1), launches: [{ seconds: 0.1, passed: false }] },
        ],
      },
      REFERENCE,
    );
    const wrong = scores.find(({ name }) => name === 'wrong');
    expect([wrong?.score, wrong?.interval, wrong?.cases]).toEqual([null, null, []]);
    expect(wrong?.reason).toMatch(/an output was wrong: matmul 20/);
    expect(scores[0]?.name).toBe('right');
  });

  it('names the cases of the reference that it says nothing of', () => {
    const { scores } = score({ batches: [of('x', 10, 0.5)] }, REFERENCE);
    expect(scores[0]?.score).toBeCloseTo(2, 9);
    expect(scores[0]?.missing).toEqual([expect.stringMatching(/^matmul 20/)]);
  });

  it('is not had where the work of a case is not known, which is said and not that nothing was measured', () => {
    const unknown = (id: string, described: DescribedRecord) => {
      const record = recordOf({ id, ...described });
      const batches = record.batches.map((batch) => ({ ...batch, work: null, rate: null }));
      return { name: id, record: { ...record, batches } };
    };
    const says = /the work of matmul 10 .* is not known, so it has times, by which compare goes, and no rate/;
    const results = unknown('results', { batches: [of('x', 10, 0.5)] });
    expect(score({ batches: [] }, REFERENCE, { results }).scores[0]).toMatchObject({
      score: null,
      reason: expect.stringMatching(says),
    });
    const reference = unknown('reference', REFERENCE);
    expect(() => score({ batches: [of('x', 10, 0.5)] }, REFERENCE, { reference })).toThrow(says);
  });

  it('is not had by a stack whose launches of one case all crashed, nor is it a reference', () => {
    const blas = (m: number): DescribedBatch => ({
      ...of('openblas', m, 0.5),
      stack: { provider: 'openblas', version: 'OpenBLAS 0.3.26', sha256: 'a file' },
    });
    const batches = [of('x', 10, 1), of('x', 20, 1), blas(20), blas(10)];
    const record = recordOf({ id: 'r', batches, labels: { cpu_family_model_stepping: '25-17-1' } });
    const results = { record: crashed(record, 2), name: 'r' };
    const asked = { results, reference: results, across: [], force: false };
    const { scores } = scoreStacks({ ...asked, referenceStack: 'x' });
    const [none, ...others] = scores.filter(({ name }) => name.startsWith('openblas'));
    expect(others).toEqual([]);
    expect([none?.score, none?.reason]).toEqual([
      null,
      expect.stringMatching(/nothing was measured of matmul 20/),
    ]);
    expect(none?.stack.version).toBe('OpenBLAS 0.3.26');
    expect(() => scoreStacks({ ...asked, referenceStack: 'openblas' })).toThrow(
      /openblas cannot be the reference: nothing was measured of matmul 20/,
    );
    const document = scoreStacks({ ...asked, referenceStack: 'x' });
    const { prescriptions, leftOut } = prescriptionsOf(document, results.record);
    expect(prescriptions.map(({ name }) => name)).toEqual([expect.stringMatching(/^pi-bench-x-1-/)]);
    expect(leftOut.map(({ name }) => name)).toEqual(['openblas']);
  });

  it('is weakened by flags and few launches, and lowered by neither', () => {
    const flagged = [0.49, 0.5, 0.51].map((seconds) => ({
      seconds,
      flags: [{ name: 'preempted', reason: 'other work ran', evidence: {} }],
    }));
    const { scores } = score({ batches: [{ ...of('x', 10, 0.5), launches: flagged }] }, REFERENCE);
    expect(scores[0]?.score).toBeCloseTo(2, 5);
    const own = scores[0]?.weakenedBy.filter((one) => one.of === 'stack').map(({ flag }) => flag);
    expect(own).toEqual(expect.arrayContaining(['few-launches', 'preempted']));
  });

  describe('of launches that are in no figure', () => {
    const half = (provider: string, m: number): DescribedBatch => ({
      ...of(provider, m, 0.5),
      launches: aboutSeconds(0.5).map((seconds, i) =>
        i % 2 === 0 ? seconds : { seconds, status: 'crashed' as const, reason: 'crashed with SIGSEGV' },
      ),
    });
    const weaknesses = ({ scores }: ScoreDocument, flag: string) =>
      scores[0]?.weakenedBy.filter((one) => one.flag === flag).map((one) => [one.of, one.title, one.reason]);
    const LOST = '6 of 12 launches lost; launch 2 crashed: crashed with SIGSEGV';

    it('is weakened by those that crashed, in whichever case, and by the reference’s', () => {
      const document = score({ batches: [half('x', 10)] }, REFERENCE);
      expect(document.scores[0]?.score).toBeCloseTo(2, 1);
      expect(weaknesses(document, 'launches-lost')).toEqual([
        ['stack', expect.stringMatching(/^matmul 10/), LOST],
      ]);
      expect(renderScore(document, { ...terminalStyle({}), width: 200 })).toContain(
        `x: launches-lost (1 case: ${LOST})`,
      );
      const elsewhere = score({ batches: [of('x', 10, 0.5), half('x', 30)] }, REFERENCE);
      expect(weaknesses(elsewhere, 'launches-lost')).toEqual([
        ['stack', expect.stringMatching(/^matmul 30/), LOST],
      ]);
      const reference = score({ batches: [of('x', 10, 0.5)] }, { batches: [half('base', 10)] });
      expect(weaknesses(reference, 'launches-lost')).toEqual([
        ['reference', expect.stringMatching(/^matmul 10/), LOST],
      ]);
    });

    it('is weakened otherwise by those that somebody interrupted, or that were never begun', () => {
      const [first = 1, ...others] = aboutSeconds(0.5);
      const cut = [...others, { seconds: first, status: 'interrupted' as const }];
      const record = recordOf({ id: 'results', batches: [{ ...of('x', 10, 1), launches: cut }] });
      const missing = (changed: (batch: RecordBatch) => RecordBatch) => {
        const results = { record: { ...record, batches: record.batches.map(changed) }, name: 'results' };
        const document = score({ batches: [] }, REFERENCE, { results });
        expect(weaknesses(document, 'launches-lost')).toEqual([]);
        return weaknesses(document, 'launches-missing')?.map(([, , reason]) => reason);
      };
      expect(missing((batch) => batch)).toEqual(['1 of 12 launches did not come to their end']);
      expect(missing((batch) => ({ ...batch, planned: 20 }))).toEqual([
        '9 of 20 launches did not come to their end',
      ]);
      // A rule decided on their number.
      const settling = (batch: RecordBatch) => ({
        ...batch,
        planned: 20,
        asked: { ...batch.asked, settle: 0.02 },
      });
      expect(missing(settling)).toEqual([]);
    });

    it('is weakened by each flag that could not be looked for', () => {
      const notChecked = [{ flag: 'throttled', why: 'the kernel does not tell' }];
      const launches = aboutSeconds(0.5).map((seconds) => ({ seconds, notChecked }));
      const document = score({ batches: [{ ...of('x', 10, 1), launches }] }, REFERENCE);
      expect(weaknesses(document, 'not-checked')).toEqual([
        ['stack', expect.stringMatching(/^matmul 10/), 'throttled: the kernel does not tell'],
      ]);
    });
  });

  it('is weakened by variables that libraries read and the reference was not launched with', () => {
    const x = of('x', 10, 0.5);
    const ran = (environment: Record<string, string>) => ({
      batches: [{ ...x, stack: { provider: 'x', version: '1', environment } }],
    });
    const told = (own: Record<string, string>, other: Record<string, string>) =>
      score(ran(own), ran(other)).scores[0]?.weakenedBy.filter(({ flag }) => flag === 'other-environment');
    expect(told({ OPENBLAS_CORETYPE: 'Haswell' }, {})).toEqual([
      expect.objectContaining({
        of: 'stack',
        reason:
          'launched with other variables: OPENBLAS_CORETYPE=Haswell, the reference without OPENBLAS_CORETYPE',
      }),
    ]);
    expect(told({ OPENBLAS_CORETYPE: 'Haswell' }, { OPENBLAS_CORETYPE: 'Haswell' })).toEqual([]);
  });

  describe('beside a reference that was measured otherwise', () => {
    type Changed = (batch: RecordBatch) => RecordBatch;
    const asBefore: Changed = (batch) => batch;
    const named = (id: string, changed: Changed, gpu: Readonly<Record<string, string | boolean>> | null) => {
      const record = recordOf({ id, batches: [of('x', 10, 1)] });
      const gpus = gpu === null ? {} : { gpus: { devices: [{ ordinal: 0, ...gpu }] } };
      const device = gpu === null ? 'cpu' : 'cuda:0';
      const batches = record.batches.map((batch) => changed({ ...batch, device }));
      return { name: id, record: { ...record, batches, machine: { ...record.machine, ...gpus } } };
    };
    /** Of the results as each of the two changes makes them: the flags of the pair and their reasons. */
    const told = (
      own: Changed,
      other: Changed,
      gpus: readonly Parameters<typeof named>[2][] = [null, null],
    ): readonly string[] => {
      const [mine = null, its = null] = gpus;
      const { scores } = score(
        { batches: [] },
        { batches: [] },
        {
          results: named('results', own, mine),
          reference: named('reference', other, its),
        },
      );
      return (scores[0]?.weakenedBy ?? []).flatMap(({ of: side, flag, reason }) =>
        side === 'stack' && flag.startsWith('other-') ? [`${flag}: ${reason}`] : [],
      );
    };

    it('is weakened by what a comparison of the two tells', () => {
      expect(told(asBefore, asBefore)).toEqual([]);
      expect(
        told(asBefore, asBefore, [
          { uuid: 'GPU-1', ecc: true },
          { uuid: 'GPU-2', ecc: true },
        ]),
      ).toEqual(['other-gpu: on another GPU, or one that is set otherwise: GPU-1, the reference GPU-2']);
      const built =
        (digit: string, file = 'x.so'): Changed =>
        (batch) => ({
          ...batch,
          stack: { ...batch.stack, provider: 'x', version: '1', file, sha256: digit.repeat(64) },
        });
      expect(told(built('1'), built('2'))).toEqual([
        'other-build: the same version in another build, by its checksum: x.so 111111111111, the reference x.so 222222222222',
      ]);
      expect(told(built('1', 'x-mt.so'), built('2'))).toEqual([
        'other-build: the same version in another build, by its checksum: x-mt.so 111111111111, the reference x.so 222222222222',
      ]);
      const behind =
        (bytes: number): Changed =>
        (batch) => ({
          ...batch,
          inspections: batch.inspections.map((entry) => ({
            ...entry,
            hugePages: { bytes, of: 100 * 2 ** 20, possible: 100 * 2 ** 20, page: 2 ** 21 },
          })),
        });
      expect(told(behind(0), behind(100 * 2 ** 20))).toEqual([
        expect.stringMatching(/^other-huge-pages: .*: 0 %, the reference 100 %$/),
      ]);
      const asked =
        (more: Partial<RecordBatch['asked']>): Changed =>
        (batch) => ({
          ...batch,
          asked: { ...batch.asked, ...more },
        });
      expect(told(asked({ warmup: { kind: 'auto' } }), asBefore)).toEqual([
        'other-warm-up: its launches were not warmed up alike: automatic warm-up, the reference warm-up of 1 call',
      ]);
      expect(told(asked({ sampling: { kind: 'fixed', repetitions: 7 } }), asBefore)).toEqual([
        'other-repetitions: its launches had another number of repetitions: 7 reps, the reference 10 reps',
      ]);
    });

    it('is weakened by launches that did not take turns, and not beside a stack of its own record', () => {
      const flags = ({ scores }: ScoreDocument) =>
        new Set(scores.flatMap(({ weakenedBy }) => weakenedBy.map(({ flag }) => flag)));
      const there = score({ batches: [of('x', 10, 1)] }, REFERENCE);
      expect(there.scores[0]?.weakenedBy).toContainEqual({
        flag: 'not-in-turns',
        of: 'stack',
        title: expect.stringMatching(/^matmul 10/),
        reason: expect.stringMatching(/^the sides were measured in 2 campaigns, .* did not take turns/),
      });
      const built = (sha256: string, seconds: number): DescribedBatch => ({
        ...of('x', 10, seconds),
        stack: { provider: 'x', version: '1', sha256 },
      });
      const both = { record: recordOf({ batches: [built('1', 1), built('2', 2)] }), name: 'both' };
      const here = score(
        { batches: [] },
        { batches: [] },
        {
          ...{ results: both, reference: both, referenceStack: 'x 1 1' },
        },
      );
      expect(here.scores).toHaveLength(2);
      expect([flags(here).has('not-in-turns'), flags(here).has('other-build')]).toEqual([false, false]);
    });
  });

  it('has no interval where no launch differs from another on either side, and says so', () => {
    const alike = (seconds: number): DescribedBatch => ({
      ...of('x', 10, seconds),
      launches: Array.from({ length: 8 }, () => ({ seconds })),
    });
    const flagsOf = (own: DescribedBatch, other: DescribedBatch) => {
      const [first] = score({ batches: [own] }, { batches: [other] }).scores;
      return [first?.interval ?? null, first?.weakenedBy.some(({ flag }) => flag === 'no-spread')];
    };
    expect(flagsOf(alike(0.5), alike(1))).toEqual([null, true]);
    expect(flagsOf(alike(0.5), of('x', 10, 1))).toEqual([expect.anything(), false]);
  });

  it('has no interval where a case has one launch, and says so', () => {
    const { scores } = score({ batches: [of('x', 10, 0.5, 1)] }, REFERENCE);
    expect([scores[0]?.score, scores[0]?.interval]).toEqual([expect.closeTo(2, 5), null]);
  });

  it('is 1, without an interval, for the reference itself', () => {
    const record = { record: recordOf({ batches: [of('x', 10, 1), of('y', 10, 0.5)] }), name: 'both' };
    const { scores } = scoreStacks({
      results: record,
      reference: record,
      referenceStack: 'x',
      across: [],
      force: false,
    });
    expect(scores.map(({ name, score: value, reason }) => [name, value, reason])).toEqual([
      ['y', expect.closeTo(2, 9), null],
      ['x', 1, 'it is the reference'],
    ]);
  });

  it('fits the terminal', () => {
    const document = score({ batches: [of('a-stack-with-a-long-name', 10, 1)] }, REFERENCE);
    for (const width of [40, 80]) {
      const text = renderScore(document, { ...terminalStyle({}), width });
      expect(Math.max(...text.split('\n').map(shownLength))).toBeLessThanOrEqual(width);
    }
  });
});

describe('what cannot be scored', () => {
  it('is against a reference with several stacks, until one is named', () => {
    const two: DescribedRecord = { batches: [of('x', 10, 1), of('y', 10, 1)] };
    expect(() => score({ batches: [of('x', 10, 1)] }, two)).toThrow(
      /several stacks \(x, y\): say which with --reference-stack/,
    );
    expect(() => score({ batches: [of('x', 10, 1)] }, two, { referenceStack: 'q' })).toThrow(
      /--reference-stack q is not in reference; it has x, y/,
    );
  });

  it('is on another machine, unless told to', () => {
    const there: DescribedRecord = { ...REFERENCE, labels: { cpu_model: 'Another' } };
    expect(() => score({ batches: [of('x', 10, 1)] }, there)).toThrow(/not comparable.*cpu_model/);
    const document = score({ batches: [of('x', 10, 1)] }, there, { across: ['cpu_model'] });
    expect(document.acrossLabels.map(({ label }) => label)).toEqual(['cpu_model']);
  });

  it('is without a case in common', () => {
    expect(() => score({ batches: [of('x', 77, 1)] }, REFERENCE)).toThrow(
      /no case in common: the nearest differ in m/,
    );
  });

  it.each(['results', 'reference'] as const)('is what nobody verified, unless told to: %s', (unverified) => {
    const named = (side: 'results' | 'reference', described: DescribedRecord) => {
      const record = recordOf({ id: side, ...described });
      const batches = record.batches.map((batch) => ({ ...batch, verified: 'not-run' as const }));
      return { record: side === unverified ? { ...record, batches } : record, name: side };
    };
    const question: ScoreQuestion = {
      results: named('results', { batches: [of('x', 10, 0.5)] }),
      reference: named('reference', { batches: [of('base', 10, 1)] }),
      referenceStack: null,
      across: [],
      force: false,
    };
    const objection = `${unverified}: nobody verified the outputs of ${question.results.record.batches[0]?.title}, and a wrong answer has no score`;
    expect(() => scoreStacks(question)).toThrow(`${objection}; --force scores all the same, and says so`);
    const forced = scoreStacks({ ...question, force: true });
    expect([forced.forced, forced.forcedPast]).toEqual([true, [objection]]);
    const [one] = forced.scores;
    expect(one?.score).toBeCloseTo(2, 9);
    expect(one?.weakenedBy.filter(({ flag }) => flag === 'not-verified')).toEqual([
      {
        flag: 'not-verified',
        of: unverified === 'results' ? 'stack' : 'reference',
        title: question.results.record.batches[0]?.title,
        reason: 'nobody compared its outputs with right ones',
      },
    ]);
  });

  it('is against a wrong output', () => {
    const wrong: DescribedRecord = {
      batches: [{ ...of('base', 10, 1), launches: [{ seconds: 1, passed: false }] }],
    };
    expect(() => score({ batches: [of('x', 10, 1)] }, wrong)).toThrow(
      /base cannot be the reference: matmul 10 .* has a wrong output/,
    );
  });
});
