import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { digestOf } from '../../src/record/digest.js';
import { written } from '../../src/record/schema.js';
import { launcher, matmulRecord, piBench, start } from '../support/pi-bench.js';

let out: string;
let folder: string;
let file: string;
beforeAll(async () => {
  out = mkdtempSync(join(tmpdir(), 'pi-bench-show-'));
  ({ folder } = await matmulRecord(
    out,
    '--size',
    '32',
    '--reps',
    '20',
    '--inspections',
    '2',
    '--warmup',
    '5',
  ));
  file = join(folder, 'record.json');
});
afterAll(() => rmSync(out, { recursive: true, force: true }));

/** Writes a changed copy and says what `show` makes of it. */
async function shown(change: (text: string) => string) {
  const copy = join(out, 'copy.json');
  writeFileSync(copy, change(readFileSync(file, 'utf8')));
  return piBench('show', copy, '--json');
}

/** A changed document with a digest that fits it, as another pi-bench would write it. */
const resealed = (change: (record: Record<string, unknown>) => void) => (text: string) => {
  const record = JSON.parse(text);
  change(record);
  return JSON.stringify({ ...record, digest: digestOf(record) });
};

describe('show', () => {
  it('prints a record from its file or its folder, as at the end of the campaign', async () => {
    const fromFile = await piBench('show', file);
    const fromFolder = await piBench('show', folder);
    expect(fromFile.code).toBe(0);
    expect(fromFile.stdout).toContain('verified in 2 launches');
    expect(fromFolder.stdout).toBe(fromFile.stdout);
  });

  it.each([
    ['is not JSON', (text: string) => text.slice(0, 500), /is not JSON/],
    ['is not ours', () => '{"results": []}', /is not a record of pi-bench/],
    [
      'was altered in one digit',
      (text: string) =>
        text.replace(/("median": \d\.\d*?)(\d)(\d*)/, (_, a, b, c) => `${a}${(Number(b) + 1) % 10}${c}`),
      /was altered/,
    ],
    [
      'is of a newer schema',
      resealed((record) => {
        record.schemaVersion = 99;
      }),
      /schema version 99.*use a newer pi-bench/,
    ],
    [
      'lacks a part',
      resealed((record) => {
        delete record.batches;
      }),
      /does not fit its schema.*batches/,
    ],
  ])('refuses a record that %s, in one line', async (_, change, says) => {
    const run = await shown(change);
    expect(run.stderr).toMatch(says);
    expect(run.stderr.trim().split('\n')).toHaveLength(1);
    expect(run.stdout).toBe('');
    expect(run.code).toBe(64);
  });

  it('says of a campaign that was killed how to finish it', async () => {
    const killed = join(out, 'killed');
    mkdirSync(killed);
    copyFileSync(join(folder, 'journal.ndjson'), join(killed, 'journal.ndjson'));
    const run = await piBench('show', killed);
    expect(run.stderr).toMatch(
      /killed has no record: .*; pi-bench resume \S+killed finishes it, unless it still runs\n$/,
    );
    expect(run.code).toBe(64);
  });

  it('reads a record from before ceilings and clocks were recorded', async () => {
    const before = resealed((record) => {
      for (const batch of record.batches as Record<string, unknown>[]) {
        delete batch.roofline;
        delete batch.rateCounts;
        for (const inspection of batch.inspections as Record<string, unknown>[]) {
          delete inspection.ceilings;
          delete inspection.frequency;
        }
      }
    });
    const copy = join(out, 'before.json');
    writeFileSync(copy, before(readFileSync(file, 'utf8')));
    const run = await piBench('show', copy);
    expect(run.stderr).toBe('');
    expect(run.code).toBe(0);
    expect(run.stdout).toContain('verified in 2 launches');
    expect(run.stdout).not.toContain('efficiency');
    expect((await piBench('show', file)).stdout).toContain('efficiency');
  });

  it('refuses a rate that does not follow from elapsed, however well sealed', async () => {
    const run = await shown(
      resealed((record) => {
        const [batch] = record.batches as { rate: { median: number } }[];
        if (batch !== undefined) batch.rate.median *= 2;
      }),
    );
    expect(run.stderr).toMatch(/contradicts itself.*rate x elapsed/);
    expect(run.code).toBe(64);
  });

  it('reads a record whose interval an earlier version widened below 0, without that interval', async () => {
    const widened = resealed((record) => {
      type Interval = { interval: object | null };
      const [batch] = record.batches as { elapsed: Interval; rate: Interval & { median: number } }[];
      const kpis = record.kpis as { unit: string; ci: object | null; value: number }[];
      if (batch === undefined) return;
      const one = { level: 0.95, method: 'order statistics, widened', basis: 'launches' };
      const turned = { low: 0.5 * batch.rate.median, high: -2 * batch.rate.median };
      batch.elapsed.interval = { ...one, low: -1, high: 3 };
      batch.rate.interval = { ...one, ...turned };
      for (const kpi of kpis) {
        if (kpi.value === batch.rate.median) kpi.ci = { level: 0.95, ...turned };
      }
    });
    const run = await shown(widened);
    expect(run.code).toBe(0);
    const record = JSON.parse(run.stdout);
    expect(record.batches[0].elapsed.interval).toBeNull();
    expect(record.batches[0].rate.interval).toBeNull();
    expect(record.kpis.every(({ ci }: { ci: object | null }) => ci === null)).toBe(true);
    // What is printed is a record, too.
    const again = join(out, 'again.json');
    writeFileSync(again, run.stdout);
    expect((await piBench('show', again)).code).toBe(0);
  });

  it('prints a record that another program hands over', async () => {
    const piped = await start('sh', ['-c', `cat ${file} | ${process.execPath} ${launcher} show - --json`])
      .ended;
    expect([piped.code, piped.stderr]).toEqual([0, '']);
    expect(JSON.parse(piped.stdout)).toEqual(JSON.parse(readFileSync(file, 'utf8')));
    const read = await start('sh', ['-c', `${process.execPath} ${launcher} show - < ${file}`]).ended;
    expect(read.stdout).toContain('verified in 2 launches');
    expect(read.stdout).not.toContain('stdin');
  });

  it('says that its output could not be written, and does not end as if it had been', async () => {
    const run = await start('sh', ['-c', `${process.execPath} ${launcher} show ${file} > /dev/full`]).ended;
    expect(run.stderr).toMatch(/cannot write to stdout: ENOSPC/);
    expect(run.code).toBe(2);
  });

  it('says in one line that the folder it was called in is gone', async () => {
    const script = `cd $(mktemp -d) && rmdir $PWD && exec ${process.execPath} ${launcher} machine`;
    const run = await start('sh', ['-c', script]).ended;
    expect([run.code, run.stdout]).toEqual([64, '']);
    expect(run.stderr).toBe('pi-bench: the working directory was deleted: change to another one\n');
  });

  it('keeps fields that it does not know', async () => {
    const run = await shown(
      resealed((record) => {
        record.fromTheFuture = { kept: true };
      }),
    );
    expect(run.code).toBe(0);
    expect(JSON.parse(run.stdout).fromTheFuture).toEqual({ kept: true });
  });

  it('never writes fields that the schema does not know', () => {
    const record = JSON.parse(readFileSync(file, 'utf8'));
    expect(written.record.safeParse(record).success).toBe(true);
    expect(written.record.safeParse({ ...record, fromTheFuture: 1 }).success).toBe(false);
    record.batches[0].surprise = 1;
    expect(written.record.safeParse(record).success).toBe(false);
  });
});
