/** Why the ranks of an MPI job ended before they had measured, from what their launcher said. Pure. */
import { constants } from 'node:os';
import { plural } from '../quantities/format.js';
import type { Seconds } from '../units.js';
import { isPassedOn, isPassedOnNumber } from './passed-on.js';

export interface Loss {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** What came from the launcher and the ranks beside pi-bench's own reports. */
  readonly said: string;
  readonly ranks: number;
  /** Of the ranks, in their order; empty where they have not found each other. */
  readonly members: readonly { readonly host: string; readonly process: number }[];
}

/** How a rank, or its launcher, ended. */
interface How {
  readonly text: string;
  /** A signal that reaches the whole job explains it, as where a scheduler ends a control group. */
  readonly isPassedOn: boolean;
}

const nameOf = (signal: number): string => {
  const name = Object.entries(constants.signals).find(([, number]) => number === signal)?.[0];
  return `signal ${signal}${name === undefined ? '' : ` (${name})`}`;
};

/** In the words of the C library, in which Slurm says of a task how it ended. */
const SIGNAL_WORDS: Readonly<Record<string, number>> = {
  'Illegal instruction': constants.signals.SIGILL,
  Aborted: constants.signals.SIGABRT,
  'Bus error': constants.signals.SIGBUS,
  'Floating point exception': constants.signals.SIGFPE,
  Killed: constants.signals.SIGKILL,
  'Segmentation fault': constants.signals.SIGSEGV,
  Terminated: constants.signals.SIGTERM,
};

const bySignal = (signal: number): How => ({
  text: `was killed by ${nameOf(signal)}`,
  isPassedOn: isPassedOnNumber(signal),
});

/** What a shell, and many a program, adds to a signal by which something below it has ended. */
const OF_SIGNAL = 128;

const byCode = (code: number): How => ({
  text: `ended with exit code ${code}`,
  isPassedOn: isPassedOnNumber(code - OF_SIGNAL),
});

function endOfTask(words: string): How {
  const signal = SIGNAL_WORDS[words.replace(/ \(core dumped\)$/, '')];
  if (signal !== undefined) return bySignal(signal);
  const code = /^Exited with exit code (\d+)$/.exec(words)?.[1];
  return code === undefined ? { text: `ended: ${words}`, isPassedOn: false } : byCode(Number(code));
}

/** A launcher that is told to end does so with a code of its own, which says nothing of a crash. */
function endOfLauncher({ code, signal }: Loss): How {
  if (signal !== null) return { text: `was ended by ${signal}`, isPassedOn: isPassedOn(signal) };
  const isOwn = code === null || code <= OF_SIGNAL;
  return { text: `ended with exit code ${code}`, isPassedOn: isOwn || byCode(code).isPassedOn };
}

/**
 * The rank that UCX found gone while it copied from that one's memory or to it, for which it ends its own rank by SIGABRT: a launcher
 * may name either. null: it says nothing of the kind.
 */
function goneRank({ said, members }: Loss): number | null {
  const gone =
    /\[([^\s:\]]+):\d+ *:[^\]]*\][^\n]*process_vm_(?:readv|writev)\(pid=(\d+)\b[^\n]*No such process/.exec(
      said,
    );
  const rank = members.findIndex((one) => one.host === gone?.[1] && one.process === Number(gone?.[2]));
  return rank < 0 ? null : rank;
}

/**
 * Open MPI: by the rank; Slurm: by the task, of several the one that was gone before; MPICH: by a process that ended, which need not be
 * the first that did.
 */
function lostRank(
  { said, members }: Loss,
  gone: number | null,
): { readonly rank: number | null; readonly how: How } | null {
  const open = /process rank (\d+) with PID \d+ on node \S+ exited on signal (\d+)/.exec(said);
  if (open !== null) return { rank: Number(open[1]), how: bySignal(Number(open[2])) };
  const coded = /Process name: \[\[\d+,\d+\],(\d+)\]\s+Exit code:\s+(\d+)/.exec(said);
  if (coded !== null) return { rank: Number(coded[1]), how: byCode(Number(coded[2])) };
  const tasks = [...said.matchAll(/error: \S+: task (\d+): (.+)/g)];
  const task = tasks.find(([, rank]) => Number(rank) === gone) ?? tasks[0];
  if (task !== undefined) return { rank: Number(task[1]), how: endOfTask(task[2] ?? '') };
  const hydra = /PID (\d+) RUNNING AT (\S+)\s*\n=\s*EXIT CODE: (\d+)/.exec(said);
  if (hydra === null) return null;
  const [, pid, host, code] = hydra;
  const rank = members.findIndex((one) => one.process === Number(pid) && one.host === host);
  const killed = /KILLED BY SIGNAL: (\d+)|EXIT STRING: .*\(signal (\d+)\)/i.exec(said);
  const signal = Number(killed?.[1] ?? killed?.[2] ?? Number.NaN);
  const how = Number.isNaN(signal) ? byCode(Number(code)) : bySignal(signal);
  const text = rank < 0 ? how.text : `${how.text}; MPICH names rank ${rank} on ${host}`;
  return { rank: null, how: { ...how, text } };
}

/**
 * What ssh says of a host that it cannot reach, or null. MPICH's launcher waits for that host's ranks all the same.
 * @param line of what the launcher and what it started have said
 */
export function unreachableHost(line: string): string | null {
  const text = line.trim();
  return /^ssh: |Host key verification failed|Permission denied \(/.test(text) ? text : null;
}

/** The first thing that a launcher says, without its rulers; it ends where a paragraph does. */
function firstWords(said: string): string {
  const lines = said.split('\n').map((line) => line.trim());
  const begin = lines.findIndex((line) => /\w/.test(line));
  if (begin < 0) return '';
  const after = lines.slice(begin);
  const end = after.findIndex((line) => !/\w/.test(line));
  const text = (end < 0 ? after : after.slice(0, end)).join(' ').replaceAll(/\s+/g, ' ');
  return text.length > 300 ? `${text.slice(0, 299)}…` : text;
}

/** Of ranks that have not found each other in time; whoever starts them may have said why, as Slurm does of a queue. */
export function lateText({ ranks, said }: Pick<Loss, 'ranks' | 'said'>, limit: Seconds): string {
  const words = firstWords(said);
  const heard = words === '' ? '' : `; what was said: ${words}`;
  return `${plural(ranks, 'rank')} did not find each other within ${limit} s${heard}`;
}

/** Of one that another found gone by what nobody said. */
const GONE: How = {
  text: 'was gone: another, which read or wrote its memory, was told that there is no such process',
  isPassedOn: true,
};

/** In one line for a person. */
export function judgeLoss(loss: Loss): How {
  const gone = goneRank(loss);
  const named = lostRank(loss, gone);
  const lost =
    gone !== null && named?.how.text.includes(nameOf(constants.signals.SIGABRT)) === true
      ? { rank: gone, how: GONE }
      : named;
  if (lost !== null) {
    const host = lost.rank === null ? undefined : loss.members[lost.rank]?.host;
    const who = lost.rank === null ? 'a rank' : `rank ${lost.rank}`;
    const where = host === undefined ? '' : ` on ${host}`;
    return { ...lost.how, text: `${who} of ${loss.ranks}${where} ${lost.how.text}` };
  }
  const how = endOfLauncher(loss);
  const words = firstWords(loss.said);
  return { ...how, text: `the job of ${loss.ranks} ranks ${how.text}${words === '' ? '' : `: ${words}`}` };
}

export const lossText = (loss: Loss): string => judgeLoss(loss).text;

/** The same of ranks that had not found each other yet, with what is known to be behind it. */
export function startLossText(loss: Loss): string {
  const text = lossText(loss);
  return /signal 11\b/.test(text)
    ? `${text} before the ranks had found each other; with an MPI built on UCX, UCX_MEM_EVENTS=no may keep that from happening`
    : text;
}
