import { describe, expect, it } from 'vitest';
import { compareRecords } from '../../src/readers/comparison/comparison.js';
import type { ComparedPair } from '../../src/readers/comparison/document.js';
import { settledLines } from '../../src/readers/terminal/settled.js';
import { terminalStyle } from '../../src/readers/terminal/style.js';
import type { PiBenchRecord } from '../../src/record/schema.js';
import { recordOf } from '../support/records.js';

const QUESTION = { by: null, reference: null, margin: null, across: [], force: false } as const;

/** A drift of 10 % that both have in common, and 0.2 % that each launch has for itself. */
const drifting = (centre: number, count: number, phase: number): number[] =>
  Array.from(
    { length: count },
    (_, round) => centre * Math.exp((0.1 * round) / count + 0.002 * Math.sin(7 * round + phase)),
  );

interface Asked {
  readonly counts?: readonly [number, number];
  readonly settle?: number;
  /** Round in which the launch of the candidate was cut short: what it measured is no launch. */
  readonly failed?: number;
}

/** Two stacks of one campaign, the second 3 % slower, as a campaign that was measured writes them. */
function campaign({ counts = [12, 12], settle, failed }: Asked = {}): PiBenchRecord {
  const record = recordOf({
    batches: [
      { stack: { provider: 'one' }, launches: drifting(1, counts[0], 1) },
      { stack: { provider: 'other' }, launches: drifting(1.03, counts[1], 4) },
    ],
  });
  return {
    ...record,
    batches: record.batches.map((batch, i) => {
      const medians = batch.launches?.medians as readonly number[];
      const inspections = batch.inspections.map((entry, launch) => ({
        ...entry,
        statistics: { n: 10, median: medians[launch] ?? 0 },
        ...(i === 1 && launch === failed
          ? { status: 'interrupted' as const, statistics: { n: 1, median: 9 } }
          : {}),
      }));
      return {
        ...batch,
        asked: { ...batch.asked, ...(settle === undefined ? {} : { settle }) },
        inspections,
        launches: {
          ...batch.launches,
          medians: medians.filter((_, launch) => i === 0 || launch !== failed),
        },
      };
    }),
  };
}

function compared(records: readonly PiBenchRecord[], margin: number | null = null) {
  const document = compareRecords(
    records.map((record, i) => ({ record, name: `record ${i}` })),
    { ...QUESTION, margin },
  );
  return { document, pair: document.cases[0]?.comparisons[0] as ComparedPair };
}

describe('launches that took turns', () => {
  it('are compared round by round, so that what both drifted by does not hide a difference', () => {
    const { pair } = compared([campaign()]);
    expect(pair.outcome).toBe('slower');
    expect(pair.method).toMatch(/within rounds/);
    expect(pair.ratio).toBeCloseTo(1 / 1.03, 2);
  });

  it('keep their rounds where one launch was cut short', () => {
    const { pair } = compared([campaign({ failed: 4 })]);
    expect(pair.launches).toEqual([11, 11]);
    expect(pair.outcome).toBe('slower');
    expect((pair.interval?.high ?? 0) - (pair.interval?.low ?? 0)).toBeLessThan(0.01);
  });

  it('are two heaps in fewer than ten rounds, where a side has many more, and in two campaigns', () => {
    const heaps = /Mann-Whitney/;
    expect(compared([campaign({ counts: [8, 8] })]).pair.method).toMatch(heaps);
    expect(compared([campaign({ counts: [30, 12] })]).pair.method).toMatch(heaps);
    const [first, second] = [campaign(), campaign()];
    const only = (record: PiBenchRecord, batch: number, id: string): PiBenchRecord => ({
      ...record,
      campaign: { ...record.campaign, id },
      batches: record.batches.filter((_, i) => i === batch),
      digest: id,
    });
    expect(compared([only(first, 0, 'a'), only(second, 1, 'b')]).pair.method).toMatch(heaps);
  });

  it('whose number was decided by looking have wider intervals, and the margin that they were to settle', () => {
    const [fixed, looked] = [compared([campaign()]), compared([campaign({ settle: 0.05 })])];
    const width = ({ pair }: typeof fixed) => (pair.interval?.high ?? 0) - (pair.interval?.low ?? 0);
    expect(width(looked)).toBeGreaterThan(width(fixed));
    expect(looked.pair.method).toMatch(/reserve for looking/);
    expect([fixed.document.margin, looked.document.margin]).toEqual([0.02, 0.05]);
    expect(looked.document.answer).toBe('same');
    expect(compared([campaign({ settle: 0.05 })], 0.01).document.answer).toBe('slower');
  });

  it('pair with a reference that went on for others', () => {
    const { pair } = compared([campaign({ counts: [40, 14], settle: 0.02 })]);
    expect(pair.launches).toEqual([14, 14]);
    expect(pair.outcome).toBe('slower');
  });

  it.each([
    [12, 12],
    [40, 14],
  ] as const)('are as far apart over all cases as in each of them, whatever both drifted by: %i and %i', (...counts) => {
    const record = campaign({ counts, settle: 0.02 });
    const other = record.batches.map((batch) => ({
      ...batch,
      case: { ...batch.case, parameters: { ...batch.case.parameters, m: 50 } },
    }));
    const { cases, overall } = compared([{ ...record, batches: [...record.batches, ...other] }]).document;
    const [first, second] = cases.flatMap(({ comparisons }) => comparisons);
    expect([first?.paired, second?.paired]).toEqual([true, true]);
    const [mean] = overall;
    expect(mean?.mean).toBeCloseTo(first?.ratio ?? 0, 12);
    const width = (range: ComparedPair['interval']) => (range?.high ?? 0) - (range?.low ?? 0);
    expect(width(mean?.interval)).toBeGreaterThan(0);
    expect(width(mean?.interval)).toBeLessThan(width(first?.interval));
  });

  it('have their comparison below the record where that is what they were launched for', () => {
    const style = terminalStyle({});
    expect(settledLines(campaign(), style)).toEqual([]);
    expect(settledLines(campaign({ settle: 0.02 }), style).join('\n')).toMatch(
      /other against one, by stack[\s\S]*slower/,
    );
  });
});
