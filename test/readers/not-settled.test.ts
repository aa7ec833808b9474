/** A campaign that ended before its comparisons were settled says so, and what would help. */
import { describe, expect, it } from 'vitest';
import { notSettledText } from '../../src/readers/not-settled.js';
import { renderRecord } from '../../src/readers/terminal/record.js';
import { settledLines } from '../../src/readers/terminal/settled.js';
import { terminalStyle } from '../../src/readers/terminal/style.js';
import type { PiBenchRecord } from '../../src/record/schema.js';
import { buildReport } from '../../src/report/model.js';
import { warnings } from '../../src/report/page/head.js';
import { aboutSeconds, recordOf } from '../support/records.js';

const style = terminalStyle({ isTTY: false });

/** Two stacks whose launches were to be told apart, and which time cut off after these. */
function cut(
  rounds: readonly [number, number],
  more: Partial<PiBenchRecord> = {},
  spread = 0.1,
): PiBenchRecord {
  const record = recordOf({
    batches: ['one', 'other'].map((provider, i) => ({
      stack: { provider },
      launches: aboutSeconds(1e-3, rounds[i] ?? 0, spread * (i + 1)),
    })),
  });
  return {
    ...record,
    campaign: { ...record.campaign, budget: 3 },
    stoppedBy: 'budget',
    settled: false,
    batches: record.batches.map((batch) => ({
      ...batch,
      asked: { ...batch.asked, settle: 0.02, inspections: 112 },
    })),
    ...more,
  };
}

describe('comparisons that are not settled', () => {
  it.each<[string, PiBenchRecord, string | null]>([
    [
      'the budget before a first look',
      cut([3, 2]),
      'not settled: --budget 3s ended it after 2 rounds, and the first look is after 10',
    ],
    [
      'the budget later',
      cut([15, 15]),
      'not settled: --budget 3s ended it after 15 rounds, and the next look is after 20',
    ],
    [
      'a limit that nobody gave as a budget',
      { ...cut([2, 2]), campaign: { ...cut([2, 2]).campaign, budget: undefined } },
      'not settled: the time that was given ended it after 2 rounds, and the first look is after 10',
    ],
    [
      'the most launches',
      cut([112, 112], { stoppedBy: 'plan' }),
      'not settled: 112 rounds, the most that were asked for, did not tell',
    ],
    ['failures', cut([3, 3], { stoppedBy: 'plan' }), 'not settled: what failed again and again was given up'],
    [
      'a signal, after which resume goes on',
      cut([3, 3], { stoppedBy: 'signal', status: 'interrupted' }),
      null,
    ],
    ['their answer', cut([10, 10], { stoppedBy: 'plan', settled: true }), null],
    ['something that an older record does not tell', cut([3, 3], { settled: undefined }), null],
  ])('are told where %s ended them', (_, record, text) => {
    expect(notSettledText(record)).toBe(text);
  });

  it('are told below a record, and at the head of its report', () => {
    const record = cut([2, 2]);
    const shown = renderRecord(record, null, style).replaceAll(/\s+/g, ' ');
    expect(shown).toContain(
      'not settled: --budget 3s ended it after 2 rounds, and the first look is after 10',
    );
    expect(warnings(buildReport(record, []))).toEqual([
      'Not settled: --budget 3s ended it after 2 rounds, and the first look is after 10.',
    ]);
  });

  it('get their advice in one place', () => {
    for (const record of [cut([1, 1]), cut([12, 12], {}, 0.02), cut([12, 12])]) {
      expect(notSettledText(record)).not.toMatch(/give|need|--inspections/);
      expect(
        settledLines(record, style)
          .join('\n')
          .match(/to settle/g),
      ).toHaveLength(1);
    }
  });

  it('get no advice on launches for which there is no time', () => {
    const adviceOf = (record: PiBenchRecord): string =>
      settledLines(record, style).join(' ').replaceAll(/\s+/g, ' ');
    expect(adviceOf(cut([1, 1], { settled: undefined }))).toMatch(/measure at least/);
    expect(adviceOf(cut([1, 1]))).toMatch(/to settle a longer --budget (flags|note|answer)/);
    expect(adviceOf(cut([12, 12], { stoppedBy: 'plan' }))).toMatch(/: --inspections \d/);
    expect(adviceOf(cut([12, 12], {}, 0.02))).toMatch(/to settle about .* as now: a longer --budget/);
    // More than comparisons take that nobody limits.
    expect(adviceOf(cut([12, 12]))).toMatch(/as now: --inspections \d+ and a longer --budget/);
  });
});
