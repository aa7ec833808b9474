import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { brokenRules } from '../../src/record/check.js';
import { type PiBenchRecord, written } from '../../src/record/schema.js';
import {
  campaignFolder,
  journalOf,
  killAll,
  piBench,
  piBenchEach,
  type Run,
  startPiBench,
  until,
  withFolder,
} from '../support/pi-bench.js';

const json = (stdout: string): PiBenchRecord => JSON.parse(stdout) as PiBenchRecord;

/** Each call of two threads waits until both have a CPU, which takes long beside other tests. */
const ALONE = ['--threads', '1'];

describe('pi-bench sweep', () => {
  it('measures every combination of its flags’ values, interleaved, and says which repetitions are enough', () =>
    withFolder(async (out) => {
      const args = [
        '--size',
        '32,64',
        '--reps',
        '40..80*2',
        '--inspections',
        '6',
        '--warmup',
        '20',
        '--seed',
        '3',
        ...ALONE,
      ];
      const run = await piBench('sweep', 'matmul', ...args, '--json', '--quiet', '--out', out);
      expect(run.stderr).toBe('');
      expect(run.code).toBe(0);
      const record = json(run.stdout);
      expect(written.record.safeParse(record).error).toBeUndefined();
      expect(brokenRules(record)).toEqual([]);
      expect(record.stoppedBy).toBe('plan');
      expect(record.batches.map(({ asked }) => [asked.case.parameters.m, asked.sampling])).toEqual(
        [32, 64].flatMap((m) => [40, 80].map((repetitions) => [m, { kind: 'fixed', repetitions }])),
      );
      for (const { inspections } of record.batches) {
        expect(inspections).toHaveLength(6);
        // One launch in each round of four.
        expect(inspections.map(({ index }) => Math.floor(index / 4))).toEqual([0, 1, 2, 3, 4, 5]);
      }
      const starts = journalOf(campaignFolder(out)).filter(({ event }) => event === 'started');
      expect(starts.map(({ index }) => index)).toEqual(Array.from({ length: 24 }, (_, i) => i));
      expect(record.recommendations?.map(({ batches }) => batches)).toEqual([
        [0, 1],
        [2, 3],
      ]);
      for (const { repetitions, best, test, counts, launches } of record.recommendations ?? []) {
        expect([40, 80]).toContain(repetitions);
        expect([40, 80]).toContain(best);
        expect(test).toMatch(/permutation/);
        expect(counts.map((count) => count.launches)).toEqual([6, 6]);
        expect(launches.map(({ target }) => target)).toEqual([0.02, 0.01, 0.005]);
        for (const { launches: count } of launches) expect(count).toBeGreaterThanOrEqual(6);
      }
    }));

  it('ends with the stability table, which fits the terminal', () =>
    withFolder(async (out) => {
      const args = ['--size', '16,32', '--reps', '30', '--inspections', '3', '--warmup', '5', ...ALONE];
      const run = await piBench('sweep', 'matmul', ...args, '--quiet', '--out', out);
      expect(run.stdout).toMatch(/batch +n +median +std +.*CV +.*min–max/);
      expect(run.stdout).toMatch(/^ {2}16 +3 +[\d.]+ [nµm]?s/m);
      expect(run.stdout).toMatch(/^ {2}32 +3 +[\d.]+ [nµm]?s/m);
      expect(run.stdout).toContain('verified in 6 launches');
      for (const line of run.stdout.split('\n')) {
        if (!line.includes(out)) expect(line.length).toBeLessThanOrEqual(80);
      }
    }));
});

describe('bad usage of pi-bench sweep, and of flags that stop one', () => {
  const given: readonly (readonly [args: readonly string[], says: RegExp])[] = [
    [['sweep'], /say what to sweep: matmul, memory, latency, peak/],
    [['sweep', 'nothing'], /there is no indicator "nothing"; there is matmul, memory, latency, peak/],
    [['sweep', 'matmul', '--size', '64,,128'], /--size has an empty value/],
    [['sweep', 'matmul', '--size', '128..64'], /--size takes ranges such as/],
    [['sweep', 'matmul', '--size', '64,0'], /--size takes a whole number of at least 1/],
    [['sweep', 'matmul', '--size', '1..999+1', '--reps', '1..99+1'], /make 98901 batches.*at most 10000/],
    [['sweep', 'matmul', '--device', 'cpu,tpu:0'], /--device tpu:0 is unknown; there is cpu/],
    [['matmul', '--size', '64', '--precision', '2'], /--precision takes a share such as 1%/],
    [['matmul', '--size', '64', '--budget', '60'], /--budget takes a time such as/],
    [['matmul', '--size', '64', '--labels', 'Site=a'], /--labels takes names in small letters/],
    [['matmul', '--size', '64', '--labels', 'cpus=a'], /the label cpus is pi-bench's own/],
  ];
  let runs: readonly Run[] = [];
  beforeAll(async () => {
    runs = await piBenchEach(given.map(([args]) => args));
  });

  it.each(given)('refuses %j in one line', (args, says) => {
    const run = runs[given.findIndex(([one]) => one === args)];
    expect(run?.code).toBe(64);
    expect(run?.stdout).toBe('');
    expect(run?.stderr.trim().split('\n')).toHaveLength(1);
    expect(run?.stderr).toMatch(says);
  });
});

describe('--precision', () => {
  /** More than the rule needs before it can say anything. */
  const LAUNCHES = 10;

  it('goes on after kill -9 with the launches that it has', () =>
    withFolder(async (out) => {
      const asked = ['--size', '64', '--precision', '0.0001%', '--inspections', String(LAUNCHES), ...ALONE];
      const args = [...asked, '--seed', '5', '--quiet', '--json', '--out', out];
      const running = startPiBench(['matmul', ...args]);
      const folder = await until(() => {
        const [name] = readdirSync(out);
        const at = join(out, name ?? '');
        const begun = name !== undefined && existsSync(join(at, 'journal.ndjson'));
        return begun && journalOf(at).some(({ event }) => event === 'ended') ? at : undefined;
      }, 'the end of a launch');
      killAll(running.child.pid ?? 0);
      await running.ended;
      const done = journalOf(folder).filter(({ event }) => event === 'ended').length;
      const run = await piBench('resume', folder, '--quiet', '--json');
      expect(run.code).toBe(0);
      const record = json(run.stdout);
      expect(record.batches[0]?.measured).toBe(LAUNCHES);
      const starts = journalOf(folder).filter(({ event }) => event === 'started').length;
      expect(starts).toBeLessThanOrEqual(LAUNCHES + 1);
      expect(done).toBeGreaterThan(0);
      expect(done).toBeLessThan(LAUNCHES);
    }));
});

const CAMPAIGN = `
name: two-things
labels: {site: lab}
seed: 7
defaults: {inspections: 2, warmup: 5}
measure:
  - indicator: matmul
    parameters: {size: [16, 32], threads: 1}
    repetitions: 20
    labels: {rack: "3"}
  - indicator: memory
    parameters: {operation: read, bytes: 64KiB, threads: 1}
    repetitions: 3
`;

describe('pi-bench run', () => {
  it('measures what the file asks for, with its labels', () =>
    withFolder(async (out) => {
      const file = join(out, 'campaign.yaml');
      writeFileSync(file, CAMPAIGN);
      const run = await piBench('run', file, '--quiet', '--json', '--out', join(out, 'results'));
      expect(run.stderr).toBe('');
      expect(run.code).toBe(0);
      const record = json(run.stdout);
      expect(record.campaign.id).toMatch(/-two-things-/);
      expect(record.campaign.seed).toBe(7);
      expect(record.batches.map(({ case: { indicator }, measured }) => [indicator, measured])).toEqual([
        ['matmul', 2],
        ['matmul', 2],
        ['memory', 2],
      ]);
      const rates = record.kpis.filter(({ name }) => name.includes('_rate_'));
      expect(rates.every(({ labels }) => labels.site === 'lab')).toBe(true);
      expect(new Set(rates.map(({ labels }) => labels.rack))).toEqual(new Set(['3', null]));
      const journal = readFileSync(join(campaignFolder(join(out, 'results')), 'journal.ndjson'), 'utf8');
      expect(journal).toContain('"rack":"3"');
    }));

  it('prints what it would measure with --dry-run, and measures nothing', () =>
    withFolder(async (out) => {
      const file = join(out, 'campaign.json');
      writeFileSync(
        file,
        JSON.stringify({
          budget: '10min',
          measure: [
            { indicator: 'matmul', parameters: { size: '16..64' }, repetitions: 5 },
            {
              indicator: 'matmul',
              parameters: { size: 32, dtype: 'float64' },
              precision: '1%',
              inspections: 100,
            },
            { indicator: 'peak', parameters: { dtype: 'float64' }, duration: '20ms' },
          ],
        }),
      );
      const run = await piBench('run', file, '--dry-run', '--out', join(out, 'results'));
      expect(run.code).toBe(0);
      const unfolded = run.stdout.replaceAll('\n  ', ' ');
      expect(unfolded.match(/6 launches of 5 repetitions/g)).toHaveLength(3);
      // What it may cost, as far as anybody can know before.
      expect(unfolded).toMatch(
        /^of 1 batch the repetitions take 120 ms in all, more only where few of them do$/m,
      );
      expect(unfolded).toMatch(/^of 1 batch the first three launches decide how long the others are$/m);
      expect(unfolded).toMatch(
        /^of 3 batches the number of repetitions is fixed, and their time not known$/m,
      );
      expect(unfolded).toMatch(/^at most 10 min.* \(budget\): no launch is begun that would end after it$/m);
      for (const line of run.stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
      const asJson = await piBench('run', file, '--dry-run', '--json');
      expect([asJson.code, asJson.stdout]).toEqual([64, '']);
      expect(asJson.stderr).toMatch(/: --dry-run makes no record that --json could print: leave one/);
      expect(() => campaignFolder(join(out, 'results'))).toThrow();
    }));

  it('names the line of what is wrong with a value', () =>
    withFolder(async (out) => {
      const file = join(out, 'campaign.yaml');
      const said = async (...change: readonly [string, string]): Promise<string> => {
        writeFileSync(file, CAMPAIGN.replace(...change));
        const run = await piBench('run', file, '--out', join(out, 'results'));
        expect(run.code).toBe(64);
        return run.stderr;
      };
      expect(await said('[16, 32]', '[16, none]')).toBe(
        `pi-bench: ${file}:7: --size takes a whole number of at least 1, such as 512, 2k or 4Ki, or memory with its unit, such as 64MiB; got "none"\n`,
      );
      expect(await said('rack: "3"', 'cpus: "3"')).toBe(
        `pi-bench: ${file}:7: the label cpus is pi-bench's own: give yours another name\n`,
      );
    }));
});
