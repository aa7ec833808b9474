import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { brokenRules } from '../../src/record/check.js';
import { isCurve } from '../../src/record/read-curves.js';
import { type PiBenchRecord, written } from '../../src/record/schema.js';
import { unzip } from '../../src/store/zip.js';
import {
  campaignFolder,
  piBench,
  printedRecord,
  type Run,
  readInspectionFile,
  withFolder,
} from '../support/pi-bench.js';

/** The size of one; there where Linux has transparent huge pages. */
const HUGE_PAGE = '/sys/kernel/mm/transparent_hugepage/hpage_pmd_size';

const SHORT = ['--reps', '50', '--warmup', '5', '--no-wait', '--quiet'];

async function recordOf(out: string, ...args: string[]): Promise<{ run: Run; record: PiBenchRecord }> {
  const run = await piBench(...args, '--json', '--out', out, ...SHORT);
  return { run, record: printedRecord(run) };
}

describe('a collective over sizes', () => {
  let out: string;
  let run: Run;
  let record: PiBenchRecord;
  beforeAll(async () => {
    out = mkdtempSync(join(tmpdir(), 'pi-bench-collective-'));
    const sweep = ['all-reduce', '--ranks', '2', '--bytes', '8,4KiB,256KiB', '--inspections', '2'];
    ({ run, record } = await recordOf(out, 'collective', ...sweep));
  });
  afterAll(() => rmSync(out, { recursive: true, force: true }));

  it('writes one consistent record of verified batches', () => {
    expect(run.code).toBe(0);
    expect(written.record.safeParse(record).error).toBeUndefined();
    expect(brokenRules(record)).toEqual([]);
    expect(
      record.batches.map(({ case: one, verified, measured }) => [one.parameters.bytes, verified, measured]),
    ).toEqual([
      [8, 'passed', 2],
      [4096, 'passed', 2],
      [262144, 'passed', 2],
    ]);
  });

  it('tells of each rank, of their skew and of the ceiling', () => {
    for (const { ranks, case: one } of record.batches) {
      expect(ranks?.repetitions).toBe(100);
      expect(ranks?.ranks).toHaveLength(2);
      const shares = ranks?.ranks.reduce((sum, { slowest }) => sum + slowest, 0);
      expect(shares).toBeCloseTo(1, 9);
      expect(ranks?.skewOut.p50).toBeLessThanOrEqual(ranks?.skewOut.p99 ?? 0);
      if (Number(one.parameters.bytes) === 262144) expect(ranks?.ceiling?.share).toBeGreaterThan(0);
    }
  });

  it('keeps every rank’s times, of which each repetition’s is that of the slowest', () => {
    const folder = campaignFolder(out);
    const { samples } = readInspectionFile(folder, 0);
    const files = unzip(readFileSync(join(folder, 'inspections', samples.file)));
    const words = (name: string): readonly number[] => {
      const bytes = files.find((file) => file.name === `${name}.npy`)?.bytes ?? Buffer.alloc(0);
      const begin = 10 + bytes.readUInt16LE(8);
      return Array.from({ length: (bytes.length - begin) / 4 }, (_, i) => bytes.readUInt32LE(begin + 4 * i));
    };
    const [elapsed, ofRanks] = [words('elapsed_ns'), words('rank_elapsed_ns')];
    expect(elapsed).toHaveLength(50);
    expect(ofRanks).toHaveLength(100);
    for (const [i, time] of elapsed.entries())
      expect(time).toBe(Math.max(ofRanks[2 * i] ?? 0, ofRanks[2 * i + 1] ?? 0));
  });

  it('has a curve for each statistic, with the same labels as every KPI', () => {
    const curves = record.kpis.filter(isCurve);
    for (const part of [
      'elapsed_curve',
      'rate_curve',
      'bus_rate_curve',
      'elapsed_p99_curve',
      'skew_out_curve',
    ])
      expect(
        curves.map(({ name }) => name).filter((name) => name.startsWith(`pibench_collective_${part}`)),
      ).toHaveLength(1);
    const keys = Object.keys(record.kpis[0]?.labels ?? {}).sort();
    for (const { labels } of record.kpis) expect(Object.keys(labels).sort()).toEqual(keys);
  });

  it('is shown in nccl-tests’ columns', async () => {
    const shown = await piBench('show', campaignFolder(out));
    expect(shown.code).toBe(0);
    expect(shown.stdout).toMatch(/size .*time .*algbw +busbw +#wrong/);
    expect(shown.stdout).toMatch(/time = latency \+ size \/ bandwidth/);
  });
});

describe('--sync none', () => {
  it('has twenty calls run into each other, also where one is long enough for the clock, and tells ranks by one', () =>
    withFolder(async (out) => {
      const args = ['all-reduce', '--ranks', '2', '--sync', 'none', '--bytes', '1MiB', '--inspections', '1'];
      const { run, record } = await recordOf(out, 'collective', ...args);
      expect(run.code).toBe(0);
      const { callsPerSample } = readInspectionFile(campaignFolder(out), 0);
      // Fewer where twenty would take longer than 0.1 s, as on a very busy machine.
      expect(callsPerSample).toBeGreaterThan(1);
      expect(callsPerSample).toBeLessThanOrEqual(20);
      const [batch] = record.batches;
      expect(batch?.ranks?.calls).toBe(50 * callsPerSample);
      for (const { median } of batch?.ranks?.ranks ?? [])
        expect(median).toBeLessThanOrEqual(1.5 * (batch?.elapsed?.median ?? 0));
    }));
});

describe('ranks', () => {
  it('may be processes, of any operation and more than there are CPUs', () =>
    withFolder(async (out) => {
      const args = ['all-to-all', '--ranks', '3', '--workers', 'processes', '--in-place', '--bytes', '12KiB'];
      const { run, record } = await recordOf(out, 'collective', ...args, '--inspections', '1');
      expect(run.code).toBe(0);
      expect(record.batches[0]?.verified).toBe('passed');
      expect(record.batches[0]?.stack.implementation).toMatch(/^shm \S+, processes/);
    }));

  it.each([
    'threads',
    'processes',
  ])('tells on what pages the operands of %s lie, where the kernel does', (workers) =>
    withFolder(async (out) => {
      const one = [
        'all-reduce',
        '--ranks',
        '2',
        '--bytes',
        '4MiB',
        '--workers',
        workers,
        '--inspections',
        '1',
      ];
      const { record } = await recordOf(out, 'collective', ...one);
      const told = record.batches[0]?.inspections[0]?.hugePages;
      expect(told !== undefined).toBe(existsSync(HUGE_PAGE));
      const shown = (await piBench('show', campaignFolder(out))).stdout;
      if (told === undefined) return expect(shown).not.toContain('huge pages');
      expect(told.of).toBe(8 * 2 ** 20);
      expect(shown).toMatch(/huge pages +(behind|none behind)/);
    }));

  it('scale: a sweep over them tells by how much, and performance.json has one entry for each', () =>
    withFolder(async (out) => {
      const args = ['sweep', 'collective', 'all-reduce', '--ranks', '1,2', '--bytes', '64KiB'];
      const run = await piBench(...args, '--inspections', '1', '--out', out, ...SHORT);
      expect(run.stdout).toMatch(/1 → 2 ranks +weak scaling at 64 KiB: speed-up/);
      const folder = join(out, 'performance');
      const exported = await piBench(
        'report',
        campaignFolder(out),
        '--format',
        'performance-json',
        '--out',
        folder,
      );
      expect(exported.code).toBe(0);
      const two = JSON.parse(readFileSync(join(folder, 'performance.2.json'), 'utf8'));
      expect(two.ordinals).toHaveLength(2);
      expect(two.total_samples).toBe(100);
      expect(two.total_time).toBe(
        Math.max(...two.ordinals.map((one: { total_time: number }) => one.total_time)),
      );
    }));
});
