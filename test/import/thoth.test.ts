/** What is made of published documents: units, faults of their eras, what they show, and what they do not tell. */
import { describe, expect, it } from 'vitest';
import { UserError } from '../../src/errors.js';
import { importedRecord } from '../../src/import/record.js';
import { repetitionsNamed } from '../../src/import/thoth/describe-table.js';
import { parseCpus, parseMemory } from '../../src/import/thoth/quantities.js';
import { readThoth } from '../../src/import/thoth.js';
import { nameBatches } from '../../src/readers/batch-names.js';
import { renderRecord } from '../../src/readers/terminal/record.js';
import { terminalStyle } from '../../src/readers/terminal/style.js';
import type { PiBenchRecord } from '../../src/record/schema.js';
import { buildReport } from '../../src/report/model.js';
import {
  describeText,
  foundOf,
  inspectionFiles,
  resultText,
  SPECIFICATION,
  specificationOf,
  WORK,
} from './support.js';

const AT = '2026-01-01T00:00:00.000Z';

function recordOf(files: Readonly<Record<string, string>>): PiBenchRecord {
  const piBench = { version: '0.0.0', commit: null };
  return importedRecord(readThoth(foundOf(files)), { id: 'an-import', at: AT, command: ['import'], piBench });
}

function onlyBatch(files: Readonly<Record<string, string>>) {
  const [batch, ...others] = recordOf(files).batches;
  if (batch === undefined || others.length > 0) throw new Error('expected one batch');
  return batch;
}

describe('an inspection of 2020', () => {
  const files = inspectionFiles('inspection-a', [
    resultText({ elapsed: 2 }),
    resultText({ elapsed: 4 }),
    resultText({ elapsed: 3 }),
  ]);

  it('is a batch whose launches have the published times in seconds, and the rate that belongs to them', () => {
    const batch = onlyBatch(files);
    expect(batch.launches?.medians).toEqual([0.002, 0.004, 0.003]);
    expect(batch.elapsed?.median).toBe(0.003);
    expect(batch.rate?.median).toBe(WORK / 0.003);
    expect(batch.work).toEqual({ flop: WORK, bytes: 3 * 100 * 100 * 4 });
    expect(batch.case).toEqual({ indicator: 'PiMatmul', parameters: { matrix_size: 100, dtype: 'float32' } });
    expect(batch.asked).toMatchObject({
      inspections: 4,
      sampling: { kind: 'fixed', repetitions: 1000 },
      warmup: null,
    });
    expect([batch.measured, batch.planned]).toEqual([3, 4]);
    expect(batch.imported).toMatchObject({
      source: 'inspection-a',
      values: 'launches',
      statistic: 'median',
      remarks: [],
    });
  });

  it('is another one in another folder, whatever it is called there', () => {
    const two = {
      ...inspectionFiles('hostA/conv', [resultText({ elapsed: 1 })]),
      ...inspectionFiles('hostB/conv', [resultText({ elapsed: 5 })]),
    };
    const { batches } = recordOf(two);
    expect(batches.map(({ imported, launches }) => [imported?.source, launches?.medians])).toEqual([
      ['hostA/conv', [0.001]],
      ['hostB/conv', [0.005]],
    ]);
  });

  it('is no sweep of repetitions with another one, of another stack on another machine or not', () => {
    const six = (elapsed: number, reps: number, brand: string) =>
      Array.from({ length: 6 }, (_, i) => resultText({ elapsed: elapsed + i / 100, reps, brand }));
    const two = (version: string, brand: string) =>
      recordOf({
        ...inspectionFiles('old', six(4, 100, 'Old CPU')),
        'old/build/specification': specificationOf('1.15.0'),
        ...inspectionFiles('new', six(2, 1000, brand)),
        'new/build/specification': specificationOf(version),
      });
    expect(two('2.4.0', 'New CPU').recommendations).toBeUndefined();
    expect(two('1.15.0', 'Old CPU').recommendations).toBeUndefined();
    expect(recordOf({ 'a.csv': describeText() }).recommendations).toHaveLength(1);
    const one = [...six(4, 100, 'Old CPU'), ...six(4, 1000, 'Old CPU')];
    expect(recordOf(inspectionFiles('one', one)).recommendations).toHaveLength(1);
  });

  it('has launches that are alike where those that followed each other are, by when they began', () => {
    const rising = (beganAt: (i: number) => string | null) =>
      onlyBatch(
        inspectionFiles(
          'i',
          Array.from({ length: 20 }, (_, i) =>
            resultText({ elapsed: 2 * 1.01 ** i, more: { start_datetime: beganAt(i) } }),
          ),
        ),
      );
    const dependent = (batch: ReturnType<typeof onlyBatch>) => [
      batch.flags.map(({ name }) => name).includes('launches-not-independent'),
      batch.imported?.notChecked.find(({ flag }) => flag === 'launches-not-independent')?.why,
    ];
    const minute = (i: number) => `2020-01-01T10:${String(i).padStart(2, '0')}:00.000000`;
    expect(dependent(rising(minute))).toEqual([true, undefined]);
    // In another order than that of their numbers they are not.
    expect(dependent(rising((i) => minute((9 * i) % 20)))).toEqual([false, undefined]);
    const why = 'in which order the launches began was not published';
    expect(dependent(rising(() => minute(0)))).toEqual([false, why]);
    expect(dependent(rising(() => null))).toEqual([false, why]);
    expect(dependent(onlyBatch(files))).toEqual([false, 'fewer than 6 launches']);
  });

  it('says of bytes that they are an assumption where no data type was published', () => {
    const remarks = (dtype: string | null) =>
      onlyBatch(inspectionFiles('i', [resultText({ parameters: { dtype } })])).imported?.remarks;
    expect(remarks('float32')).toEqual([]);
    expect(remarks(null)).toEqual([
      'bytes are those of elements of 4 bytes, as of float32: no data type was published',
    ]);
    expect(remarks('bfloat16')).toEqual([expect.stringMatching(/: of bfloat16 no size is known here$/)]);
    const [table] = recordOf({ 'a.csv': describeText() }).batches;
    expect(table?.imported?.remarks).toEqual(remarks(null));
  });

  it('has KPIs with the label keys of all others of its indicator, whatever parameters each has', () => {
    const { kpis } = recordOf({
      ...inspectionFiles('plain', [resultText()]),
      ...inspectionFiles('more', [resultText({ parameters: { layout: 'NHWC' } })]),
    });
    const layouts = kpis.map((kpi) => ['value' in kpi && kpi.batch, kpi.labels.layout]);
    expect(layouts).toEqual(kpis.map((_, i) => (i < kpis.length / 2 ? [0, null] : [1, 'NHWC'])));
    expect(new Set(kpis.map(({ labels }) => Object.keys(labels).sort().join())).size).toBe(1);
  });

  it('names the stack by component, package and locked version, and no file', () => {
    expect(onlyBatch(files).stack).toEqual({
      provider: 'tensorflow',
      variant: 'tensorflow-cpu',
      implementation: null,
      version: '9.8.7',
      file: null,
      sha256: null,
    });
  });

  it.each([
    [
      'of one that shares its environment, its own',
      'pytorch',
      { torch: '1.5', tensorflow: '2.2' },
      'torch',
      '1.5',
    ],
    ['not another component’s', 'numpy', { tensorflow: '2.2', numpy: '1.18' }, null, '1.18'],
    ['none where none of its own is locked', 'numpy', { tensorflow: '2.2' }, null, null],
    [
      'none where it may be either',
      'tensorflow',
      { 'intel-tensorflow': '2.1', tensorflow: '2.2' },
      null,
      null,
    ],
    [
      'their version where both have it',
      'tensorflow',
      { 'tensorflow-cpu': '2.2', tensorflow: '2.2' },
      null,
      '2.2',
    ],
  ])('has the version of its component’s package: %s', (_, component, packages, variant, version) => {
    const locked = Object.entries(packages).map(([name, of]) => [name, { version: `==${of}` }]);
    const specification = { python: { requirements_locked: { default: Object.fromEntries(locked) } } };
    const { stdout, ...rest } = JSON.parse(resultText()) as { stdout: object };
    const result = JSON.stringify({ ...rest, stdout: { ...stdout, component } });
    const { stack } = onlyBatch({
      ...inspectionFiles('a', [result]),
      'a/build/specification': JSON.stringify(specification),
    });
    expect(stack).toMatchObject({ provider: component, variant, version });
  });

  it('tells of the machine what the documents tell, and nothing of this one', () => {
    const { labels, machine, imported, accounting } = recordOf(files);
    expect(labels).toMatchObject({
      cpu_model: 'A processor',
      cpus: 8,
      cgroup_cpu_quota: 2,
      hostname: null,
      node: null,
    });
    expect(labels.cgroup_memory_limit_bytes).toBe(4 * 2 ** 30);
    expect(machine).toMatchObject({ virtualisation: { guest: true }, runtime: null });
    expect(imported?.measured).toEqual({ from: '2020-01-01T10:00:00.000Z', to: '2020-01-01T10:00:30.000Z' });
    expect(accounting).toBeNull();
  });

  it('shows the CPUs that were requested as no limit, because that was not published', () => {
    const record = recordOf(files);
    expect(record.imported?.notKnown.map(({ what }) => what)).toContain('limit of CPUs');
    const shown = renderRecord(record, null, terminalStyle({ isTTY: false }));
    expect(shown).toMatch(/machine +A processor, 8 CPUs, 2 requested/);
    expect(shown).not.toContain('limited to');
    const names = buildReport(record, []).machine.map(([name]) => name);
    expect(names).toContain('CPUs requested');
    expect(names).not.toContain('quota of CPUs');
  });

  it('counts nothing as verified or checked that was not', () => {
    const record = recordOf(files);
    const [batch] = record.batches;
    expect(batch?.verified).toBe('not-run');
    expect(batch?.inspections.every(({ verification }) => verification === null)).toBe(true);
    const unchecked = new Set([
      ...(batch?.imported?.notChecked ?? []).map(({ flag }) => flag),
      ...(batch?.inspections ?? []).flatMap(({ notChecked }) => notChecked.map(({ flag }) => flag)),
    ]);
    expect([...unchecked]).toEqual(
      expect.arrayContaining([
        'throttled',
        'stolen',
        'preempted',
        'contended',
        'drifting',
        'outlying',
        'quantised',
        'launches-not-independent',
        'above-ceiling',
        'peak-moved',
      ]),
    );
    expect(record.imported?.notKnown.map(({ what }) => what)).toEqual(
      expect.arrayContaining(['verification', 'telemetry', 'times of the repetitions', 'stack']),
    );
    expect([batch?.rate?.p05, batch?.rate?.sustained, batch?.pooled]).toEqual([null, null, null]);
    expect(record.kpis.map((kpi) => kpi.name)).toEqual([
      'pibench_thoth_pimatmul_rate_flops_per_second',
      'pibench_thoth_pimatmul_elapsed_seconds',
    ]);
  });

  it('lists its files with their checksums, and says of neither companions nor itself that they were left out', () => {
    const { imported } = recordOf(files);
    expect(imported?.files.map(({ path }) => path)).toEqual([
      'inspection-a/build/specification',
      'inspection-a/results/0/result',
      'inspection-a/results/1/result',
      'inspection-a/results/2/result',
    ]);
    expect(imported?.files.every(({ sha256 }) => /^[0-9a-f]{64}$/.test(sha256))).toBe(true);
    expect(imported?.notRead).toEqual([]);
  });

  it('is throttled where CPU time is far above what its repetitions can have used, and only there', () => {
    const batch = onlyBatch(
      inspectionFiles('i', [resultText({ cpuSeconds: 60 }), resultText({ cpuSeconds: 9 })]),
    );
    expect(batch.flags.map(({ name, inspections }) => [name, inspections])).toEqual([['throttled', [0]]]);
    expect(batch.inspections.map(({ notChecked }) => notChecked.map(({ flag }) => flag))).toEqual([
      [],
      ['throttled'],
    ]);
  });

  it('is quantised where enough launches lie on the multiples of a period', () => {
    const on = Array.from({ length: 40 }, (_, i) =>
      resultText({ elapsed: 100 * (2 + (i % 4)) + (i % 3) / 10, reps: 5 }),
    );
    expect(onlyBatch(inspectionFiles('i', on)).flags.map(({ name }) => name)).toContain('quantised');
  });

  it('is two batches where its results are of two cases', () => {
    const { batches } = recordOf(
      inspectionFiles('i', [resultText(), resultText({ parameters: { dtype: 'float64' } })]),
    );
    expect(batches.map(({ title }) => title)).toEqual([
      'PiMatmul 100 x 100 float32',
      'PiMatmul 100 x 100 float64',
    ]);
    expect(batches.flatMap(({ inspections }) => inspections.map(({ index }) => index))).toEqual([0, 1]);
  });

  it('keeps a launch that failed, with the reason, and no figure of it', () => {
    const more = { exit_code: 1, stdout: '', stderr: 'Traceback\nKilled' };
    const batch = onlyBatch(inspectionFiles('i', [resultText(), resultText({ more })]));
    expect(batch.inspections[1]).toMatchObject({
      status: 'failed',
      reason: 'ended with exit code 1: Killed',
      statistics: null,
    });
    expect(batch.measured).toBe(1);
  });

  it('leaves out what documents of several machines do not agree on', () => {
    const { labels, imported } = recordOf(
      inspectionFiles('i', [resultText(), resultText({ brand: 'Another' })]),
    );
    expect(labels.cpu_model).toBeNull();
    expect(labels.cpus).toBe(8);
    expect(imported?.notKnown.find(({ what }) => what === 'machine')?.why).toMatch(
      /cpu model \(A processor; Another\)/,
    );
  });
});

describe('faults of published figures', () => {
  it('a rate that counts the multiplications of one operation only is left out and named', () => {
    const elapsed = 80;
    const rate = (100 ** 3 + 99 * 100 ** 2 * 40) / (elapsed * 1e-3) / 1e9;
    const batch = onlyBatch(
      inspectionFiles('i', [resultText({ elapsed, rate, reps: 10, parameters: { mini_batch: 40 } })]),
    );
    expect(batch.rate?.median).toBeCloseTo((40 * WORK) / 0.08, 3);
    expect(batch.imported?.rates).toBeNull();
    expect(batch.imported?.remarks[0]).toMatch(/1\.9\d times too low, and are left out/);
  });

  it('mini_batch is what was timed at once where rate x elapsed says so, and one operation where not', () => {
    const parameters = { mini_batch: 40 };
    const many = onlyBatch(
      inspectionFiles('i', [
        resultText({ elapsed: 80, rate: (40 * WORK) / 0.08 / 1e9, reps: 10, parameters }),
      ]),
    );
    expect([many.work?.flop, many.imported?.remarks[0]]).toEqual([
      40 * WORK,
      'a repetition is 40 operations (mini_batch)',
    ]);
    const one = onlyBatch(inspectionFiles('i', [resultText({ parameters })]));
    expect(one.work?.flop).toBe(WORK);
  });

  it('a rate that is no work over elapsed is left out and named', () => {
    const batch = onlyBatch(inspectionFiles('i', [resultText({ rate: 1 })]));
    expect(batch.rate?.median).toBe(WORK / 0.002);
    expect(batch.imported?.rates).toBeNull();
    expect(batch.imported?.remarks[0]).toMatch(/left out$/);
  });

  it('a sum that was published for a median is divided, is called a mean, and its rate is left out', () => {
    const result = JSON.parse(resultText({ elapsed: 2000, reps: 100 })) as Record<string, unknown>;
    const document = {
      inspection_id: 'inspection-b',
      created: '2019-06-01T00:00:00',
      job_log: { ...result, start_datetime: undefined, end_datetime: undefined },
      specification: JSON.parse(SPECIFICATION) as unknown,
      status: { job: { started_at: '2019-06-01T00:00:00Z', finished_at: '2019-06-01T00:00:03Z' } },
    };
    const batch = onlyBatch({ 'b.json': JSON.stringify(document) });
    expect(batch.elapsed?.median).toBeCloseTo(0.02, 12);
    expect(batch.imported).toMatchObject({ statistic: 'mean', rates: null });
    expect(batch.imported?.remarks[0]).toMatch(/sum over 100 repetitions .* not their median/);
  });
});

describe('a describe() table', () => {
  it('becomes batches with the statistics that it has, no values and no interval', () => {
    const { batches, imported, status } = recordOf({ 'a.csv': describeText() });
    expect(batches.map(({ asked, imported: own }) => [own?.source, asked.sampling])).toEqual([
      ['05k', { kind: 'fixed', repetitions: 500 }],
      ['2k', { kind: 'fixed', repetitions: 2000 }],
    ]);
    const [batch] = batches;
    expect(batch?.case).toEqual({ indicator: 'PiMatmul', parameters: { matrix_size: 100 } });
    expect(batch?.elapsed).toEqual({
      median: 0.001,
      interval: null,
      range: [0.0009, 0.0012],
      basis: 'published table',
    });
    expect(batch?.launches).toMatchObject({
      n: 30,
      mean: 0.001,
      std: 1e-4,
      q1: 9.5e-4,
      q3: expect.closeTo(1.05e-3, 12),
      cv: 0.1,
    });
    expect(batch?.launches?.medians).toBeUndefined();
    expect(batch?.imported).toMatchObject({ values: 'table', statistic: 'median' });
    expect(batch?.box).toMatchObject({ whiskerLow: 0.0009, outliersBelow: null });
    expect([batch?.violin, batch?.inspections, batch?.measured]).toEqual([null, [], 30]);
    expect(status).toBe('complete');
    expect(imported?.measured).toBeNull();
  });

  it('is throttled where the jobs took far longer than their repetitions, by the CPUs that they had', () => {
    const [few, many] = recordOf({ 'a.csv': describeText() }).batches;
    expect([few?.flags.length, many?.flags.map(({ name }) => name)]).toEqual([1, ['throttled']]);
    expect(many?.flags[0]?.reason).toMatch(/1\.75 CPUs is CPU time over the jobs' duration/);
    const quick = recordOf({ 'a.csv': describeText(1, 4, 7) }).batches[1];
    expect(quick?.flags).toEqual([]);
    expect(quick?.imported?.notChecked.map(({ flag }) => flag)).toContain('throttled');
  });

  it('is no sweep with another one of the same size, nor one line over their repetitions', () => {
    const record = recordOf({ 'one/a.csv': describeText(), 'two/a.csv': describeText(2) });
    expect(record.batches.map(({ imported }) => imported?.table)).toEqual([
      'one/a.csv',
      'one/a.csv',
      'two/a.csv',
      'two/a.csv',
    ]);
    expect(record.recommendations?.map(({ batches }) => batches)).toEqual([
      [0, 1],
      [2, 3],
    ]);
    const { names, axis } = nameBatches(record.batches);
    expect(names).toEqual(['05k of one/a.csv', '2k of one/a.csv', '05k of two/a.csv', '2k of two/a.csv']);
    expect(axis).toMatchObject({
      key: 'repetitions',
      series: ['one/a.csv', 'one/a.csv', 'two/a.csv', 'two/a.csv'],
    });
    expect(nameBatches(recordOf({ 'a.csv': describeText() }).batches).names).toEqual([
      '500 reps',
      '2000 reps',
    ]);
  });

  it('has KPIs whose labels say of which table they are, beside documents that are of none', () => {
    const { kpis } = recordOf({
      'one/a.csv': describeText(),
      'two/a.csv': describeText(2),
      ...inspectionFiles('i', [resultText()]),
    });
    const rates = kpis.filter(({ name }) => name.endsWith('_rate_flops_per_second'));
    expect(rates.map(({ labels }) => [labels.source, labels.table])).toEqual([
      ['05k', 'one/a.csv'],
      ['2k', 'one/a.csv'],
      ['05k', 'two/a.csv'],
      ['2k', 'two/a.csv'],
      ['i', null],
    ]);
  });

  it('reads the number of repetitions from a column’s name', () => {
    expect(['005k', '01k', '05k', '2k', '16k', 'k', '2', '0k'].map(repetitionsNamed)).toEqual([
      50,
      100,
      500,
      2000,
      16_000,
      null,
      null,
      null,
    ]);
  });

  it('says which columns it could not read', () => {
    const text = describeText().replaceAll('_2k', '_many');
    const { batches, imported } = recordOf({ 'a.csv': text });
    expect(batches).toHaveLength(1);
    expect(imported?.notRead).toEqual([{ path: 'a.csv', why: 'many: its name is no number of repetitions' }]);
  });
});

describe('a set of timings', () => {
  const rows = (component: string, id: string, times: readonly number[]): string[] =>
    times.map((time, item) => `${component},x-${id},${item},${time}`);
  const table = (...all: readonly string[][]): string =>
    ['component,inspection_id,item,elapsed_ms', ...all.flat()].join('\n');

  it('is a batch for each inspection, whose work and repetitions are not known', () => {
    const { batches } = recordOf({
      'a.csv': table(rows('tensorflow', 'a', [10, 30, 20]), rows('pytorch', 'b', [5])),
    });
    expect(
      batches.map(({ stack, imported, elapsed }) => [stack.provider, imported?.source, elapsed?.median]),
    ).toEqual([
      ['tensorflow', 'a', 0.02],
      ['pytorch', 'b', 0.005],
    ]);
    expect([batches[0]?.work, batches[0]?.rate, batches[0]?.asked.sampling]).toEqual([null, null, null]);
  });

  it('is quantised by the period of the whole set, in those batches that lie on it', () => {
    const on = Array.from({ length: 60 }, (_, i) => 100 * (2 + (i % 4)) + (i % 3));
    const { batches } = recordOf({
      'a.csv': table(rows('t', 'on', on), rows('t', 'few', [300.5, 401]), rows('t', 'off', [333, 351, 367])),
    });
    expect(batches.map(({ flags }) => flags.map(({ name }) => name))).toEqual([
      ['quantised'],
      ['quantised'],
      [],
    ]);
    expect(batches[1]?.flags[0]?.reason).toMatch(
      /^of the 65 times of the whole set, .*of the 2 of this batch 100 % do$/,
    );
  });

  it('drops rows without a time, and says so', () => {
    const { batches, imported } = recordOf({
      'a.csv': table(rows('t', 'a', [10, 20]), ['t,x-a,2,', 't,x-a,3,nan']),
    });
    expect(batches[0]?.measured).toBe(2);
    expect(imported?.notRead).toEqual([{ path: 'a.csv', why: '2 rows without a time' }]);
  });
});

describe('files that are damaged, or something else', () => {
  it('are named, and what could be read is imported', () => {
    const files = {
      ...inspectionFiles('i', [resultText(), resultText().slice(0, 100)]),
      'readme.txt': 'hello',
      'other.json': '{"a":1}',
      'other.csv': 'a,b\n1,2',
    };
    const { unread, batches } = readThoth(foundOf(files));
    expect(batches).toHaveLength(1);
    expect(unread.map(({ path, damaged }) => [path, damaged])).toEqual([
      ['i/results/1/result', true],
      ['readme.txt', false],
      ['other.json', false],
      ['other.csv', false],
    ]);
  });

  it.each([
    ['an empty folder', {}, /it is empty/],
    ['something else', { 'a.json': '{}' }, /a\.json: JSON, but no inspection document/],
    ['a cut-off document', { 'a.json': '{"inspection_id": "x"' }, /a\.json: not JSON, or cut off/],
    ['a cut-off table', { 'a.csv': describeText().slice(0, 400) }, /a\.csv: rows of different lengths/],
    [
      'an indicator without rate and time',
      inspectionFiles('i', [resultText({ name: 'PiImport' })]),
      /PiImport is not one of/,
    ],
    [
      'an inspection that failed',
      inspectionFiles('i', [resultText({ more: { exit_code: 9 } })]),
      /ended with exit code 9/,
    ],
  ])('are refused in one line where they are all there is: %s', (_, files, why) => {
    const reading = () => readThoth(foundOf(files as Record<string, string>));
    expect(reading).toThrow(UserError);
    expect(reading).toThrow(why);
    expect(reading).toThrow(/^made-up holds nothing that thoth published[^\n]*$/);
  });
});

describe('requests of a cluster', () => {
  it('are CPUs and bytes, or nothing', () => {
    expect(['2', '500m', 1.5, '', 'x', undefined, '0'].map(parseCpus)).toEqual([
      2,
      0.5,
      1.5,
      null,
      null,
      null,
      null,
    ]);
    expect(['4Gi', '512M', '1024', 'x', undefined].map(parseMemory)).toEqual([
      4 * 2 ** 30,
      512e6,
      1024,
      null,
      null,
    ]);
  });
});
