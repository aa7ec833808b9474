/** Asks a Slurm what it knows of nodes and jobs. The edge to its programs. */
import { userInfo } from 'node:os';
import { UserError } from '../errors.js';
import { mustRun, runProgram } from './run-program.js';
import type { JobState, Submitted } from './scheduler.js';
import { remedyOf } from './slurm-refusal.js';
import {
  fieldsOf,
  isNowhere,
  jobState,
  parseSacct,
  parseSinfo,
  parseSqueue,
  SINFO_FORMAT,
  type SlurmJob,
  type SlurmNode,
  SQUEUE_FORMAT,
  unfitness,
} from './slurm-text.js';

const ask = (program: string, args: readonly string[]): Promise<string> =>
  mustRun(program, args, '', remedyOf);

/**
 * @param partition null: all
 * @param nodes null: all of them
 * @param hidden with those of partitions that are hidden, or closed to this user
 */
export async function askNodes(
  partition: string | null,
  nodes: readonly string[] | null,
  hidden = false,
): Promise<readonly SlurmNode[]> {
  const which = [
    ...(hidden ? ['--all'] : []),
    ...(partition === null ? [] : [`--partition=${partition}`]),
    ...(nodes === null ? [] : [`--nodes=${nodes.join(',')}`]),
  ];
  return parseSinfo(await ask('sinfo', ['--Node', '--noheader', `--format=${SINFO_FORMAT}`, ...which]));
}

/** `n[1-3]` as a list. */
export async function expandNodes(list: string): Promise<readonly string[]> {
  const names = (await ask('scontrol', ['show', 'hostnames', list])).split('\n').map((name) => name.trim());
  return [...new Set(names.filter((name) => name !== ''))];
}

export interface Reservation {
  readonly nodes: readonly string[];
  /** In which jobs run that name none; null: the default one. */
  readonly partition: string | null;
}

/** Of one, or of all of a list with commas. @throws UserError where one is not there, or has no nodes */
export async function askReservation(list: string): Promise<Reservation> {
  const nodes: string[] = [];
  const partitions = new Set<string | null>();
  for (const name of list.split(',')) {
    const said = fieldsOf(await ask('scontrol', ['--oneliner', 'show', 'reservation', name]));
    const own = said.get('Nodes') ?? '';
    if (isNowhere(own)) throw new UserError(`reservation ${name} has no nodes: name them, with --nodelist`);
    nodes.push(...(await expandNodes(own)));
    const partition = said.get('PartitionName') ?? '';
    partitions.add(isNowhere(partition) ? null : partition);
  }
  const [partition = null] = partitions.size === 1 ? partitions : [];
  return { nodes, partition };
}

/** Our own jobs whose names begin so; those that ended a while ago are not among them any more. */
export async function askJobs(prefix: string): Promise<readonly SlurmJob[]> {
  const args = [
    // In partitions too that are hidden, or closed to this user by now: a job that is not listed is taken for lost.
    '--all',
    '--noheader',
    '--array',
    '--states=all',
    `--user=${userInfo().username}`,
    `--format=${SQUEUE_FORMAT}`,
  ];
  return parseSqueue(await ask('squeue', args)).filter(
    // With --all, clusters of a federation list jobs as revoked that run on another one.
    ({ name, state }) => name.startsWith(prefix) && state !== 'REVOKED',
  );
}

/** With how it ended, where it has ended. */
export async function stateOfJob({ id, state, node, reason }: SlurmJob): Promise<JobState> {
  const first = jobState(state, node, reason, '');
  if (first.phase !== 'ended') return first;
  const { status, stdout } = await runProgram('scontrol', ['--oneliner', 'show', 'job', id]);
  const exitCode = status === 0 ? (fieldsOf(stdout).get('ExitCode') ?? '') : '';
  return jobState(state, node, reason, exitCode);
}

/** Jobs that wait for a node that can run nothing have nothing to wait for. */
export async function withHopeless(
  jobs: readonly Submitted[],
  states: ReadonlyMap<string, JobState>,
  keyOf: (job: Submitted) => string,
): Promise<ReadonlyMap<string, JobState>> {
  const waiting = jobs.filter((job) => states.get(keyOf(job))?.phase === 'waiting');
  if (waiting.length === 0) return states;
  const nodes = new Map((await askNodes(null, null, true)).map((node) => [node.name, unfitness(node)]));
  const hopeless = waiting.flatMap((job): [string, JobState][] => {
    const why = nodes.get(job.target) ?? null;
    return why === null ? [] : [[keyOf(job), { phase: 'waiting', why, hopeless: true }]];
  });
  return new Map([...states, ...hopeless]);
}

/** What accounting knows of jobs that the controller has forgotten; nothing where there is no accounting. */
export async function askAccounting(ids: readonly string[]): Promise<ReadonlyMap<string, JobState>> {
  if (ids.length === 0) return new Map();
  const format = '--format=JobID,State,ExitCode,NodeList';
  try {
    const args = ['--noheader', '--parsable2', '--allocations', format, `--jobs=${ids.join(',')}`];
    const { status, stdout } = await runProgram('sacct', args);
    return status === 0 ? parseSacct(stdout) : new Map();
  } catch {
    return new Map();
  }
}
