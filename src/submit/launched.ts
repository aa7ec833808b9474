/** Nodes that are reached by a launcher, one process for each: what `srun` and `mpirun` have in common. */
import {
  type DetachedState,
  detachedErrors,
  detachedOutput,
  detachedState,
  endDetached,
  findDetached,
  startDetached,
} from './detached.js';
import { tailOf } from './node-command.js';
import type { Connection, Context, JobState, Submitted } from './scheduler.js';
import type { Task } from './task.js';

export interface Launcher {
  /** As it begins its lines on stderr: `/^srun:/`. */
  readonly speaks: RegExp;
  /** The command that runs a task on its node. */
  command(task: Task): readonly string[];
  /** What is known of jobs besides that their launcher runs. */
  states(
    jobs: readonly Submitted[],
    attempts: ReadonlyMap<string, number>,
  ): Promise<ReadonlyMap<string, JobState>>;
  /** Looks whether it would be taken at all. @throws UserError where it would not */
  check(task: Task): Promise<void>;
}

function stateOf(launcher: DetachedState, known: JobState | undefined): JobState {
  if (launcher.phase === 'running')
    return known === undefined || known.phase === 'ended' ? { phase: 'running', node: null } : known;
  const node = known?.phase === 'running' || known?.phase === 'ended' ? known.node : null;
  if (known?.phase === 'ended' && !known.itself) return known;
  const { exitCode } = launcher;
  const reasons = {
    gone: 'its launcher is gone from this machine',
    silent: 'it ended and left no result',
    failed: `its launcher ended with exit code ${exitCode}`,
  };
  const reason = exitCode === null ? reasons.gone : exitCode === 0 ? reasons.silent : reasons.failed;
  // Its output is here already, but a scheduler behind it may yet say why it ended.
  return { phase: 'ended', itself: known !== undefined && known.phase !== 'ended', node, reason };
}

export function launchedConnection({ folder }: Context, launcher: Launcher): Connection {
  const begin = (task: Task): Submitted => ({
    target: task.target,
    job: startDetached(folder, task.target, task.attempt, launcher.command(task)),
  });
  return {
    async submit(tasks) {
      const [first] = tasks;
      if (first !== undefined) await launcher.check(first);
      return tasks.map(begin);
    },
    async find(tasks) {
      return tasks.flatMap(({ target, attempt }) => {
        const job = findDetached(folder, target, attempt);
        return job === null ? [] : [{ target, job }];
      });
    },
    async observe(jobs, attempts) {
      const known = await launcher.states(jobs, attempts);
      return new Map(
        jobs.map(({ target, job }) => [
          job,
          stateOf(detachedState(folder, target, attempts.get(target) ?? 1, job), known.get(target)),
        ]),
      );
    },
    async output({ target }, attempt) {
      return detachedOutput(folder, target, attempt);
    },
    async said({ target }, attempt) {
      return tailOf(detachedErrors(folder, target, attempt), launcher.speaks);
    },
    async cancel({ job }) {
      endDetached(job);
    },
    howToCancel: (jobs) => `kill ${jobs.map(({ job }) => `-- -${job}`).join(' ')}`,
  };
}
