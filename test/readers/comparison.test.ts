import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { importedRecord } from '../../src/import/record.js';
import { readThoth } from '../../src/import/thoth.js';
import { compareRecords } from '../../src/readers/comparison/comparison.js';
import type { ComparisonDocument, Question } from '../../src/readers/comparison/document.js';
import { flagTexts } from '../../src/readers/comparison/reservations.js';
import { groupLetters } from '../../src/readers/comparison/words.js';
import { renderComparison } from '../../src/readers/terminal/comparison.js';
import { shownLength, terminalStyle } from '../../src/readers/terminal/style.js';
import type { RecordBatch } from '../../src/record/schema.js';
import { stacks as registry } from '../../src/stacks/index.js';
import { describeText, foundOf } from '../import/support.js';
import { crashed } from '../support/crashed.js';
import { ownIdentity } from '../support/own-stacks.js';
import { aboutSeconds, type DescribedBatch, type DescribedRecord, recordOf } from '../support/records.js';

const ASKED: Question = { by: null, reference: null, margin: 0.01, across: [], force: false };

function compare(records: readonly DescribedRecord[], asked: Partial<Question> = {}): ComparisonDocument {
  const named = records.map((one, i) => ({
    record: recordOf({ id: `campaign-${i}`, ...one }),
    name: 'abcdef'[i] ?? '',
  }));
  return compareRecords(named, { ...ASKED, ...asked });
}

const one = (centre: number, more: Partial<DescribedRecord> = {}): DescribedRecord => ({
  batches: [{ launches: aboutSeconds(centre) }],
  ...more,
});

const outcomes = ({ cases }: ComparisonDocument) =>
  cases.flatMap(({ comparisons }) => comparisons.map(({ outcome }) => outcome));

describe('a comparison of records', () => {
  it('calls the second faster, slower or the same, and the ratio is that of the rates', () => {
    expect(outcomes(compare([one(1), one(1 / 1.05)]))).toEqual(['faster']);
    expect(outcomes(compare([one(1), one(1.05)]))).toEqual(['slower']);
    expect(outcomes(compare([one(1), one(1.0001)]))).toEqual(['same']);
    expect(compare([one(1), one(1 / 1.05)]).cases[0]?.comparisons[0]?.ratio).toBeCloseTo(1.05, 9);
  });

  it('says of two records of one campaign that they are', () => {
    const { notes } = compare([one(1, { id: 'same' }), one(1.05, { id: 'same' })]);
    expect(notes).toContain(
      'a and b are records of one campaign (same): launches that both have are compared with themselves',
    );
    expect(compare([one(1), one(1.05)]).notes.join()).not.toContain('of one campaign');
  });

  it('says which record was measured while another campaign measured on the machine', () => {
    const [a, b] = [recordOf({ id: 'a', ...one(1) }), recordOf({ id: 'b', ...one(1.05) })];
    const notes = (contendedBy: string | null) =>
      compareRecords(
        [
          { record: a, name: 'a' },
          { record: { ...b, contendedBy }, name: 'b' },
        ],
        ASKED,
      ).notes;
    expect(notes('campaign-c')).toContain('b: campaign-c measured at the same time');
    expect(notes(null).join()).not.toContain('at the same time');
  });

  it('names a case by its labels where nothing else tells it from another', () => {
    const sides = (id: string): DescribedRecord => ({
      id,
      batches: ['a', 'b'].map((side) => ({ launches: aboutSeconds(1), labels: { side } })),
    });
    const { cases } = compare([sides('x'), sides('y')]);
    expect(cases.map(({ title }) => title)).toEqual([
      expect.stringMatching(/^matmul .*, side a$/),
      expect.stringMatching(/^matmul .*, side b$/),
    ]);
    expect(cases.map(({ name }) => name)).toEqual(['side a', 'side b']);
  });

  it('compares what does no work, as a barrier, by the time of a repetition, and has no rate of it', () => {
    const idle = (centre: number): DescribedRecord => ({
      batches: [{ launches: aboutSeconds(centre), idle: true }],
    });
    const document = compare([idle(1), idle(1.05)]);
    expect(outcomes(document)).toEqual(['slower']);
    expect(document.cases[0]?.comparisons[0]?.ratio).toBeCloseTo(1 / 1.05, 9);
    expect(document.cases[0]?.batches.map(({ rate }) => rate)).toEqual([null, null]);
    expect(renderComparison(document, { ...terminalStyle({}), width: 160 })).toMatch(/1\.0\d* s/);
    // Beside what does work, too: seconds for a byte and seconds for a repetition have no ratio.
    expect(compare([idle(1), one(1.05)]).cases[0]?.comparisons[0]?.ratio).toBeCloseTo(1 / 1.05, 9);
    const both = (centre: number): DescribedRecord => ({
      batches: [10, 20, 30].map((m) => ({
        parameters: { m },
        launches: aboutSeconds(centre),
        ...(m === 30 ? { idle: true as const } : {}),
      })),
    });
    expect(compare([both(1), both(2)]).overall.map(({ cases }) => cases)).toEqual([2]);
  });

  it('says which launches are in no figure, and which flags nobody could look for', () => {
    const sides = (status: 'crashed' | 'interrupted') => {
      const of = (m: number, more: Partial<DescribedBatch> = {}): DescribedBatch => ({
        parameters: { m },
        launches: aboutSeconds(1),
        ...more,
      });
      const notChecked = [{ flag: 'throttled', why: 'the kernel does not tell' }];
      const launches = aboutSeconds(1).map((seconds, i) =>
        i < 6
          ? { seconds, notChecked }
          : { seconds, notChecked, status, reason: status === 'crashed' ? 'SIGSEGV' : 'a signal' },
      );
      return compare([{ batches: [of(10), of(20)] }, { batches: [of(10, { launches }), of(20)] }]);
    };
    const document = sides('crashed');
    const lost = '6 of 12 launches lost; launch 7 crashed: SIGSEGV';
    expect(
      document.cases[0]?.batches.map((one) => [one.launchesLost, one.launchesMissing, one.notChecked]),
    ).toEqual([
      [null, null, []],
      [lost, null, ['throttled']],
    ]);
    const told = (of: ComparisonDocument) =>
      // The launches of the test ascend.
      flagTexts(of).filter((text) => !text.includes('launches-not-independent'));
    expect(told(document)).toEqual([
      `b: launches-lost (1 of 2 cases): ${lost}`,
      'b: in some launches not checked: throttled',
    ]);
    const shown = renderComparison(document, { ...terminalStyle({}), width: 200 });
    expect(shown).toMatch(/flags +b: launches-lost \(1 of 2 cases\): 6 of 12/);
    // Nobody's fault but that of who interrupted them.
    expect(told(sides('interrupted'))[0]).toBe(
      'b: launches-missing (1 of 2 cases): 6 of 12 launches did not come to their end',
    );
  });

  it('says what tells equal cases apart where none is common, and names tables by it', () => {
    const of = (variant: string | null, centre: number) => ({
      launches: aboutSeconds(centre),
      stack: { provider: 'embedded', variant },
    });
    const two: DescribedRecord = { batches: [of('avx2', 1), of('portable', 2)] };
    expect(() => compare([{ batches: [of(null, 1)] }, two])).toThrow(
      /the nearest differ in stack \(embedded \/ embedded:avx2\); --by stack compares them/,
    );
    const shape = (m: number, n: number, k: number): DescribedRecord => ({
      batches: [{ parameters: { m, n, k }, launches: aboutSeconds(1) }],
    });
    const permuted = [shape(64, 128, 256), shape(256, 64, 128)];
    expect(() => compare(permuted)).toThrow(/; --across m,n,k compares them$/);
    expect(outcomes(compare(permuted, { across: ['m', 'n', 'k'] }))).toEqual(['same']);
    expect(() => compare([shape(64, 64, 64), shape(256, 256, 256)])).toThrow(
      /; measure one case on both sides \(--across m,n,k sets rates of different work beside each other\)$/,
    );
    const titles = compare([two, { batches: [of('avx2', 1.5), of('portable', 2)] }]).cases.map(
      ({ title }) => title,
    );
    expect(titles).toEqual([
      expect.stringMatching(/, embedded:avx2$/),
      expect.stringMatching(/, embedded:portable$/),
    ]);
  });

  it('keeps a device alone and the same beside all others apart, as --at-once beside measures both', () => {
    const beside = (alone: number, atOnce: number): DescribedRecord => ({
      batches: [{ launches: aboutSeconds(alone) }, { launches: aboutSeconds(atOnce), atOnce: true }],
    });
    const document = compare([beside(1, 2), beside(1, 2.5)]);
    expect(outcomes(document)).toEqual(['same', 'slower']);
    // What is asked for by its label is compared: how much the others cost.
    expect(outcomes(compare([beside(1, 2)], { by: 'at_once' }))).toEqual(['slower']);
  });

  it('says that the ratio is the centre of those of the launches where the medians have another one', () => {
    const of = (launches: readonly number[]): DescribedRecord => ({ batches: [{ launches }] });
    const document = compare([of([1, 1, 1, 1, 3, 3, 3]), of([1, 1, 1, 3, 3, 3, 3])]);
    const [pair] = document.cases[0]?.comparisons ?? [];
    // The medians are 1 s and 3 s.
    expect(pair?.ratio).toBeCloseTo(1, 9);
    expect(renderComparison(document, { ...terminalStyle({}), width: 200 })).toMatch(
      /centre of the launches’ ratios, which need not be that of the medians shown/,
    );
  });

  it('answers the other way round, with the ratio turned over, when the two change places', () => {
    const [there, back] = [compare([one(1), one(1.05)]), compare([one(1.05), one(1)])];
    expect([there.answer, back.answer]).toEqual(['slower', 'faster']);
    const ratio = (document: ComparisonDocument) => document.cases[0]?.comparisons[0]?.ratio ?? 0;
    expect(ratio(there) * ratio(back)).toBeCloseTo(1, 12);
  });

  it('cannot tell where launches differ by more than the ratio, and says how many would', () => {
    const document = compare([
      { batches: [{ launches: aboutSeconds(1, 6, 0.02) }] },
      { batches: [{ launches: aboutSeconds(1.01, 6, 0.02) }] },
    ]);
    expect(document.answer).toBe('cannot tell');
    expect(document.cases[0]?.comparisons[0]?.launchesToSettle).toBeGreaterThan(20);
    expect(renderComparison(document, terminalStyle({}))).toMatch(/to settle .*about \d+ launches of each/);
  });

  it('asks for no launches where those of both sides tie: their number tells nothing', () => {
    const tied: DescribedRecord = { batches: [{ launches: Array(10).fill(1) }] };
    const document = compare([tied, tied]);
    expect(document.cases[0]?.comparisons[0]).toMatchObject({
      outcome: 'cannot tell',
      interval: null,
      launchesToSettle: null,
    });
    for (const cut of [false, true])
      expect(renderComparison(document, { ...terminalStyle({}), width: 240 }, cut)).toMatch(
        /to settle +the launches of both sides, or in rounds their ratios, do not differ, but for a few, as where they tie at the step of the clock.*more work$/m,
      );
    const more = compare([
      { batches: [...tied.batches, { parameters: { m: 7 }, launches: [1] }] },
      { batches: [...tied.batches, { parameters: { m: 7 }, launches: [1] }] },
    ]);
    expect(renderComparison(more, { ...terminalStyle({}), width: 200 })).toMatch(
      /one launch says nothing of the next: measure at least 6 launches/,
    );
  });

  it('asks for no number of launches that cannot tell among so many comparisons', () => {
    const cases = (first: number, count = 6): DescribedRecord => ({
      batches: Array.from({ length: 40 }, (_, i) => ({
        parameters: { m: 10 + i },
        launches: aboutSeconds(i === 0 ? first : 1, count, 0.003),
      })),
    });
    const document = compare([cases(1), cases(1 / 1.03)], { margin: 0.02 });
    // The least that 6 and 6 can come to, 2 of 924, is too much 40 times; of 7 and 7, 2 of 3,432, it is not.
    expect(outcomes(document)[0]).toBe('cannot tell');
    expect(renderComparison(document, terminalStyle({}))).toMatch(/about 7 launches .*--inspections 7/s);
    expect(document.notes.join()).toMatch(
      /1 ratio has an interval without 1 and no verdict: among 40 comparisons chance makes/,
    );
    const enough = compare([cases(1, 7), cases(1 / 1.03, 7)], { margin: 0.02 });
    expect(outcomes(enough)[0]).toBe('faster');
    const advice = (first: DescribedRecord, second: DescribedRecord) =>
      renderComparison(compare([first, second]), { ...terminalStyle({}), width: 160 });
    expect(advice(cases(1, 1), cases(1, 1))).toMatch(/measure at least 7 launches of each/);
    const once: DescribedRecord = { batches: [{ launches: [1] }] };
    expect(advice(once, { ...once, id: 'other' })).toMatch(/measure at least 6 launches of each/);
  });

  it('takes one library in two stacks of a stack file for two stacks, by their names', () => {
    const stack = { provider: 'blis', variant: '/cache/lib.so', version: '1', sha256: 'a'.repeat(64) };
    const record: DescribedRecord = {
      batches: ['plain', 'tuned'].map((name, i) => ({
        stack: { ...stack, own: ownIdentity(name, i === 0 ? {} : { TUNED: '1' }) },
        launches: aboutSeconds(1 - i / 10),
        labels: { candidate: name },
      })),
    };
    const document = compare([record]);
    expect(document.cases[0]?.comparisons[0]).toMatchObject({ outcome: 'faster' });
    const text = renderComparison(document, terminalStyle({}));
    expect(text).toMatch(/^tuned against plain, by stack/);
    // What explore calls them is no difference beside that.
    expect(text).not.toMatch(/your labels/);
  });

  it('takes a wider margin for the same', () => {
    expect(compare([one(1), one(1.03)]).answer).toBe('slower');
    expect(compare([one(1), one(1.03)], { margin: 0.05 }).answer).toBe('same');
  });

  it('is as bad as its worst case', () => {
    const batches = (centre: number) => [
      { launches: aboutSeconds(1) },
      { parameters: { m: 50 }, launches: aboutSeconds(centre) },
    ];
    expect(compare([{ batches: batches(1) }, { batches: batches(1.1) }]).answer).toBe('slower');
    expect(compare([{ batches: batches(1) }, { batches: batches(0.9) }]).answer).toBe('faster');
  });

  it('compares over the cases by their geometric mean', () => {
    const batches = (a: number, b: number) => [
      { launches: aboutSeconds(a) },
      { parameters: { m: 50 }, launches: aboutSeconds(b) },
    ];
    const document = compare([{ batches: batches(1, 1) }, { batches: batches(1 / 1.1, 1 / 1.21) }]);
    const { overall } = document;
    expect(renderComparison(document, { ...terminalStyle({}), width: 200 })).toMatch(
      /over cases +b: 1\.154 times the reference’s rate, geometric mean of the ratios of 2 cases \(a score takes those of the medians\), 95 %/,
    );
    expect(overall[0]).toMatchObject({ candidate: 'b', cases: 2 });
    expect(overall[0]?.mean).toBeCloseTo(Math.sqrt(1.1 * 1.21), 9);
    expect(overall[0]?.interval?.low).toBeGreaterThan(1.1);
  });

  it('says that launches of two campaigns did not take turns', () => {
    const { notes } = compare([one(1), one(1.05, { createdAt: '2026-01-02T06:04:05.000Z' })]);
    expect(notes.join()).toMatch(/2 campaigns, 3 hours apart: their launches did not take turns/);
  });
});

describe('the stacks inside one record', () => {
  const stacks = (...centres: readonly number[]): DescribedRecord => ({
    batches: centres.map((centre, i) => ({
      stack: { provider: `stack${i}`, version: '1' },
      launches: aboutSeconds(centre),
    })),
  });

  it('are compared without being told to, the first being the reference', () => {
    const document = compare([stacks(1, 0.9)]);
    expect([document.by, document.reference, document.answer]).toEqual(['stack', 'stack0', 'faster']);
  });

  it('fall into groups that cannot be told apart, the fastest first', () => {
    const { cases } = compare([stacks(1, 0.9, 0.9001, 1.2)]);
    expect(cases[0]?.groups).toEqual([['stack1', 'stack2'], ['stack0'], ['stack3']]);
  });

  it('share a letter with the reference exactly where their outcome tells no difference', () => {
    const launches = (centre: number) => aboutSeconds(centre, 6, 0.02);
    const near = (centres: readonly number[]): DescribedRecord => ({
      batches: centres.map((centre, i) => ({
        stack: { provider: `stack${i}`, version: '1' },
        launches: launches(centre),
      })),
    });
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0.8, max: 1.2, noNaN: true }), { minLength: 3, maxLength: 9 }),
        (centres) => {
          const [one] = compare([near(centres)]).cases;
          const sharing = new Set(one?.groups.filter((group) => group.includes('stack0')).flat());
          for (const { candidate, outcome } of one?.comparisons ?? [])
            expect(sharing.has(candidate)).toBe(outcome !== 'faster' && outcome !== 'slower');
        },
      ),
    );
    // Eight sides of six launches: too few for the correction over all 28 pairs, enough for that over seven.
    const eight = compare([near([1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7])]);
    expect(new Set(outcomes(eight))).toEqual(new Set(['slower']));
    expect(eight.cases[0]?.groups[0]).toEqual(['stack0']);
  });

  it('can have another reference', () => {
    const document = compare([stacks(1, 0.9)], { reference: 'stack1' });
    expect([document.reference, document.answer]).toEqual(['stack1', 'slower']);
    expect(() => compare([stacks(1, 0.9)], { reference: 'x' })).toThrow(/--reference x is none of/);
  });

  it('are two where two builds of one library differ only in their file', () => {
    const build = (sha256: string, centre: number) => ({
      stack: { provider: 'blas', version: '1', sha256 },
      launches: aboutSeconds(centre),
    });
    const { sides } = compare([{ batches: [build('aaaa', 1), build('bbbb', 1.1)] }]);
    expect(sides.map(({ name }) => name)).toEqual(['blas 1 aaaa', 'blas 1 bbbb']);
  });

  it('are not three where all launches of a case crashed, before which nobody knows the version', () => {
    const of = (provider: string, m: number): DescribedBatch => ({
      stack: { provider, version: `${provider} 0.3.26`, sha256: `${provider}'s file` },
      parameters: { m },
      launches: aboutSeconds(1),
    });
    const record = recordOf({
      batches: [of('embedded', 512), of('embedded', 1024), of('openblas', 1024), of('openblas', 512)],
    });
    const document = compareRecords([{ record: crashed(record, 2), name: 'a' }], ASKED);
    expect(document.sides.map(({ name }) => name)).toEqual(['embedded', 'openblas']);
    expect(outcomes(document)).toEqual(['same', 'not measured']);
    expect([document.answer, document.notCompared]).toEqual(['not measured', []]);
  });

  it('are named by a version that any of their batches tells', () => {
    const build = (sha256: string, version: string | null, m: number): DescribedBatch => ({
      stack: { provider: 'blas', version, sha256 },
      parameters: { m },
      launches: aboutSeconds(1),
    });
    const batches = [
      build('aaaa', null, 10),
      build('aaaa', '1', 20),
      build('bbbb', '2', 10),
      build('bbbb', null, 20),
    ];
    const { sides } = compare([{ batches }]);
    expect(sides.map(({ name }) => name)).toEqual(['blas 1', 'blas 2']);
  });

  it('are two where a framework differs in one of its packages alone', () => {
    const framework = (core: string, centre: number): DescribedBatch => ({
      stack: { provider: 'tfjs', version: '4', sha256: 'one', packages: { 'tfjs-node': '4', core } },
      launches: aboutSeconds(centre),
    });
    const document = compare([{ batches: [framework('4.1', 1), framework('4.2', 0.9)] }]);
    expect(outcomes(document)).toEqual(['faster']);
    expect(document.sides.map(({ name }) => name)).toEqual(['tfjs 4 one core 4.1', 'tfjs 4 one core 4.2']);
  });

  it('have no speed where an output was wrong, and the answer says so', () => {
    const document = compare([
      {
        batches: [
          { stack: { provider: 'right' }, launches: aboutSeconds(1) },
          { stack: { provider: 'wrong' }, launches: [{ seconds: 0.1, passed: false }] },
        ],
      },
    ]);
    expect([document.answer, outcomes(document)]).toEqual(['wrong output', ['wrong output']]);
    expect(document.cases[0]?.batches[1]?.rate).toBeNull();
  });
});

describe('a wrong output', () => {
  const wrong = (seconds: number, m = 100): DescribedBatch => ({
    parameters: { m },
    launches: [{ seconds, passed: false }],
  });

  it('is told where the reference did not run, or the other side did not', () => {
    const [right, bad] = [recordOf({ id: 'a', ...one(1) }), recordOf({ id: 'b', batches: [wrong(1)] })];
    const lost = { record: crashed(right, 0), name: 'lost' };
    for (const records of [
      [lost, { record: bad, name: 'bad' }],
      [{ record: bad, name: 'bad' }, lost],
    ]) {
      const document = compareRecords(records, ASKED);
      expect([document.answer, outcomes(document)]).toEqual(['wrong output', ['wrong output']]);
    }
  });

  it('of a case that the other side does not have is the answer, and is named first', () => {
    const common = { launches: aboutSeconds(1) };
    for (const [reference, candidate, side] of [
      [[common, { ...common, parameters: { m: 20 } }], [common, wrong(1, 50)], 'b'],
      [[common, wrong(1, 50)], [common], 'a'],
    ] as const) {
      const document = compare([{ batches: [...reference] }, { batches: [...candidate] }]);
      expect([document.answer, outcomes(document)]).toEqual(['wrong output', ['same']]);
      expect(document.notCompared[0]).toEqual({
        title: expect.stringMatching(/^matmul 50/),
        side,
        why: `the output of ${side} was wrong`,
      });
      expect(renderComparison(document, { ...terminalStyle({}), width: 160 })).toMatch(
        /left out .*matmul 50.*: the output of . was wrong/,
      );
    }
  });
});

describe('the huge pages behind arrays', () => {
  const MIB = 2 ** 20;
  const behind = (bytes: number | null): DescribedRecord => ({
    batches: [
      {
        launches: aboutSeconds(1).map((seconds) => ({
          seconds,
          ...(bytes === null
            ? {}
            : { hugePages: { bytes, of: 100 * MIB, possible: 100 * MIB, page: 2 * MIB } }),
        })),
      },
    ],
  });
  const notesOf = (own: number | null, other: number | null) =>
    compare([behind(own), behind(other)]).notes.filter((note) => /huge pages/.test(note));

  it('are told with the shares of both sides where they differ, and nothing is refused', () => {
    expect(notesOf(100 * MIB, 30 * MIB)).toEqual([
      'huge pages: of the room that arrays have for them, the sides had other shares (of each the launch in the middle), which may be why rates differ: a 100 %; b 30 %',
    ]);
    expect(compare([behind(100 * MIB), behind(0)]).answer).toBe('same');
  });

  it('are no news where they are alike, or a side does not tell', () => {
    expect(notesOf(100 * MIB, 98 * MIB)).toEqual([]);
    expect(notesOf(100 * MIB, null)).toEqual([]);
    expect(notesOf(null, 0)).toEqual([]);
  });
});

describe('the builds of one version', () => {
  const built = (stack: DescribedBatch['stack'], commit: string | null = 'c1'): DescribedRecord => ({
    labels: { pibench_commit: commit },
    batches: [{ launches: aboutSeconds(1), ...(stack === undefined ? {} : { stack }) }],
  });
  const addon = (digit: string, file = 'pibench.node') =>
    ({ provider: 'embedded', version: '1', file, sha256: digit.repeat(64) }) as const;
  const notesOf = (...records: readonly DescribedRecord[]) =>
    compare(records, { across: ['pibench_commit'] }).notes.filter((note) => /builds/.test(note));

  it('are told with the checksums of both sides where they differ', () => {
    expect(notesOf(built(addon('1')), built(addon('2')))).toEqual([
      'the same version in different builds, by their checksums: another compiler or other flags may be why rates differ: a pibench.node 111111111111; b pibench.node 222222222222',
    ]);
  });

  it('are no news where they are one, or of two versions, commits or parts, or a side does not tell', () => {
    expect(notesOf(built(addon('1')), built(addon('1')))).toEqual([]);
    expect(notesOf(built(addon('1')), built({ ...addon('2'), version: '2' }))).toEqual([]);
    expect(notesOf(built(addon('1')), built(addon('2'), 'c2'))).toEqual([]);
    expect(notesOf(built(addon('1')), built(addon('2', 'pibench_first_avx2.node')))).toEqual([]);
    expect(notesOf(built(addon('1')), built({ ...addon('2'), sha256: null }))).toEqual([]);
  });

  it('are told of a library whose files have other names, too, and not where no version is known', () => {
    const library = (file: string, digit: string, version: string | null = '0.9.0') =>
      built({ provider: 'blis', version, file: `/usr/lib/${file}`, sha256: digit.repeat(64) });
    const serial = library('libblis.so.4', '1');
    expect(notesOf(serial, library('libblis-mt.so.4', '2'))).toEqual([
      expect.stringMatching(/: a libblis\.so\.4 111111111111; b libblis-mt\.so\.4 222222222222$/),
    ]);
    expect(notesOf(serial, library('libblis.so.4.0.0', '1'))).toEqual([]);
    expect(notesOf(serial, library('libblis-mt.so.4', '2', '0.9.1'))).toEqual([]);
    expect(notesOf(library('libblas.so.3', '1', null), library('libcblas.so.3', '2', null))).toEqual([]);
  });

  it('are what is compared between stacks, whose names tell them', () => {
    const both = { batches: [addon('1'), addon('2')].map((stack) => ({ launches: aboutSeconds(1), stack })) };
    const { by, notes, sides } = compare([both]);
    expect(by).toBe('stack');
    expect(sides.map(({ name }) => name)).toEqual(['embedded 1 111111111111', 'embedded 1 222222222222']);
    expect(notes.join()).not.toContain('builds');
  });
});

describe('the stacks of sides that are not called by them', () => {
  type Stack = NonNullable<DescribedBatch['stack']>;
  const ran = (stack: Stack): DescribedRecord => ({ batches: [{ launches: aboutSeconds(1), stack }] });
  const notesOf = (own: Stack, other: Stack) =>
    compare([ran(own), ran(other)]).notes.filter((note) => /different stacks/.test(note));

  it('are told with their versions where they are not one', () => {
    const openblas = { provider: 'openblas', version: '0.3.21' };
    const blis = { provider: 'blis', version: '0.9.0' };
    const document = compare([ran(openblas), ran(blis)]);
    const note =
      'executed by different stacks, which may be the reason of a difference: a openblas 0.3.21; b blis 0.9.0';
    expect(document.notes).toContain(note);
    expect(renderComparison(document, { ...terminalStyle({}), width: 400 })).toMatch(
      /openblas 0\.3\.21.*blis/,
    );
    expect(notesOf(openblas, { ...openblas, version: '0.3.26' })[0]).toMatch(
      /: a openblas 0\.3\.21; b openblas 0\.3\.26$/,
    );
    const banner = (rest: string) => ({ provider: 'openblas', version: `OpenBLAS 0.3.21 ${rest} ` });
    expect(notesOf(banner('OPENMP'), banner('PTHREAD'))[0]).toMatch(
      /: a openblas OpenBLAS 0\.3\.21 OPENMP; b openblas OpenBLAS 0\.3\.21 PTHREAD$/,
    );
    expect(notesOf({ ...openblas, variant: '/a.so' }, { ...openblas, variant: '/b.so' })[0]).toMatch(
      /: a openblas:\/a\.so 0\.3\.21; b openblas:\/b\.so 0\.3\.21$/,
    );
  });

  it('are told with the packages, the lock or the MPI library in which they differ', () => {
    const framework = (core: string) => ({ provider: 'tfjs', version: '4', packages: { tfjs: '4', core } });
    expect(notesOf(framework('4.1'), framework('4.2'))[0]).toMatch(
      /: a tfjs 4, core 4\.1; b tfjs 4, core 4\.2$/,
    );
    const own = (lock: string | null, provider = 'blis') => ({
      ...{ provider, version: '1', own: { ...ownIdentity('mine'), lock } },
    });
    expect(notesOf(own('c'.repeat(64)), own(null))[0]).toMatch(
      /: a mine \(blis\) 1, lock c{12}; b mine \(blis\) 1, without a lock$/,
    );
    expect(notesOf(own(null), own(null, 'openblas'))[0]).toMatch(
      /: a mine \(blis\) 1; b mine \(openblas\) 1$/,
    );
    const over = (digit: string) => ({
      provider: 'embedded',
      mpi: { version: 'Open MPI v4.1.4, package: Debian', path: '/l.so', sha256: digit.repeat(64) },
    });
    expect(notesOf(over('1'), over('2'))[0]).toMatch(
      /: a embedded 0\.0\.0, Open MPI v4\.1\.4 1{12}; b embedded 0\.0\.0, Open MPI v4\.1\.4 2{12}$/,
    );
  });

  it('are no news where they are one, where a record does not tell, or where they are compared', () => {
    const openblas = { provider: 'openblas', version: '0.3.21' };
    expect(notesOf(openblas, openblas)).toEqual([]);
    expect(notesOf(openblas, { ...openblas, version: null })).toEqual([]);
    expect(notesOf({ ...openblas, packages: { a: '1' } }, openblas)).toEqual([]);
    const both = { batches: [...ran(openblas).batches, ...ran({ provider: 'blis' }).batches] };
    expect(compare([both]).notes).toEqual([]);
  });

  it.each([
    'stack',
    'stack_version',
    'stack_sha256',
    'candidate',
  ])('are what is compared by %s, and no reason of a difference', (by) => {
    const batches = ['0.3.21', '0.3.26'].map((version, i) => ({
      launches: aboutSeconds(1),
      stack: { provider: 'openblas', version, sha256: String(i).repeat(64) },
      labels: { candidate: `made-${i}`, site: `s${i}` },
    }));
    const notesBy = (label: string) =>
      compare([{ batches }], { by: label }).notes.filter((note) => /stacks|builds/.test(note));
    expect(notesBy(by)).toEqual([]);
    expect(notesBy('site')).toEqual([expect.stringMatching(/^executed by different stacks/)]);
  });
});

describe('how launches were asked for', () => {
  type Asked = Partial<RecordBatch['asked']>;
  const notesOf = (own: Asked, other: Asked) => {
    const named = [own, other].map((asked, i) => {
      const record = recordOf(one(1, { id: `campaign-${i}` }));
      const batches = record.batches.map((batch) => ({ ...batch, asked: { ...batch.asked, ...asked } }));
      return { record: { ...record, batches }, name: 'ab'[i] ?? '' };
    });
    return compareRecords(named, ASKED).notes.filter((note) =>
      /warmed up|repetitions in a launch/.test(note),
    );
  };

  it('is told where they were not warmed up alike', () => {
    const [auto, none] = [{ warmup: { kind: 'auto' } }, { warmup: { kind: 'count', count: 0 } }] as const;
    expect(notesOf(auto, none)).toEqual([
      'the launches were not warmed up alike, which may be the reason of a difference: a automatic warm-up; b warm-up of 0 calls',
    ]);
    expect(notesOf(auto, auto)).toEqual([]);
    expect(notesOf(auto, { warmup: null })).toEqual([]);
  });

  it('is told where one repeated more often', () => {
    const reps = (repetitions: number): Asked => ({ sampling: { kind: 'fixed', repetitions } });
    expect(notesOf(reps(100), reps(2000))).toEqual([
      'the sides do not have the same number of repetitions in a launch: a 100 reps; b 2000 reps',
    ]);
    expect(notesOf(reps(100), reps(100))).toEqual([]);
    expect(notesOf(reps(100), { sampling: null })).toEqual([]);
  });
});

describe('the variables that libraries read', () => {
  type Variables = Readonly<Record<string, string>>;
  const ran = (environment: Variables, more: Partial<DescribedBatch> = {}): DescribedBatch => ({
    ...more,
    stack: { provider: 'openblas', version: '1', environment: { ...environment }, ...more.stack },
    launches: aboutSeconds(1),
  });
  const notesOf = (...batches: readonly DescribedBatch[]) =>
    compare(batches.map((batch) => ({ batches: [batch] }))).notes.filter((note) => /variables/.test(note));

  it('are told with the values of both sides where they differ, and nothing is refused', () => {
    const plain = { OMP_NUM_THREADS: '2', MALLOC_ARENA_MAX: '1' };
    const tuned = { ...plain, OPENBLAS_CORETYPE: 'Haswell', LD_PRELOAD: '/x.so', MALLOC_ARENA_MAX: '4' };
    const document = compare([{ batches: [ran(plain)] }, { batches: [ran(tuned)] }]);
    const note =
      'launched with different variables, which may be the reason of a difference: a without LD_PRELOAD, MALLOC_ARENA_MAX=1, without OPENBLAS_CORETYPE; b LD_PRELOAD=/x.so, MALLOC_ARENA_MAX=4, OPENBLAS_CORETYPE=Haswell';
    expect(document.notes).toContain(note);
    expect(document.answer).toBe('same');
    expect(renderComparison(document, { ...terminalStyle({}), width: 400 })).toContain(note);
    expect(notesOf(ran(plain), ran(plain))).toEqual([]);
  });

  it('are not known of a side that tells none, as records from before they were noted', () => {
    expect(notesOf(ran({ LD_PRELOAD: '/x.so' }), { launches: aboutSeconds(1) })).toEqual([]);
  });

  it('are those that one of the two may read: of products on the CPU none of ranks and GPUs, nor what the loader takes for not set', () => {
    const ranks = {
      NCCL_ALGO: 'Ring',
      GLOO_SOCKET_IFNAME: 'eth0',
      UCX_TLS: 'tcp',
      CUDA_MODULE_LOADING: 'EAGER',
    };
    expect(notesOf(ran(ranks), ran({}))).toEqual([]);
    expect(notesOf(ran({ LD_LIBRARY_PATH: '', LD_PRELOAD: '' }), ran({}))).toEqual([]);
    const any = { stack: { provider: 'cblas', version: '1', environment: {} } };
    const [note] = notesOf(ran(ranks), ran({}, any));
    expect(note).toMatch(
      /: a CUDA_MODULE_LOADING=EAGER, GLOO_SOCKET_IFNAME=eth0, NCCL_ALGO=Ring, UCX_TLS=tcp; b/,
    );
    expect(notesOf(ran({ LD_LIBRARY_PATH: '/x' }), ran({ LD_LIBRARY_PATH: '' }))).toEqual([
      expect.stringMatching(/: a LD_LIBRARY_PATH=\/x; b without LD_LIBRARY_PATH$/),
    ]);
  });

  it('differ between stacks and numbers of threads by what pi-bench sets, which is no news', () => {
    for (const { provider, environment } of registry) {
      const set = Object.entries(environment(2)).map(([name, value]) => [name, value ?? 'by the user']);
      const batches = [
        ran({}, { stack: { provider: 'ours' } }),
        ran(Object.fromEntries(set), { stack: { provider } }),
      ];
      expect([provider, compare([{ batches }]).notes]).toEqual([provider, []]);
    }
    const threads = [1, 2].map((count) =>
      ran({ OMP_NUM_THREADS: String(count) }, { parameters: { threads: count } }),
    );
    expect(compare([{ batches: threads }]).notes).toEqual([]);
    // Of one stack and one case nobody but the user can have changed them.
    expect(notesOf(ran({ MKL_DYNAMIC: 'FALSE' }), ran({ MKL_DYNAMIC: 'TRUE' }))).toHaveLength(1);
  });

  it('of stacks of a stack file are what is compared, and those of one stack in two records are told', () => {
    const own = (name: string, value: string) =>
      ran(
        { OPENBLAS_CORETYPE: value, LD_LIBRARY_PATH: `/${name}` },
        { stack: { own: ownIdentity(name, { OPENBLAS_CORETYPE: value }) } },
      );
    expect(compare([{ batches: [own('x', 'Haswell'), own('y', 'Zen')] }]).notes).toEqual([]);
    expect(notesOf(own('x', 'Haswell'), own('x', 'Zen'))).toEqual([
      expect.stringMatching(/: a OPENBLAS_CORETYPE=Haswell; b OPENBLAS_CORETYPE=Zen$/),
    ]);
  });
});

describe('the GPUs of two records', () => {
  type Settings = Readonly<Record<string, string | number | boolean | null>>;
  const onGpu = (more: Settings, id: string, machine = 'one') => {
    const record = recordOf({ id, labels: { machine }, batches: [{ launches: aboutSeconds(1) }] });
    const sound = { ordinal: 0, uuid: 'GPU-1', ecc: true, mig: false, powerLimitWatts: 700 };
    const batches = record.batches.map((batch) => ({ ...batch, device: 'cuda:0' }));
    const machineThere = { ...record.machine, gpus: { devices: [{ ...sound, ...more }] } };
    return { record: { ...record, batches, machine: machineThere, digest: id }, name: id };
  };
  const notesOf = (more: Settings, machine = 'one') =>
    compareRecords([onGpu({}, 'a'), onGpu(more, 'b', machine)], {
      ...ASKED,
      across: ['machine'],
    }).notes.filter((note) => /not on one GPU/.test(note));

  it('are told where both are cuda:0 of one machine, and one is another GPU or set otherwise', () => {
    expect(notesOf({})).toEqual([]);
    expect(notesOf({ uuid: 'GPU-2' })).toEqual([
      'not on one GPU with the same settings, which may be the reason of a difference: a GPU-1; b GPU-2',
    ]);
    expect(notesOf({ ecc: false, mig: true, powerLimitWatts: 500 })[0]).toMatch(
      /: a ECC on, MIG off, power limit 700 W; b ECC off, MIG on, power limit 500 W$/,
    );
    expect(notesOf({ ecc: null })).toEqual([]);
    expect(notesOf({ enforcedPowerLimitWatts: 450 })[0]).toMatch(
      /: a power limit 700 W; b power limit 450 W$/,
    );
  });

  it('of two machines are others anyway, and only their settings are told', () => {
    expect(notesOf({ uuid: 'GPU-2' }, 'two')).toEqual([]);
    expect(notesOf({ uuid: 'GPU-2', ecc: false }, 'two')[0]).toMatch(/: a ECC on; b ECC off$/);
  });
});

describe('comparing by a label', () => {
  const threads: DescribedRecord = {
    batches: [
      { parameters: { threads: 1 }, launches: aboutSeconds(1) },
      { parameters: { threads: 2 }, launches: aboutSeconds(0.5) },
    ],
  };

  it('finds the only label that differs by itself', () => {
    const document = compare([threads]);
    expect([document.by, document.answer]).toEqual(['threads', 'faster']);
    expect(document.sides.map(({ name }) => name)).toEqual(['threads 1', 'threads 2']);
  });

  it('asks where several differ, and names them', () => {
    const both: DescribedRecord = {
      batches: [
        { parameters: { threads: 1 }, launches: [1] },
        { parameters: { threads: 2, dtype: 'float64' }, launches: [1] },
      ],
    };
    expect(() => compare([both])).toThrow(/differ in threads, dtype|differ in dtype, threads/);
  });

  it('compares by rates where the work differs', () => {
    const sizes: DescribedRecord = {
      batches: [
        { parameters: { m: 100 }, launches: aboutSeconds(1) },
        { parameters: { m: 200 }, launches: aboutSeconds(1) },
      ],
    };
    expect(compare([sizes], { by: 'm' }).cases[0]?.comparisons[0]?.ratio).toBeCloseTo(2, 9);
  });
});

describe('what is not comparable', () => {
  it('is refused with the labels that differ, and compared with --across, which the answer says', () => {
    const records = [one(1), one(1.05, { labels: { machine: 'two', cpu_model: 'Another' } })];
    expect(() => compare(records)).toThrow(
      /not comparable.*machine \(one \/ two\), cpu_model \(not known \/ Another\); --across machine,cpu_model/,
    );
    const document = compare(records, { across: ['machine', 'cpu_model'] });
    expect(document.answer).toBe('slower');
    expect(document.acrossLabels.map(({ label }) => label)).toEqual(['machine', 'cpu_model']);
    expect(renderComparison(document, terminalStyle({}))).toMatch(/across .*these differ, too/);
    const forced = compare(records, { force: true });
    expect([forced.forced, forced.acrossLabels.length]).toEqual([true, 2]);
  });

  it('is another version of pi-bench, unless told to', () => {
    const records = [one(1), one(1, { labels: { pibench_version: '9.0.0' } })];
    expect(() => compare(records)).toThrow(/pibench_version \(0\.0\.0 \/ 9\.0\.0\)/);
    expect(compare(records, { across: ['pibench_version'] }).answer).toBe('same');
  });

  it('is another thread count, of which --across makes one case', () => {
    const records: DescribedRecord[] = [
      { batches: [{ parameters: { threads: 1 }, launches: aboutSeconds(1) }] },
      { batches: [{ parameters: { threads: 2 }, launches: aboutSeconds(0.5) }] },
    ];
    expect(() => compare(records)).toThrow(
      /no case in common: the nearest differ in threads \(1 \/ 2\); --across threads/,
    );
    expect(compare(records, { across: ['threads'] }).answer).toBe('faster');
  });

  it('is not what the user’s own labels tell apart: these are only said', () => {
    const document = compare([one(1, { labels: { build: 'old' } }), one(1, { labels: { build: 'new' } })]);
    expect([document.answer, document.notes[0]]).toEqual([
      'same',
      'differ by your labels: build (old / new)',
    ]);
  });

  it('is a record with itself', () => {
    const record = recordOf(one(1));
    const twice = [
      { record, name: 'a' },
      { record, name: 'b' },
    ];
    expect(() => compareRecords(twice, ASKED)).toThrow(/a and b are the same record/);
  });

  it('is one batch alone', () => {
    expect(() => compare([one(1)])).toThrow(/one batch has nothing to be compared with/);
  });

  it('is what nobody verified, unless forced, and then the table says so', () => {
    const unverified = recordOf(one(1.05, { id: 'u' }));
    const records = [
      { record: recordOf(one(1)), name: 'a' },
      {
        record: {
          ...unverified,
          batches: unverified.batches.map((batch) => ({ ...batch, verified: 'not-run' as const })),
        },
        name: 'b',
      },
    ];
    expect(() => compareRecords(records, ASKED)).toThrow(/b: the outputs of .* were never verified/);
    const forced = compareRecords(records, { ...ASKED, force: true });
    expect(renderComparison(forced, terminalStyle({}))).toMatch(/b: output not verified/);
  });

  it('is what has an injected error, unless forced, and then it says so', () => {
    const record = recordOf(one(1.05, { id: 'f', labels: { fault_injected: 'crash' } }));
    const fault = { kind: 'crash', inspection: 0, at: 0 } as const;
    const records = [
      { record: recordOf(one(1)), name: 'a' },
      { record: { ...record, campaign: { ...record.campaign, fault } }, name: 'b' },
    ];
    expect(() => compareRecords(records, ASKED)).toThrow(/b has an error injected on purpose: .*--force/);
    const forced = compareRecords(records, { ...ASKED, force: true });
    expect(renderComparison(forced, terminalStyle({}))).toMatch(/note +b has an error injected on purpose/);
  });

  it('is what no launch measured to its end: what an interrupted one left has no verdict and no rate', () => {
    const cut = recordOf(one(0.5, { id: 'c' }));
    const records = [
      { record: recordOf(one(1)), name: 'a' },
      {
        record: {
          ...cut,
          batches: cut.batches.map((batch) => ({
            ...batch,
            measured: 0,
            inspections: batch.inspections.map((entry) => ({ ...entry, status: 'interrupted' as const })),
          })),
        },
        name: 'b',
      },
    ];
    const document = compareRecords(records, ASKED);
    expect([document.answer, ...outcomes(document)]).toEqual(['not measured', 'not measured']);
    expect(document.cases[0]?.batches[1]).toMatchObject({ rate: null, elapsedSeconds: null, launches: 0 });
  });

  it('leaves out what only one side has, whichever it is, and the answer is then not complete', () => {
    const two: DescribedRecord = {
      batches: [{ launches: aboutSeconds(1) }, { parameters: { m: 50 }, launches: aboutSeconds(1) }],
    };
    for (const [records, side] of [
      [[two, one(0.9)], 'b'],
      [[one(1.1), two], 'a'],
    ] as const) {
      const document = compare(records);
      expect(document.notCompared).toEqual([
        expect.objectContaining({ side, why: `${side} does not have it` }),
      ]);
      expect(document.answer).toBe('not measured');
      expect(renderComparison(document, terminalStyle({}))).toMatch(
        /answer +not measured: not everything could be compared$/,
      );
    }
  });

  it('is a published table, whose launches are counted and not there, and that is said', () => {
    const table = (id: string, milliseconds: number) => ({
      name: id,
      record: importedRecord(readThoth(foundOf({ 'a.csv': describeText(milliseconds) })), {
        ...{ id, at: '2026-01-03T00:00:00.000Z', command: [], piBench: { version: '0.0.0', commit: null } },
      }),
    });
    const document = compareRecords([table('x', 1), table('y', 2)], { ...ASKED, force: true });
    expect(document.cases.flatMap(({ batches }) => batches.map(({ launches }) => launches))).toEqual([
      30, 30, 30, 30,
    ]);
    expect(outcomes(document)).toEqual(['not measured', 'not measured']);
    const [first] = document.cases;
    expect(document.notCompared).toContainEqual({
      title: first?.title,
      side: 'x',
      why: 'the launches of x were not published, only a table of them',
    });
    expect(document.notCompared).toHaveLength(4);
  });
});

describe('the letters of groups', () => {
  it('go on as numbers that nobody takes for two letters', () => {
    const sides = Array.from({ length: 30 }, (_, i) => `s${i}`);
    const of = { title: '', name: '', batches: [], comparisons: [], groups: sides.map((side) => [side]) };
    const letters = sides.map((side) => groupLetters(of, side));
    expect(new Set(letters).size).toBe(30);
    expect(letters.slice(24)).toEqual(['y', 'z', '(27)', '(28)', '(29)', '(30)']);
    const two = { ...of, groups: [['s0'], ...of.groups.slice(1, 26), ['s0', 's1']] };
    expect(groupLetters(two, 's0')).toBe('a(27)');
  });
});

describe('the table', () => {
  it.each([40, 60, 80, 120])('fits %i columns', (width) => {
    const stacks: DescribedRecord = {
      batches: [1, 0.9, 0.8].map((centre, i) => ({
        stack: { provider: `a-stack-with-a-long-name-${i}` },
        launches: aboutSeconds(centre),
      })),
    };
    const style = { ...terminalStyle({}), width };
    for (const document of [compare([one(1), one(1.02)]), compare([stacks])]) {
      const widest = Math.max(...renderComparison(document, style).split('\n').map(shownLength));
      expect(widest).toBeLessThanOrEqual(width);
    }
  });
});
