/** The local engine: each inspection in a child process of its own, with a limit that does not depend on it. */
import type { ChildProcess } from 'node:child_process';
import { messageOf } from '../errors.js';
import { CHANNEL_FD, type Job, MEASURED, monotonic, type Report } from '../inspection/job.js';
import { readLocalFile } from '../machine/local-files.js';
import { formatSeconds } from '../quantities/format.js';
import type { InspectionStatus } from '../record/schema.js';
import type { Seconds } from '../units.js';
import { DEADLINE, type LaunchEnd, type LaunchHooks, type OpenEngine } from './engine.js';
import { hungText, type LastHeard, lastHeardText, notHeardSince } from './last-heard.js';
import { GRACE, MOST_PATIENCE, makeLimit } from './limit.js';
import { type OomKills, oomKillsBetween, readOomKills } from './oom-kills.js';
import { onLines, reportIn, unreadable } from './reports.js';
import { type Standby, startWorker } from './standby.js';
import { stopAndGo } from './stop-and-go.js';

const MOST_STDERR = 2000;

interface Observed {
  last: LastHeard;
  /** null: its repetitions have not begun. */
  measuringSince: Seconds | null;
  end: Exclude<Report, { event: 'progress' }> | null;
  stderr: string;
  /** When it was killed because it did not end by itself; null: it was not. */
  killedAt: Seconds | null;
}

function listen(child: ChildProcess, onProgress: LaunchHooks['onProgress'], observed: Observed): void {
  onLines(child.stdio[CHANNEL_FD], (line) => {
    // After its last word nothing changes any more, as where a library takes its leave.
    if (observed.end !== null) return;
    const report = reportIn(line);
    if (report === null) {
      observed.end = unreadable(line);
      child.kill('SIGKILL');
      return;
    }
    if (report.event !== 'progress') {
      observed.end = report;
      return;
    }
    observed.last = { phase: report.phase, taken: report.taken, at: monotonic() };
    if (report.phase === 'measure') observed.measuringSince ??= observed.last.at;
    onProgress(report.phase, report.taken);
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    observed.stderr = (observed.stderr + chunk.toString('utf8')).slice(-MOST_STDERR);
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

/** What a terminal, or a scheduler, sends to the whole group. */
const PASSED_ON: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

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
  if (cancelled && signal !== null && PASSED_ON.includes(signal))
    return because('interrupted', `ended by ${signal}, ${where}`);
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

/** Whether nothing else is measured while it writes what it has, so that a worker may be started then. */
const standsAlone = ({ standstill, case: { parameters } }: Job, gate: LaunchHooks['gate']): boolean =>
  standstill === null && gate === undefined && !('ranks' in parameters);

/**
 * @param standby null: each worker is started when its job is there
 * @param oomKills looked at before a launch and after it
 */
export const makeLocalEngine = (
  standby: Standby | null,
  oomKills: () => OomKills | null = () => readOomKills(readLocalFile),
): OpenEngine => ({
  name: 'local',
  rest: () => standby?.dismiss(),
  close: async () => standby?.dismiss(),
  launch(job, { onProgress, signal, gate, another }) {
    return new Promise((resolve) => {
      const observed: Observed = {
        last: notHeardSince(job.launchedAt),
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
          status: 'failed',
          reason: `could not be started: ${messageOf(error)}`,
          path: null,
          wall: wallSoFar(),
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
      const onReport = (phase: string, taken: number): void => {
        // From here on this launch only writes down what it has.
        if (phase === MEASURED && another === true && !signal.aborted) ready?.prepare(job.environment);
        onProgress(phase, taken);
      };
      listen(child, onReport, observed);

      const endStandstill = job.standstill === null ? () => {} : stopAndGo(child, job.standstill);

      const kill = (): void => {
        observed.killedAt = monotonic();
        child.kill('SIGKILL');
      };
      const limit = makeLimit(() => ({ ...observed.last, measuringSince: observed.measuringSince }), kill);
      limit.after(job.timeout + GRACE, MOST_PATIENCE);
      const cancel = (): void => {
        child.stdin?.write('{"order":"cancel"}\n');
        limit.after(GRACE, signal.reason === DEADLINE ? 0 : MOST_PATIENCE);
      };
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
      child.on('error', (error) => {
        finish();
        notStarted(error);
      });
      child.on('close', (code, exitSignal) => {
        finish();
        const wall = wallSoFar();
        const oom = oomKillsBetween(oomBefore, oomKills());
        const end =
          observed.end?.event === 'written'
            ? fromDocument(observed.end, job.timeout, signal)
            : lost(code, exitSignal, observed, job, oom, signal.aborted);
        resolve({ ...end, wall });
      });
    });
  },
});
