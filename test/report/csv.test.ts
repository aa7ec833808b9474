/** A row of a table that is cut out of it still says what it is worth. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { digestOf } from '../../src/record/digest.js';
import type { PiBenchRecord } from '../../src/record/schema.js';
import { distribution } from '../../src/report/figures/distribution.js';
import { csv } from '../../src/report/formats/csv.js';
import { buildReport } from '../../src/report/model.js';
import { valueText } from '../../src/report/no-score.js';
import { type ReadReport, readReport } from '../../src/report/read-report.js';
import { stabilityRows, summaryTable } from '../../src/report/tables.js';
import { ceilingsOf, type Launch } from '../support/batch.js';
import { recordOf } from '../support/records.js';
import { withCampaign } from '../support/report.js';

const cutShort: Launch = { seconds: 1e-3, status: 'timed-out' };

/** A column of the table of batches. */
function column(record: PiBenchRecord, name: string): readonly unknown[] {
  const { columns, rows } = summaryTable(buildReport(record, []));
  if (!columns.includes(name)) throw new Error(`no column ${name}`);
  return rows.map((row) => row[columns.indexOf(name)]);
}

describe('a batch of which no launch ran to its end', () => {
  const record = recordOf({
    batches: [{ launches: [cutShort] }, { parameters: { m: 50 }, launches: [cutShort, 1e-3] }],
  });

  it('has no figure in the table and in the report as data, and no verification', () => {
    expect(column(record, 'measured')).toEqual([0, 1]);
    for (const name of ['rate', 'rate_p05', 'rate_sustained', 'launches_n', 'repetitions_median'])
      expect(column(record, name)).toEqual([null, expect.any(Number)]);
    expect(column(record, 'verified')).toEqual(['not-run', 'passed']);
    const { batches } = buildReport(record, []);
    expect(batches.map(({ rate }) => rate === null)).toEqual([true, false]);
  });

  it('has none on the page, which says why', () => {
    const only = buildReport(recordOf({ batches: [{ launches: [cutShort] }] }), []);
    expect(only.headline).toMatchObject({
      value: null,
      uncertainty: 'no launch ran to its end, so there is no score',
    });
    expect(stabilityRows(only).map((cells) => cells[2])).toEqual(['no score']);
    const idle = buildReport(recordOf({ batches: [{ launches: [cutShort], idle: true }] }), []);
    expect(idle.headline.value).toBeNull();
  });

  it('was not measured where no launch was begun, in the table, the head and the picture', () => {
    const [some, none] = [{ launches: [cutShort] }, { parameters: { m: 50 }, launches: [] }];
    const never = buildReport(recordOf({ batches: [none] }), []);
    expect(valueText(never)).toBe('not measured');
    expect(never.headline.uncertainty).toBe('no launch was begun');
    const both = buildReport(recordOf({ batches: [some, none] }), []);
    expect(stabilityRows(both).map((cells) => cells[2])).toEqual(['no score', 'not measured']);
    expect(valueText(both)).toBe('no score');
    const [, batch] = both.batches;
    expect(batch && distribution.draw(batch, both)).toMatchObject({ why: 'the batch was not measured' });
  });
});

describe('a row of the table of batches', () => {
  const unseen = { flag: 'throttled', why: 'nothing tells' };
  const stack = { provider: 'openblas', version: '0.3.28', sha256: 'abc' };
  const made = recordOf({
    id: 'campaign-b',
    labels: { hostname: 'node7' },
    batches: [
      {
        launches: [
          { seconds: 1e-3, notChecked: [unseen] },
          { seconds: 1e-3, notChecked: [unseen] },
        ],
        stack,
      },
    ],
  });
  const record: PiBenchRecord = {
    ...made,
    status: 'interrupted',
    contendedBy: 'campaign-a',
    campaign: { ...made.campaign, fault: { kind: 'stall', inspection: 0, at: 0 } },
  };

  it.each([
    ['campaign', 'campaign-b'],
    ['status', 'interrupted'],
    ['contended_by', 'campaign-a'],
    ['fault', 'stall'],
    ['not_checked', 'throttled'],
    ['machine', 'one'],
    ['hostname', 'node7'],
    ['stack', 'openblas on cpu'],
    ['stack_version', '0.3.28'],
    ['stack_sha256', 'abc'],
  ])('says in %s', (name, value) => {
    expect(column(record, name)).toEqual([value]);
  });
});

describe('rows of one case on one stack', () => {
  const launches = [1e-3, 1.01e-3, 1.02e-3, 1.03e-3, 1.04e-3, 1.05e-3];
  const side = (one: string) => ({ launches, labels: { side: one } });
  const made = recordOf({ batches: [side('a'), { ...side('b'), parameters: { pin: false } }, { launches }] });
  const record: PiBenchRecord = {
    ...made,
    campaign: { ...made.campaign, labels: { site: 'lab' } },
  };

  it.each([
    ['label_side', ['a', 'b', null]],
    ['label_site', ['lab', 'lab', 'lab']],
    ['parameter_m', [100, 100, 100]],
    ['parameter_pin', ['true', 'false', 'true']],
    ['indicator', ['matmul', 'matmul', 'matmul']],
    ['device', ['cpu', 'cpu', 'cpu']],
    ['asked_repetitions', [10, 10, 10]],
    ['asked_seconds', [null, null, null]],
  ])('say in %s what they were asked for', (name, values) => {
    expect(column(record, name)).toEqual(values);
  });

  it('are called by their labels on the page, too, also the one that the headline is of', () => {
    const sides = recordOf({ batches: [side('a'), { ...side('b'), launches: launches.map((s) => s / 2) }] });
    const { batches, headline } = buildReport(sides, []);
    expect(batches.map(({ name }) => name)).toEqual(['side a', 'side b']);
    expect(headline.of).toMatch(/^the highest rate of the batches: matmul .* \(side b\)$/);
  });
});

describe('the columns of a sweep', () => {
  it.each([
    'batch',
    'm',
    'threads',
    'size',
  ])('have a name each, also where %s was swept, which stands among the parameters', (name) => {
    const record = recordOf({
      batches: [1, 2, 4].map((value) => ({
        parameters: name === 'size' ? { m: value, n: value, k: value } : { [name]: value },
        launches: [1e-3, 1.01e-3],
      })),
    });
    const report = buildReport(record, []);
    expect(report.axis?.key).toBe(name);
    const { columns, rows } = summaryTable(report);
    expect(new Set(columns).size).toBe(columns.length);
    for (const row of rows) expect(row).toHaveLength(columns.length);
    expect(column(record, name === 'batch' ? 'parameter_batch' : name)).toEqual([1, 2, 4]);
  });
});

describe('the times of the table of batches', () => {
  it.each([
    [[50, 75.4], '50.00 s to 1 min 15.4 s'],
    [[75.4, 80], '1 min 15.4 s to 1 min 20 s'],
    [[1e-3, 2e-3], '1.000 to 2.000 ms'],
    [[0.9, 2], '900.0 ms to 2.000 s'],
  ])('have their unit once only where both are a number of it: %j', ([low = 0, high = 0], text) => {
    const report = buildReport(recordOf({ batches: [{ launches: [low, high] }] }), []);
    expect(stabilityRows(report)[0]?.at(8)).toBe(text);
  });
});

describe('rows of several stacks', () => {
  const launches = [1e-3, 1.01e-3, 1.02e-3];

  it('have the name that each was asked for by, whatever else names the row', () => {
    const stacks = [{ provider: 'openblas' }, { provider: 'cblas', variant: '/opt/libblas.so' }];
    const record = recordOf({
      batches: [50, 100].flatMap((m) => stacks.map((stack) => ({ launches, stack, parameters: { m } }))),
    });
    const names = ['openblas', 'cblas:/opt/libblas.so'];
    expect(column(record, 'asked_stack')).toEqual([...names, ...names]);
  });
});

describe('the intervals of a row', () => {
  const launches = [1e-3, 1.01e-3, 1.02e-3, 1.03e-3, 1.04e-3, 1.05e-3];
  const record = recordOf({ batches: [{ launches }, { launches: [1e-3], parameters: { m: 50 } }] });
  const [first, second] = record.batches;
  if (first?.rate == null || first.elapsed === null || second === undefined) throw new Error('two batches');
  const interval = { level: 0.95, low: 1.5e9, high: 1.9e9, method: 'order', basis: 'launches' };
  const precision = { target: 0.01, reached: false, halfWidth: 0.02, reason: '± 2.0 %' };
  const measured = {
    ...record,
    batches: [{ ...first, rate: { ...first.rate, p05Interval: interval }, precision }, second],
  };

  it('are those of the rate that 95 % of the repetitions reach and of the time, too', () => {
    expect(column(measured, 'rate_p05_low')).toEqual([1.5e9, null]);
    expect(column(measured, 'rate_p05_high')).toEqual([1.9e9, null]);
    expect(column(measured, 'rate_p05_interval_basis')).toEqual(['launches', null]);
    expect(column(measured, 'elapsed')).toEqual([first.elapsed?.median, second.elapsed?.median]);
    expect(column(measured, 'elapsed_low')).toEqual([first.elapsed?.interval?.low, null]);
    expect(column(measured, 'elapsed_high')).toEqual([first.elapsed?.interval?.high, null]);
  });

  it('stand beside the precision that was asked for, and whether it was reached', () => {
    expect(column(measured, 'precision_target')).toEqual([0.01, null]);
    expect(column(measured, 'precision_reached')).toEqual(['false', null]);
    expect(column(measured, 'precision_half_width')).toEqual([0.02, null]);
  });

  it('are those of the p99 of its launches, which is not that of all repetitions together', () => {
    const launchOf = (seconds: number, count: number) => ({
      seconds,
      samples: Array.from({ length: count }, (_, i) => seconds * (1 + 0.001 * ((i % 11) - 5))),
    });
    const two = recordOf({ batches: [{ launches: [launchOf(1e-3, 2000), launchOf(1.3e-3, 1540)] }] });
    const p99 = two.batches[0]?.elapsed?.p99;
    expect(p99).toBeCloseTo(1.15e-3, 4);
    expect(column(two, 'elapsed_p99')).toEqual([p99]);
    expect(Number(column(two, 'repetitions_p99')[0])).toBeGreaterThan(1.29e-3);
    const p99Interval = { ...interval, low: 1.1e-3, high: 1.2e-3 };
    const [batch] = two.batches;
    if (batch?.elapsed == null) throw new Error('no result');
    const told = { ...two, batches: [{ ...batch, elapsed: { ...batch.elapsed, p99Interval } }] };
    expect(column(told, 'elapsed_p99_low')).toEqual([1.1e-3]);
    expect(column(told, 'elapsed_p99_high')).toEqual([1.2e-3]);
  });

  it('have their level where there is no rate, as of a barrier', () => {
    const idle = recordOf({ batches: [{ launches, idle: true }] });
    expect(column(idle, 'interval_level')).toEqual([0.95]);
    expect(column(idle, 'rate_low')).toEqual([null]);
  });
});

describe('the ceilings of a row', () => {
  const launch = { seconds: 1e-3, ceilings: ceilingsOf(2.5e9, null) };
  const record = recordOf({ batches: [{ launches: [launch, launch, launch] }, { launches: [1e-3] }] });

  it('were measured by so many launches', () => {
    expect(column(record, 'ceilings_launches')).toEqual([3, null]);
    const batches = record.batches.map((batch) => ({
      ...batch,
      roofline: batch.roofline == null ? null : { ...batch.roofline, measuredBy: { launches: 2, of: 3 } },
    }));
    expect(column({ ...record, batches }, 'ceilings_launches')).toEqual([2, null]);
  });
});

describe('the table of samples', () => {
  it('comes in pieces, however many repetitions a launch has', async () => {
    const count = 100_000;
    const samples = {
      seconds: new Float64Array(count).fill(1.23456789e-3),
      entries: new Float64Array(count).fill(0.5),
      disturbed: null,
      callsPerSample: 1,
    };
    const launch = { name: 'matmul', launch: 1, status: 'measured', verified: 'passed', found: { samples } };
    const read = { allLaunches: () => [launch] } as unknown as ReadReport;
    const pieces: string[] = [];
    for await (const piece of csv.text?.({ read, warn: () => {}, samples: true }) ?? []) pieces.push(piece);
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(2e6);
    const rows = pieces.join('').trim().split('\r\n').slice(1);
    expect(rows).toHaveLength(count);
    expect([rows[0], rows.at(-1)]).toEqual([
      'matmul,1,0,0.5,0.00123456789,,measured,passed,1',
      `matmul,1,${count - 1},0.5,0.00123456789,,measured,passed,1`,
    ]);
  });
});

describe('a row of the table of samples', () => {
  it('says whether its launch counts, and how many calls it is the mean of', () =>
    withCampaign([{ repetitions: 20, inspections: 3 }], async (folder) => {
      const path = join(folder, 'record.json');
      const record = JSON.parse(readFileSync(path, 'utf8')) as PiBenchRecord;
      const [batch] = record.batches;
      const [, wrong, cut] = batch?.inspections ?? [];
      if (batch === undefined || wrong === undefined || cut === undefined) throw new Error('three launches');
      Object.assign(batch, { measured: 1, verified: 'failed', rate: null, elapsed: null });
      Object.assign(wrong, { status: 'wrong', verification: { ...wrong.verification, passed: false } });
      Object.assign(cut, { status: 'timed-out', verification: null, sha256: null });
      writeFileSync(path, JSON.stringify({ ...record, digest: digestOf(record) }));
      const document = join(folder, 'inspections', '2.json');
      const several = readFileSync(document, 'utf8').replace('"callsPerSample":1', '"callsPerSample":409');
      writeFileSync(document, several);
      const read = readReport(folder);
      let text = '';
      for await (const piece of csv.text?.({ read, warn: () => {}, samples: true }) ?? []) text += piece;
      const [head = '', ...rows] = text.trim().split('\r\n');
      expect(head).toBe(
        'batch,launch,repetition,entry_seconds,elapsed_seconds,disturbed,status,verified,calls_per_sample',
      );
      expect(rows).toHaveLength(60);
      expect(new Set(rows.map((row) => [row.split(',')[1], ...row.split(',').slice(-3)].join()))).toEqual(
        new Set(['1,measured,passed,1', '2,wrong,failed,1', '3,timed-out,not-run,409']),
      );
    }));
});
