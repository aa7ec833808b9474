import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DATA_TYPES } from '../../src/indicators/data-types.js';
import { native } from '../../src/native.js';
import { brokenRules } from '../../src/record/check.js';
import { digestOf } from '../../src/record/digest.js';
import { type PiBenchRecord, type RecordBatch, written } from '../../src/record/schema.js';
import { median } from '../../src/statistics/quantile.js';
import type { Telemetry } from '../../src/telemetry/types.js';
import { waitingLibrary } from '../support/libraries.js';
import {
  campaignFolder,
  launcher,
  matmulRecord,
  piBench,
  printedRecord,
  readInspectionFile,
  readRecordFile,
  readSamples,
  start,
  until,
  withFolder,
} from '../support/pi-bench.js';
import { there } from '../support/there.js';

const FEW = ['--reps', '3', '--inspections', '1', '--warmup', '2'];
/** Where threads are not the subject: each call of two waits until both have a CPU, which takes long beside other tests. */
const ALONE = ['--threads', '1'];
const SMALL = ['--size', '64', '--inspections', '2'];
const TRANSPOSES = ['NN', 'NT', 'TN', 'TT'];

/** What several cases are measured with in one command: a launch each. */
async function swept(out: string, ...args: string[]): Promise<PiBenchRecord> {
  const run = await piBench('sweep', 'matmul', '--json', '--quiet', '--out', out, ...args);
  expect(run.stderr).toBe('');
  expect(run.code).toBe(0);
  return printedRecord(run);
}

/** The output of the repetitions, and that of one call more. */
const expectVerified = ({ verified, inspections, title }: RecordBatch, elements: number): void => {
  expect(verified, title).toBe('passed');
  for (const { verification } of inspections) expect(verification?.checked, title).toBe(2 * elements);
};

describe('a small campaign', () => {
  const REPETITIONS = 123;
  let out: string;
  let measured: Awaited<ReturnType<typeof matmulRecord>>;
  beforeAll(async () => {
    out = mkdtempSync(join(tmpdir(), 'pi-bench-e2e-'));
    measured = await matmulRecord(out, ...SMALL, '--reps', String(REPETITIONS));
  });
  afterAll(() => rmSync(out, { recursive: true, force: true }));

  it('takes exactly as many samples as --reps says, in each launch, and keeps them all', () => {
    const { record, folder } = measured;
    for (const { index, statistics } of record.batches[0]?.inspections ?? []) {
      expect(statistics?.n).toBe(REPETITIONS);
      const { seconds, entries } = readSamples(folder, index);
      expect(seconds).toHaveLength(REPETITIONS);
      expect(entries).toHaveLength(REPETITIONS);
      expect(median(seconds)).toBe(statistics?.median);
      const { samples, callsPerSample } = readInspectionFile(folder, index);
      expect(samples.count).toBe(REPETITIONS);
      expect(callsPerSample).toBeGreaterThanOrEqual(1);
    }
  });

  it('writes a record that fits its schema, is consistent and unaltered', () => {
    const { record, run } = measured;
    expect(run.stderr).toBe('');
    expect(written.record.safeParse(record).error).toBeUndefined();
    expect(brokenRules(record)).toEqual([]);
    expect(digestOf(record)).toBe(record.digest);
    const batch = record.batches[0];
    expect((batch?.rate?.median ?? 0) * (batch?.elapsed?.median ?? 0)).toBeCloseTo(2 * 64 ** 3, 3);
  });

  it('gives every KPI unit, direction, help and the same labels', () => {
    const { record } = measured;
    expect(record.kpis.map(({ name }) => name)).toEqual([
      'pibench_matmul_rate_flops_per_second',
      'pibench_matmul_rate_p05_flops_per_second',
      'pibench_matmul_sustained_rate_flops_per_second',
      'pibench_matmul_elapsed_seconds',
      'pibench_matmul_elapsed_cv_ratio',
      'pibench_matmul_time_to_result_seconds',
      'pibench_matmul_efficiency_ratio',
      'pibench_matmul_rate_counted_2mnk_less_mn_flops_per_second',
    ]);
    const keys = Object.keys(record.kpis[0]?.labels ?? {});
    for (const label of [
      'm',
      'n',
      'k',
      'transpose',
      'batch',
      'prepack',
      'dtype',
      'threads',
      'device',
      'cpu_model',
      'microcode',
      'cores',
      'smt',
      'numa_nodes',
      'governor',
      'kernel',
      'libc',
      'cgroup_cpu_quota',
      'container',
      'stack',
      'stack_sha256',
      'pibench_version',
      'pibench_commit',
      'campaign',
    ]) {
      expect(keys).toContain(label);
    }
    for (const kpi of record.kpis) {
      expect(Object.keys(kpi.labels)).toEqual(keys);
      expect(kpi.help).not.toBe('');
      expect('value' in kpi ? kpi.value : 'a curve').toBeGreaterThan(0);
    }
  });

  it('has each thread on the CPU that its document names, where Linux saw it before and after', () => {
    for (const index of [0, 1]) {
      const { cpus, telemetry } = readInspectionFile(measured.folder, index);
      const { threads } = telemetry as unknown as Telemetry;
      expect(cpus.length).toBeGreaterThan(0);
      expect(threads.map(({ cpuBefore }) => cpuBefore)).toEqual(cpus);
      expect(threads.map(({ cpuAfter }) => cpuAfter)).toEqual(cpus);
    }
  });

  it('finds the warm-up in the first launch and fixes it for the others', () => {
    const { folder } = measured;
    const [first, second] = [readInspectionFile(folder, 0).warmup, readInspectionFile(folder, 1).warmup];
    expect(first.rule).toEqual({ kind: 'auto' });
    expect(first.steady).not.toBeNull();
    expect(second.rule).toEqual({ kind: 'count', count: first.calls });
    expect(second.calls).toBe(first.calls);
  });

  it('accounts for the whole wall time of a launch, without gap or overlap', () => {
    const { record } = measured;
    const { spans, lost, wall } = there(record.accounting, 'accounting');
    expect(spans.reduce((sum, { seconds }) => sum + seconds, 0) + lost).toBeCloseTo(wall, 2);
    const names = record.batches[0]?.inspections[0]?.spans.map(({ name }) => name);
    expect(names).toEqual([
      'start',
      'load',
      'allocate',
      'fill',
      'warm-up',
      'calibrate',
      'measure',
      'cool-down',
      'ceilings',
      'verify',
      'collect',
      'write',
    ]);
  });

  it('keeps the samples of every launch on disk beside the record', () => {
    const { folder, record } = measured;
    const entry = record.batches[0]?.inspections[1];
    const text = readFileSync(`${folder}/${entry?.file}`, 'utf8');
    expect(written.inspection.safeParse(JSON.parse(text)).error).toBeUndefined();
  });
});

describe('matmul', () => {
  it('ends with a result that a person can read, and says where the record is', () =>
    withFolder(async (out) => {
      const few = ['--size', '96', '--reps', '200', '--warmup', '20'];
      const run = await piBench('matmul', ...few, ...ALONE, '--out', out);
      expect(run.code).toBe(0);
      for (const part of [
        'rate',
        '95 % between',
        'elapsed',
        'sustained',
        'spread',
        'verified in 6 launches',
        'record.json',
      ]) {
        expect(run.stdout).toContain(part);
      }
      const launches = run.stderr.split('\n').filter((line) => /launch \d of 6 measured/.test(line));
      expect(launches).toHaveLength(6);
      expect(launches.map((line) => /measured in .+, .+ left$/.test(line))).toEqual([
        ...[true, true, true, true, true],
        false,
      ]);
      // So many speak for the machine.
      const [batch] = readRecordFile(campaignFolder(out)).batches;
      expect(batch?.elapsed?.basis).toBe('launches');
    }));

  it.each(
    DATA_TYPES,
  )('is verified on each of our kernels with %s, also on two threads and with a cold cache', (dtype) =>
    withFolder(async (out) => {
      const kernels = native()
        .kernels()
        .filter((kernel) => kernel.runsHere && kernel.dtype === dtype)
        .map(({ isa }) => isa);
      const { batches } = await swept(
        out,
        ...['--m', '65', '--n', '33', '--k', '129', '--dtype', dtype, '--threads', '2', '--cache', 'cold'],
        ...['--stack', kernels.map((isa) => `embedded:${isa}`).join(','), ...FEW],
      );
      expect(batches.map(({ stack }) => stack.variant)).toEqual(kernels);
      for (const batch of batches) {
        expectVerified(batch, 65 * 33);
        expect(batch.stack.implementation).toContain(batch.stack.variant);
        expect(batch.work?.flop).toBe(2 * 65 * 33 * 129);
      }
    }));

  it.each([
    [false, ALONE],
    [true, ['--threads', '2']],
  ] as const)('is verified with each data type, transposed in each way, three products at a time, B prepacked: %s', (prepack, threads) =>
    withFolder(async (out) => {
      const { batches } = await swept(
        out,
        ...['--m', '35', '--n', '66', '--k', '47', '--batch', '3', ...(prepack ? ['--prepack'] : [])],
        ...['--dtype', DATA_TYPES.join(','), '--transpose', TRANSPOSES.join(','), ...threads, ...FEW],
      );
      expect(batches.map(({ case: { parameters } }) => [parameters.dtype, parameters.transpose])).toEqual(
        DATA_TYPES.flatMap((dtype) => TRANSPOSES.map((transpose) => [dtype, transpose])),
      );
      for (const batch of batches) {
        expectVerified(batch, 3 * 35 * 66);
        expect(batch.case.parameters).toMatchObject({ batch: 3, prepack });
        expect(batch.work?.flop).toBe(3 * 2 * 35 * 66 * 47);
      }
    }));

  it('is held against ceilings of the same launches, with each data type', () =>
    withFolder(async (out) => {
      const record = await swept(out, '--size', '100', '--dtype', DATA_TYPES.join(','), ...FEW);
      expect(record.batches).toHaveLength(DATA_TYPES.length);
      for (const { roofline, rate, work, inspections, title, case: of } of record.batches) {
        const { ceilings } = readInspectionFile(campaignFolder(out), inspections[0]?.index ?? -1);
        expect(ceilings, title).toEqual(inspections[0]?.ceilings);
        expect(ceilings?.unusedInstructions?.length === 0).toBe(ceilings?.arithmetic != null);
        expect(roofline?.peak).toBe(ceilings?.arithmetic?.rate);
        expect(roofline?.peakIsa).toBe(ceilings?.arithmetic?.isa);
        expect(roofline?.bandwidth).toBe(ceilings?.memory?.rate);
        expect(roofline?.bytes).toBe(ceilings?.memory?.bytes);
        expect(ceilings?.memory?.bytes).toBeGreaterThan(0);
        expect(roofline?.intensity).toBeCloseTo((work?.flop ?? 0) / (work?.bytes ?? 1), 9);
        expect((roofline?.efficiency ?? 0) * (roofline?.peak ?? 0)).toBeCloseTo(rate?.median ?? 0, -1);
        expect((roofline?.share ?? 0) * (roofline?.attainable ?? 0)).toBeCloseTo(rate?.median ?? 0, -1);
        const kpi = record.kpis.find(
          ({ name, labels }) =>
            name === 'pibench_matmul_efficiency_ratio' && labels.dtype === of.parameters.dtype,
        );
        expect(kpi).toMatchObject({ value: roofline?.efficiency, unit: '1', direction: 'higher', ci: null });
        expect(roofline?.efficiency).toBeGreaterThan(0);
      }
    }));

  it('asked the kernel for the pages behind both operands and the result', () =>
    withFolder(async (out) => {
      const record = await swept(out, '--size', '1024', ...FEW);
      const [told] = record.batches[0]?.inspections ?? [];
      const document = readInspectionFile(campaignFolder(out), told?.index ?? -1);
      expect(document.hugePages).toEqual(told?.hugePages);
      if (told?.hugePages !== undefined) expect(told.hugePages.of).toBe(3 * 1024 * 1024 * 4);
    }));

  it('says how far it is from its ceiling, and which one bounds it', () =>
    withFolder(async (out) => {
      const run = await piBench('matmul', '--size', '100', ...FEW, '--quiet', '--out', out);
      const text = run.stdout.replaceAll(/\s+/g, ' ');
      expect(text).toMatch(
        /efficiency [\d.]+ % of the [\d.]+ [MGT]FLOP\/s that these threads reach in registers/,
      );
    }));

  it('says that one launch speaks for itself only, and that two make no interval', () =>
    withFolder(async (out) => {
      const few = ['--size', '32', '--reps', '50', '--warmup', '5', '--inspections', '1,2'];
      const { batches } = await swept(out, ...few);
      const [one, two] = batches.map(({ elapsed }) => elapsed);
      expect(one?.basis).toBe('within one launch');
      expect(two?.basis).toBe('two launches');
      expect(two?.interval).toBeNull();
    }));

  it('says when a small product leaves threads idle', () =>
    withFolder(async (out) => {
      const { record } = await matmulRecord(out, '--size', '16', '--threads', '2', ...FEW);
      expect(record.batches[0]?.stack.implementation).toMatch(/, 1 of 2 threads at work$/);
    }));

  it('warms up as --warmup says: never, a number of calls, or a time', () =>
    withFolder(async (out) => {
      const few = ['--size', '32', '--reps', '20', '--inspections', '1'];
      const { batches } = await swept(out, ...few, '--warmup', '0,7,30ms');
      const [none, count, time] = batches.map(({ inspections }) =>
        readInspectionFile(campaignFolder(out), inspections[0]?.index ?? -1),
      );
      expect(none?.warmup).toMatchObject({ rule: { kind: 'count', count: 0 }, calls: 0 });
      expect(count?.warmup).toMatchObject({ rule: { kind: 'count', count: 7 }, calls: 7 });
      expect(time?.warmup.rule).toEqual({ kind: 'time', seconds: 0.03 });
      // Of the span: a CPU may be lost between two calls, too.
      expect(time?.spans.find(({ name }) => name === 'warm-up')?.seconds).toBeGreaterThanOrEqual(0.03);
    }));

  it('draws the same data for the same seed: the plan and its seeds are equal', () =>
    withFolder(async (out) => {
      const seeds = async (folder: string, seed: string) => {
        const few = ['--reps', '5', '--warmup', '2', '--seed', seed, ...ALONE];
        const run = await matmulRecord(`${out}/${folder}`, ...SMALL, ...few);
        return [0, 1].map((index) => readInspectionFile(run.folder, index).seed);
      };
      const first = await seeds('a', '42');
      expect(await seeds('b', '42')).toEqual(first);
      expect(await seeds('c', '43')).not.toEqual(first);
    }));

  it('shows a live line in a terminal and leaves the result behind it', () =>
    withFolder(async (out) => {
      const go = join(out, 'go');
      const what = `matmul --size 16 --reps 10 --inspections 1 --warmup 5 --threads 1 --stack cblas:${waitingLibrary(out, go)}`;
      const command = `stty cols 200; ${process.execPath} ${launcher} ${what} --out ${join(out, 'results')}`;
      const running = start('script', ['-qec', command, '/dev/null']);
      await until(() => (/\d+%.*launch 1 of 1/.test(running.stdout()) ? true : undefined), 'the live line');
      writeFileSync(go, '');
      const { stdout, code } = await running.ended;
      expect(code).toBe(0);
      expect(stdout.slice(stdout.lastIndexOf('launch 1 of 1'))).toContain('verified');
    }));

  it('does not mind a reader that goes away', () =>
    withFolder(async (out) => {
      const command = `${process.execPath} ${launcher} matmul --size 32 --reps 10 --inspections 1 --warmup 5 --out ${out} --json | head -1`;
      const { stdout, stderr } = await start('sh', ['-c', command]).ended;
      expect(stdout).toBe('{\n');
      expect(stderr).not.toContain('error');
    }));

  it('measures on when nobody reads its progress any more', () =>
    withFolder(async (out) => {
      const command = `${process.execPath} ${launcher} matmul --size 32 --reps 10 --inspections 3 --warmup 5 --out ${out} 2>&1 >/dev/null | head -1`;
      const { stdout } = await start('sh', ['-c', command]).ended;
      expect(stdout).toMatch(/^pi-bench: /);
      expect(readRecordFile(campaignFolder(out)).status).toBe('complete');
    }));
});
