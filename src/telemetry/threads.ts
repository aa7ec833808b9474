/** One measuring thread over the window, from its four files. */
import { THREAD_ID, threadPath } from './paths.js';
import { parseSchedstat } from './schedstat.js';
import { parseMigrations } from './task-sched.js';
import { parseTaskStat } from './task-stat.js';
import { parseContextSwitches } from './task-status.js';
import type { Snapshot, Telemetry, ThreadTelemetry } from './types.js';

const NANOSECONDS_A_SECOND = 1e9;

/**
 * Threads whose stat could be read at both ends. Without schedstat the CPU time is counted in ticks and the run delay is
 * null; without status the switches are null, and without sched the migrations; each absence is named once for all threads.
 */
export function threadTelemetry(
  before: Snapshot,
  after: Snapshot,
  threadIds: readonly number[],
  clockTicks: number,
): { readonly threads: readonly ThreadTelemetry[]; readonly missing: Telemetry['missing'] } {
  const threads: ThreadTelemetry[] = [];
  const missing: { what: string; why: string }[] = [];
  for (const tid of threadIds) {
    const thread = oneThread(before, after, tid, clockTicks);
    if (thread !== null) threads.push(thread);
    else {
      missing.push({
        what: `thread ${tid}`,
        why: `${threadPath(tid, 'stat')} could not be read at both ends; it may have ended`,
      });
    }
  }
  if (threads.some((thread) => thread.runDelay === null)) {
    missing.push({
      what: 'run delay',
      why: `no ${threadPath(THREAD_ID, 'schedstat')}: a kernel without scheduler statistics; CPU time is in ticks`,
    });
  }
  const uncounted = threads.filter((thread) => thread.involuntarySwitches === null);
  if (uncounted.length > 0) {
    const file = threadPath(THREAD_ID, 'status');
    const wereRead = uncounted.some(({ tid }) => textsOf(before, after, tid, 'status') !== null);
    missing.push({
      what: 'context switches',
      why: wereRead
        ? `no voluntary_ctxt_switches in ${file}: the kernel does not count them`
        : `${file} could not be read at both ends`,
    });
  }
  if (threads.some((thread) => thread.migrations === null)) {
    missing.push({
      what: 'migrations',
      why: `no nr_migrations in ${threadPath(THREAD_ID, 'sched')}: a kernel without CONFIG_SCHED_DEBUG`,
    });
  }
  return { threads, missing };
}

type ThreadFile = Parameters<typeof threadPath>[1];

/**
 * null: a file that could not be read at both ends. Of a thread of which nobody asked at the first one there is no `from`: it was not
 * there, as a library made it in a repetition (--warmup 0).
 */
function textsOf(
  before: Snapshot,
  after: Snapshot,
  tid: number,
  file: ThreadFile,
): { readonly from: string | undefined; readonly to: string } | null {
  const path = threadPath(tid, file);
  const [from, to] = [before.files[path], after.files[path]];
  return from === null || to == null ? null : { from, to };
}

function oneThread(
  before: Snapshot,
  after: Snapshot,
  tid: number,
  clockTicks: number,
): ThreadTelemetry | null {
  const both = <T>(file: ThreadFile, parse: (text: string) => T | null, atBirth: (to: T) => T) => {
    const texts = textsOf(before, after, tid, file);
    if (texts === null) return null;
    const to = parse(texts.to);
    if (to === null) return null;
    const from = texts.from === undefined ? atBirth(to) : parse(texts.from);
    return from === null ? null : { from, to };
  };
  // On which CPU it began nobody saw.
  const stat = both('stat', parseTaskStat, ({ cpu }) => ({
    minorFaults: 0,
    majorFaults: 0,
    userTicks: 0,
    systemTicks: 0,
    cpu,
  }));
  if (stat === null) return null;
  const switches = both('status', parseContextSwitches, () => ({ voluntary: 0, involuntary: 0 }));
  const schedstat = both('schedstat', parseSchedstat, () => ({
    runNanoseconds: 0,
    delayNanoseconds: 0,
    timeslices: 0,
  }));
  const migrations = both('sched', parseMigrations, () => 0);
  const { from, to } = stat;
  const ticks = to.userTicks + to.systemTicks - from.userTicks - from.systemTicks;
  return {
    tid,
    cpuTime:
      schedstat === null
        ? ticks / clockTicks
        : (schedstat.to.runNanoseconds - schedstat.from.runNanoseconds) / NANOSECONDS_A_SECOND,
    runDelay:
      schedstat === null
        ? null
        : (schedstat.to.delayNanoseconds - schedstat.from.delayNanoseconds) / NANOSECONDS_A_SECOND,
    voluntarySwitches: switches === null ? null : switches.to.voluntary - switches.from.voluntary,
    involuntarySwitches: switches === null ? null : switches.to.involuntary - switches.from.involuntary,
    migrations: migrations === null ? null : migrations.to - migrations.from,
    minorFaults: to.minorFaults - from.minorFaults,
    majorFaults: to.majorFaults - from.majorFaults,
    cpuBefore: from.cpu,
    cpuAfter: to.cpu,
  };
}
