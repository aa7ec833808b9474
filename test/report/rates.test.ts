/** A report in Markdown and as a table says of a rate what the terminal does: how long it holds, and how far it is from its ceilings. */
import { describe, expect, it } from 'vitest';
import type { PiBenchRecord } from '../../src/record/schema.js';
import { CEILING_FIELDS } from '../../src/report/ceilings.js';
import { INTERVAL_FIELDS, P99_FIELDS } from '../../src/report/intervals.js';
import { buildReport } from '../../src/report/model.js';
import { RATE_FIELDS } from '../../src/report/rates.js';
import { summaryTable } from '../../src/report/tables.js';
import { ceilingsOf } from '../support/batch.js';
import { recordOf } from '../support/records.js';
import { markdownOf } from '../support/report-markdown.js';

/** One repetition is 2 MFLOP and takes a millisecond: 2 GFLOP/s. */
function recordAt(peak: number, reading: number | null = 1e12): PiBenchRecord {
  const launch = { seconds: 1e-3, ceilings: ceilingsOf(peak, reading) };
  return recordOf({ batches: [{ launches: [launch, launch, launch] }] });
}

/** Of the section, by its columns. */
async function cellsOf(record: PiBenchRecord): Promise<Readonly<Record<string, string>>> {
  const section = (await markdownOf(record)).split('## Rates')[1]?.split('\n## ')[0] ?? '';
  const [head = '', , row = ''] = section.split('\n').filter((line) => line.startsWith('|'));
  const cells = (line: string): readonly string[] => line.split(/(?<!\\)\|/).map((cell) => cell.trim());
  return Object.fromEntries(cells(head).map((name, i) => [name, cells(row)[i] ?? '']));
}

describe('the Markdown report of a batch', () => {
  it('has its sustained rate, its slow repetitions, its efficiency and what bounds it', async () => {
    const cells = await cellsOf(recordAt(2.5e9));
    expect(cells).toMatchObject({
      rate: '2.000 GFLOP/s',
      sustained: expect.stringMatching(/^[\d.]+ .?FLOP\/s \([\d.]+ %\)$/),
      'slowest 5 %': expect.stringMatching(/^[\d.]+ .?FLOP\/s$/),
      p99: expect.stringMatching(/^[\d.]+ [mµ]s$/),
      efficiency: '80.0 %',
      peak: expect.stringMatching(/^2\.500 GFLOP\/s \(/),
      'bound by': 'arithmetic: 80.0 % of 2.50 GFLOP/s',
    });
  });

  it('has the interval of its rate, as far as there is one', async () => {
    const launches = [1e-3, 1.01e-3, 1.02e-3, 1.03e-3, 1.04e-3, 1.05e-3];
    const cells = await cellsOf(recordOf({ batches: [{ launches }] }));
    expect(cells['95 %']).toBe('1.911 GFLOP/s to 1.993 GFLOP/s');
    expect((await cellsOf(recordOf({ batches: [{ launches: [1e-3] }] })))['95 %']).toBe('–');
  });

  it('does not believe an efficiency that nothing can have, nor a bound by it', async () => {
    expect(await cellsOf(recordAt(1.5e9))).toMatchObject({
      efficiency: '133 %: the peak was measured too low, do not trust it',
      'bound by': '–',
    });
    expect((await cellsOf(recordAt(1e13, 1e7)))['bound by']).toMatch(
      /^memory: .*, which was measured too low$/,
    );
  });

  it('says beside a peak which launches measured it, where not all did', async () => {
    const record = recordAt(2.5e9);
    const batches = record.batches.map((batch) => ({
      ...batch,
      roofline: batch.roofline == null ? null : { ...batch.roofline, measuredBy: { launches: 3, of: 24 } },
    }));
    expect((await cellsOf({ ...record, batches })).peak).toMatch(
      /^2\.500 GFLOP\/s \(.*\), in 3 of 24 launches$/,
    );
  });

  it.each([
    ['as the peaks tell', {}],
    ['as the launches tell', { peaks: undefined }],
  ])('counts them in records of before that was written, %s', async (_, lacking) => {
    const quiet = { seconds: 1e-3 };
    const measuring = { ...quiet, ceilings: ceilingsOf(2.5e9, 1e12) };
    const record = recordOf({
      batches: [{ launches: [...Array(3).fill(measuring), ...Array(21).fill(quiet)] }],
    });
    const batches = record.batches.map((batch) => ({
      ...batch,
      roofline: batch.roofline == null ? null : { ...batch.roofline, measuredBy: undefined, ...lacking },
    }));
    const earlier = { ...record, batches };
    expect((await cellsOf(earlier)).peak).toMatch(/, in 3 of 24 launches$/);
    const { columns, rows } = summaryTable(buildReport(earlier, []));
    expect(rows[0]?.[columns.indexOf('ceilings_launches')]).toBe(3);
  });

  it('has a dash where no ceiling is known, and no such section where there is no rate', async () => {
    expect(await cellsOf(recordOf({ batches: [{ launches: [1e-3, 1e-3] }] }))).toMatchObject({
      efficiency: '–',
      peak: '–',
      'bound by': '–',
    });
    const lost = recordOf({ batches: [{ launches: [{ seconds: 1e-3, status: 'timed-out' }] }] });
    expect(await markdownOf(lost)).not.toContain('## Rates');
  });
});

describe('the table of batches', () => {
  it('has at its end what was added: efficiency, ceilings, work, intervals, traffic, imports, what was asked for, p99, who measured the ceilings; and the others where they were', () => {
    const { columns, rows } = summaryTable(buildReport(recordAt(2.5e9), []));
    expect(columns.slice(0, 5)).toEqual(['batch', 'title', 'planned', 'measured', 'verified']);
    const added = columns.slice(columns.indexOf('hostname') + 1);
    expect(added.slice(0, RATE_FIELDS.length)).toEqual(RATE_FIELDS);
    const later = added.slice(RATE_FIELDS.length);
    expect(later.slice(0, INTERVAL_FIELDS.length)).toEqual(INTERVAL_FIELDS);
    expect(later.slice(INTERVAL_FIELDS.length)).toEqual([
      ...[
        'traffic_rate',
        'imported',
        'indicator',
        'device',
        'asked_repetitions',
        'asked_seconds',
        'asked_stack',
      ],
      ...['m', 'n', 'k', 'dtype', 'threads', 'pin', 'cache', 'transpose', 'batch', 'prepack'].map(
        (name) => `parameter_${name}`,
      ),
      ...P99_FIELDS,
      ...CEILING_FIELDS,
    ]);
    const cell = (name: string) => rows[0]?.[columns.indexOf(name)];
    expect(rows[0]).toHaveLength(columns.length);
    expect(cell('efficiency')).toBeCloseTo(0.8, 6);
    expect(cell('peak_rate')).toBe(2.5e9);
    expect(cell('bound')).toBe('arithmetic');
    expect(Number(cell('work')) / 1e-3).toBeCloseTo(Number(cell('rate')), 3);
    expect(cell('work_flop')).toBe(cell('work'));
    expect(cell('work_bytes')).toBeGreaterThan(0);
  });
});
