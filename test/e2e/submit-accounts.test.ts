/** Submissions to a real Slurm with accounting: slurmdbd and its database, where each job needs an account that knows its user. */
import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SubmissionSummary } from '../../src/submit/summary.js';
import { waitingLibrary } from '../support/libraries.js';
import { nobodyIn } from '../support/nobody.js';
import { campaignFolder, startPiBench, until, withFolder } from '../support/pi-bench.js';
import { type Slurm, startSlurm } from '../support/slurm.js';

const matmul = (size: number, reps: number): readonly string[] => [
  ...['matmul', '--size', String(size), '--reps', String(reps)],
  ...['--inspections', '1', '--threads', '1', '--warmup', '5'],
];
/** Seconds after which the controller forgets what has ended. */
const MEMORY_S = 2;

let slurm: Slurm | null = null;
let why = '';

beforeAll(async () => {
  const started = await startSlurm({
    nodes: 2,
    accounting: true,
    configuration: () => [`MinJobAge=${MEMORY_S}`],
  });
  if (typeof started === 'string') why = started;
  else slurm = started;
});
afterAll(async () => {
  await slurm?.stop();
});

const nodesOf = (stdout: string): SubmissionSummary['nodes'] =>
  (JSON.parse(stdout) as SubmissionSummary).nodes;

const manage = ({ command }: Slurm, ...words: readonly string[]): string =>
  command('sacctmgr', '--immediate', ...words);

describe('a user whom no account knows', () => {
  it('is told so in one line, with what Slurm said and where to look, until one does', async ({ skip }) => {
    if (slurm === null) return skip(why);
    const { env, command } = slurm;
    await withFolder(async (out) => {
      chmodSync(out, 0o755);
      const home = join(out, 'home');
      const nobody = nobodyIn(home, env);
      if (typeof nobody === 'string') return skip(nobody);
      const submit = (...flags: readonly string[]) =>
        nobody('submit', 'slurm', '--nodelist', 'n1,n2', '--json', ...flags, ...matmul(16, 20)).ended;
      const isRefused = async (flags: readonly string[], words: RegExp): Promise<void> => {
        const { stderr, stdout, code } = await submit(...flags);
        expect(stderr).toMatch(/^pi-bench: (?:sbatch|srun) refuses: [^\n]*\n$/);
        expect(stderr).toMatch(words);
        expect({ stdout, code }).toEqual({ stdout: '', code: 64 });
      };
      const ACCOUNT = /Invalid account or account\/partition combination specified; see `sacctmgr show assoc/;
      await isRefused([], ACCOUNT);
      await isRefused(['--via', 'srun'], ACCOUNT);
      manage(slurm as Slurm, 'add', 'account', 'lab', 'cluster=pibench');
      manage(slurm as Slurm, 'add', 'account', 'others', 'cluster=pibench');
      manage(slurm as Slurm, 'add', 'user', 'nobody', 'account=lab');
      await isRefused(['--account', 'others'], ACCOUNT);
      await isRefused(['--qos', 'fast'], /Invalid qos specification; see `sacctmgr show assoc.*--qos/);
      expect(readdirSync(join(home, 'results'))).toEqual([]);
      expect(command('squeue', '--noheader', '--states=pending,running')).toBe('');

      const run = await submit('--account', 'lab');
      expect(run.stderr).not.toMatch(/refuses/);
      expect(nodesOf(run.stdout).map(({ status }) => status)).toEqual(['done', 'done']);
      expect(run.code).toBe(0);

      // Two jobs at once are one too many.
      manage(slurm as Slurm, 'modify', 'user', 'nobody', 'set', 'maxsubmitjobs=1');
      await isRefused(['--account', 'lab'], /accounting\/QOS policy.*; see `sacctmgr show qos`/);
    });
  });
});

describe('a job that ended while nobody followed it', () => {
  it('has the reason that accounting kept, when the controller has forgotten it', async ({ skip }) => {
    if (slurm === null) return skip(why);
    const { env, command } = slurm;
    manage(slurm, 'add', 'account', 'operators', 'cluster=pibench');
    manage(slurm, 'add', 'user', 'root', 'account=operators');
    await withFolder(async (out) => {
      const results = join(out, 'results');
      const asked = [...matmul(16, 10), '--stack', `cblas:${waitingLibrary(out, join(out, 'go'))}`];
      const submission = ['submit', 'slurm', '--json', '--out', results, '--nodelist', 'n1', ...asked];
      const running = startPiBench(submission, tmpdir(), env);
      const job = await until(() => {
        const listed = command('squeue', '--noheader', '--array', '--states=running', '--format=%i').trim();
        return listed === '' ? undefined : listed;
      }, 'a job');
      const folder = campaignFolder(results);
      const journal = join(folder, 'submission.ndjson');
      await until(
        () =>
          existsSync(journal) && readFileSync(journal, 'utf8').includes('"submitted"') ? true : undefined,
        'what was submitted',
      );
      process.kill(running.child.pid ?? 0, 'SIGKILL');
      await running.ended;
      command('scancel', job);
      await until(() => {
        try {
          command('scontrol', 'show', 'job', job);
          return undefined;
        } catch {
          return true;
        }
      }, 'the controller to forget it');
      const resumed = await startPiBench(['resume', folder, '--json'], out, env).ended;
      // It depends on how far the job had come whether it left a part of its campaign.
      expect(nodesOf(resumed.stdout)).toMatchObject([
        {
          target: 'n1',
          status: expect.stringMatching(/^(lost|incomplete)$/),
          reason: expect.stringContaining('the job was cancelled'),
        },
      ]);
      expect(resumed.code).toBe(2);
    });
  });
});
