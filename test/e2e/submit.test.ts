/** Submissions to a real Slurm of three nodes on this machine. */
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SubmissionSummary } from '../../src/submit/summary.js';
import { tinyLibrary, waitingLibrary } from '../support/libraries.js';
import { nobodyIn } from '../support/nobody.js';
import {
  campaignFolder,
  type Run,
  readRecordFile,
  startPiBench,
  until,
  withFolder,
} from '../support/pi-bench.js';
import { type Slurm, startSlurm } from '../support/slurm.js';
import { there } from '../support/there.js';

const matmul = (size: number, reps: number): readonly string[] => [
  ...['matmul', '--size', String(size), '--reps', String(reps)],
  ...['--inspections', '1', '--threads', '1', '--warmup', '5'],
];
const SHORT = matmul(64, 100);
/** Nodes have an empty folder in its place. */
const hidden = mkdtempSync(join(tmpdir(), 'pi-bench-hidden-'));

let slurm: Slurm | null = null;
let why = '';

/** Root passes the one; without accounting nobody has the account that the other asks for. */
const PARTITIONS = [
  'PartitionName=closed Nodes=ALL AllowGroups=root State=UP',
  'PartitionName=paid Nodes=ALL AllowAccounts=research State=UP',
];

beforeAll(async () => {
  const started = await startSlurm({ hidden: [hidden], configuration: () => PARTITIONS });
  if (typeof started === 'string') why = started;
  else slurm = started;
});
afterAll(async () => {
  await slurm?.stop();
  rmSync(hidden, { recursive: true, force: true });
});

interface Submitted {
  readonly run: Run;
  readonly folder: string;
  readonly nodes: ReadonlyMap<string, SubmissionSummary['nodes'][number]>;
}

function submittedIn(run: Run, folder: string): Submitted {
  const summary = JSON.parse(run.stdout) as SubmissionSummary;
  return { run, folder, nodes: new Map(summary.nodes.map((node) => [node.target, node])) };
}

const start = (env: NodeJS.ProcessEnv, out: string, ...args: readonly string[]) =>
  startPiBench(['submit', 'slurm', '--json', '--out', out, ...args], tmpdir(), env);

async function submit(env: NodeJS.ProcessEnv, out: string, ...args: readonly string[]): Promise<Submitted> {
  const run = await start(env, out, ...args).ended;
  if (run.stdout === '') throw new Error(run.stderr);
  return submittedIn(run, campaignFolder(out));
}

const flagsOf = (folder: string, node: string): readonly string[] =>
  readRecordFile(join(folder, 'nodes', node)).batches.flatMap(({ flags }) => flags.map(({ name }) => name));

describe('a submission to Slurm', () => {
  it('brings a record of each node: one that is slow has its flag, one that computes wrongly is named', async ({
    skip,
  }) => {
    if (slurm === null) return skip(why);
    const { env, limitCpu } = slurm;
    await withFolder(async (out) => {
      const limited = limitCpu('n2', 0.25);
      const library = tinyLibrary(out, 'tiny', 'WRONG_ON="n3"');
      const asked = [...matmul(96, 300), '--stack', `cblas:${library}`];
      const { run, folder, nodes } = await submit(env, join(out, 'results'), '--nodes', 'all', ...asked);
      expect(nodes.get('n1')).toMatchObject({ status: 'done', node: 'n1', record: 'nodes/n1/record.json' });
      expect(nodes.get('n2')?.status).toBe('done');
      expect(nodes.get('n3')).toMatchObject({ status: 'wrong', exitCode: 3 });
      expect(run.code).toBe(1);
      if (limited === null) {
        expect(flagsOf(folder, 'n2')).toContain('throttled');
        expect(flagsOf(folder, 'n1')).not.toContain('throttled');
      }
      // All that a campaign leaves came along, so every reader of ours can read it.
      expect(existsSync(join(folder, 'nodes', 'n1', 'inspections', '0.npz'))).toBe(true);
    });
  });

  it('whose pi-bench is killed is gone on with by resume, which hands nothing over again', async ({
    skip,
  }) => {
    if (slurm === null) return skip(why);
    const { env } = slurm;
    await withFolder(async (out) => {
      const go = join(out, 'go');
      const asked = [...matmul(16, 10), '--stack', `cblas:${waitingLibrary(out, go)}`];
      const results = join(out, 'results');
      const running = start(env, results, '--nodelist', 'n1,n3', ...asked);
      const folder = await until(() => {
        const [name] = existsSync(results) ? readdirSync(results) : [];
        const path = join(results, name ?? '', 'submission.ndjson');
        return name !== undefined && existsSync(path) && readFileSync(path, 'utf8').includes('"submitted"')
          ? join(results, name)
          : undefined;
      }, 'the submission');
      process.kill(running.child.pid ?? 0, 'SIGKILL');
      await running.ended;
      writeFileSync(go, '');
      const resumed = await startPiBench(['resume', folder, '--json'], out, env).ended;
      const { nodes } = submittedIn(resumed, folder);
      expect([...nodes.values()].map(({ status }) => status)).toEqual(['done', 'done']);
      expect(resumed.code).toBe(0);
      const journal = readFileSync(join(folder, 'submission.ndjson'), 'utf8');
      expect(journal.match(/"event":"submitted"/g)).toHaveLength(1);
    });
  });

  it('killed while its jobs are still held is gone on with by resume, which binds these to their nodes', async ({
    skip,
  }) => {
    if (slurm === null) return skip(why);
    const { env, command } = slurm;
    await withFolder(async (out) => {
      const results = join(out, 'results');
      // It is waited for while it is told which job goes where.
      const asked = join(out, 'asked');
      const slow = `#!/bin/sh\n[ "$1" = --quiet ] && : >'${asked}' && exec sleep 600\nPATH='${env.PATH}' exec scontrol "$@"\n`;
      writeFileSync(join(out, 'scontrol'), slow, { mode: 0o755 });
      const running = start(
        { ...env, PATH: `${out}:${env.PATH}` },
        results,
        '--nodelist',
        'n1,n3',
        ...matmul(16, 10),
      );
      await until(() => (existsSync(asked) ? true : undefined), 'the jobs');
      process.kill(-there(running.child.pid, 'pi-bench'), 'SIGKILL');
      await running.ended;
      const held = command('squeue', '--noheader', '--array', '--format=%i %r').trim().split('\n').toSorted();
      const [array] = there(held[0], 'job').split('_');
      expect(held).toEqual([0, 1].map((task) => `${array}_${task} JobHeldUser`));

      const folder = campaignFolder(results);
      const { nodes, run } = submittedIn(
        await startPiBench(['resume', folder, '--json'], out, env).ended,
        folder,
      );
      expect([...nodes].map(([name, { status, node }]) => [name, status, node])).toEqual([
        ['n1', 'done', 'n1'],
        ['n3', 'done', 'n3'],
      ]);
      expect(run.code).toBe(0);
      const journal = readFileSync(join(folder, 'submission.ndjson'), 'utf8');
      const ids = [...journal.matchAll(/"job":"([^"]*)"/g)].map(([, id]) => id);
      expect(ids.toSorted()).toEqual([`${array}_0`, `${array}_1`]);
    });
  });

  it.for([
    'mpirun.openmpi',
    'mpirun.mpich',
  ])('may be of ranks of MPI on each node, whose job is of one task: %s', (launcher, { skip }) =>
    withFolder(async (out) => {
      if (slurm === null) return skip(why);
      const asked = ['collective', 'all-reduce', '--transport', 'mpi', '--ranks', '2', '--bytes', '1KiB'];
      const few = ['--launcher', launcher, '--reps', '20', '--inspections', '1'];
      const { run, nodes } = await submit(
        slurm.env,
        join(out, 'results'),
        '--nodelist',
        'n1',
        ...asked,
        ...few,
      );
      expect(nodes.get('n1'), run.stderr).toMatchObject({ status: 'done' });
      expect(run.code).toBe(0);
    }));

  it('through srun goes on with resume on a login node that does not have the launcher', async ({ skip }) => {
    if (slurm === null) return skip(why);
    const { env } = slurm;
    await withFolder(async (out) => {
      const go = join(out, 'go');
      const asked = [...matmul(16, 10), '--stack', `cblas:${waitingLibrary(out, go)}`];
      const results = join(out, 'results');
      const running = start(env, results, '--nodelist', 'n2', '--via', 'srun', ...asked);
      const folder = await until(() => {
        const [name = ''] = existsSync(results) ? readdirSync(results) : [];
        const begun = join(results, name, 'attempts', 'n2.1', 'results');
        return existsSync(begun) ? join(results, name) : undefined;
      }, 'the campaign on n2');
      process.kill(running.child.pid ?? 0, 'SIGKILL');
      await running.ended;
      // There its number is nobody's.
      const path = join(folder, 'submission.ndjson');
      const journal = readFileSync(path, 'utf8');
      writeFileSync(path, journal.replace(/"job":"\d+"/, '"job":"99999999"'));
      const resumed = startPiBench(['resume', folder, '--json'], out, env);
      await until(() => (resumed.stderr().includes('1 node running') ? true : undefined), 'its job');
      writeFileSync(go, '');
      const { nodes, run } = submittedIn(await resumed.ended, folder);
      expect(nodes.get('n2')).toMatchObject({ status: 'done', lostAttempts: [] });
      expect(run.code).toBe(0);
    });
  });

  it('names a node that is lost in mid-run with Slurm’s reason, and tries it as often as it was told', async ({
    skip,
  }) => {
    if (slurm === null) return skip(why);
    const { env, command } = slurm;
    await withFolder(async (out) => {
      const go = join(out, 'go');
      const asked = [...matmul(16, 10), '--stack', `cblas:${waitingLibrary(out, go)}`];
      const results = join(out, 'results');
      const running = start(env, results, '--nodelist', 'n1,n2', '--retries', '1', ...asked);
      // Only once: the second attempt is left alone. No job ends before it is killed.
      const job = await until(() => {
        const listed = command(
          'squeue',
          '--noheader',
          '--array',
          '--states=running',
          '--nodelist=n2',
          '--format=%i',
        );
        return listed.trim() === '' ? undefined : listed.trim();
      }, 'a job on n2');
      command('scancel', '--signal=KILL', '--full', job);
      const journal = join(campaignFolder(results), 'submission.ndjson');
      const isLost = (): boolean => /"event":"ended","target":"n2"/.test(readFileSync(journal, 'utf8'));
      await until(() => (isLost() ? true : undefined), 'the loss of n2');
      writeFileSync(go, '');
      const run = await running.ended;
      const { nodes } = submittedIn(run, campaignFolder(results));
      expect(nodes.get('n2')).toMatchObject({ status: 'done', lostAttempts: [{ attempt: 1 }] });
      expect(nodes.get('n2')?.lostAttempts[0]?.reason).toMatch(/killed by signal 9|the job was cancelled/);
      expect(nodes.get('n1')).toMatchObject({ status: 'done', lostAttempts: [] });
      expect(run.stderr).toMatch(/n2: lost: .*; once more/);
      expect(run.code).toBe(0);
    });
  });

  it('by a number of nodes of a reservation runs on those, and one without it on others', async ({
    skip,
  }) => {
    if (slurm === null) return skip(why);
    const { env, command } = slurm;
    const make = ['users=root', 'starttime=now', 'duration=60', 'nodes=n3', 'flags=ignore_jobs'];
    command('scontrol', 'create', 'reservation=rack', ...make);
    try {
      const state = (): string => command('sinfo', '--noheader', '--Node', '--nodes=n3', '--format=%T');
      await until(() => (state().includes('reserved') ? true : undefined), 'the reservation');
      await withFolder(async (out) => {
        const asked = ['--nodes', '1', '--reservation', 'rack', ...SHORT];
        const { run, nodes } = await submit(env, out, ...asked);
        expect([...nodes].map(([name, { status }]) => [name, status])).toEqual([['n3', 'done']]);
        expect(run.code).toBe(0);
        const others = await start(env, out, '--nodes', '2', '--dry-run', ...SHORT).ended;
        expect([...others.stdout.matchAll(/ReqNodeList=(\w+)/g)].map(([, name]) => name)).toEqual([
          'n1',
          'n2',
        ]);
        const three = await start(env, out, '--nodes', '3', '--dry-run', ...SHORT).ended;
        expect(three.stderr).toMatch(
          /and 2 of the default partition can run .* \(n3: the node is reserved\)\n$/,
        );
        expect(three.code).toBe(64);
      });
    } finally {
      command('scontrol', 'delete', 'reservation=rack');
    }
  });

  it('that Slurm refuses is one line with its own words, and leaves nothing in the queue', async ({
    skip,
  }) => {
    if (slurm === null) return skip(why);
    const { env, command } = slurm;
    await withFolder(async (out) => {
      const nobodys = ['--reservation', 'nobodys', ...SHORT];
      const refused = await start(env, out, '--nodelist', 'n1', ...nobodys).ended;
      expect(refused.stderr).toMatch(/pi-bench: sbatch refuses: .*[Rr]eservation.* invalid/);
      expect(refused.code).toBe(64);
      const unknown = await start(env, out, '--nodes', '1', ...nobodys).ended;
      expect(unknown.stderr).toMatch(/pi-bench: scontrol refuses: Reservation nobodys not found; see `/);
      expect(unknown.code).toBe(64);
      expect(command('squeue', '--noheader', '--states=pending,running')).toBe('');
      const absent = await start({ ...env, PATH: '/nowhere' }, out, '--nodes', '1', ...SHORT).ended;
      expect(absent.stderr).toContain('pi-bench: sinfo is not installed here, or not in PATH');
      expect(readdirSync(out)).toEqual([]);
      const typo = await start(env, out, '--nodes', '1', 'matmul', '--sise', '64').ended;
      expect(typo.stderr).toMatch(/unknown argument --sise;/);
      expect(typo.code).toBe(64);
    });
  });
});

describe('a user without permission', () => {
  it('is told by one line what Slurm refuses and where to look, and leaves nothing behind', async ({
    skip,
  }) => {
    if (slurm === null) return skip(why);
    const { env, command } = slurm;
    await withFolder(async (out) => {
      chmodSync(out, 0o755);
      const home = join(out, 'home');
      const nobody = nobodyIn(home, env);
      if (typeof nobody === 'string') return skip(nobody);
      command(
        'scontrol',
        'create',
        'reservation=others',
        'users=root',
        'starttime=now',
        'duration=60',
        'nodes=n3',
        // What ran there a moment ago may not be quite over.
        'flags=ignore_jobs',
      );
      const cases = [
        [
          ['--partition', 'closed'],
          'sbatch',
          /User's group not permitted to use this partition; see AllowGroups/,
        ],
        [
          ['--partition', 'closed', '--via', 'srun'],
          'srun',
          /User's group not permitted .*; see AllowGroups/,
        ],
        [
          ['--reservation', 'others'],
          'sbatch',
          /Access denied to requested reservation; see `scontrol show res/,
        ],
        [['--partition', 'paid', '--account', 'x'], 'sbatch', /Invalid account .*; see `sacctmgr show assoc/],
      ] as const;
      try {
        for (const [flags, program, words] of cases) {
          const refused = await nobody('submit', 'slurm', '--nodelist', 'n1,n2', ...flags, ...SHORT).ended;
          expect(refused.stderr).toMatch(/^pi-bench: [^\n]*\n$/);
          expect(refused.stderr).toContain(`pi-bench: ${program} refuses: `);
          expect(refused.stderr).toMatch(words);
          expect(refused.code).toBe(64);
        }
      } finally {
        command('scontrol', 'delete', 'reservation=others');
      }
      expect(readdirSync(join(home, 'results'))).toEqual([]);
      expect(command('squeue', '--noheader', '--states=pending,running')).toBe('');
    });
  });

  it('who loses it in mid-run goes on when it is given back: what ran has run once', async ({ skip }) => {
    if (slurm === null) return skip(why);
    const { env, command } = slurm;
    await withFolder(async (out) => {
      chmodSync(out, 0o755);
      const home = join(out, 'home');
      const nobody = nobodyIn(home, env);
      if (typeof nobody === 'string') return skip(nobody);
      const allow = (groups: string) =>
        command('scontrol', 'update', 'partition=closed', `AllowGroups=${groups}`);
      const go = join(home, 'go');
      const asked = [...matmul(16, 10), '--stack', `cblas:${waitingLibrary(out, go)}`];
      try {
        allow('ALL');
        const how = ['--partition', 'closed', '--nodelist', 'n1,n2', '--retries', '1'];
        const running = nobody('submit', 'slurm', ...how, ...asked);
        const squeue = [
          'squeue',
          '--noheader',
          '--array',
          '--user=nobody',
          '--states=running',
          '--format=%i',
        ];
        const job = await until(() => {
          const both =
            command(...squeue)
              .trim()
              .split('\n').length === 2;
          return both ? command(...squeue, '--nodelist=n2').trim() : undefined;
        }, 'a job on each node');
        allow('root');
        command('scancel', '--signal=KILL', '--full', job);
        const refused = await running.ended;
        expect(refused.stderr).toMatch(/n2: lost: .*; once more\n/);
        const folder = campaignFolder(join(home, 'results'));
        expect(refused.stderr).toContain(`pi-bench: pi-bench resume ${folder} goes on from here\n`);
        expect(refused.stderr).toMatch(/\npi-bench: sbatch refuses: User's group not permitted [^\n]*\n$/);
        expect(refused.code).toBe(64);
        allow('ALL');
        writeFileSync(go, '');
        const { nodes, run } = submittedIn(await nobody('resume', folder, '--json').ended, folder);
        expect(nodes.get('n1')).toMatchObject({ status: 'done', lostAttempts: [] });
        expect(nodes.get('n2')).toMatchObject({ status: 'done', lostAttempts: [{ attempt: 1 }] });
        expect(run.code).toBe(0);
      } finally {
        allow('root');
      }
    });
  });
});

describe('nodes that do not see the results folder', () => {
  it('send their results through srun, with the campaign file that they were told to run', async ({
    skip,
  }) => {
    if (slurm === null) return skip(why);
    if (slurm.isolated !== true) return skip(`nodes cannot be given folders of their own: ${slurm.isolated}`);
    writeFileSync(
      join(hidden, 'campaign.yaml'),
      'measure:\n  - { indicator: matmul, repetitions: 100, inspections: 1, warmup: 5, parameters: { size: 64, threads: 1 } }\n',
    );
    const args = ['--nodes', '2', '--via', 'srun', 'run', 'campaign.yaml'];
    const run = await startPiBench(['submit', 'slurm', '--json', ...args], hidden, slurm.env).ended;
    const folder = campaignFolder(join(hidden, 'results'));
    const { nodes } = submittedIn(run, folder);
    expect([...nodes.values()].map(({ status }) => status)).toEqual(['done', 'done']);
    expect(run.code).toBe(0);
    for (const { record } of nodes.values()) {
      expect(existsSync(join(folder, record ?? '', '..', 'inspections', '0.npz'))).toBe(true);
    }
  });

  it('cannot be reached by sbatch, and the reason says what can', async ({ skip }) => {
    if (slurm === null) return skip(why);
    if (slurm.isolated !== true) return skip(`nodes cannot be given folders of their own: ${slurm.isolated}`);
    const { run, nodes } = await submit(slurm.env, join(hidden, 'batch'), '--nodelist', 'n1', ...SHORT);
    expect(nodes.get('n1')).toMatchObject({ status: 'lost', record: null });
    expect(nodes.get('n1')?.reason).toContain('--via srun');
    expect(run.code).toBe(2);
  });
});
