/** One `srun` for each node: its output comes back through Slurm, so nodes need to share nothing. */

import { launchedConnection } from './launched.js';
import { attemptName } from './names.js';
import { nodeCommand, tailOf } from './node-command.js';
import { mustRun, mustTake } from './run-program.js';
import type { Connection, Context, JobState } from './scheduler.js';
import { askJobs, askNodes, stateOfJob, withHopeless } from './slurm-queue.js';
import { remedyOf } from './slurm-refusal.js';
import { requestOf } from './slurm-request.js';
import type { Task } from './task.js';

/** Not what it says of a job that waits or begins. */
const SPEAKS = /^(srun|slurmstepd): (?!cluster configuration|job \d+ (queued|has been))/;

const nameOf = (label: string, target: string, attempt: number): string =>
  `${label}-${attemptName(target, attempt)}`;

/** @param cpus of the node: a step gets one for its only task otherwise, where Slurm confines steps */
function srunArguments({ settings, label }: Context, task: Task, cpus: number | null): readonly string[] {
  return [
    ...requestOf(settings),
    `--nodelist=${task.target}`,
    `--job-name=${nameOf(label, task.target, task.attempt)}`,
    ...(settings.exclusive === true && cpus !== null ? [`--cpus-per-task=${cpus}`, '--cpu-bind=none'] : []),
    // The folder in which this was typed need not exist there.
    '--chdir=/tmp',
    '--input=none',
    '--kill-on-bad-exit=1',
  ];
}

/** What of `srun` each task is begun by: its arguments, and all of the command. */
async function srunCommands(context: Context) {
  const cpus = new Map((await askNodes(null, null, true)).map((node) => [node.name, node.cpus]));
  const argumentsOf = (task: Task): readonly string[] =>
    srunArguments(context, task, cpus.get(task.target) ?? null);
  const command = (task: Task): readonly string[] => [
    'srun',
    ...argumentsOf(task),
    ...nodeCommand(context.settings, task),
  ];
  return { argumentsOf, command };
}

/** The commands that `srunConnection` begins tasks by, in their order. */
export async function srunDryRun(
  context: Context,
  tasks: readonly Task[],
): Promise<readonly (readonly string[])[]> {
  return tasks.map((await srunCommands(context)).command);
}

export async function srunConnection(context: Context): Promise<Connection> {
  const { label } = context;
  const { argumentsOf, command } = await srunCommands(context);
  return launchedConnection(context, {
    said: (log) => tailOf(log, SPEAKS),
    mayStrand: false,
    hasScheduler: true,
    command,
    async cancel(target, attempt) {
      const name = nameOf(label, target, attempt);
      const ids = (await askJobs(label)).flatMap((job) => (job.name === name ? [job.id] : []));
      if (ids.length > 0) await mustRun('scancel', ids, '', remedyOf);
    },
    async check(task) {
      // What srun itself is refused is known only when it runs, and then for each node anew.
      await mustTake('srun', ['--test-only', ...argumentsOf(task), 'true'], '', remedyOf);
    },
    async states(jobs, attempts) {
      const listed = await askJobs(label);
      const states = new Map<string, JobState>();
      for (const { target } of jobs) {
        const name = nameOf(label, target, attempts.get(target) ?? 1);
        const job = listed.find((one) => one.name === name);
        if (job !== undefined) states.set(target, await stateOfJob(job));
      }
      return withHopeless(jobs, states, ({ target }) => target);
    },
  });
}
