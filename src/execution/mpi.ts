/**
 * The engine of MPI. Where no launcher has started this process, each inspection is a job of its own: a launcher starts
 * fresh ranks for it. Where one has, MPI can be initialised only once: rank 0's worker stays, and all inspections run in
 * the one job.
 */
import type { ChildProcess } from 'node:child_process';
import { messageOf, UserError } from '../errors.js';
import { type Job, monotonic, type Report } from '../inspection/job.js';
import { type HostCpus, isWithin } from '../mpi/choice.js';
import { mpiPlaceHere } from '../mpi/here.js';
import type { MpiPlace } from '../mpi/place.js';
import { plural } from '../quantities/format.js';
import type { Seconds } from '../units.js';
import { DEADLINE, type Engine, type LaunchEnd, type LaunchHooks } from './engine.js';
import { hungText, lastHeardText, notHeardSince } from './last-heard.js';
import { withRemark } from './left-behind.js';
import { GRACE, MOST_PATIENCE, makeLimit } from './limit.js';
import { type Ended, fromDocument } from './local.js';
import {
  attend,
  joined,
  leave,
  type MpiCase,
  mpiCaseOf,
  type Ranks,
  startAnew,
  started,
  startWithin,
} from './mpi-ranks.js';

type EndReport = Extract<Report, { event: 'written' | 'failed' }>;

/** What a rank that was lost says comes a moment before its launcher says whose end it was. */
async function endOf(
  ranks: Ranks,
  end: EndReport | null,
  job: Job,
  killedAt: Seconds | null,
  signal: AbortSignal,
): Promise<Ended> {
  if (end?.event === 'written') return fromDocument(end, job.timeout, signal);
  if (end !== null) return { status: end.status, reason: end.message, path: null };
  await ranks.closed;
  const where = lastHeardText(ranks.last, killedAt ?? monotonic());
  if (killedAt !== null && signal.aborted)
    return { status: 'interrupted', reason: `did not stop when asked to, ${where}`, path: null };
  if (killedAt !== null)
    return { status: 'timed-out', reason: hungText(job, ranks.last, killedAt), path: null };
  const { text, isPassedOn } = ranks.loss();
  // The same signal reached the launcher, as where a scheduler ends a whole control group, before the ranks could stop.
  if (signal.aborted && isPassedOn)
    return { status: 'interrupted', reason: `ended before it could stop: ${text}, ${where}`, path: null };
  return { status: 'crashed', reason: `${text}, ${where}`, path: null };
}

/** One inspection on ranks that have found each other. */
async function measureOn(ranks: Ranks, job: Job, { onProgress, signal }: LaunchHooks): Promise<Ended> {
  let killedAt: Seconds | null = null;
  let measuringSince: Seconds | null = null;
  const limit = makeLimit(
    () => ({ ...ranks.last, measuringSince }),
    () => {
      killedAt = monotonic();
      ranks.stop();
    },
  );
  limit.after(job.timeout + GRACE, MOST_PATIENCE);
  const cancel = (): void => {
    ranks.tell({ order: 'cancel' });
    limit.after(GRACE, signal.reason === DEADLINE ? 0 : MOST_PATIENCE);
  };
  ranks.onProgress = (phase, taken) => {
    if (phase === 'measure') measuringSince ??= monotonic();
    onProgress(phase, taken);
  };
  ranks.signal = signal;
  ranks.last = notHeardSince(monotonic());
  ranks.tell({ ...job, spent: monotonic() - job.launchedAt });
  if (signal.aborted) cancel();
  else signal.addEventListener('abort', cancel, { once: true });
  try {
    const end = await ranks.next();
    return await endOf(ranks, end?.event === 'joined' ? null : end, job, killedAt, signal);
  } finally {
    limit.clear();
    signal.removeEventListener('abort', cancel);
  }
}

/** What keeps a campaign from going on in the job that it was begun in; null: nothing. */
function otherJob({ launcher, ranks }: MpiCase, place: MpiPlace | null): string | null {
  if (place?.size === ranks) return null;
  const here = place === null ? 'no launcher has started this process' : `this job has ${place.size}`;
  return `the campaign was begun ${launcher} with ${plural(ranks, 'rank')}, and ${here}: finish it with mpirun -np ${ranks} pi-bench resume and its folder`;
}

export interface MpiEngine extends Engine {
  /**
   * Starts ranks of the case, and ends them unless they are to stay: whatever keeps them from finding each other is known
   * before anything is measured.
   * @param signal aborted: they are ended
   * @throws UserError
   */
  check(of: MpiCase, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** Why no ranks are there. */
type NotStarted = Pick<Ended, 'status'> & { readonly reason: string };

const failed = (reason: string): NotStarted => ({ status: 'failed', reason });

export function makeMpiEngine(host: HostCpus): MpiEngine {
  /** Those that stay; null: not started, or gone. */
  let staying: Ranks | null = null;
  let gone: string | null = null;
  /** Why ranks of a case did not come in time, by the case: each further try would take as long. */
  const late = new Map<string, string>();

  async function start(
    of: MpiCase,
    changes: Job['environment'],
    signal: AbortSignal,
  ): Promise<Ranks | NotStarted> {
    if (gone !== null) return failed(gone);
    const before = late.get(JSON.stringify(of));
    if (before !== undefined) return failed(`not started, because before it ${before}`);
    if (staying !== null && staying.of.library !== of.library)
      return failed(`one job of MPI has one library: ${staying.of.library}, not ${of.library} too`);
    if (staying !== null) return staying;
    const within = isWithin(of.launcher);
    const elsewhere = within ? otherJob(of, mpiPlaceHere()) : null;
    if (elsewhere !== null) return failed(elsewhere);
    let child: ChildProcess;
    try {
      child = await started(within ? startWithin(of) : startAnew(of, host, changes));
    } catch (error) {
      if (error instanceof UserError) throw error;
      return failed(`could not be started: ${messageOf(error)}`);
    }
    const ranks = attend(of, child);
    ranks.signal = signal;
    const problem = await joined(ranks, signal);
    if (problem !== null) {
      // Its launcher may go on, with ranks that wait for one that has said why it cannot join.
      await leave(ranks);
      const { why, how } = problem;
      if (within) gone = why;
      if (how === 'late') late.set(JSON.stringify(of), why);
      const status = how === 'interrupted' ? how : 'failed';
      return { status, reason: withRemark(why, ranks.left) ?? why };
    }
    if (within) staying = ranks;
    return ranks;
  }

  return {
    name: 'mpi',
    async check(of, signal) {
      const ranks = await start(of, {}, signal);
      if ('reason' in ranks) throw new UserError(ranks.reason);
      if (ranks !== staying) await leave(ranks);
    },
    async launch(job, hooks): Promise<LaunchEnd> {
      const ended = async (): Promise<Ended> => {
        const of = mpiCaseOf(job.case.parameters);
        if (of === null) throw new Error('the engine of MPI was given another case');
        const ranks = await start(of, job.environment, hooks.signal);
        if ('reason' in ranks) return { ...ranks, path: null };
        const end = await measureOn(ranks, job, hooks);
        if (ranks !== staying) await leave(ranks);
        else if (end.path === null) {
          gone = `the job's ranks are gone: ${end.reason}`;
          staying = null;
        }
        return { ...end, reason: withRemark(end.reason, ranks.left) };
      };
      return { ...(await ended()), wall: monotonic() - job.launchedAt };
    },
    async close() {
      if (staying !== null) await leave(staying);
      staying = null;
    },
  };
}
