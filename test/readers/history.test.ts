/** The history of a case over campaigns: what is one series, which campaigns count, and whether the newest is one more of them. */
import { describe, expect, it } from 'vitest';
import type { HistoryDocument } from '../../src/readers/history/document.js';
import { type HistoryQuestion, historyOf } from '../../src/readers/history/history.js';
import { renderHistory } from '../../src/readers/terminal/history.js';
import { shownLength, terminalStyle } from '../../src/readers/terminal/style.js';
import { isDrawn } from '../../src/report/figures/figure.js';
import { drawHistory } from '../../src/report/figures/history.js';
import { LIGHT } from '../../src/report/figures/theme.js';
import { aboutSeconds, type DescribedBatch, type DescribedRecord, recordOf } from '../support/records.js';

const ASKED: HistoryQuestion = { margin: 0.05, together: 1, across: [], all: false };
const FIRST = Date.parse('2026-01-01T00:00:00.000Z');
const DAY = 86_400_000;

/** Each a day after the one before. */
const nights = (all: readonly Omit<DescribedRecord, 'id' | 'createdAt'>[]) =>
  all.map((one, i) => ({
    record: recordOf({ id: `night-${i}`, createdAt: new Date(FIRST + i * DAY).toISOString(), ...one }),
    name: `night-${i}`,
  }));

const of = (seconds: number, more: Partial<DescribedBatch> = {}): DescribedBatch => ({
  launches: aboutSeconds(seconds, 6),
  ...more,
});

/** Nights of one case, each of another speed. */
const speeds = (all: readonly number[]) => nights(all.map((speed) => ({ batches: [of(1 / speed)] })));

const history = (
  records: ReturnType<typeof nights>,
  asked: Partial<HistoryQuestion> = {},
  judged: number | null = null,
): HistoryDocument =>
  historyOf(records, judged === null ? null : (records[judged] ?? null), { ...ASKED, ...asked });

const only = ({ series }: HistoryDocument) => {
  const [one, ...others] = series;
  if (one === undefined || others.length > 0) throw new Error(`${series.length} series`);
  return one;
};
const answerTo = (all: readonly number[], asked: Partial<HistoryQuestion> = {}) =>
  history(speeds(all), asked).answer;

const STEADY = [1, 1.004, 0.997, 1.002, 0.999, 1.003, 0.998, 1.001];

describe('the newest campaign', () => {
  it('is held to the level of those before it', () => {
    expect(answerTo([...STEADY, 1.001])).toBe('same');
    expect(answerTo([...STEADY, 0.9])).toBe('slower');
    expect(answerTo([...STEADY, 1.1])).toBe('faster');
    const { newest } = only(history(speeds([...STEADY, 0.9])));
    expect(newest?.ratio).toBeCloseTo(0.9, 2);
    expect(newest?.reference).toMatchObject({ campaigns: 8, since: '2026-01-01T00:00:00.000Z', stoodOut: 0 });
  });

  it('is not told from a level that spreads as far, nor from few campaigns', () => {
    expect(answerTo([1, 1.1, 0.92, 1.06, 0.95, 1.04, 0.9])).toBe('cannot tell');
    expect(answerTo([1, 1.01])).toBe('cannot tell');
    expect(answerTo([1])).toBe('new');
    expect(only(history(speeds([1, 1.01]))).newest?.why).toMatch(/^1 campaign before it, of 3/);
  });

  it('is slower again on the next day, and a new level after some', () => {
    const followed = (days: number) =>
      history(speeds([...STEADY, ...STEADY.slice(0, days).map((one) => 0.8 * one)]));
    expect(followed(1).answer).toBe('slower');
    expect(followed(2).answer).toBe('slower');
    const later = followed(6);
    expect(later.answer).toBe('same');
    expect(only(later).changes).toMatchObject([{ at: 8, before: 7, outcome: 'slower' }]);
    expect(only(later).levels.map(({ campaigns }) => campaigns)).toEqual([8, 6]);
  });

  it('that lies no further out than others did is no sure change', () => {
    const before = Array.from({ length: 30 }, (_, i) => (i === 9 || i === 20 ? 0.8 : (STEADY[i % 8] ?? 1)));
    expect(answerTo([...before, 0.81])).toBe('cannot tell');
    expect(answerTo([...before, 0.6])).toBe('slower');
    const document = history(speeds([...before, 0.81]));
    expect(only(document).newest?.reference?.stoodOut).toBe(2);
    expect(document.notes.join()).toContain('2 campaigns stood far out of a level');
  });

  it('is told sooner together with the one before it', () => {
    const noisy = [1, 1.03, 0.97, 1.02, 0.98, 1.03, 0.96, 1.01, 0.91, 0.92];
    expect(answerTo(noisy)).toBe('cannot tell');
    expect(answerTo(noisy, { together: 2 })).toBe('slower');
  });

  it('is as slow on each day until the new level is one, however many there were before', () => {
    for (const n of [12, 20, 30]) {
      const steady = Array.from({ length: n }, (_, i) => STEADY[i % 8] ?? 1);
      for (const days of [1, 2, 3]) {
        const fallen = STEADY.slice(0, days).map((one) => 0.8 * one);
        expect([n, days, answerTo([...steady, ...fallen])]).toEqual([n, days, 'slower']);
      }
    }
  });

  it('is neither slower nor the same where it is surely beside its level, and by less than the margin', () => {
    expect(answerTo([...STEADY, 0.97])).toBe('same');
    const noisier = [1, 1.012, 0.99, 1.008, 0.991, 1.01, 0.988, 1];
    expect(answerTo([...noisier, 0.965])).toBe('cannot tell');
    expect(answerTo([...noisier, 0.93])).toBe('slower');
  });

  it('is not all there is where a newer one cannot be read', () => {
    const gone = { record: 'night-9', why: 'the campaign has not ended', at: FIRST + 20 * DAY };
    const document = historyOf(speeds(STEADY), null, ASKED, [gone]);
    expect(document).toMatchObject({
      answer: 'not measured',
      leftOut: [{ record: 'night-9', isNewer: true }],
    });
    expect(historyOf(speeds(STEADY), null, ASKED, [{ ...gone, at: FIRST }]).answer).toBe('same');
    const records = speeds(STEADY);
    expect(historyOf(records, records.at(-1) ?? null, ASKED, [gone]).answer).toBe('same');
  });

  it('that lacks a case which the last one asked for the same had is not measured there', () => {
    const both = (one: number) => ({ batches: [of(one), of(one, { parameters: { threads: 1 } })] });
    const document = history(nights([...STEADY.map(both), { batches: [of(1)] }]));
    expect(document.answer).toBe('not measured');
    expect(document.series.map(({ newest }) => newest?.outcome).toSorted()).toEqual(['not measured', 'same']);
    // For some nights, and not for ever.
    const without = { batches: [of(1)] };
    const after = (times: number) =>
      history(nights([...STEADY.map(both), ...Array.from({ length: times }, () => without)])).answer;
    expect([1, 2, 3, 4, 5].map(after)).toEqual([...Array(3).fill('not measured'), 'same', 'same']);
    // What draws its candidates has others each time.
    const drawn = nights([...STEADY.map(both), without]);
    for (const { record } of drawn) Object.assign(record.campaign, { command: ['explore', 'stacks.yaml'] });
    expect(history(drawn).answer).toBe('same');
  });

  it('is of one kind, where a folder has several, and the others are told', () => {
    const records = speeds([...STEADY, 1]);
    Object.assign(records.at(-1)?.record.campaign ?? {}, { command: ['qualify'] });
    expect(history(records).notes.join()).toContain('night-7 the last of them: --of judges one');
    expect(history(speeds([...STEADY, 1])).notes).toEqual([]);
  });

  it('names launches that are in no figure', () => {
    const records = nights([
      ...STEADY.map(() => ({ batches: [of(1)] })),
      { batches: [of(1, { launches: [...aboutSeconds(1, 4), { seconds: 1, status: 'crashed' }] })] },
    ]);
    const document = history(records);
    expect(only(document).points.at(-1)?.launchesLost).toMatch(/^1 of 5 launches lost/);
    expect(renderHistory(document, terminalStyle({}))).toMatch(/launches {2}1 of 5 launches lost/);
  });

  it('may be an earlier one, by those before it', () => {
    const records = speeds([...STEADY, 0.8, 1]);
    expect(history(records, {}, 8)).toMatchObject({ judged: 'night-8', campaigns: 9, answer: 'slower' });
    expect(history(records.toReversed(), {}, 1)).toMatchObject({ judged: 'night-8', campaigns: 9 });
  });

  it('counts only with an output that was right, and a wrong one outweighs all', () => {
    const wrong = nights([...STEADY.map(() => ({ batches: [of(1)] })), { batches: [of(0.1)] }]);
    const batch = wrong.at(-1)?.record.batches[0];
    if (batch === undefined) throw new Error('no batch');
    Object.assign(batch, { verified: 'failed' });
    const document = history(wrong);
    expect(document.answer).toBe('wrong output');
    expect(only(document).points.at(-1)?.leftOut).toBe('its output was wrong');
    expect(only(document).levels.map(({ campaigns }) => campaigns)).toEqual([8]);
  });
});

describe('a series', () => {
  it('is a case on a machine by a stack, whatever its version, and tells what changed with the level', () => {
    const version = (speed: number, stack: string, kernel: string) => ({
      labels: { kernel },
      batches: [of(1 / speed, { stack: { provider: 'openblas', version: stack } })],
    });
    const records = nights([
      ...STEADY.map((speed) => version(speed, '0.3.20', '6.1')),
      ...STEADY.map((speed) => version(0.8 * speed, '0.3.21', '6.8')),
    ]);
    const { changes } = only(history(records));
    expect(changes).toHaveLength(1);
    const newer = history(records.slice(0, 9));
    expect(newer.answer).toBe('slower');
    expect(only(newer).newest?.differences).toEqual(changes[0]?.differences);
    expect(renderHistory(newer, terminalStyle({}))).toMatch(/differs {2}openblas 0.3.20 → openblas 0.3.21/);
    // Also on the second night, before which there is one like it, and where it falls further.
    expect(only(history(records.slice(0, 10))).newest?.differences).toEqual(changes[0]?.differences);
    const steep = nights([
      ...[...STEADY, ...STEADY].map((speed) => version(speed, '0.3.20', '6.1')),
      ...[0.9, 0.6].map((speed) => version(speed, '0.3.21', '6.8')),
    ]);
    expect(only(history(steep)).newest?.differences).toEqual(changes[0]?.differences);
    expect(changes[0]?.differences).toEqual([
      { label: 'circumstances', values: ['openblas 0.3.20', 'openblas 0.3.21'] },
      { label: 'kernel', values: ['6.1', '6.8'] },
    ]);
    const text = renderHistory(history(records), terminalStyle({}));
    expect(text.replaceAll(/\s+/g, ' ')).toContain(
      '2026-01-09 00:00: 0.800 times the rate before (0.798–0.802); openblas 0.3.20 → openblas 0.3.21, kernel 6.1 → 6.8',
    );
  });

  it('is another one on another machine, unless that may differ', () => {
    const records = nights([
      ...STEADY.map((speed) => ({ batches: [of(1 / speed)] })),
      { labels: { machine: 'two', hostname: 'other' }, batches: [of(1)] },
    ]);
    expect(history(records)).toMatchObject({ answer: 'new', others: 1 });
    expect(history(records, { all: true }).series.map(({ name }) => name)).toEqual(['one', 'other']);
    expect(history(records, { across: ['machine'] }).answer).toBe('same');
    expect(() => history(records, { across: ['mashine'] })).toThrow(/--across mashine.*machine/);
  });

  it('leaves out copies, faults and what was never measured, and says so', () => {
    const records = speeds(STEADY);
    const [first] = records;
    if (first === undefined) throw new Error('no record');
    const document = history([...records, { ...first, name: 'copy' }]);
    expect(document.leftOut).toMatchObject([{ record: 'copy', why: 'a copy of night-0' }]);
    expect(document.campaigns).toBe(8);
    const [earlier] = nights([{ batches: [of(1, { launches: aboutSeconds(1, 2) })] }]);
    if (earlier === undefined) throw new Error('no record');
    expect(history([{ ...earlier, name: 'cut' }, ...records]).leftOut).toMatchObject([
      { record: 'cut', why: 'an earlier state of night-0' },
    ]);
    Object.assign(records[3]?.record.campaign ?? {}, { fault: { kind: 'output' } });
    expect(history(records)).toMatchObject({
      campaigns: 7,
      leftOut: [{ record: 'night-3', why: 'an error was injected on purpose' }],
    });
  });

  it('of a share of the memory is one, whatever that came to, and its level has rates of its own', () => {
    const records = speeds([...STEADY, 0.7]);
    records.forEach(({ record }, i) => {
      for (const batch of record.batches)
        Object.assign(batch.case.parameters, { share: 0.7, bytes: 1000 + i });
    });
    const document = history(records);
    expect(only(document).points).toHaveLength(9);
    expect(document.answer).toBe('slower');
  });

  it('is none of several cases that --across would make one', () => {
    const two = { batches: [of(1), of(2, { parameters: { threads: 1 } })] };
    expect(() => history(nights([two, two]), { across: ['threads'] })).toThrow(
      /more than once across threads/,
    );
    // Of an earlier one the others go on, and what --across has no part in is as ever.
    const nightly = [two, ...STEADY.map((one) => ({ batches: [of(one)] }))];
    const document = history(nights(nightly), { across: ['threads'] });
    expect(document.answer).toBe('same');
    expect(document.series[0]?.points[0]?.leftOut).toMatch(/more than once across threads/);
    const twice = STEADY.map((one) => ({ batches: [of(one), of(one)] }));
    expect(history(nights(twice), { across: ['machine'] }).answer).toBe('same');
  });

  it('of a case that a campaign has twice is of the first of each, and of the second', () => {
    const one = (at: number) => ({ batches: [of(at)] });
    const document = history(nights([...STEADY.map(one), { batches: [of(1.2), of(1.2)] }]));
    expect(document.series.map(({ newest }) => newest?.outcome)).toEqual(['slower', 'new']);
  });

  it('that went far by small steps says so', () => {
    const steps = Array.from({ length: 60 }, (_, i) => (STEADY[i % 8] ?? 1) * 0.9985 ** i);
    const document = history(speeds(steps));
    const { changes, levels, sinceFirst } = only(document);
    expect(changes).toEqual([]);
    expect(levels.length).toBeGreaterThan(2);
    expect(sinceFirst).toBeLessThan(0.95);
    const text = renderHistory(document, terminalStyle({})).replaceAll(/\s+/g, ' ');
    expect(text).toMatch(
      /in all 0\.9\d+ times the rate of the level since 2026-01-01, over \d changes, each below the margin/,
    );
  });

  it('of what has no rate is by the time of a repetition', () => {
    const idle = nights(
      [1, 1.01, 0.99, 1, 1.3].map((seconds) => ({ batches: [of(seconds, { idle: true })] })),
    );
    const document = history(idle);
    expect(document.answer).toBe('slower');
    expect(only(document).points.at(-1)?.speed).toMatchObject({ rate: null });
  });

  it('has levels by the rates of their own campaigns where the work of a repetition changed', () => {
    const records = speeds([...STEADY, 1]);
    const last = records.at(-1)?.record.batches[0];
    const { flop = 0 } = last?.work ?? {};
    const larger = nights([...STEADY.map(() => ({ batches: [] })), { batches: [of(4)] }]).at(-1);
    if (last == null || larger === undefined) throw new Error('no batch');
    Object.assign(larger.record.batches[0] ?? {}, { work: { ...last.work, flop: 4 * flop } });
    const { newest, points } = only(history([...records.slice(0, -1), larger]));
    expect(newest?.ratio).toBeCloseTo(1, 2);
    expect(newest?.reference?.speed.rate).toBeCloseTo(points[0]?.speed?.rate ?? 0, -4);
  });

  it('has no part of what others measured', () => {
    const records = speeds([...STEADY, 0.5]);
    Object.assign(records.at(-1)?.record ?? {}, { imported: { format: 'thoth' } });
    expect(history(records)).toMatchObject({
      judged: 'night-7',
      leftOut: [{ record: 'night-8', why: expect.stringContaining('others measured it') }],
    });
  });

  it('is called by its case and its stack where there are several', () => {
    const night = () => ({
      batches: [64, 128].flatMap((m) =>
        ['openblas', 'blis'].map((provider) => of(1, { parameters: { m, n: m, k: m }, stack: { provider } })),
      ),
    });
    expect(history(nights([night(), night()])).series.map(({ name }) => name)).toEqual([
      '64, openblas',
      '64, blis',
      '128, openblas',
      '128, blis',
    ]);
  });

  it('is drawn with its levels, and its table has every campaign', () => {
    const one = only(history(speeds([...STEADY, ...STEADY.map((speed) => 0.8 * speed)])));
    const states = (drawn: ReturnType<typeof only>): unknown => {
      const found = drawHistory(drawn, 0.05);
      if (!isDrawn(found)) throw new Error(found.why);
      const [points] = found.spec(LIGHT).data ?? [];
      return (points as { values: { state: string }[] }).values.map(({ state }) => state).slice(-2);
    };
    expect(states(one)).toEqual(['counts', 'judged']);
    const wrong = speeds([...STEADY, 1]);
    Object.assign(wrong.at(-1)?.record.batches[0] ?? {}, { verified: 'failed' });
    expect(states(only(history(wrong)))).toEqual(['counts', 'left out']);
    const figure = drawHistory(one, 0.05);
    if (!isDrawn(figure)) throw new Error(figure.why);
    expect(figure.data.rows).toHaveLength(16);
    expect(figure.alternative).toMatch(/^16 campaigns on 2 levels/);
  });

  it('fits a narrow terminal', () => {
    const text = renderHistory(history(speeds([...STEADY, 0.9])), { ...terminalStyle({}), width: 60 });
    expect(text.split('\n').filter((line) => shownLength(line) > 60)).toEqual([]);
  });
});
