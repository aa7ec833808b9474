import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitingLibrary } from '../support/libraries.js';
import {
  journalOf,
  killAll,
  launcher,
  matmulRecord,
  piBench,
  readRecordFile,
  start,
  startPiBench,
  until,
  withFolder,
} from '../support/pi-bench.js';

/** Sockets end at a network namespace; the lock of a folder takes a program. */
const canPartNetworks = spawnSync('unshare', ['--net', 'flock', '--help'], { stdio: 'ignore' }).status === 0;
if (!canPartNetworks) console.warn('skipped: there is no flock, or no network can be made here');

const LAUNCHES = 3;
/** From the beginning of a campaign to its end: what there is of it when it is killed. */
const MOMENTS: readonly (readonly [what: string, isThere: (campaign: string) => boolean])[] = [
  ['the first line of its journal', (campaign) => journalOf(campaign).length > 0],
  ['the first document', (campaign) => existsSync(join(campaign, 'inspections', '0.json'))],
  ['the start of the second launch', (campaign) => startsIn(campaign) > 1],
  ['the end of the last launch', (campaign) => doneIn(campaign).length === LAUNCHES],
];
/** Of one thread: each call of two waits until both have a CPU, which takes long beside other tests. */
const ARGS = [
  '--threads',
  '1',
  '--size',
  '96',
  '--reps',
  '1500',
  '--inspections',
  String(LAUNCHES),
  '--seed',
  '11',
  '--warmup',
  '50',
];

/** Keys whose values are times, or follow from times, or name this one campaign. */
const OWN = new Set([
  'id',
  'campaign',
  'createdAt',
  'timestamp',
  'endedAt',
  'digest',
  'sha256',
  'stack_sha256',
  'accounting',
  'spans',
  'command',
  // What the machine happened to do.
  'flags',
  'notChecked',
  'reason',
  'violin',
  'box',
  'machine',
  'callsPerSample',
  // Null where a run's samples showed no spread between its launches.
  'bestRepetitions',
  'launchesForOnePercentAtBest',
  // Null, or found another way, where launches tie at the clock's step.
  'lag1',
  'skew',
  'method',
]);

/** The document without what differs between two undisturbed runs: every measured number becomes its type. */
function shapeOf(value: unknown, key = ''): unknown {
  if (OWN.has(key)) return key;
  if (Array.isArray(value)) return value.map((item) => shapeOf(item));
  if (value !== null && typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, shapeOf(item, name)]));
  }
  const exact = [
    'n',
    'm',
    'k',
    'index',
    'inspections',
    'planned',
    'measured',
    'seed',
    'threads',
    'repetitions',
    'flop',
    'bytes',
    'schemaVersion',
    'checked',
    'wrong',
  ];
  return typeof value === 'number' && !exact.includes(key) ? 'number' : value;
}

function hashes(folder: string): Record<string, string> {
  const files = readdirSync(join(folder, 'inspections')).filter((name) => name.endsWith('.json'));
  return Object.fromEntries(
    files.map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(join(folder, 'inspections', name)))
        .digest('hex'),
    ]),
  );
}

/** The folder of the only campaign below `out`, when it has a journal and this is there. */
const campaignWith = (out: string, what: string, isThere: (campaign: string) => boolean): Promise<string> =>
  until(() => {
    const [campaign] = existsSync(out) ? readdirSync(out).map((name) => join(out, name)) : [];
    const began = campaign !== undefined && existsSync(join(campaign, 'journal.ndjson'));
    return began && isThere(campaign) ? campaign : undefined;
  }, what);

const startsIn = (folder: string): number =>
  journalOf(folder).filter(({ event }) => event === 'started').length;

const firstLaunch = (out: string): Promise<string> =>
  campaignWith(out, 'the first launch', (campaign) => startsIn(campaign) > 0);

/** A campaign whose first launch has begun, and goes on when there is a file `go`. */
async function measuringAndWaiting(scratch: string) {
  const go = join(scratch, 'go');
  const library = waitingLibrary(scratch, go);
  const out = join(scratch, 'results');
  const few = ['--size', '16', '--reps', '5', '--warmup', '2', '--threads', '1', '--timeout', '1000h'];
  const what = [...few, '--inspections', String(LAUNCHES), '--stack', `cblas:${library}`];
  const running = startPiBench(['matmul', '--quiet', '--out', out, ...what]);
  return { go, running, folder: await firstLaunch(out) };
}

/** Whole documents of launches that the journal calls done, or that only wait to be noted. */
const doneIn = (folder: string): string[] =>
  journalOf(folder).flatMap(({ event, index }) => (event === 'ended' ? [`${index}.json`] : []));

describe('resume after kill -9 of everything', () => {
  let whole: Awaited<ReturnType<typeof matmulRecord>>;
  let scratch = '';
  beforeAll(async () => {
    scratch = mkdtempSync(join(tmpdir(), 'pi-bench-e2e-resume-'));
    whole = await matmulRecord(scratch, ...ARGS);
  });
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));

  it.each(
    MOMENTS,
  )('at %s ends with the document of an undisturbed run, and repeats nothing that was done', (what, isThere) =>
    withFolder(async (out) => {
      const running = startPiBench(['matmul', '--quiet', '--json', '--out', out, ...ARGS]);
      const campaign = await campaignWith(out, what, isThere);
      killAll(running.child.pid ?? 0);
      await running.ended;
      const done = doneIn(campaign);
      const before = hashes(campaign);
      const resumed = await piBench('resume', campaign, '--quiet', '--json');
      expect(resumed.stderr.replace(/^.*cut off by the kill.*\n/, '')).toBe('');
      expect(resumed.code).toBe(0);
      expect(shapeOf(JSON.parse(resumed.stdout))).toEqual(shapeOf(whole.record));
      const after = hashes(campaign);
      for (const name of done) expect(after[name]).toBe(before[name]);
      // A document that was whole before the kill was not measured again either.
      expect(startsIn(campaign) - LAUNCHES).toBeLessThanOrEqual(1);
      expect(Object.keys(after)).toHaveLength(LAUNCHES);
    }));

  it('may itself be killed and resumed', () =>
    withFolder(async (out) => {
      const running = startPiBench(['matmul', '--quiet', '--json', '--out', out, ...ARGS]);
      const folder = await firstLaunch(out);
      killAll(running.child.pid ?? 0);
      await running.ended;
      const again = startPiBench(['resume', folder, '--quiet', '--json']);
      await campaignWith(out, 'a launch of the second attempt', (campaign) => {
        const lines = journalOf(campaign).map(({ event }) => event);
        return lines.includes('resumed') && lines.lastIndexOf('started') > lines.indexOf('resumed');
      });
      killAll(again.child.pid ?? 0);
      await again.ended;
      expect((await piBench('resume', folder, '--quiet', '--json')).code).toBe(0);
      expect(readRecordFile(folder).batches[0]?.measured).toBe(LAUNCHES);
    }));

  it('refuses a campaign on which another process works, before it touches anything; show says to wait', () =>
    withFolder(async (scratch) => {
      const { go, running, folder } = await measuringAndWaiting(scratch);
      const resumed = await piBench('resume', folder, '--no-wait', '--quiet');
      expect(resumed.stderr).toMatch(/another pi-bench on this machine works on campaign/);
      expect(resumed.code).toBe(64);
      const shown = await piBench('show', folder);
      expect(shown.stderr).toMatch(/ has no record yet: another pi-bench .*; wait for its end\n$/);
      expect(shown.code).toBe(64);
      writeFileSync(go, '');
      expect((await running.ended).code).toBe(0);
      expect(journalOf(folder).some(({ event }) => event === 'resumed')).toBe(false);
      expect(readRecordFile(folder).batches[0]?.measured).toBe(LAUNCHES);
    }));

  it.skipIf(!canPartNetworks)(
    'refuses a campaign that is measured in another network, as in another container with this folder, until that is killed',
    () =>
      withFolder(async (scratch) => {
        const { go, running, folder } = await measuringAndWaiting(scratch);
        // Were it not refused it would wait for the other's library, and longer than this test.
        const elsewhere = ['60', 'unshare', '--net', process.execPath, launcher, 'resume', folder, '--quiet'];
        const resumedElsewhere = () => start('timeout', elsewhere).ended;
        const refused = await resumedElsewhere();
        expect(refused.stderr).toMatch(
          /another container or network, works on campaign \S+ \(pid \d+ on \S+, since \S+Z\): wait .* remove \S+\/lock\n$/,
        );
        expect(refused.stderr).toContain(`pid ${running.child.pid} on `);
        expect(refused.code).toBe(64);
        expect(journalOf(folder).some(({ event }) => event === 'resumed')).toBe(false);
        killAll(running.child.pid ?? 0);
        await running.ended;
        writeFileSync(go, '');
        expect((await resumedElsewhere()).code).toBe(0);
        expect(readRecordFile(folder).batches[0]?.measured).toBe(LAUNCHES);
        expect(readdirSync(folder).sort()).toEqual(['inspections', 'journal.ndjson', 'record.json']);
      }),
  );

  it('is what show advises for an interrupted campaign, but not while it is under way', () =>
    withFolder(async (scratch) => {
      const go = join(scratch, 'go');
      const library = waitingLibrary(scratch, go);
      const out = join(scratch, 'results');
      const few = ['--size', '16', '--reps', '5', '--warmup', '2', '--threads', '1', '--inspections', '2'];
      const running = startPiBench([
        'matmul',
        '--quiet',
        '--out',
        out,
        ...few,
        '--stack',
        `cblas:${library}`,
      ]);
      const folder = await firstLaunch(out);
      running.child.kill('SIGINT');
      expect((await running.ended).code).toBe(130);
      const said = async (): Promise<string> =>
        (await piBench('show', folder)).stdout.replaceAll(/\s+/g, ' ');
      expect(await said()).toContain('; pi-bench resume finishes it');
      // As of one that is at work in another network, or on another machine.
      writeFileSync(join(folder, 'lock'), 'pid 7 on pod-a, since then\n');
      expect(await said()).toContain(
        '; a lock there says that another pi-bench goes on with it (pid 7 on pod-a, since then): where that is gone, pi-bench resume finishes it',
      );
      rmSync(join(folder, 'lock'));
      const resumed = startPiBench(['resume', folder, '--quiet']);
      await until(
        () => (journalOf(folder).some(({ event }) => event === 'resumed') ? true : undefined),
        'the campaign to be resumed',
      );
      const busy = await said();
      writeFileSync(go, '');
      expect((await resumed.ended).code).toBe(0);
      expect(busy).toContain('; another pi-bench on this machine goes on with it now');
      expect(busy).not.toContain('resume');
    }));

  it('of a campaign that is complete launches nothing and gives the same result', async () => {
    const { folder, record } = whole;
    const before = hashes(folder);
    const resumed = await piBench('resume', folder, '--quiet', '--json');
    expect(resumed.code).toBe(0);
    expect(hashes(folder)).toEqual(before);
    expect(JSON.parse(resumed.stdout).batches).toEqual(record.batches);
  });

  const filesOf = (folder: string) =>
    ['record.json', 'journal.ndjson'].map((name) => readFileSync(join(folder, name), 'utf8'));

  it('leaves a campaign that is complete as it is, the time that it took included', async () => {
    const before = filesOf(whole.folder);
    // As it is printed, the record names its campaign.
    const resumed = await piBench('resume', join(whole.folder, 'record.json'), '--quiet', '--json');
    expect(resumed.code).toBe(0);
    expect(filesOf(whole.folder)).toEqual(before);
    expect(JSON.parse(resumed.stdout)).toEqual(whole.record);
  });

  it('leaves launches that failed as they are: they are a result', () =>
    withFolder(async (out) => {
      const few = ['--size', '512', '--reps', '100000', '--inspections', '2', '--timeout', '300ms'];
      const first = await piBench('matmul', '--quiet', '--json', '--out', out, ...few);
      expect(first.code).toBe(2);
      const folder = join(out, readdirSync(out)[0] ?? '');
      const before = filesOf(folder);
      const resumed = await piBench('resume', folder, '--quiet', '--json');
      expect(resumed.code).toBe(2);
      expect(filesOf(folder)).toEqual(before);
      expect(resumed.stdout).toBe(first.stdout);
    }));
});
