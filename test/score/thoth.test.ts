import { describe, expect, it } from 'vitest';
import { importedRecord } from '../../src/import/record.js';
import { readThoth } from '../../src/import/thoth.js';
import { sha256 } from '../../src/record/digest.js';
import { NO_SAMPLES } from '../../src/record/samples.js';
import type { InspectionDocument, PiBenchRecord, RecordBatch } from '../../src/record/schema.js';
import { type Exported, exportThoth } from '../../src/score/thoth/export.js';
import { leftOver } from '../../src/score/thoth/left-over.js';
import { foundOf } from '../import/support.js';
import { type DescribedBatch, recordOf } from '../support/records.js';

const SECONDS = [1.1e-3, 1.2e-3, 1.05e-3, 1.3e-3, 1.25e-3, 1.15e-3];
const CALLS = 3;
const SAMPLES = 500;

const USAGE: InspectionDocument['usage'] = {
  userSeconds: 1.5,
  systemSeconds: 0.25,
  maxResidentBytes: 64 * 2 ** 20,
  minorFaults: 1000,
  majorFaults: 2,
  blockInputs: 3,
  blockOutputs: 4,
  voluntarySwitches: 5,
  involuntarySwitches: 6,
};

/** What of a worker's document the export reads. */
const documentOf = (
  index: number,
  usage: InspectionDocument['usage'] | null,
  calls: number,
): InspectionDocument =>
  ({
    campaign: 'campaign-a',
    index,
    startedAt: '2026-01-02T03:04:05.678Z',
    callsPerSample: calls,
    samples: { count: SAMPLES },
    spans: [{ name: 'measure', seconds: 2 }],
    ...(usage === null ? {} : { usage }),
  }) as unknown as InspectionDocument;

/** A record whose entries have the statistics that a worker's document gives them. */
function campaign(batches: readonly DescribedBatch[]): PiBenchRecord {
  const record = recordOf({ batches });
  return {
    ...record,
    batches: record.batches.map((batch) => ({
      ...batch,
      inspections: batch.inspections.map((entry) => ({
        ...entry,
        statistics: entry.rate === null ? null : { n: SAMPLES, median: 1 / entry.rate.burst },
      })),
    })),
  };
}

const exported = (
  record: PiBenchRecord,
  score: number | null = 1.5,
  usage: typeof USAGE | null = USAGE,
  calls = (_: string) => CALLS,
) =>
  exportThoth(
    record,
    () => score,
    (file) => ({
      document: documentOf(Number(/(\d+)\.json/.exec(file)?.[1]), usage, calls(file)),
      text: '',
      file,
      samples: NO_SAMPLES,
    }),
  );

const SQUARE: DescribedBatch = { launches: SECONDS };

const imported = ({ files }: Pick<Exported, 'files'>): PiBenchRecord =>
  importedRecord(readThoth(foundOf(Object.fromEntries(files.map(({ path, text }) => [path, text])))), {
    id: 'back',
    at: '2026-01-03T00:00:00.000Z',
    command: [],
    piBench: { version: '0.0.0', commit: null },
  });

describe('documents for Thoth', () => {
  it('come back from the import with the same times, rates and repetitions', () => {
    const record = campaign([SQUARE]);
    const exports = exported(record);
    expect(exports.leftOut).toEqual([]);
    const back = imported(exports);
    expect(back.imported?.notRead).toEqual([]);
    const [batch] = back.batches;
    expect(batch?.case).toEqual({
      indicator: 'PiMatmul',
      parameters: { dtype: 'float32', matrix_size: 100 },
    });
    const medians = batch?.launches?.medians as readonly number[];
    expect(medians.map((value) => Number(value.toPrecision(12)))).toEqual(SECONDS);
    expect(batch?.elapsed?.median).toBeCloseTo(record.batches[0]?.elapsed?.median ?? 0, 15);
    expect(batch?.rate?.median).toBeCloseTo((2 * 100 ** 3 - 100 ** 2) / (batch?.elapsed?.median ?? 1), 0);
    // No remark: the import finds none of the old scripts' faults in them.
    expect(batch?.imported?.remarks).toEqual([]);
    expect(batch?.asked.sampling).toEqual({ kind: 'fixed', repetitions: SAMPLES * CALLS });
    expect(batch?.measured).toBe(SECONDS.length);
  });

  it('come back with their flags, and with none that is guessed from the CPU time of many threads', () => {
    const flag = (name: string) => ({ name, reason: 'a test says so', evidence: {} });
    const unlooked = { flag: 'thermal', why: 'no GPU: none was asked' };
    const record = campaign([
      {
        launches: [
          { seconds: 1.1e-3, flags: [flag('foreign-load'), flag('stolen')], notChecked: [unlooked] },
          { seconds: 1.2e-3, flags: [flag('stolen')] },
          { seconds: 1.2e-3, status: 'timed-out', reason: 'it hung' },
        ],
      },
    ]);
    const busy = { ...USAGE, userSeconds: 150 };
    const [batch] = imported(exported({ ...record, contendedBy: 'campaign-b' }, null, busy)).batches;
    const told = (of: RecordBatch | undefined) =>
      of?.flags.map(({ name, inspections }) => [name, inspections]);
    expect(told(batch)).toEqual(told(record.batches[0]));
    expect(batch?.inspections.map(({ notChecked }) => notChecked)).toEqual([[unlooked], []]);
    expect(batch?.imported).toMatchObject({
      notChecked: [],
      remarks: ['1 of 3 launches lost; launch 3 timed-out: it hung', 'campaign-b measured at the same time'],
    });
  });

  it('come back as one batch where the launches did not repeat equally often', () => {
    const { files } = exported(campaign([SQUARE]), 1, USAGE, (file) => (file.includes('/0') ? 4 : 5));
    const found = foundOf(Object.fromEntries(files.map(({ path, text }) => [path, text])));
    const { batches } = readThoth(found);
    expect(batches.map(({ asked, repetitions }) => [asked, repetitions])).toEqual([[SECONDS.length, null]]);
  });

  it('have what the synchronisation reads at the top, and exactly its parameters', () => {
    const { files } = exported(campaign([SQUARE]));
    const texts = new Map(files.map(({ path, text }) => [path.split('/').slice(1).join('/'), text]));
    const specification = JSON.parse(texts.get('build/specification') ?? '') as Record<string, unknown>;
    expect(specification).toMatchObject({
      script: 'pi-bench://matmul',
      batch_size: 6,
      build: { requests: { cpu: '2', hardware: {} } },
      run: { requests: { cpu: '2' } },
    });
    const result = JSON.parse(texts.get('results/0/result') ?? '') as Record<string, unknown>;
    expect(result).toMatchObject({
      name: 'PiMatmul',
      component: 'embedded',
      overall_score: 1.5,
      exit_code: 0,
      '@parameters': { dtype: 'float32', device: 'cpu', reps: SAMPLES * CALLS, matrix_size: 100 },
    });
    expect(Object.keys(result['@parameters'] as object).sort()).toEqual([
      'device',
      'dtype',
      'matrix_size',
      'reps',
    ]);
    expect(Object.keys(result['@result'] as object).sort()).toEqual(['elapsed', 'rate']);
    expect(result.script_sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(result.stdout).toMatchObject({ '@result': result['@result'], name: 'PiMatmul' });
    const usage = result.usage as Record<string, number>;
    expect(Object.keys(usage).filter((key) => key.startsWith('ru_'))).toHaveLength(16);
    expect(usage).toMatchObject({ ru_utime: 1.5, ru_stime: 0.25, ru_maxrss: 65536, ru_nivcsw: 6 });
    expect(texts.has('results/0/hwinfo') && texts.has('results/0/log')).toBe(true);
  });

  it('name both ways of counting operations beside the figure that Thoth stores', () => {
    const { files } = exported(campaign([SQUARE]));
    const result = JSON.parse(files.find(({ path }) => path.endsWith('results/0/result'))?.text ?? '') as {
      '@result': { rate: number; elapsed: number };
      pi_bench: { rate_flops_per_second_2mnk: number; flop_convention_of_result: string };
    };
    expect(result.pi_bench.flop_convention_of_result).toBe('2n^3-n^2');
    expect(result['@result'].rate * 1e9 * 1.1e-3).toBeCloseTo(2 * 100 ** 3 - 100 ** 2, 3);
    expect(result.pi_bench.rate_flops_per_second_2mnk * 1.1e-3).toBeCloseTo(2 * 100 ** 3, 3);
  });

  it('have no overall score where there is none', () => {
    const { files } = exported(campaign([SQUARE]), null);
    expect(files.some(({ text }) => text.includes('overall_score'))).toBe(false);
  });

  it('leave out what has no place there, each with its reason', () => {
    const { batches, leftOut } = exported(
      campaign([
        SQUARE,
        { parameters: { m: 50 }, launches: SECONDS },
        { parameters: { k: 50 }, launches: SECONDS },
        { parameters: { batch: 4 }, launches: SECONDS },
        { parameters: { transpose: 'NT' }, launches: SECONDS },
        { parameters: { prepack: true }, launches: SECONDS },
        { parameters: { cache: 'cold' }, launches: SECONDS },
        { launches: SECONDS, atOnce: true },
        { launches: [{ seconds: 1e-3, passed: false }] },
      ]),
    );
    expect(batches).toBe(1);
    expect(leftOut).toEqual([
      expect.stringMatching(/^matmul 50 x 100 x 100 .*square products only/),
      expect.stringMatching(/^matmul 100 x 100 x 50 .*square products only/),
      expect.stringMatching(/no batches of products/),
      expect.stringMatching(/no transposed operands/),
      expect.stringMatching(/no prepacked operands/),
      expect.stringMatching(/no cold caches/),
      expect.stringMatching(/no products at once with others/),
      expect.stringMatching(/not verified, or wrong/),
    ]);
  });

  it('leave out what was measured by a pi-bench that did not read its usage: a row of zeros would be made up', () => {
    const { files, leftOut } = exported(campaign([SQUARE]), 1, null);
    expect([files, leftOut]).toEqual([[], [expect.stringMatching(/did not record what its process used/)]]);
  });

  it('are of square products only, whatever else a record has', () => {
    const record = campaign([SQUARE]);
    const [batch] = record.batches;
    if (batch === undefined) throw new Error('a batch was described');
    const memory = { ...batch, title: 'copy 1 MiB', case: { indicator: 'memory', parameters: { m: 1 } } };
    const unmeasured = { ...batch, title: 'nothing', rate: null };
    const { batches, leftOut } = exported({ ...record, batches: [memory, unmeasured, batch] });
    expect(batches).toBe(1);
    expect(leftOut).toEqual(['copy 1 MiB: Thoth has no table for memory', 'nothing: nothing was measured']);
  });

  it('rest on the very documents that the record names: one that is missing or changed leaves its batch out', () => {
    const record = campaign([SQUARE]);
    const [batch] = record.batches;
    if (batch === undefined) throw new Error('a batch was described');
    const inspections = batch.inspections.map((one) => ({ ...one, sha256: sha256(`${one.file}`) }));
    const named = { ...record, batches: [{ ...batch, inspections }] };
    const from = (textOf: (file: string) => string | null) =>
      exportThoth(
        named,
        () => null,
        (file) => {
          const text = textOf(file);
          return text === null
            ? null
            : { document: documentOf(0, USAGE, CALLS), text, file, samples: NO_SAMPLES };
        },
      );
    expect(from((file) => file)).toMatchObject({ batches: 1, leftOut: [] });
    const third = String(inspections[2]?.file);
    expect(from((file) => (file === third ? `${file} ` : file))).toEqual({
      files: [],
      batches: 0,
      leftOut: [`${batch.title}: ${third} is not the document that the record names`],
    });
    expect(from((file) => (file === third ? null : file))).toEqual({
      files: [],
      batches: 0,
      leftOut: [`${batch.title}: ${third} is missing`],
    });
  });

  it('tell cases apart that Thoth has no column for, by the version and the CPUs that were asked for', () => {
    const told = (parameters: Record<string, number | boolean>, commit: string | null = null) => {
      const record = campaign([{ parameters, launches: SECONDS }]);
      const { files } = exported({ ...record, piBench: { ...record.piBench, commit } });
      const json = (name: string) => JSON.parse(files.find(({ path }) => path.endsWith(name))?.text ?? '');
      return [json('results/0/result').version, json('build/specification').run.requests.cpu];
    };
    expect(told({ threads: 1 })).toEqual(['0.0.0+pin-true.threads-1', '1']);
    expect(told({ threads: 2, pin: false })).toEqual(['0.0.0+pin-false.threads-2', '2']);
    // What has a column is not in the version, so that the sizes of one case are of one version.
    expect(told({ m: 50, n: 50, k: 50, threads: 1 })[0]).toBe('0.0.0+pin-true.threads-1');
    // More threads than CPUs had no more CPUs.
    expect(told({ threads: 3 })).toEqual(['0.0.0+pin-true.threads-3', '2']);
    expect(told({ threads: 1 }, 'a'.repeat(40))[0]).toBe('0.0.0+commit-aaaaaaaaaaaa.pin-true.threads-1');
  });

  it('have the flags of the launch and those that only the batch shows, and what was not checked', () => {
    const preempted = { name: 'preempted', reason: 'other work ran', evidence: {} };
    const throttled = { flag: 'throttled', why: 'the kernel does not tell' };
    const [first = 1, second = 1, third = 1, ...others] = SECONDS;
    const record = campaign([
      {
        launches: [
          { seconds: first, flags: [preempted] },
          { seconds: second, notChecked: [throttled] },
          { seconds: third, status: 'crashed', reason: 'SIGSEGV' },
          ...others,
        ],
      },
    ]);
    const moved = { name: 'peak-moved', reason: 'its peak did', evidence: {}, inspections: [0, 1] };
    const { files } = exported({
      ...record,
      batches: record.batches.map((batch) => ({ ...batch, flags: [...batch.flags, moved] })),
    });
    const told = files
      .filter(({ path }) => path.endsWith('/result'))
      .map(({ text }) => JSON.parse(text).pi_bench as Record<string, unknown>);
    expect(told.map(({ flags }) => flags)).toEqual([['preempted', 'peak-moved'], ['peak-moved'], [], [], []]);
    expect(told.map(({ not_checked }) => not_checked)).toEqual([
      [],
      ['throttled: the kernel does not tell'],
      [],
      [],
      [],
    ]);
    expect(told[0]?.launches_lost).toBe('1 of 6 launches lost; launch 3 crashed: SIGSEGV');
  });

  it('are refused of a record with an injected error, of which they could not say so', () => {
    const record = campaign([SQUARE]);
    const fault = { kind: 'repeated-work', batch: 0, share: 1 } as const;
    expect(() => exported({ ...record, campaign: { ...record.campaign, fault } })).toThrow(
      /^a fault was injected \(repeated-work\), so this is no measurement .*Thoth’s documents could not/,
    );
  });

  it('say which campaign measured at the same time', () => {
    const contended = (contendedBy: string | null) => {
      const { files } = exported({ ...campaign([SQUARE]), contendedBy });
      return JSON.parse(files.find(({ path }) => path.endsWith('/result'))?.text ?? '').pi_bench.contended_by;
    };
    expect([contended('campaign-b'), contended(null)]).toEqual(['campaign-b', null]);
  });

  it('name the operating system by its ID, and where an older record has none by the first word of its name', () => {
    const told = (os: Readonly<Record<string, string>>) => {
      const record = campaign([SQUARE]);
      const { id: _id, ...older } = record.machine.os as Record<string, string>;
      const { files } = exported({ ...record, machine: { ...record.machine, os: { ...older, ...os } } });
      const { runtime_environment } = JSON.parse(
        files.find(({ path }) => path.endsWith('/result'))?.text ?? '',
      );
      return runtime_environment.operating_system;
    };
    const named = { name: 'Red Hat Enterprise Linux', version: '8.2' };
    expect(told({ ...named, id: 'rhel' })).toEqual({ name: 'rhel', version: '8.2' });
    expect(told({ name: 'Fedora Linux', version: '41' })).toEqual({ name: 'fedora', version: '41' });
  });

  it('give every batch a folder of its own', () => {
    const { files } = exported(campaign([SQUARE, { parameters: { threads: 1 }, launches: SECONDS }]));
    expect(new Set(files.map(({ path }) => path.split('/')[0])).size).toBe(2);
    expect(new Set(files.map(({ path }) => path)).size).toBe(files.length);
  });
});

describe('documents of an earlier export of the same campaign', () => {
  const BOTH = [SQUARE, { parameters: { threads: 1 }, launches: SECONDS }];
  /** What lies where these documents were written. */
  const namesIn = (paths: readonly string[]) => (folder: string) => {
    const below = folder === '' ? paths : paths.filter((path) => path.startsWith(`${folder}/`));
    const depth = folder === '' ? 0 : folder.split('/').length;
    return [...new Set(below.flatMap((path) => path.split('/')[depth] ?? []))];
  };
  const leftBy = (before: PiBenchRecord, now: PiBenchRecord) => {
    const paths = exported(before).files.map(({ path }) => path);
    return leftOver(now, exported(now).files, namesIn(paths));
  };

  it('are left where a batch has no place any more, or a launch no longer counts', () => {
    const record = campaign(BOTH);
    expect(leftBy(record, record)).toEqual([]);
    const [first, second] = record.batches;
    if (first === undefined || second === undefined) throw new Error('two batches were described');
    const wrong = { ...record, batches: [first, { ...second, verified: 'failed' as const }] };
    expect(leftBy(record, wrong)).toEqual([expect.stringMatching(/^inspection-pi-bench-.*-1t-[0-9a-f]{8}$/)]);
    const inspections = first.inspections.map((entry, i) =>
      i === 2 ? { ...entry, status: 'failed' as const } : entry,
    );
    const fewer = { ...record, batches: [{ ...first, inspections }, second] };
    expect(leftBy(record, fewer)).toEqual([
      expect.stringMatching(/^inspection-.*-2t-[0-9a-f]{8}\/results\/5$/),
    ]);
  });

  it('are no others than its own: those of another campaign, and whatever else lies there, stay', () => {
    const record = campaign(BOTH);
    const other = { ...record, campaign: { ...record.campaign, id: 'campaign-b' } };
    expect(leftBy(other, record)).toEqual([]);
    const { files } = exported(record);
    expect(leftOver(record, files, namesIn(['notes.txt', 'inspection-mine/results/0/result']))).toEqual([]);
  });
});
