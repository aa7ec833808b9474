import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { brokenRules } from '../../src/record/check.js';
import { written } from '../../src/record/schema.js';
import { median } from '../../src/statistics/quantile.js';
import { fromNpy } from '../../src/store/npy.js';
import { unzip } from '../../src/store/zip.js';
import {
  campaignFolder,
  piBench,
  printedRecord,
  readInspectionFile,
  withFolder,
} from '../support/pi-bench.js';

const SHORT = ['--reps', '15', '--warmup', '2', '--no-wait', '--quiet'];

/** Of each repetition, as they lie beside the document. */
function timesIn(out: string, index: number) {
  const folder = campaignFolder(out);
  const file = readInspectionFile(folder, index).samples.file;
  const arrays = unzip(readFileSync(join(folder, 'inspections', file)));
  const of = (name: string): Float64Array => {
    const array = arrays.find((entry) => entry.name === `${name}_ns.npy`);
    return fromNpy(Buffer.from(array?.bytes ?? []));
  };
  return { both: of('elapsed'), product: of('matmul_alone'), exchange: of('collective_alone') };
}

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
      // An odd number of repetitions: their medians are of one of them each.
      for (const [index, { overlap }] of (batch?.inspections ?? []).entries()) {
        const { both, product, exchange } = timesIn(out, index);
        const alone = product.map((seconds, i) => seconds + (exchange[i] ?? 0));
        const hidden = alone.map((seconds, i) => (seconds - (both[i] ?? 0)) / (exchange[i] ?? 0));
        expect(overlap?.hidden).toBeCloseTo(median(hidden), 9);
        expect(overlap?.gain).toBeCloseTo(median(alone.map((seconds, i) => seconds / (both[i] ?? 0))), 9);
        expect(Math.sign(overlap?.hidden ?? 0)).toBe(Math.sign((overlap?.gain ?? 1) - 1));
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
