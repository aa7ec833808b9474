import { describe, expect, it } from 'vitest';
import { compareRecords } from '../../src/readers/comparison/comparison.js';
import type { ComparedPair } from '../../src/readers/comparison/document.js';
import { settledLines } from '../../src/readers/terminal/settled.js';
import { terminalStyle } from '../../src/readers/terminal/style.js';
import type { PiBenchRecord } from '../../src/record/schema.js';
import { settled } from '../../src/statistics/settling.js';
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

  it('are judged case by case, each by the margin that its own launches were to settle', () => {
    const [tight, wide] = [campaign({ settle: 0.01 }), campaign({ settle: 0.05 })];
    const others = wide.batches.map((batch) => ({
      ...batch,
      case: { ...batch.case, parameters: { ...batch.case.parameters, m: 50 } },
    }));
    const both = { ...tight, batches: [...tight.batches, ...others] };
    const judged = (margin: number | null) => {
      const { document } = compared([both], margin);
      return document.cases.map(({ comparisons }) => [comparisons[0]?.outcome, comparisons[0]?.margin]);
    };
    expect(judged(null)).toEqual([
      ['slower', 0.01],
      ['same', 0.05],
    ]);
    expect(judged(0.05)).toEqual([
      ['same', 0.05],
      ['same', 0.05],
    ]);
    const { document } = compared([both]);
    expect([document.answer, document.margin]).toEqual(['slower', 0.05]);
    expect(document.notes).toContain(
      'each case is judged by the margin that its own launches were to settle, 1.0 % to 5.0 %',
    );
    expect(settledLines(both, { ...terminalStyle({}), width: 160 }).join('\n')).toMatch(
      /slower[\s\S]*same within 5\.0 %/,
    );
    // Who settles nothing has the default, whatever others settle.
    const without = campaign().batches.map((batch, i) => ({ ...batch, case: others[i]?.case ?? batch.case }));
    const beside = { ...wide, batches: [...wide.batches, ...without] };
    expect(compared([beside]).document.cases[1]?.comparisons[0]).toMatchObject({ margin: 0.02 });
  });

  it('are told as their campaign told them, however many others the table compares', () => {
    const settling = campaign({ counts: [10, 10], settle: 0.02 });
    const fixed = Array.from({ length: 20 }, (_, i) => ({ parameters: { m: 10 + i }, phase: i }));
    const others = recordOf({
      batches: fixed.flatMap(({ parameters, phase }) =>
        ['one', 'other'].map((provider, side) => ({
          ...{ parameters, stack: { provider } },
          launches: drifting(1, 6, phase + side),
        })),
      ),
    }).batches;
    const [reference = [], candidate = []] = settling.batches.map(
      ({ launches }) => launches?.medians as readonly number[],
    );
    const verdict = settled(reference, candidate, 0.02, 1)?.verdict;
    expect(verdict).toBe('slower');
    const { document, pair } = compared([{ ...settling, batches: [...settling.batches, ...others] }]);
    expect(pair).toMatchObject({ outcome: verdict, among: 1, looked: true });
    expect(pair.pAdjusted).toBe(pair.p);
    const beside = document.cases.slice(1).map(({ comparisons }) => comparisons[0]);
    expect(beside.map((one) => [one?.among, one?.looked])).toEqual(Array(20).fill([20, false]));
  });

  it('pair in the rounds that they were in, where one was left out and later ones went on', () => {
    // Each round has a drift of its own, which only the launch of the same round shares.
    const mood = (round: number): number => Math.exp(0.1 * ((round * 7) % 12));
    const own = (round: number): number => 1 + 0.002 * Math.sin(7 * round);
    const skipping = (numbered: (round: number, batch: number) => number): PiBenchRecord => {
      const record = campaign();
      const batches = record.batches.map((batch, i) => {
        const inspections = batch.inspections.flatMap((entry, round) =>
          i === 0 && round === 2
            ? []
            : [
                {
                  ...entry,
                  index: numbered(round, i),
                  statistics: { n: 10, median: mood(round) * (i === 0 ? 1 : 1.03 * own(round)) },
                },
              ],
        );
        const medians = inspections.map(({ statistics }) => statistics.median);
        return { ...batch, inspections, launches: { ...batch.launches, medians } };
      });
      return { ...record, batches };
    };
    // Within a round the order is the seed's.
    const planned = (round: number, batch: number) => 2 * round + ((batch + round) % 2);
    const { pair } = compared([skipping(planned)]);
    expect([pair.paired, pair.launches]).toEqual([true, [11, 11]]);
    expect(pair.outcome).toBe('slower');
    expect(pair.ratio).toBeCloseTo(1 / 1.03, 3);
    // Numbers of no plan, as two of a batch in one round, or beyond its end: nobody knows which were side by side.
    const twice = (round: number, batch: number) => planned(batch === 0 && round === 5 ? 4 : round, batch);
    const beyond = (round: number, batch: number) => planned(batch === 0 && round === 11 ? 12 : round, batch);
    for (const numbers of [twice, beyond]) expect(compared([skipping(numbers)]).pair.paired).toBe(false);
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

  describe('of one stack beside itself', () => {
    /** The first and the second batch of each case, in their order, have these labels. */
    const besideItself = (...labels: readonly Readonly<Record<string, string>>[]): PiBenchRecord => {
      const record = campaign({ settle: 0.02 });
      const [first] = record.batches;
      const batches = record.batches.map((batch, i) => ({
        ...batch,
        stack: first?.stack ?? batch.stack,
        asked: { ...batch.asked, labels: labels[i] ?? {} },
      }));
      const ofCase = (m: number) =>
        batches.map((batch) => {
          const one = { ...batch.case, parameters: { ...batch.case.parameters, m } };
          return { ...batch, case: one, asked: { ...batch.asked, case: one } };
        });
      return { ...record, batches: [...ofCase(50), ...ofCase(60)] };
    };
    const shown = (record: PiBenchRecord): string =>
      settledLines(record, terminalStyle({})).join(' ').replaceAll(/\s+/g, ' ');

    it('have it over several cases, too, by the label that tells the two of each case apart', () => {
      expect(shown(besideItself({ side: 'a', run: 'x' }, { side: 'b', run: 'x' }))).toMatch(
        /side b against side a, by side.*slower/,
      );
    });

    it('say what to ask for where several labels do', () => {
      expect(shown(besideItself({ side: 'a', run: 'x' }, { side: 'b', run: 'y' }))).toMatch(
        /^ compare pi-bench compare: the batches of this record differ in .*: say which to compare by, as in --by \w+/,
      );
    });
  });
});
