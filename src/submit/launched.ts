/** Nodes that are reached by a launcher, one process for each: what `srun` and `mpirun` have in common. */

import type { Seconds } from '../units.js';
import {
  type DetachedState,
  detachedErrors,
  detachedOutput,
  detachedState,
  endDetached,
  findDetached,
  isDetachedHere,
  isStranded,
  type ProcessTree,
  pidFile,
  processTree,
  startDetached,
} from './detached.js';
import type { Connection, Context, JobState, Submitted } from './scheduler.js';
import type { Task } from './task.js';

export interface Launcher {
  /** What of its log and its output tells a person why it ended, in one line. */
  said(log: string, output: string): string;
  /** Whether it goes on waiting for a host when the way there has ended. */
  readonly mayStrand: boolean;
  /** Whether a scheduler tells of its jobs, on whichever machine it runs. */
  readonly hasScheduler: boolean;
  /** The command that runs a task on its node. */
  command(task: Task): readonly string[];
  /** What is known of jobs besides that their launcher runs. */
  states(
    jobs: readonly Submitted[],
    attempts: ReadonlyMap<string, number>,
  ): Promise<ReadonlyMap<string, JobState>>;
  /** Ends what a launcher on another machine has begun, where there is a scheduler that can. */
  cancel(target: string, attempt: number): Promise<void>;
  /** Looks whether it would be taken at all. @throws UserError where it would not */
  check(task: Task): Promise<void>;
}

/**
 * Of one that was begun on another machine, as where one login node goes on with what another one began: it may run there, so that
 * nobody may begin it anew.
 * @param noted the file that says where it was begun
 */
function stateElsewhere(
  host: string,
  known: JobState | undefined,
  { hasScheduler }: Pick<Launcher, 'hasScheduler'>,
  noted: string,
): JobState {
  if (known !== undefined) return known;
  // What it printed there may be seen late here.
  const reason = `the scheduler has no such job, and its launcher was begun on ${host}`;
  if (hasScheduler) return { phase: 'ended', itself: true, node: null, reason };
  const unseen = {
    why: `its launcher was begun on ${host}`,
    meanwhile: `which is waited for; if ${host} is gone for good, remove ${noted}`,
  };
  return { phase: 'running', node: null, unseen };
}

/** @param gone why it is taken for gone, where nothing of it is there */
function stateOf(
  launcher: Exclude<DetachedState, { phase: 'elsewhere' }>,
  known: JobState | undefined,
  gone: string,
): JobState {
  if (launcher.phase === 'running')
    return known === undefined || known.phase === 'ended' ? { phase: 'running', node: null } : known;
  const node = known?.phase === 'running' || known?.phase === 'ended' ? known.node : null;
  if (known?.phase === 'ended' && !known.itself) return known;
  const { exitCode } = launcher;
  // It may be on another machine, as where one login node goes on with what another one began.
  if (exitCode === null && known !== undefined && known.phase !== 'ended') return known;
  const reasons = {
    gone,
    silent: 'it ended and left no result',
    failed: `its launcher ended with exit code ${exitCode}`,
  };
  const reason = exitCode === null ? reasons.gone : exitCode === 0 ? reasons.silent : reasons.failed;
  // What one printed on this machine is here already, but what a node wrote may be seen late, and a scheduler may yet say why it ended.
  const itself = exitCode === 0 || (known !== undefined && (known.phase !== 'ended' || exitCode === null));
  return { phase: 'ended', itself, node, reason };
}

/** What has just ended is collected in a moment: one that is left lying so long is not waited for by anybody. */
const STRANDED_AFTER: Seconds = 10;

const STRANDED: JobState = {
  phase: 'ended',
  itself: false,
  node: null,
  reason: 'the way to the host has ended, and its launcher would wait for ever',
};

/** Tells which launchers have been waiting for nothing for a while, and ends them. */
function strandedEnder(): (job: string, tree: ProcessTree) => boolean {
  const firstSeen = new Map<string, number>();
  return (job, tree) => {
    if (!isStranded(tree, job)) {
      firstSeen.delete(job);
      return false;
    }
    const now = performance.now();
    const first = firstSeen.get(job) ?? now;
    firstSeen.set(job, first);
    if (now - first < STRANDED_AFTER * 1000) return false;
    // It has nothing left that it could clean up.
    endDetached(job, 'SIGKILL');
    return true;
  };
}

/** After a second `--` dash takes no number of a group any more. */
const killing = (jobs: readonly Submitted[]): string =>
  `kill -- ${jobs.map(({ job }) => `-${job}`).join(' ')}`;

/** For a shell a remark: on this machine their numbers are nobody's, or another's. */
const endElsewhere = (jobs: readonly Submitted[]): readonly string[] =>
  jobs.length === 0
    ? []
    : [`# on the machine that began ${jobs.map(({ target }) => target).join(', ')}: ${killing(jobs)}`];

export function launchedConnection({ folder }: Context, launcher: Launcher): Connection {
  const endStranded = strandedEnder();
  const stateNow = (
    { target, job }: Submitted,
    attempt: number,
    known: JobState | undefined,
    tree: ProcessTree | null,
  ): JobState => {
    const state = detachedState(folder, target, attempt, job);
    if (state.phase === 'elsewhere')
      return stateElsewhere(state.host, known, launcher, pidFile(target, attempt));
    const stranded = tree !== null && state.phase === 'running' && endStranded(job, tree);
    if (stranded) return STRANDED;
    // Somebody has removed it, as of a machine that is gone for good: on this one the launcher may never have been.
    const isNoted = findDetached(folder, target, attempt) !== null;
    const gone = isNoted
      ? 'its launcher is gone from this machine'
      : `its launcher is taken for gone: there is no ${pidFile(target, attempt)}`;
    return stateOf(state, known, gone);
  };
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
      const tree = launcher.mayStrand ? processTree() : null;
      return new Map(
        jobs.map((job) => [
          job.job,
          stateNow(job, attempts.get(job.target) ?? 1, known.get(job.target), tree),
        ]),
      );
    },
    async output({ target }, attempt) {
      return detachedOutput(folder, target, attempt);
    },
    async said({ target }, attempt) {
      return launcher.said(detachedErrors(folder, target, attempt), detachedOutput(folder, target, attempt));
    },
    async cancel({ target, job }, attempt) {
      // Where it is not here, its number is nobody's, or another's.
      if (detachedState(folder, target, attempt, job).phase === 'running') endDetached(job);
      else await launcher.cancel(target, attempt);
    },
    howToCancel(jobs) {
      const here = jobs.filter(({ target, job }) => isDetachedHere(folder, target, job));
      const elsewhere = jobs.filter((job) => !here.includes(job));
      return [...(here.length === 0 ? [] : [killing(here)]), ...endElsewhere(elsewhere)].join(' ');
    },
  };
}
