import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { coresHere, describeHere } from '../../src/cli/here.js';
import { usableCpus } from '../../src/machine/capacity.js';
import { parseCpuList } from '../../src/machine/linux/cpu-list.js';
import { brokenRules } from '../../src/record/check.js';
import { digestOf } from '../../src/record/digest.js';
import { isCurve } from '../../src/record/read-curves.js';
import { type PiBenchRecord, written } from '../../src/record/schema.js';
import { campaignFolder, piBench, printedRecord, type Run, withFolder } from '../support/pi-bench.js';

const SIZES = ['16KiB', '32KiB', '100000B', '256KiB', '1MiB', '3MiB'];
const SHORT = ['--reps', '10', '--inspections', '1', '--warmup', '3'];

async function latencyRecord(out: string, ...args: string[]): Promise<{ run: Run; record: PiBenchRecord }> {
  const run = await piBench('latency', '--json', '--quiet', '--out', out, ...args);
  return { run, record: printedRecord(run) };
}

describe('latency over sizes', () => {
  let out: string;
  let run: Run;
  let record: PiBenchRecord;
  beforeAll(async () => {
    out = mkdtempSync(join(tmpdir(), 'pi-bench-latency-'));
    ({ run, record } = await latencyRecord(
      out,
      '--bytes',
      SIZES.join(','),
      '--order',
      'random,pages',
      ...SHORT,
    ));
  });
  afterAll(() => rmSync(out, { recursive: true, force: true }));

  it('writes one record that fits its schema, is consistent and unaltered', () => {
    expect([run.code, run.stderr]).toEqual([0, '']);
    expect(written.record.safeParse(record).error).toBeUndefined();
    expect(brokenRules(record)).toEqual([]);
    expect(digestOf(record)).toBe(record.digest);
    expect(record.status).toBe('complete');
  });

  it('has a verified batch of one thread for each order and size, called what whole lines take', () => {
    const cases = record.batches.map(({ case: { parameters } }) => parameters);
    const bytes = [16384, 32768, 99968, 262144, 2 ** 20, 3 * 2 ** 20];
    expect(cases.map(({ order, bytes }) => [order, bytes])).toEqual(
      ['random', 'pages'].flatMap((order) => bytes.map((one) => [order, one])),
    );
    for (const { verified, measured, rateUnit, rate, elapsed, work, stack, inspections } of record.batches) {
      expect([verified, measured, rateUnit, stack.implementation]).toEqual([
        'passed',
        1,
        'loads/s',
        'pointers',
      ]);
      const loads = work?.loads ?? 0;
      expect(loads).toBeGreaterThanOrEqual(2 ** 15);
      expect(((rate?.median ?? 0) * (elapsed?.median ?? 0)) / loads).toBeCloseTo(1, 9);
      expect(inspections[0]?.verification).toMatchObject({ passed: true, method: 'place', wrong: 0 });
    }
  });

  it('gives each batch the seconds of a load, and each order a curve of them', () => {
    const kpis = record.kpis.filter(({ name }) => name === 'pibench_latency_load_seconds');
    expect(kpis).toHaveLength(12);
    for (const kpi of kpis) {
      expect(kpi).toMatchObject({ unit: 's', direction: 'lower', display: { unit: 'ns' } });
      expect('value' in kpi && kpi.value).toBeGreaterThan(0);
    }
    const curves = record.kpis.filter(isCurve);
    expect(curves.map(({ name, labels, direction }) => [name, labels.order, direction])).toEqual([
      ['pibench_latency_load_curve_seconds', 'random', 'lower'],
      ['pibench_latency_load_curve_seconds', 'pages', 'lower'],
    ]);
    for (const { points } of curves) expect(points).toHaveLength(6);
  });

  it('is one table for a person', async () => {
    const { stdout, code } = await piBench('show', campaignFolder(out));
    expect(code).toBe(0);
    expect(stdout).toMatch(/latency, 1 thread, (pinned, )?lines of \d+ B, by working set/);
    expect(stdout).toMatch(/random, ns +95 % +cycles +pages, ns +95 % +cycles\n/);
    expect(stdout).toContain('verified in 12 launches');
    expect(stdout).toContain('random order, ns a load');
    const lines = stdout.split('\n').filter((line) => !line.includes(out));
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
  });

  it('is a page and a table', () =>
    withFolder(async (pages) => {
      const folder = campaignFolder(out);
      const csv = await piBench('report', folder, '--format', 'csv');
      expect(csv.code).toBe(0);
      expect(csv.stdout.split('\n').filter((line) => line.includes(',loads/s,'))).toHaveLength(12);
      const page = join(pages, 'page.html');
      expect((await piBench('report', folder, '--format', 'html', '--out', page)).code).toBe(0);
      const html = readFileSync(page, 'utf8');
      expect(html).toContain('Latency over the working set');
      expect(html).toMatch(/ ns a load/);
    }));

  it('is compared with another by the time of a load, and scored', () =>
    withFolder(async (other) => {
      await latencyRecord(other, '--bytes', '32KiB,1MiB', ...SHORT);
      const [a, b] = [campaignFolder(out), campaignFolder(other)];
      const compared = await piBench('compare', a, b, '--json');
      // Ten sizes were not measured on one side.
      expect(compared.code).toBe(2);
      const shown = await piBench('compare', a, b);
      expect(shown.stdout).toMatch(/ns a load/);
      const score = await piBench('score', b, '--reference', a, '--format', 'json');
      expect(JSON.parse(score.stdout).scores[0].cases).toHaveLength(2);
    }));
});

/** Of this process, as a launch may use them. */
const cpusHere = usableCpus(describeHere());

describe.skipIf(cpusHere < 2)('latency beside a thread that reads memory', () => {
  let out: string;
  let record: PiBenchRecord;
  beforeAll(async () => {
    out = mkdtempSync(join(tmpdir(), 'pi-bench-load-'));
    ({ record } = await latencyRecord(out, '--bytes', '1MiB', '--load', '0,1', ...SHORT));
  });
  afterAll(() => rmSync(out, { recursive: true, force: true }));
  const launchOf = (load: number) =>
    record.batches.find(({ case: { parameters } }) => parameters.load === load)?.inspections[0];

  it('has a verified batch for each number of them, in a record that is sound', () => {
    expect(written.record.safeParse(record).error).toBeUndefined();
    expect(brokenRules(record)).toEqual([]);
    expect(record.batches.map(({ case: { parameters }, verified }) => [parameters.load, verified])).toEqual([
      [0, 'passed'],
      [1, 'passed'],
    ]);
    expect(launchOf(1)?.verification).toMatchObject({ passed: true, wrong: 0 });
    expect(launchOf(1)?.verification?.method).toMatch(/loading threads/);
    expect(launchOf(0)?.verification?.method).toBe('place');
  });

  it('tells what that thread read, on a CPU of its own, and nothing where there was none', () => {
    const traffic = launchOf(1)?.traffic;
    expect(traffic?.threads).toBe(1);
    expect(traffic?.bytes).toBeGreaterThan(0);
    expect(traffic?.seconds).toBeGreaterThan(0);
    expect(traffic?.rate).toBeCloseTo((traffic?.bytes ?? 0) / (traffic?.seconds ?? 1), 3);
    expect(launchOf(0)).not.toHaveProperty('traffic');
    const [free, loaded] = [0, 1].map((load) => parseCpuList(launchOf(load)?.cpus ?? ''));
    expect([free?.length, loaded?.length]).toEqual([1, 2]);
    expect(loaded).toContain(free?.[0]);
    const kpis = record.kpis.filter(({ name }) => name === 'pibench_latency_traffic_bytes_per_second');
    expect(kpis).toMatchObject([{ value: traffic?.rate, labels: { load: 1 }, unit: 'B/s' }]);
  });

  it('is a table for a person, and one for a program', async () => {
    const folder = campaignFolder(out);
    const { stdout } = await piBench('show', folder);
    expect(stdout).toMatch(/ loading +GB\/s +random, ns +95 % +x\n/);
    expect(stdout).toContain('each loading thread');
    const csv = await piBench('report', folder, '--format', 'csv');
    expect(csv.stdout).toMatch(/^1 loading thread,"latency /m);
  });
});

describe('latency', () => {
  it('shows a single case as a page of its own, with the time first', () =>
    withFolder(async (out) => {
      const run = await piBench('latency', '--quiet', '--out', out, '--bytes', '32KiB', ...SHORT);
      expect(run.code).toBe(0);
      expect(run.stdout).toMatch(/latency 32\.0 KiB, random order/);
      expect(run.stdout).toMatch(/latency +\d[\d.]* ns a load/);
      expect(run.stdout).toMatch(/cycles +/);
    }));

  it('is swept like any other, on each CPU that is named', () =>
    withFolder(async (out) => {
      const device = `cpu:${coresHere().allowed[0]}`;
      const sweep = ['sweep', 'latency', '--bytes', '16KiB..64KiB*2', '--order', 'pages', '--device', device];
      const run = await piBench(...sweep, '--json', '--quiet', '--out', out, ...SHORT);
      expect(run.code).toBe(0);
      const { batches } = printedRecord(run);
      expect(batches.map(({ device, verified }) => [device, verified])).toEqual(
        Array(3).fill([device, 'passed']),
      );
    }));
});
