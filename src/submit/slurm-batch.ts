/**
 * One array of batch jobs, a task for each node. Slurm would send the tasks of an array anywhere, so the array is submitted held,
 * each task is bound to its node, and then all are released.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, systemCode, UserError } from '../errors.js';
import { makeFolder } from '../store/make-folder.js';
import { JOBS, jobName } from './names.js';
import { NoAnswer } from './no-answer.js';
import { nodeCommand, quoted, tailOf } from './node-command.js';
import { mustRun, mustTake, PATIENCE_MS, runProgram, wordsOf } from './run-program.js';
import type { Connection, Context, JobState, Settings, Submitted } from './scheduler.js';
import { askAccounting, askJobs, stateOfJob, withHopeless } from './slurm-queue.js';
import { remedyOf } from './slurm-refusal.js';
import { requestOf } from './slurm-request.js';
import { isNowhere, type SlurmJob } from './slurm-text.js';
import { TARGET_VARIABLE, type Task } from './task.js';

/** Of what Slurm and its shepherd on the node say in a job's log. */
const SLURM_SPEAKS = /^(srun|slurmstepd|slurm_script|\/.*slurm_script): /;

/** Every task of an array has the same script: each finds its own target by its node's name. */
export function batchScript(settings: Settings, [first]: readonly Task[]): string {
  if (first === undefined) return '';
  return [
    '#!/bin/sh',
    '# Of pi-bench submit: measures on this node and puts the results into the folder of the submission.',
    `export ${TARGET_VARIABLE}="$SLURMD_NODENAME"`,
    `exec ${nodeCommand(settings, first).map(quoted).join(' ')}`,
    '',
  ].join('\n');
}

/** @param job as Slurm numbers it, or the pattern of that */
const logOf = (folder: string, job: string, of: 'out' | 'err'): string =>
  join(folder, JOBS, `slurm-${job}.${of}`);

export function batchArguments(
  { settings, folder, label }: Context,
  tasks: readonly Task[],
): readonly string[] {
  return [
    '--parsable',
    '--hold',
    `--array=0-${tasks.length - 1}`,
    `--job-name=${jobName(label, tasks)}`,
    '--no-requeue',
    `--output=${logOf(folder, '%A_%a', 'out')}`,
    `--error=${logOf(folder, '%A_%a', 'err')}`,
    ...requestOf(settings),
  ];
}

/** What is told `scontrol` on its standard input. */
export const bindings = (array: string, tasks: readonly Task[]): string =>
  [
    ...tasks.map(({ target }, i) => `update JobId=${array}_${i} ReqNodeList=${target}`),
    `release ${array}`,
    'quit',
    '',
  ].join('\n');

/** How much longer `scontrol` may take for each task: it asks the controller, which may be busy, once for each. */
const EACH_TASK_MS = 250;

const patienceFor = (tasks: number): number => PATIENCE_MS + tasks * EACH_TASK_MS;

/** In milliseconds, by how many tasks there are. */
type Patience = typeof patienceFor;

/** @throws UserError */
async function bind(array: string, tasks: readonly Task[], patience: Patience): Promise<void> {
  const lines = bindings(array, tasks);
  // On stdout it repeats what it is told.
  const { status, stderr } = await runProgram('scontrol', ['--quiet'], lines, patience(tasks.length));
  const said = wordsOf(stderr);
  if (status !== 0 || said !== '')
    throw new UserError(`scontrol refuses to bind the jobs to their nodes: ${said || `exit code ${status}`}`);
}

/** What was not bound and released as a whole is cancelled: held, it would lie in the queue for ever. */
async function bindAndRelease(array: string, tasks: readonly Task[], patience: Patience): Promise<void> {
  try {
    await bind(array, tasks, patience);
  } catch (error) {
    const silent = error instanceof NoAnswer;
    const left = await mustRun('scancel', [array], '', remedyOf).then(
      () => (silent ? `; job ${array} was cancelled` : ''),
      // Of one that did not answer nobody knows how far it came.
      (why: unknown) => `; job ${array} is left there${silent ? '' : ', held'} (${messageOf(why)})`,
    );
    const text = `${messageOf(error)}${left}`;
    throw silent ? new NoAnswer(text) : new UserError(text);
  }
}

/**
 * It is listed for a while as failed, or cancelled, on no node: Slurm refused it at once, or to bind it to its node, upon which it was
 * cancelled. It never was a job that could bring anything.
 */
const neverBegan = ({ state, node }: SlurmJob): boolean =>
  (state === 'FAILED' || state === 'CANCELLED') && isNowhere(node);

export function batchConnection(context: Context, patience: Patience = patienceFor): Connection {
  const { folder, label } = context;
  const jobsOf = (array: string, tasks: readonly Task[]): readonly Submitted[] =>
    tasks.map(({ target }, i) => ({ target, job: `${array}_${i}` }));
  return {
    async submit(tasks) {
      makeFolder(join(folder, JOBS));
      const script = batchScript(context.settings, tasks);
      // What is held is not looked at as closely, and would wait for ever.
      const first = ['--test-only', ...requestOf(context.settings), `--nodelist=${tasks[0]?.target ?? ''}`];
      await mustTake('sbatch', first, script, remedyOf);
      const answer = await mustRun('sbatch', batchArguments(context, tasks), script, remedyOf);
      // With several clusters the cluster's name follows.
      const array = answer.trim().split('\n').at(-1)?.split(';')[0] ?? '';
      await bindAndRelease(array, tasks, patience);
      return jobsOf(array, tasks);
    },
    async find(tasks) {
      const name = jobName(label, tasks);
      const jobs = (await askJobs(name)).filter((job) => job.name === name && !neverBegan(job));
      const array = jobs[0]?.id.split('_')[0];
      if (array === undefined) return [];
      // Held ones were never bound: the kill came between the two.
      if (jobs.some(({ reason }) => reason === 'JobHeldUser')) await bindAndRelease(array, tasks, patience);
      return jobsOf(array, tasks);
    },
    async observe(jobs) {
      const listed = await askJobs(label);
      const states = new Map<string, JobState>();
      for (const job of listed) {
        if (jobs.some((asked) => asked.job === job.id)) states.set(job.id, await stateOfJob(job));
      }
      const forgotten = await askAccounting(jobs.map(({ job }) => job).filter((job) => !states.has(job)));
      return withHopeless(jobs, new Map([...forgotten, ...states]), ({ job }) => job);
    },
    async output({ job }) {
      try {
        return readFileSync(logOf(folder, job, 'out'), 'utf8');
      } catch (error) {
        if (systemCode(error) === 'ENOENT') return '';
        throw error;
      }
    },
    async said({ job }) {
      try {
        return tailOf(readFileSync(logOf(folder, job, 'err'), 'utf8'), SLURM_SPEAKS);
      } catch {
        return `it wrote nothing to ${folder}; nodes that do not share that folder need --via srun`;
      }
    },
    async cancel({ job }) {
      await mustRun('scancel', [job], '', remedyOf);
    },
    howToCancel: (jobs) => `scancel ${[...new Set(jobs.map(({ job }) => job.split('_')[0]))].join(' ')}`,
  };
}
