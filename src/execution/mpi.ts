/**
 * The engine of MPI. Where no launcher has started this process, each inspection is a job of its own: a launcher starts
 * fresh ranks for it. Where one has, MPI can be initialised only once: rank 0's worker stays, and all inspections run in
 * the one job.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { UserError } from '../errors.js';
import { type Job, monotonic, type Order, type Report, SPOKEN } from '../inspection/job.js';
import { isWithin, launchCommand, launcherKind, wordsOf } from '../mpi/choice.js';
import { launcherVersion } from '../mpi/here.js';
import type { MpiWorld } from '../native.js';
import { plural } from '../quantities/format.js';
import { changedEnvironment } from '../stacks/environment.js';
import { timerMs } from '../timer.js';
import type { Seconds } from '../units.js';
import type { Engine, LaunchEnd, LaunchHooks } from './engine.js';
import { type Ended, fromDocument } from './local.js';
import { lossText } from './mpi-loss.js';

const WORKER = fileURLToPath(new URL('../inspection/mpi-worker.js', import.meta.url));
/** The worker ends by itself at its limit; this much later it is taken to hang. */
const GRACE_MS = 3000;
/** Ranks find each other in less than a second; hosts may be slow. */
const JOIN_LIMIT: Seconds = 60;
/** What a launcher needs to end its ranks when it is asked to. */
const KILL_AFTER_MS = 3000;
const MOST_SAID = 8000;

/** What a case of MPI says of its ranks. */
export interface MpiCase {
  readonly library: string;
  readonly launcher: string;
  readonly ranks: number;
}

/** null: another transport's. */
export function mpiCaseOf(parameters: Readonly<Record<string, unknown>>): MpiCase | null {
  const { transport, library, launcher, ranks } = parameters;
  if (transport !== 'mpi') return null;
  return { library: String(library), launcher: String(launcher), ranks: Number(ranks) };
}

type EndReport = Extract<Report, { event: 'written' | 'failed' }>;

/** A running job: its rank 0 is spoken to, whoever started it. */
interface Ranks {
  readonly of: MpiCase;
  world: MpiWorld | null;
  last: { phase: string; taken: number };
  readonly tell: (message: Job | Order) => void;
  /** The next thing that rank 0 says beside progress; null: the job is over. */
  readonly next: () => Promise<Exclude<Report, { event: 'progress' }> | null>;
  readonly stop: () => void;
  readonly lossText: () => string;
  readonly closed: Promise<void>;
  onProgress: LaunchHooks['onProgress'];
}

/** Ranks of MPICH inherit a socket to their launcher; children get it only if it is named. */
function inherited(environment: NodeJS.ProcessEnv): number[] {
  const socket = Number(environment.PMI_FD ?? Number.NaN);
  return Number.isInteger(socket) && socket > 2 ? [socket] : [];
}

function startWithin({ library, ranks }: MpiCase): ChildProcess {
  const stdio: ('pipe' | 'ignore' | number)[] = ['pipe', 'pipe', 'pipe'];
  for (const socket of inherited(process.env)) {
    while (stdio.length < socket) stdio.push('ignore');
    stdio[socket] = socket;
  }
  return spawn(process.execPath, [WORKER, library, String(ranks)], { stdio });
}

function startAnew(
  { library, launcher, ranks }: MpiCase,
  cpus: number,
  changes: Job['environment'],
): ChildProcess {
  const [program = ''] = wordsOf(launcher);
  const kind = launcherKind(launcherVersion(program) ?? '');
  if (kind === null) throw new UserError(`${program} is no launcher of MPI that is known`);
  const root = process.getuid?.() === 0;
  const command = launchCommand(launcher, kind, ranks, [process.execPath, WORKER, library, String(ranks)], {
    cpus,
    root,
  });
  return spawn(command.program, [...command.args], {
    // Out of reach of the terminal's Ctrl-C, of which a launcher dies: the campaign decides what it means.
    detached: true,
    env: changedEnvironment(process.env, changes),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

/** Lines as they come, whole ones only. */
function lines(stream: NodeJS.ReadableStream | null, onLine: (line: string) => void): void {
  let rest = '';
  stream?.on('data', (chunk: Buffer) => {
    const found = (rest + chunk.toString('utf8')).split('\n');
    rest = found.pop() ?? '';
    for (const line of found) onLine(line);
  });
}

function attend(of: MpiCase, child: ChildProcess): Ranks {
  let said = '';
  let over = false;
  let end: { code: number | null; signal: NodeJS.Signals | null } = { code: null, signal: null };
  const waiting: Exclude<Report, { event: 'progress' }>[] = [];
  let wake: () => void = () => {};
  const hear = (line: string): void => {
    said = `${said}${line}\n`.slice(-MOST_SAID);
  };
  lines(child.stdout, (line) => {
    const at = line.indexOf(SPOKEN);
    if (at < 0) return hear(line);
    const report = JSON.parse(line.slice(at + SPOKEN.length)) as Report;
    if (report.event === 'progress') {
      ranks.last = { phase: report.phase, taken: report.taken };
      return ranks.onProgress(report.phase, report.taken);
    }
    if (report.event === 'joined') ranks.world = report.world;
    waiting.push(report);
    wake();
  });
  lines(child.stderr, hear);
  // Writing to ranks that are already gone says nothing new: their end does.
  child.stdin?.on('error', () => {});
  const closed = new Promise<void>((resolve) => {
    const finish = (): void => {
      over = true;
      wake();
      resolve();
    };
    child.on('error', (error) => {
      hear(error.message);
      finish();
    });
    child.on('close', (code, signal) => {
      end = { code, signal };
      finish();
    });
  });
  const ranks: Ranks = {
    of,
    world: null,
    last: { phase: 'start', taken: 0 },
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
      setTimeout(() => over || child.kill('SIGKILL'), KILL_AFTER_MS).unref();
    },
    lossText: () => lossText({ ...end, said, ranks: of.ranks, members: ranks.world?.members ?? [] }),
    closed,
    onProgress: () => {},
  };
  return ranks;
}

/** Waits until the ranks have found each other; what kept them from it, or null. */
async function joined(ranks: Ranks): Promise<string | null> {
  let late = false;
  const limit = setTimeout(() => {
    late = true;
    ranks.stop();
  }, JOIN_LIMIT * 1000);
  try {
    const first = await ranks.next();
    if (first?.event === 'joined') return null;
    if (first?.event === 'failed') return first.message;
    await ranks.closed;
    return late
      ? `${plural(ranks.of.ranks, 'rank')} did not find each other within ${JOIN_LIMIT} s`
      : ranks.lossText();
  } finally {
    clearTimeout(limit);
  }
}

async function leave(ranks: Ranks): Promise<void> {
  ranks.tell({ order: 'end' });
  const limit = setTimeout(ranks.stop, GRACE_MS);
  await ranks.closed;
  clearTimeout(limit);
}

/** What a rank that was lost says comes a moment before its launcher says whose end it was. */
async function endOf(
  ranks: Ranks,
  end: EndReport | null,
  job: Job,
  hung: boolean,
  cancelled: boolean,
): Promise<Ended> {
  if (end?.event === 'written') return fromDocument(end, job.timeout);
  if (end !== null) return { status: end.status, reason: end.message, path: null };
  await ranks.closed;
  const where = `in phase ${ranks.last.phase} after ${plural(ranks.last.taken, 'repetition')}`;
  if (hung && cancelled)
    return { status: 'interrupted', reason: `did not stop when asked to, ${where}`, path: null };
  if (hung) return { status: 'timed-out', reason: `hung ${where}: ended at its limit`, path: null };
  return { status: 'crashed', reason: `${ranks.lossText()}, ${where}`, path: null };
}

/** One inspection on ranks that have found each other. */
async function measureOn(ranks: Ranks, job: Job, { onProgress, signal }: LaunchHooks): Promise<Ended> {
  let hung = false;
  const kill = (): void => {
    hung = true;
    ranks.stop();
  };
  let limit = setTimeout(kill, timerMs(job.timeout + GRACE_MS / 1000));
  const cancel = (): void => {
    ranks.tell({ order: 'cancel' });
    clearTimeout(limit);
    limit = setTimeout(kill, GRACE_MS);
  };
  ranks.onProgress = onProgress;
  ranks.last = { phase: 'start', taken: 0 };
  ranks.tell(job);
  if (signal.aborted) cancel();
  else signal.addEventListener('abort', cancel, { once: true });
  try {
    const end = await ranks.next();
    return await endOf(ranks, end?.event === 'joined' ? null : end, job, hung, signal.aborted);
  } finally {
    clearTimeout(limit);
    signal.removeEventListener('abort', cancel);
  }
}

export interface MpiEngine extends Engine {
  /**
   * Starts ranks of the case, and ends them unless they are to stay: whatever keeps them from finding each other is known
   * before anything is measured.
   * @throws UserError
   */
  check(of: MpiCase): Promise<void>;
  close(): Promise<void>;
}

/** @param cpus that ranks may use on this host */
export function makeMpiEngine(cpus: number): MpiEngine {
  /** Those that stay; null: not started, or gone. */
  let staying: Ranks | null = null;
  let gone: string | null = null;

  async function start(of: MpiCase, changes: Job['environment']): Promise<Ranks | string> {
    if (gone !== null) return gone;
    if (staying !== null && staying.of.library !== of.library)
      return `one job of MPI has one library: ${staying.of.library}, not ${of.library} too`;
    if (staying !== null) return staying;
    const within = isWithin(of.launcher);
    const ranks = attend(of, within ? startWithin(of) : startAnew(of, cpus, changes));
    const problem = await joined(ranks);
    if (problem !== null) {
      if (within) gone = problem;
      return problem;
    }
    if (within) staying = ranks;
    return ranks;
  }

  return {
    name: 'mpi',
    async check(of) {
      const ranks = await start(of, {});
      if (typeof ranks === 'string') throw new UserError(ranks);
      if (ranks !== staying) await leave(ranks);
    },
    async launch(job, hooks): Promise<LaunchEnd> {
      const ended = async (): Promise<Ended> => {
        const of = mpiCaseOf(job.case.parameters);
        if (of === null) throw new Error('the engine of MPI was given another case');
        const ranks = await start(of, job.environment);
        if (typeof ranks === 'string') return { status: 'failed', reason: ranks, path: null };
        const end = await measureOn(ranks, job, hooks);
        if (ranks !== staying) await leave(ranks);
        else if (end.path === null) {
          gone = `the job's ranks are gone: ${end.reason}`;
          staying = null;
        }
        return end;
      };
      return { ...(await ended()), wall: monotonic() - job.launchedAt };
    },
    async close() {
      if (staying !== null) await leave(staying);
      staying = null;
    },
  };
}
