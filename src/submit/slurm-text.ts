/** What Slurm's programs print, read; formats that every version of the last ten years has. Pure. */
import type { JobState } from './scheduler.js';

export interface SlurmNode {
  readonly name: string;
  /** As `sinfo` has it: `idle`, `mixed`, `down*`, `drained`. */
  readonly state: string;
  readonly reason: string;
  readonly cpus: number;
  /** MB, as Slurm counts them. */
  readonly memory: number;
  /** With commas between them. */
  readonly features: string;
  /** `gpu:a100:8(S:0-1)`; `(null)` where it has none. */
  readonly gres: string;
  /** Whether it is in the partition that jobs get which name none. */
  readonly inDefault: boolean;
}

/** `sinfo --Node --noheader` is to print this. A node has a line for each of its partitions. */
export const SINFO_FORMAT = '%N|%T|%c|%P|%m|%f|%G|%E';

export function parseSinfo(text: string): readonly SlurmNode[] {
  const nodes = new Map<string, SlurmNode>();
  for (const line of text.split('\n')) {
    const [
      name = '',
      state = '',
      cpus = '',
      partition = '',
      memory = '',
      features = '',
      gres = '',
      ...reason
    ] = line.trim().split('|');
    if (name === '') continue;
    const inDefault = partition.endsWith('*') || nodes.get(name)?.inDefault === true;
    const numbers = { cpus: Number(cpus), memory: Number(memory) };
    nodes.set(name, { name, state, reason: reason.join('|'), ...numbers, features, gres, inDefault });
  }
  return [...nodes.values()];
}

/** Of states that sinfo(1) lists, those in which a node runs jobs, or will without anybody doing anything. */
const ABLE = [
  'allocated',
  'blocked',
  'completing',
  'idle',
  'maint',
  'mixed',
  'npc',
  'perfctrs',
  'planned',
  'reserved',
];

interface Mark {
  readonly says: string;
  /** Such a node begins nothing, whatever its state. */
  readonly unable?: true;
}

/** What may stand behind a state. */
const MARKS: Readonly<Record<string, Mark>> = {
  '*': { says: ', not responding', unable: true },
  '%': { says: ', being powered down', unable: true },
  '^': { says: ', being rebooted', unable: true },
  '~': { says: ', powered off' },
  '#': { says: ', being powered up' },
  '!': { says: ', to be powered down' },
  $: { says: ', in maintenance' },
  '@': { says: ', to be rebooted' },
  '-': { says: '' },
  '+': { says: '' },
};

/** Why a node can run no job now; null where it can. */
export function unfitness({ state, reason }: Pick<SlurmNode, 'state' | 'reason'>): string | null {
  const [, word = state, mark = ''] = /^(.*?)([*%^~#!$@+-]?)$/.exec(state) ?? [];
  const { says = '', unable = false } = MARKS[mark] ?? {};
  if (ABLE.includes(word) && !unable) return null;
  const known = reason !== '' && reason !== 'none';
  return `the node is ${word}${says}${known ? ` (${reason})` : ''}`;
}

/** `squeue --noheader` is to print this, with `--array` and `--states=all`. */
export const SQUEUE_FORMAT = '%i|%j|%T|%N|%r';

export interface SlurmJob {
  readonly id: string;
  readonly name: string;
  readonly state: string;
  /** Empty while it waits. */
  readonly node: string;
  readonly reason: string;
}

export function parseSqueue(text: string): readonly SlurmJob[] {
  return text
    .split('\n')
    .map((line) => line.trim().split('|'))
    .filter(([id = '']) => id !== '')
    .map(([id = '', name = '', state = '', node = '', ...reason]) => ({
      id,
      name,
      state,
      node,
      reason: reason.join('|').replace(/^\((.*)\)$/, '$1'),
    }));
}

/** `scontrol --oneliner show job`: the values of `Name=Value`, where values have no blanks. */
export function fieldsOf(text: string): ReadonlyMap<string, string> {
  return new Map([...text.matchAll(/(\S+?)=(\S*)/g)].map(([, name = '', value = '']) => [name, value]));
}

const WAITING = [
  'PENDING',
  'CONFIGURING',
  'REQUEUED',
  'REQUEUE_FED',
  'REQUEUE_HOLD',
  'SPECIAL_EXIT',
  'RESV_DEL_HOLD',
];
/** Reasons that no waiting mends. */
const HOPELESS = [
  'AccountNotAllowed',
  'BadConstraints',
  'InvalidAccount',
  'InvalidQOS',
  'PartitionNodeLimit',
  'PartitionTimeLimit',
  'QOSNotAllowed',
  'ReservationDeleted',
];
const RUNNING = ['RUNNING', 'COMPLETING', 'SUSPENDED', 'STAGE_OUT', 'SIGNALING', 'STOPPED', 'RESIZING'];

const ENDS: Readonly<Record<string, string>> = {
  BOOT_FAIL: 'the node did not boot',
  CANCELLED: 'the job was cancelled',
  DEADLINE: 'the job could not have ended before its deadline',
  NODE_FAIL: 'the node failed',
  OUT_OF_MEMORY: 'the job ran out of memory',
  PREEMPTED: 'the job was preempted by another',
  REVOKED: 'the job was revoked',
  TIMEOUT: 'the job reached its time limit',
};

/** Slurm's exit code of a job whose output file could not be opened on its node. */
const NO_OUTPUT_FILE = 53;

/** @param exitCode `code:signal`, as Slurm writes it; empty where it is not known */
function endOf(state: string, node: string | null, exitCode: string): JobState {
  const known = ENDS[state];
  if (known !== undefined) return { phase: 'ended', itself: false, node, reason: known };
  // As Slurm notes one that it refused at once: `FAILED 0:1`, without a node.
  if (state === 'FAILED' && node === null)
    return { phase: 'ended', itself: false, node, reason: 'the job was refused' };
  const [code = 0, signal = 0] = exitCode.split(':').map(Number);
  if (signal === NO_OUTPUT_FILE) {
    const reason =
      'the node cannot write to the folder of the submission: nodes that do not share it need --via srun';
    return { phase: 'ended', itself: false, node, reason };
  }
  if (signal > 0)
    return { phase: 'ended', itself: false, node, reason: `the job was killed by signal ${signal}` };
  const reason = code > 0 ? `the job ended with exit code ${code}` : 'the job ended and left no result';
  return { phase: 'ended', itself: true, node, reason };
}

/** How programs of Slurm's write that a job has no node. */
export const isNowhere = (node: string): boolean => ['', '(null)', 'None assigned'].includes(node);

/**
 * @param state in capital letters, perhaps with more behind it (`CANCELLED by 0`)
 * @param exitCode of one that ended
 */
export function jobState(state: string, node: string, reason: string, exitCode: string): JobState {
  const word = state.split(/[\s+]/)[0] ?? '';
  const where = isNowhere(node) ? null : node;
  if (WAITING.includes(word)) {
    const why = reason === 'None' || reason === '' ? null : reason;
    return HOPELESS.includes(reason) ? { phase: 'waiting', why, hopeless: true } : { phase: 'waiting', why };
  }
  if (RUNNING.includes(word)) return { phase: 'running', node: where };
  return endOf(word, where, exitCode);
}

/** `sacct --noheader --parsable2 --allocations --format=JobID,State,ExitCode,NodeList`. */
export function parseSacct(text: string): ReadonlyMap<string, JobState> {
  return new Map(
    text
      .split('\n')
      .map((line) => line.split('|'))
      .filter(([id = '']) => id !== '')
      .map(([id = '', state = '', exitCode = '', node = '']) => [id, jobState(state, node, '', exitCode)]),
  );
}
