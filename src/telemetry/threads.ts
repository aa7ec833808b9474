/** One measuring thread over the window, from its four files. */
import { THREAD_ID, threadPath } from './paths.js';
import { parseSchedstat } from './schedstat.js';
import { parseMigrations } from './task-sched.js';
import { parseTaskStat } from './task-stat.js';
import { parseContextSwitches } from './task-status.js';
import type { Snapshot, Telemetry, ThreadTelemetry } from './types.js';

const NANOSECONDS_A_SECOND = 1e9;

type ThreadFile = Parameters<typeof threadPath>[1];

/** What a thread may lack beside the others. */
interface Count {
  readonly what: string;
  readonly file: ThreadFile;
  readonly of: (thread: ThreadTelemetry) => number | null;
  /** In the file. */
  readonly entry: string;
  /** What is said of the kernel where that is not in it, or there is no such file. */
  readonly without: string;
  /** What follows from it. */
  readonly so?: string;
}

const COUNTS: readonly Count[] = [
  {
    what: 'run delay',
    file: 'schedstat',
    of: ({ runDelay }) => runDelay,
    entry: 'times',
    without: 'a kernel without scheduler statistics',
    so: '; CPU time is in ticks',
  },
  {
    what: 'context switches',
    file: 'status',
    of: ({ involuntarySwitches }) => involuntarySwitches,
    entry: 'voluntary_ctxt_switches',
    without: 'the kernel does not count them',
  },
  {
    what: 'migrations',
    file: 'sched',
    of: ({ migrations }) => migrations,
    entry: 'nr_migrations',
    without: 'a kernel without CONFIG_SCHED_DEBUG',
  },
];

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
  for (const { what, file, of, entry, without, so = '' } of COUNTS) {
    const lacking = threads.filter((thread) => of(thread) === null);
    if (lacking.length === 0) continue;
    const path = threadPath(THREAD_ID, file);
    const why = isUnread(before, after, lacking, file)
      ? `${path} could not be read at both ends`
      : `no ${entry} in ${path}: ${without}`;
    missing.push({ what, why: `${why}${so}` });
  }
  return { threads, missing };
}

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

/** Whether a file that is here, and so was asked for, could be read at both ends of none of these threads. */
function isUnread(
  before: Snapshot,
  after: Snapshot,
  threads: readonly ThreadTelemetry[],
  file: ThreadFile,
): boolean {
  const wasAsked = threads.some(({ tid }) => {
    const path = threadPath(tid, file);
    return path in before.files || path in after.files;
  });
  return wasAsked && threads.every(({ tid }) => textsOf(before, after, tid, file) === null);
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
