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
  if (threads.some((thread) => thread.involuntarySwitches === null)) {
    missing.push({
      what: 'context switches',
      why: `no voluntary_ctxt_switches in ${threadPath(THREAD_ID, 'status')}: the kernel does not count them`,
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

function oneThread(
  before: Snapshot,
  after: Snapshot,
  tid: number,
  clockTicks: number,
): ThreadTelemetry | null {
  const both = <T>(file: Parameters<typeof threadPath>[1], parse: (text: string) => T | null) => {
    const path = threadPath(tid, file);
    const [beforeText, afterText] = [before.files[path], after.files[path]];
    if (beforeText == null || afterText == null) return null;
    const [from, to] = [parse(beforeText), parse(afterText)];
    return from === null || to === null ? null : { from, to };
  };
  const stat = both('stat', parseTaskStat);
  if (stat === null) return null;
  const switches = both('status', parseContextSwitches);
  const schedstat = both('schedstat', parseSchedstat);
  const migrations = both('sched', parseMigrations);
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
