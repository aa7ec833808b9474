import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { brokenRules } from '../../src/record/check.js';
import { written } from '../../src/record/schema.js';
import { unzip } from '../../src/store/zip.js';
import {
  campaignFolder,
  piBench,
  printedRecord,
  readInspectionFile,
  withFolder,
} from '../support/pi-bench.js';

const SHORT = ['--reps', '15', '--warmup', '2', '--no-wait', '--quiet'];

describe('overlap', () => {
  it('measures both alone and at once, verifies both, and keeps every time', () =>
    withFolder(async (out) => {
      const what = ['overlap', '--size', '96', '--bytes', '64KiB', '--inspections', '3'];
      const run = await piBench(...what, '--json', '--out', out, ...SHORT);
      expect(run.code).toBe(0);
      const record = printedRecord(run);
      expect(written.record.safeParse(record).error).toBeUndefined();
      expect(brokenRules(record)).toEqual([]);
      const [batch] = record.batches;
      expect(batch?.verified).toBe('passed');
      expect(batch?.inspections[0]?.verification?.method).toMatch(/matmul beside it, of every rank/);
      const { compute = 0, communicate = 0 } = batch?.overlap ?? {};
      expect(Math.min(compute, communicate)).toBeGreaterThan(0);
      for (const { overlap, statistics } of batch?.inspections ?? []) {
        const both = Number((statistics as { median?: number } | null)?.median);
        const { hidden = Number.NaN, compute: alone = 0, communicate: ofRanks = 1 } = overlap ?? {};
        expect(hidden).toBeCloseTo((alone + ofRanks - both) / ofRanks, 9);
      }
      const names = record.kpis.map(({ name }) => name);
      for (const kpi of [
        'hidden_ratio',
        'matmul_alone_seconds',
        'collective_alone_seconds',
        'elapsed_seconds',
      ])
        expect(names).toContain(`pibench_overlap_${kpi}`);
      const folder = campaignFolder(out);
      const { samples } = readInspectionFile(folder, 0);
      const files = unzip(readFileSync(join(folder, 'inspections', samples.file))).map(({ name }) => name);
      for (const part of ['matmul_alone', 'collective_alone', 'matmul_beside', 'collective_beside'])
        expect(files).toContain(`${part}_ns.npy`);
      const shown = await piBench('show', folder);
      expect(shown.stdout).toMatch(/hidden +-?[\d.]+ % of the communication/);
    }));

  it('of one rank is refused in one line', async () => {
    const run = await piBench('overlap', '--ranks', '1');
    expect(run.code).toBe(64);
    expect(run.stderr).toMatch(
      /^pi-bench: one rank has nobody to exchange data with: use --ranks 2 or more\n/m,
    );
  });
});
