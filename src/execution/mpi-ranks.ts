/**
 * The ranks of an MPI job, as a campaign speaks with them: started by a launcher or joined below one that runs already,
 * waited for until they have found each other, told what to do over rank 0's standard input, heard on its output.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { watchChild } from '../child-end.js';
import { UserError } from '../errors.js';
import { type Job, monotonic, type Order, type Report, SPOKEN } from '../inspection/job.js';
import { type HostCpus, launchCommand, launcherKind, wordsOf } from '../mpi/choice.js';
import { launcherEnvironment } from '../mpi/environment.js';
import { launcherVersion } from '../mpi/here.js';
import { isMeetingPlace, meetingSeconds } from '../mpi/rendezvous.js';
import type { MpiWorld } from '../native.js';
import { programFile } from '../programs.js';
import { changedEnvironment, NO_CERTIFICATES } from '../stacks/environment.js';
import { timerMs } from '../timer.js';
import type { Seconds } from '../units.js';
import { DEADLINE, type LaunchHooks } from './engine.js';
import { type LastHeard, notHeardSince } from './last-heard.js';
import { leftText, watchHeirs } from './left-behind.js';
import { GRACE } from './limit.js';
import { judgeLoss, type Loss, lateText, startLossText, unreachableHost } from './mpi-loss.js';
import { onLines, reportIn, unreadable } from './reports.js';

const WORKER = programFile('inspection/mpi-worker');
/** Ranks of MPI find each other in less than a second; hosts may be slow. */
const JOIN_LIMIT: Seconds = 60;
/** Ranks that meet without MPI say themselves who did not come, so much later at most. */
const TO_SAY: Seconds = 30;
/** After what says that a host cannot be reached: a launcher that does not end by itself then never will. */
const UNREACHABLE_MS = 3000;
/** What a launcher needs to end its ranks when it is asked to. */
const KILL_AFTER_MS = 3000;
const MOST_SAID = 8000;

/** What a case says of its ranks that are processes of a job, of MPI or not. */
export interface MpiCase {
  /** Of MPI, or the place where they meet without. */
  readonly library: string;
  readonly launcher: string;
  readonly ranks: number;
}

/** null: another transport's. */
export function mpiCaseOf(parameters: Readonly<Record<string, unknown>>): MpiCase | null {
  const { transport, library, rendezvous, launcher, ranks } = parameters;
  if (transport !== 'mpi' && rendezvous === undefined) return null;
  return { library: String(rendezvous ?? library), launcher: String(launcher), ranks: Number(ranks) };
}

/** A running job: its rank 0 is spoken to, whoever started it. */
export interface Ranks {
  readonly of: MpiCase;
  world: MpiWorld | null;
  last: LastHeard;
  readonly tell: (message: Job | Order) => void;
  /** The next thing that rank 0 says beside progress; null: the job is over. */
  readonly next: () => Promise<Exclude<Report, { event: 'progress' }> | null>;
  readonly stop: () => void;
  /** What ended them, once they are gone, and whether a signal that reaches the whole job explains it. */
  readonly loss: () => ReturnType<typeof judgeLoss>;
  readonly lossText: () => string;
  /** Where they have not found each other within that time. */
  readonly lateText: (limit: Seconds) => string;
  readonly closed: Promise<void>;
  /** What is there still although they are gone; null: nothing. */
  left: string | null;
  /** Of whoever waits for them: a deadline leaves no time for what does not end. */
  signal: AbortSignal | null;
  onProgress: LaunchHooks['onProgress'];
}

/** Ranks of MPICH inherit a socket to their launcher; children get it only if it is named. */
function inherited(environment: NodeJS.ProcessEnv): number[] {
  const socket = Number(environment.PMI_FD ?? Number.NaN);
  return Number.isInteger(socket) && socket > 2 ? [socket] : [];
}

/** MPI begins once in a job, so that what has begun it here cannot be followed by another process that does. */
let begun = false;
export const hasBegunWithin = (): boolean => begun;

export function startWithin({ library, ranks }: MpiCase): ChildProcess {
  begun = true;
  const stdio: ('pipe' | 'ignore' | number)[] = ['pipe', 'pipe', 'pipe'];
  for (const socket of inherited(process.env)) {
    while (stdio.length < socket) stdio.push('ignore');
    stdio[socket] = socket;
  }
  return spawn(process.execPath, [WORKER, library, String(ranks)], { stdio });
}

export function startAnew(
  { library, launcher, ranks }: MpiCase,
  host: HostCpus,
  changes: Job['environment'],
): ChildProcess {
  const [program = ''] = wordsOf(launcher);
  const kind = launcherKind(launcherVersion(program) ?? '');
  if (kind === null) throw new UserError(`${program} is no launcher of MPI that is known`);
  const root = process.getuid?.() === 0;
  const command = launchCommand(launcher, kind, ranks, [process.execPath, WORKER, library, String(ranks)], {
    ...host,
    root,
  });
  return spawn(command.program, [...command.args], {
    // Out of reach of the terminal's Ctrl-C, of which a launcher dies: the campaign decides what it means.
    detached: true,
    env: changedEnvironment(launcherEnvironment(process.env), { ...NO_CERTIFICATES, ...changes }),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

/** @throws Error of one that the system did not start: some reasons Node says when it is asked to, and others a moment later */
export async function started(child: ChildProcess): Promise<ChildProcess> {
  if (child.pid === undefined) throw (await once(child, 'error'))[0];
  return child;
}

/** A launcher's, with what it has started here, where it leads one. */
function killGroup({ pid }: ChildProcess): void {
  try {
    process.kill(-(pid ?? Number.NaN), 'SIGKILL');
  } catch {
    // It leads none, or nobody is left.
  }
}

export function attend(of: MpiCase, child: ChildProcess): Ranks {
  let said = '';
  let over = false;
  let end: Pick<Loss, 'code' | 'signal'> = { code: null, signal: null };
  const waiting: Exclude<Report, { event: 'progress' }>[] = [];
  let wake: () => void = () => {};
  let unreachable: string | null = null;
  const hear = (line: string): void => {
    said = `${said}${line}\n`.slice(-MOST_SAID);
    if (ranks.world !== null || unreachable !== null) return;
    unreachable = unreachableHost(line);
    if (unreachable !== null) setTimeout(() => ranks.world === null && ranks.stop(), UNREACHABLE_MS).unref();
  };
  onLines(child.stdout, (line) => {
    const at = line.indexOf(SPOKEN);
    if (at < 0) return hear(line);
    const report = reportIn(line.slice(at + SPOKEN.length));
    if (report === null) {
      hear(line);
      waiting.push(unreadable(line));
      wake();
      // What they are at nobody could tell any more.
      return ranks.stop();
    }
    if (report.event === 'progress') {
      ranks.last = { phase: report.phase, taken: report.taken, at: monotonic() };
      return ranks.onProgress(report.phase, report.taken);
    }
    if (report.event === 'joined') ranks.world = report.world;
    waiting.push(report);
    wake();
  });
  onLines(child.stderr, hear);
  // Writing to ranks that are already gone says nothing new: their end does.
  child.stdin?.on('error', () => {});
  let finish = (): void => {};
  const closed = new Promise<void>((resolve) => {
    finish = () => {
      over = true;
      wake();
      resolve();
    };
  });
  child.on('error', (error) => {
    hear(error.message);
    // One that was started goes on without a signal that could not be sent.
    if (child.pid === undefined) finish();
  });
  // Ranks that a launcher leaves behind would measure beside the next ones.
  child.on('exit', () => killGroup(child));
  const heirs = watchHeirs(child.pid ?? 0);
  const watched = watchChild(
    child,
    (childEnd) => {
      end = childEnd;
      ranks.left = leftText(childEnd, child.pid, heirs);
      finish();
    },
    { isOverdue: () => ranks.signal?.reason === DEADLINE, ending: heirs.ending },
  );
  const kill = (): void => {
    if (over) return;
    // Of one that has ended its group was ended then, and its id may be another's by now.
    if (child.exitCode === null && child.signalCode === null) killGroup(child);
    watched.kill();
  };
  const lossOf = (members: Loss['members']): Loss => ({ ...end, said, ranks: of.ranks, members });
  const ranks: Ranks = {
    of,
    world: null,
    last: notHeardSince(monotonic()),
    tell: (message) => void child.stdin?.write(`${JSON.stringify(message)}\n`),
    async next() {
      while (waiting.length === 0 && !over) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return waiting.shift() ?? null;
    },
    stop() {
      child.kill('SIGTERM');
      setTimeout(kill, KILL_AFTER_MS).unref();
    },
    loss: () => judgeLoss(lossOf(ranks.world?.members ?? [])),
    lossText() {
      if (ranks.world !== null) return ranks.loss().text;
      return unreachable === null
        ? startLossText(lossOf([]))
        : `the launcher cannot start all ranks: ${unreachable}`;
    },
    lateText: (limit) => lateText({ ranks: of.ranks, said }, limit),
    closed,
    left: null,
    signal: null,
    onProgress: () => {},
  };
  return ranks;
}

const joinLimit = ({ library }: MpiCase): Seconds =>
  isMeetingPlace(library) ? meetingSeconds(process.env) + TO_SAY : meetingSeconds(process.env, JOIN_LIMIT);

/** What kept ranks from finding each other. */
export interface NotJoined {
  readonly why: string;
  /** `late`: it took as long as they were given, and would again. `interrupted`: they were not given that long. */
  readonly how: 'failed' | 'late' | 'interrupted';
}

/**
 * Waits until the ranks have found each other: null, unless they have not.
 * @param signal aborted: they are ended, however long they might still wait for each other
 */
export async function joined(ranks: Ranks, signal?: AbortSignal): Promise<NotJoined | null> {
  const stopped: NotJoined[] = [];
  const stop = (why: NotJoined): void => {
    stopped.push(why);
    ranks.stop();
  };
  const seconds = joinLimit(ranks.of);
  const limit = setTimeout(() => stop({ why: ranks.lateText(seconds), how: 'late' }), timerMs(seconds));
  const cancel = (): void => stop({ why: 'ended before its ranks had found each other', how: 'interrupted' });
  if (signal?.aborted === true) cancel();
  else signal?.addEventListener('abort', cancel, { once: true });
  try {
    const first = await ranks.next();
    // Whatever is heard of ranks that are being ended, they are gone in a moment.
    if (stopped.length === 0 && first?.event === 'joined') return null;
    if (stopped.length === 0 && first?.event === 'failed') return { why: first.message, how: 'failed' };
    await ranks.closed;
    return stopped[0] ?? { why: ranks.lossText(), how: 'failed' };
  } finally {
    clearTimeout(limit);
    signal?.removeEventListener('abort', cancel);
  }
}

export async function leave(ranks: Ranks): Promise<void> {
  ranks.tell({ order: 'end' });
  const limit = setTimeout(ranks.stop, timerMs(GRACE));
  await ranks.closed;
  clearTimeout(limit);
}
