/** The local engine: each inspection in a child process of its own, with a limit that does not depend on it. */
import type { ChildProcess } from 'node:child_process';
import { type ChildEnd, watchChild } from '../child-end.js';
import { messageOf } from '../errors.js';
import { CHANNEL_FD, type Job, MEASURED, monotonic, type Report } from '../inspection/job.js';
import { readLocalFile } from '../machine/local-files.js';
import { formatSeconds } from '../quantities/format.js';
import type { InspectionStatus } from '../record/schema.js';
import type { Seconds } from '../units.js';
import { DEADLINE, type LaunchEnd, type LaunchHooks, type OpenEngine } from './engine.js';
import { outlivesHangup } from './hangup.js';
import { hungText, type LastHeard, lastHeardText, notHeardSince } from './last-heard.js';
import { leftText, watchHeirs, withRemark } from './left-behind.js';
import { GRACE, MOST_PATIENCE, makeLimit } from './limit.js';
import { type OomKills, oomKillsBetween, readOomKills } from './oom-kills.js';
import { isPassedOn } from './passed-on.js';
import { onLines, reportIn, unreadable } from './reports.js';
import { type Standby, startWorker } from './standby.js';
import { stopAndGo } from './stop-and-go.js';

const MOST_STDERR = 2000;

interface Observed {
  last: LastHeard;
  /** It has said something. */
  heard: boolean;
  /** null: its repetitions have not begun. */
  measuringSince: Seconds | null;
  end: Exclude<Report, { event: 'progress' }> | null;
  stderr: string;
  /** When it was killed because it did not end by itself; null: it was not. */
  killedAt: Seconds | null;
}

interface Heard {
  readonly onProgress: LaunchHooks['onProgress'];
  readonly onLastWord: () => void;
  /** What was heard is not its own. */
  readonly onStray: () => void;
}

function listen(child: ChildProcess, { onProgress, onLastWord, onStray }: Heard, observed: Observed): void {
  onLines(child.stdio[CHANNEL_FD], (line) => {
    // After its last word nothing changes any more, as where a library takes its leave.
    if (observed.end !== null) return;
    observed.heard = true;
    const report = reportIn(line);
    if (report === null) {
      observed.end = unreadable(line);
      onStray();
      return;
    }
    if (report.event !== 'progress') {
      observed.end = report;
      onLastWord();
      return;
    }
    observed.last = { phase: report.phase, taken: report.taken, at: monotonic() };
    if (report.phase === 'measure') observed.measuringSince ??= observed.last.at;
    onProgress(report.phase, report.taken);
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    observed.stderr = (observed.stderr + text).slice(-MOST_STDERR);
  });
}

export type Ended = Omit<LaunchEnd, 'wall'>;

/**
 * What a worker's document says of its end.
 * @param signal by which it may have been told to end
 */
export function fromDocument(
  end: Extract<Report, { event: 'written' }>,
  timeout: number,
  signal: AbortSignal,
): Ended {
  const { path } = end;
  if (end.passed === false) return { status: 'wrong', reason: 'the output is wrong', path };
  if (end.ended === 'interrupted') {
    const reason =
      signal.reason === DEADLINE ? 'ended by the deadline; what was measured is kept' : 'stopped by a signal';
    return { status: 'interrupted', reason, path };
  }
  if (end.ended === 'timed-out') {
    return {
      status: 'timed-out',
      reason: `reached its limit of ${formatSeconds(timeout)}; what was measured is kept`,
      path,
    };
  }
  return { status: 'measured', reason: null, path };
}

/** What can be said of a worker that left no document. */
function lost(
  code: number | null,
  signal: NodeJS.Signals | null,
  observed: Observed,
  job: Job,
  oom: OomKills['where'] | null,
  cancelled: boolean,
): Ended {
  const { last, killedAt } = observed;
  const where = lastHeardText(last, killedAt ?? monotonic());
  const because = (status: InspectionStatus, reason: string): Ended => ({ status, reason, path: null });
  if (observed.end?.event === 'failed') return because(observed.end.status, observed.end.message);
  if (killedAt !== null && cancelled) return because('interrupted', `did not stop when asked to, ${where}`);
  if (killedAt !== null) return because('timed-out', hungText(job, last, killedAt));
  // The same signal reached it before it could be told to stop.
  if (cancelled && isPassedOn(signal)) return because('interrupted', `ended by ${signal}, ${where}`);
  if (signal === 'SIGKILL' && oom !== null) {
    const status = oom === 'in its control group' ? 'out-of-memory' : 'killed';
    const meanwhile = `while the kernel killed for want of memory ${oom}`;
    return because(status, `killed by SIGKILL ${meanwhile}, ${where}`);
  }
  if (signal === 'SIGKILL' || signal === 'SIGTERM') return because('killed', `killed by ${signal}, ${where}`);
  const said = observed.stderr.trim().split('\n').at(-1);
  const how = signal === null ? `ended with exit code ${code}` : `crashed with ${signal}`;
  return because('crashed', `${how}, ${where}${said ? `: ${said}` : ''}`);
}

/** What is to be said of a process of which nothing is left, however the launch ended; null: nothing. */
function remarkOn({ signal }: ChildEnd, { end, killedAt }: Observed): string | null {
  // One that was ending anyway says nothing of the signal.
  const wasKilled = end !== null && killedAt !== null && signal === 'SIGKILL';
  return wasKilled ? 'its process did not end by itself and was killed' : null;
}

/** Whether nothing else is measured while it writes what it has, so that a worker may be started then. */
const standsAlone = ({ standstill, case: { parameters } }: Job, gate: LaunchHooks['gate']): boolean =>
  standstill === null && gate === undefined && !('ranks' in parameters);

/** Of the starts of one launch: a session ends once, or a few times. */
const MOST_STARTS = 5;

interface Surroundings {
  /** null: each worker is started when its job is there. */
  readonly standby: Standby | null;
  /** Looked at before a launch and after it. */
  readonly oomKills: () => OomKills | null;
}

interface Launched {
  readonly end: LaunchEnd;
  /** Ended by SIGHUP, and it had not said a word. */
  readonly isHungUp: boolean;
}

/**
 * @param standby null: each worker is started when its job is there
 * @param oomKills looked at before a launch and after it
 * @param outlives whether the end of the terminal is to be outlived
 */
export const makeLocalEngine = (
  standby: Standby | null,
  oomKills: () => OomKills | null = () => readOomKills(readLocalFile),
  outlives: () => boolean = outlivesHangup,
): OpenEngine => ({
  name: 'local',
  rest: () => standby?.dismiss(),
  close: async () => standby?.dismiss(),
  async launch(job, hooks) {
    for (let starts = 1; ; starts++) {
      const { end, isHungUp } = await launchOnce(job, hooks, { standby, oomKills });
      // A process that has just been started is still of the terminal's group for a moment, and may end with the terminal: that is no crash.
      if (!isHungUp || !outlives() || hooks.signal.aborted || starts === MOST_STARTS) return end;
    }
  },
});

function launchOnce(
  job: Job,
  { onProgress, signal, gate, another }: LaunchHooks,
  { standby, oomKills }: Surroundings,
): Promise<Launched> {
  return new Promise((resolve) => {
    const observed: Observed = {
      last: notHeardSince(job.launchedAt),
      heard: false,
      measuringSince: null,
      end: null,
      stderr: '',
      killedAt: null,
    };
    const oomBefore = oomKills();
    const wallSoFar = (): Seconds => monotonic() - job.launchedAt;
    // Too many processes, too little memory: that costs this launch, and not those before it.
    const notStarted = (error: unknown): void =>
      resolve({
        end: {
          status: 'failed',
          reason: `could not be started: ${messageOf(error)}`,
          path: null,
          wall: wallSoFar(),
        },
        isHungUp: false,
      });
    const ready = standsAlone(job, gate) ? standby : null;
    if (ready === null) standby?.dismiss();
    let child: ChildProcess;
    try {
      child = ready?.take(job.environment) ?? startWorker(job.environment);
    } catch (error) {
      notStarted(error);
      return;
    }
    // Node says why a moment later; where that is too many open files, such a child has no files that could be listened to.
    if (child.pid === undefined) {
      child.once('error', notStarted);
      return;
    }
    const heirs = watchHeirs(child.pid);
    const onEnd = (end: ChildEnd): void => {
      finish();
      const wall = wallSoFar();
      const oom = oomKillsBetween(oomBefore, oomKills());
      const ended =
        observed.end?.event === 'written'
          ? fromDocument(observed.end, job.timeout, signal)
          : lost(end.code, end.signal, observed, job, oom, signal.aborted);
      const remark = leftText(end, child.pid, heirs) ?? remarkOn(end, observed);
      resolve({
        end: { ...ended, reason: withRemark(ended.reason, remark), wall },
        isHungUp: end.signal === 'SIGHUP' && !observed.heard,
      });
    };
    const isOverdue = (): boolean => signal.reason === DEADLINE;
    const watched = watchChild(child, onEnd, { isOverdue, ending: heirs.ending });

    const endStandstill = job.standstill === null ? () => {} : stopAndGo(child, job.standstill);

    const kill = (): void => {
      observed.killedAt = monotonic();
      watched.kill();
    };
    const limit = makeLimit(() => ({ ...observed.last, measuringSince: observed.measuringSince }), kill);
    limit.after(job.timeout + GRACE, MOST_PATIENCE);
    const cancel = (): void => {
      child.stdin?.write('{"order":"cancel"}\n');
      // After its last word it has the time to end that it has.
      if (observed.end === null) limit.after(GRACE, signal.reason === DEADLINE ? 0 : MOST_PATIENCE);
    };
    listen(
      child,
      {
        onProgress(phase, taken) {
          // From here on this launch only writes down what it has.
          if (phase === MEASURED && another === true && !signal.aborted) ready?.prepare(job.environment);
          onProgress(phase, taken);
        },
        // Nothing is left to do for it, and a library that takes its leave may wait for ever.
        onLastWord: () => limit.after(GRACE, 0),
        onStray: watched.kill,
      },
      observed,
    );
    // Writing to a worker that is already gone says nothing new: its exit does.
    child.stdin?.on('error', () => {});
    child.stdin?.write(`${JSON.stringify(job)}\n`);
    if (signal.aborted) cancel();
    else signal.addEventListener('abort', cancel, { once: true });

    const go = (): void => void child.stdin?.write('{"order":"go"}\n');
    gate?.addEventListener('abort', go, { once: true });

    const finish = (): void => {
      gate?.removeEventListener('abort', go);
      endStandstill();
      limit.clear();
      signal.removeEventListener('abort', cancel);
    };
  });
}
