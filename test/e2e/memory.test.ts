import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { native } from '../../src/native.js';
import { brokenRules } from '../../src/record/check.js';
import { digestOf } from '../../src/record/digest.js';
import { isCurve } from '../../src/record/read-curves.js';
import { type PiBenchRecord, written } from '../../src/record/schema.js';
import { campaignFolder, piBench, printedRecord, type Run, withFolder } from '../support/pi-bench.js';
import { there } from '../support/there.js';

/** The size of one; there where Linux has transparent huge pages. */
const HUGE_PAGE = '/sys/kernel/mm/transparent_hugepage/hpage_pmd_size';
const SIZES = ['32KiB', '48KiB', '64KiB', '96KiB', '128KiB', '192KiB', '256KiB', '512KiB'];
const SHORT = ['--reps', '20', '--inspections', '1', '--warmup', '5', '--threads', '1'];

async function memoryRecord(out: string, ...args: string[]): Promise<{ run: Run; record: PiBenchRecord }> {
  const run = await piBench('memory', '--json', '--quiet', '--out', out, ...args);
  return { run, record: printedRecord(run) };
}

describe('memory over sizes', () => {
  let out: string;
  let run: Run;
  let record: PiBenchRecord;
  beforeAll(async () => {
    out = mkdtempSync(join(tmpdir(), 'pi-bench-memory-'));
    const sweep = ['--operation', 'read,copy', '--bytes', SIZES.join(',')];
    ({ run, record } = await memoryRecord(out, ...sweep, ...SHORT));
  });
  afterAll(() => rmSync(out, { recursive: true, force: true }));

  it('writes one record that fits its schema, is consistent and unaltered', () => {
    expect(run.code).toBe(0);
    expect(run.stderr).toBe('');
    expect(written.record.safeParse(record).error).toBeUndefined();
    expect(brokenRules(record)).toEqual([]);
    expect(digestOf(record)).toBe(record.digest);
    expect(record.status).toBe('complete');
  });

  it('has a batch for each operation, way to store and size, each verified', () => {
    expect(record.batches).toHaveLength(3 * SIZES.length);
    for (const { verified, measured, rate, elapsed, work, rateUnit } of record.batches) {
      expect([verified, measured, rateUnit]).toEqual(['passed', 1, 'B/s']);
      expect((rate?.median ?? 0) * (elapsed?.median ?? 0)).toBeCloseTo(there(work, 'work').bytes, 3);
    }
  });

  it('names the write-allocate of plain stores, and none for streaming ones and reading', () => {
    for (const { case: one, work } of record.batches) {
      const cached = one.parameters.stores === 'cached';
      const { bytes, writeAllocateBytes } = there(work, 'work');
      expect(writeAllocateBytes).toBe(cached ? bytes / 2 : 0);
    }
  });

  it('has a curve for each operation and way to store, with the same labels as every KPI', () => {
    const curves = record.kpis.filter(isCurve);
    expect(curves.map(({ labels }) => [labels.operation, labels.stores])).toEqual([
      ['read', 'none'],
      ['copy', 'cached'],
      ['copy', 'streaming'],
    ]);
    for (const { name, points, xUnit, yUnit, labels } of curves) {
      expect([name, xUnit, yUnit]).toEqual(['pibench_memory_rate_curve_bytes_per_second', 'B', 'B/s']);
      expect(points.map(([x]) => x / 1024)).toEqual([32, 48, 64, 96, 128, 192, 256, 512]);
      expect(labels.bytes).toBeNull();
    }
    const keys = Object.keys(record.kpis[0]?.labels ?? {}).sort();
    for (const { labels } of record.kpis) expect(Object.keys(labels).sort()).toEqual(keys);
    expect(keys).toEqual(expect.arrayContaining(['operation', 'stores', 'bytes', 'threads', 'cpu_model']));
  });

  it('gives each batch its rate in bytes per second', () => {
    const names = record.kpis.filter(({ labels }) => labels.bytes === 32768).map(({ name }) => name);
    expect(names).toContain('pibench_memory_rate_bytes_per_second');
    expect(names).toContain('pibench_memory_sustained_rate_bytes_per_second');
    expect(names.some((name) => name.includes('flops'))).toBe(false);
  });

  it('is one table for a person, with what was verified and what write-allocate is', async () => {
    const shown = await piBench('show', campaignFolder(out));
    for (const part of [
      'read',
      'copy',
      'cache',
      'strm',
      '512 KiB',
      'verified in 24 launches',
      'write-allocate',
    ]) {
      expect(shown.stdout).toContain(part);
    }
    expect(shown.stdout.split('\n').length).toBeLessThan(50);
    // A path is never broken.
    const lines = shown.stdout.split('\n').filter((line) => !line.includes(out));
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
  });

  it('is what machine tells of the caches, beside those that are reported', async () => {
    const text = await piBench('machine', '--results', out);
    expect(text.stdout).toContain('measured');
    expect(text.stdout.replaceAll(/\s+/g, '')).toContain(campaignFolder(out).replaceAll(/\s+/g, ''));
    const json = JSON.parse((await piBench('machine', '--results', out, '--json')).stdout);
    expect(json.measuredCaches.record).toBe(join(campaignFolder(out), 'record.json'));
    expect(json.measuredCaches.threads).toBe(1);
    expect(Array.isArray(json.measuredCaches.caches)).toBe(true);
  });
});

describe('memory', () => {
  it.each(
    native()
      .memoryKernels()
      .filter(({ runsHere }) => runsHere)
      .map(({ isa }) => isa),
  )('is verified on embedded:%s in every operation, on two threads', (isa) =>
    withFolder(async (out) => {
      const stack = ['--stack', `embedded:${isa}`, '--threads', '2', '--bytes', '100000B'];
      const few = ['--reps', '3', '--inspections', '1', '--warmup', '1', '--stores', 'streaming'];
      const { record, run } = await memoryRecord(out, ...stack, ...few);
      expect(run.code).toBe(0);
      expect(record.batches.map(({ verified }) => verified)).toEqual(Array(6).fill('passed'));
      for (const { stack } of record.batches) expect(stack.implementation).toBe(isa);
    }));

  it('says which stores auto chose', () =>
    withFolder(async (out) => {
      const { record } = await memoryRecord(
        out,
        '--operation',
        'copy',
        '--bytes',
        '64KiB',
        '--stores',
        'auto',
        ...SHORT,
      );
      expect(record.batches[0]?.stack.implementation).toMatch(
        /^\w+, chose (cached|streaming|string) stores$/,
      );
      expect(record.batches[0]?.work).not.toHaveProperty('writeAllocateBytes');
    }));

  it('shows a single case as a page of its own, with its bytes', () =>
    withFolder(async (out) => {
      const one = ['--operation', 'triad', '--bytes', '64KiB', '--stores', 'cached'];
      const run = await piBench('memory', '--quiet', '--out', out, ...one, ...SHORT);
      expect(run.code).toBe(0);
      expect(run.stdout).toContain('memory triad 64.0 KiB, cached stores, 1 thread, pinned');
      expect(run.stdout).toContain('GB/s');
      expect(run.stdout.replaceAll(/\s+/g, ' ')).toContain('write-allocate reads up to another');
    }));

  it('says how much of the arrays lay on huge pages, where the kernel tells', () =>
    withFolder(async (out) => {
      const one = ['--operation', 'triad', '--bytes', '12MiB', '--stores', 'cached'];
      const { record } = await memoryRecord(out, ...one, ...SHORT);
      const told = record.batches[0]?.inspections[0]?.hugePages;
      expect(told !== undefined).toBe(existsSync(HUGE_PAGE));
      const shown = (await piBench('show', campaignFolder(out))).stdout;
      if (told === undefined) return expect(shown).not.toContain('huge pages');
      expect(told.page).toBe(Number(readFileSync(HUGE_PAGE, 'utf8')));
      expect(told.of).toBeGreaterThanOrEqual(12 * 2 ** 20);
      expect(shown.includes('huge pages')).toBe(told.possible > 0);
    }));
});

describe('machine without a memory record', () => {
  it('says in one line how to get one', () =>
    withFolder(async (out) => {
      const run = await piBench('machine', '--results', out);
      expect(run.stdout).toMatch(/measured +not known: run pi-bench memory\n/);
      expect(
        JSON.parse((await piBench('machine', '--results', out, '--json')).stdout).measuredCaches,
      ).toBeNull();
    }));
});
