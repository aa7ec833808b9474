/** The real published documents: imported, they have the statistics that were published, and the flags that they deserve. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findFiles } from '../../src/import/files.js';
import { importedRecord } from '../../src/import/record.js';
import { readThoth } from '../../src/import/thoth.js';
import { renderRecord } from '../../src/readers/terminal/record.js';
import { terminalStyle } from '../../src/readers/terminal/style.js';
import type { PiBenchRecord, RecordBatch } from '../../src/record/schema.js';
import { drawFigures } from '../../src/report/figures/index.js';
import { buildReport } from '../../src/report/model.js';
import { headHtml } from '../../src/report/page/head.js';
import { DATA, hasPublishedData, published } from '../statistics/support.js';

if (!hasPublishedData) console.warn(`no ${DATA}: imports of published data are skipped`);

function recordOf(path: string): PiBenchRecord {
  const piBench = { version: '0.0.0', commit: null };
  const at = '2026-01-01T00:00:00.000Z';
  const read = readThoth(findFiles(join(DATA, path)));
  return importedRecord(read, { id: 'an-import', at, command: ['import'], piBench });
}

const bySource = ({ batches }: PiBenchRecord, source: string): RecordBatch => {
  const found = batches.find(({ imported }) => imported?.source === source);
  if (found === undefined) throw new Error(`no batch ${source}`);
  return found;
};

const flagNames = ({ flags }: RecordBatch): string[] => flags.map(({ name }) => name);

describe.skipIf(!hasPublishedData)('the published inspections', () => {
  const record = hasPublishedData ? recordOf('report-processing-inspections') : null;
  const expected = hasPublishedData
    ? (JSON.parse(published('batch_statistics.json')) as Record<
        string,
        Record<string, Record<string, number>>
      >)
    : {};

  it.each(
    Object.keys(expected),
  )('%s: has the statistics that pandas gives, of times and of rates', (source) => {
    const batch = bySource(record as PiBenchRecord, source);
    const quantities = { elapsed: [batch.launches, 1e3], rate: [batch.imported?.rates, 1e-9] } as const;
    const names = { std_error: 'stdError', cov: 'cv' } as Readonly<Record<string, string>>;
    for (const [quantity, [statistics, unit]] of Object.entries(quantities)) {
      const theirs = expected[source]?.[quantity] ?? {};
      const free = ['n', 'cov', 'covm', 'skew'];
      for (const [name, value] of Object.entries(theirs)) {
        // Theirs to several centres are CV over again.
        if (name.startsWith('cv_')) continue;
        const ours = Number(statistics?.[names[name] ?? name]) * (free.includes(name) ? 1 : unit);
        expect(ours / value, `${quantity} ${name}`).toBeCloseTo(1, 10);
      }
    }
  });

  it('are throttled where CPU time shows it, and nowhere else', () => {
    const one = record as PiBenchRecord;
    expect(flagNames(bySource(one, 'inspection-tfcpu-matmul-5e5a1563'))).toEqual(['throttled']);
    expect(flagNames(bySource(one, 'inspection-iotf-2-matmul-u38m-fd697eb4'))).toEqual([]);
    expect(flagNames(bySource(one, 'inspection-rhtf-conv2d-21090f6e'))).toEqual([]);
    const [api] = recordOf('amun-api-example-inspection-rhtf-conv2d-0f845f38').batches;
    expect(api?.flags.map(({ name, inspections }) => [name, inspections])).toEqual([
      ['throttled', [0, 1, 2]],
    ]);
  });

  it('count as launches of the 20 that were asked for', () => {
    const batch = bySource(record as PiBenchRecord, 'inspection-iotf-2-matmul-u38m-fd697eb4');
    expect([batch.measured, batch.planned, record?.status]).toEqual([5, 20, 'incomplete']);
    expect(batch.stack).toMatchObject({
      provider: 'tensorflow',
      variant: 'intel-tensorflow',
      version: '2.2.0',
    });
  });
});

describe.skipIf(!hasPublishedData)('the document of 2019', () => {
  it('has the sum over its repetitions for a median: it is divided, and that is said', () => {
    const [batch] = recordOf('inspection-004187facf477500.2019-05-10.json').batches;
    expect(batch?.elapsed?.median).toBeCloseTo(369.85118222236633 / 20_000, 15);
    expect((batch?.rate?.median ?? 0) / 1e9).toBeCloseTo(14.5, 1);
    expect(batch?.imported).toMatchObject({ statistic: 'mean', rates: null });
    expect(batch?.imported?.remarks.join()).toMatch(/sum over 20,000 repetitions .* 20,000 times too low/);
  });
});

describe.skipIf(!hasPublishedData)('the published repetition study', () => {
  const record = hasPublishedData ? recordOf('test1_describe_512_reps.csv') : null;
  const rows = hasPublishedData
    ? published('test1_describe_512_reps.csv')
        .trim()
        .split('\n')
        .map((line) => line.split(','))
    : [];
  const cell = (row: string, column: string): number =>
    Number(rows.find(([name]) => name === row)?.[rows[0]?.indexOf(column) ?? -1]);
  const theirs = {
    n: 'count',
    mean: 'mean',
    std: 'std',
    min: 'min',
    q1: '25%',
    median: '50%',
    q3: '75%',
    max: 'max',
  };

  it('is eight batches whose statistics are the table’s, of times and of rates', () => {
    expect(record?.batches.map(({ imported }) => imported?.source)).toEqual([
      '005k',
      '01k',
      '05k',
      '2k',
      '4k',
      '8k',
      '16k',
      '20k',
    ]);
    for (const batch of record?.batches ?? []) {
      const source = batch.imported?.source;
      for (const [ours, row] of Object.entries(theirs)) {
        const unit = ours === 'n' ? 1 : 1000;
        expect(Number(batch.launches?.[ours]) * unit).toBeCloseTo(cell(row, `elapsed_${source}`), 9);
        const giga = ours === 'n' ? 1 : 1e9;
        expect(Number(batch.imported?.rates?.[ours]) / giga).toBeCloseTo(cell(row, `rate_${source}`), 9);
      }
      expect(batch.elapsed?.interval).toBeNull();
    }
    const cv = record?.batches.map(({ imported }) => Number((100 * Number(imported?.rates?.cv)).toFixed(1)));
    expect(cv).toEqual([12, 10.9, 7.5, 6.8, 8.2, 7.1, 9.5, 12.2]);
  });

  it('sweeps the repetitions of one case, whose size follows from rate x elapsed', () => {
    const cases = new Set(record?.batches.map((batch) => JSON.stringify(batch.case)));
    expect([...cases]).toEqual([JSON.stringify({ indicator: 'PiMatmul', parameters: { matrix_size: 512 } })]);
    expect(
      record?.batches.map(({ asked }) =>
        asked.sampling?.kind === 'fixed' ? asked.sampling.repetitions : null,
      ),
    ).toEqual([50, 100, 500, 2000, 4000, 8000, 16_000, 20_000]);
  });

  it('is throttled from 500 repetitions on', () => {
    expect(record?.batches.map((batch) => flagNames(batch).length)).toEqual([0, 0, 1, 1, 1, 1, 1, 1]);
  });
});

describe.skipIf(!hasPublishedData)('the published convolution times', () => {
  const record = hasPublishedData ? recordOf('conv2d_elapsed_dataset_v1.0.csv') : null;

  it('are 70 batches of 3,909 launches, as good as all of them quantised', () => {
    expect(record?.batches).toHaveLength(70);
    expect(record?.batches.reduce((sum, { measured }) => sum + measured, 0)).toBe(3909);
    const quantised = record?.batches.filter((batch) => flagNames(batch).includes('quantised')) ?? [];
    expect(quantised).toHaveLength(68);
    expect(quantised[0]?.flags[0]?.evidence).toMatchObject({ periodSeconds: 0.1, timesOfSet: 3909 });
  });

  it('have the medians that were published: TensorFlow at 300 ms, PyTorch at 600 and 700', () => {
    const medians = (provider: string): number[] =>
      (record?.batches ?? [])
        .filter(({ stack }) => stack.provider === provider)
        .map(({ elapsed }) => Number(((elapsed?.median ?? 0) * 1e3).toFixed(1)));
    const tensorflow = medians('tensorflow');
    expect([tensorflow.length, Math.min(...tensorflow), Math.max(...tensorflow)]).toEqual([68, 295.9, 301.8]);
    expect(medians('pytorch')).toEqual([600.2, 701.6]);
  });
});

describe.skipIf(!hasPublishedData)('the page of an import', () => {
  const style = terminalStyle({});
  const page = (path: string): string => renderRecord(recordOf(path), null, style);

  it.each([
    'report-processing-inspections',
    'report-processing-inspections/inspection-tfcpu-matmul-5e5a1563',
    'inspection-004187facf477500.2019-05-10.json',
    'test1_describe_512_reps.csv',
    'conv2d_elapsed_dataset_v1.0.csv',
  ])('says nothing that is not a figure, and that nothing was verified: %s', (path) => {
    const text = page(path);
    expect(text).not.toMatch(/NaN|null|undefined|Infinity/);
    expect(text).toMatch(/not verified: nobody published/);
    expect(text).not.toMatch(/pi-bench resume|--inspections|inside repetitions that count/);
    const tables = text.split('\n').filter((line) => !/filters of/.test(line));
    expect(Math.max(...tables.map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  it('shows the sweep as one table, flags behind the batches that have them', () => {
    const lines = page('test1_describe_512_reps.csv').split('\n');
    expect(lines.find((line) => / 2000 reps /.test(line))).toMatch(
      /^ {2}2000 reps +296 +913\.1 µs +70\.6 +4\.11 +7\.6 % +55\.7 +840\.9–1192 +a$/,
    );
    expect(lines.find((line) => / 50 reps /.test(line))).toMatch(/0\.7596–1\.601$/);
    expect(lines.join(' ').replaceAll(/ +/g, ' ')).toContain(
      'flags a throttled in 6 of 8 batches; the first: in the mean of 296 launches',
    );
  });
});

describe.skipIf(!hasPublishedData)('the published study of repetitions', () => {
  it('ends where its authors ended: 2,000 repetitions are enough, although 8,000 have the smallest spread', () => {
    const [only, ...others] = recordOf('test1_describe_512_reps.csv').recommendations ?? [];
    expect(others).toEqual([]);
    expect(only).toMatchObject({ repetitions: 2000, best: 8000 });
    expect(only?.test).toMatch(/normal launch values/);
    expect(only?.counts).toHaveLength(8);
  });
});

describe.skipIf(!hasPublishedData)('everything published, at once', () => {
  it('is one record, which leaves out what is no document and says so', () => {
    const record = recordOf('.');
    expect(record.batches).toHaveLength(83);
    expect(record.imported?.notRead).toEqual([
      { path: 'batch_statistics.json', why: 'JSON, but no inspection document' },
    ]);
    expect(record.labels.cpu_model).toBeNull();
    const files = record.imported?.files ?? [];
    expect(files.every(({ path }) => readFileSync(join(DATA, path)).length > 0)).toBe(true);
  });
});

describe.skipIf(!hasPublishedData)('the report of an import', () => {
  const draw = (path: string) =>
    drawFigures(
      buildReport(
        recordOf(path),
        recordOf(path).batches.map(() => null),
      ),
    );
  const drawnNames = (path: string): string[] =>
    draw(path).campaign.flatMap(({ id, result }) => ('spec' in result ? [id] : []));

  it('reads the published sweep: boxes, the rate and the spread over the repetitions', () => {
    expect(drawnNames('test1_describe_512_reps.csv')).toEqual(
      expect.arrayContaining(['violins', 'sweep', 'repetitions', 'stability']),
    );
  });

  it('says of what it cannot draw that it was not published', () => {
    const why = draw('test1_describe_512_reps.csv').campaign.flatMap(({ id, result }) =>
      'why' in result ? [[id, result.why]] : [],
    );
    expect(Object.fromEntries(why)).toMatchObject({
      'between-within': 'the times of the repetitions were not published',
      sustained: 'the rate over the wall clock was not published',
    });
  });

  it('has the verdict that nothing was verified, and where it comes from', () => {
    const report = buildReport(recordOf('report-processing-inspections'), [null, null, null]);
    expect(report.headline.verification).toBe('Not verified: nobody published whether outputs were right');
    const page = headHtml(report);
    expect(page).toMatch(/11 of 60 launches are among what was imported/);
    expect(page).toMatch(/14 files of thoth: pi-bench did not measure this/);
    expect(page).not.toMatch(/NaN|undefined|>null</);
  });
});
