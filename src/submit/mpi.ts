/** MPI as a launcher: `mpirun` starts one pi-bench on each host of a list, each by itself, so a lost host takes no other with it. */
import { readFileSync } from 'node:fs';
import type { Options } from 'yargs';
import { messageOf, UserError } from '../errors.js';
import { launchedConnection } from './launched.js';
import { saidByMpirun } from './mpi-words.js';
import { checkedNode } from './names.js';
import { nodeCommand, quoted } from './node-command.js';
import { runProgram } from './run-program.js';
import { type Context, MOST_BYTES, type Scheduler, type Settings } from './scheduler.js';
import { NODE_VARIABLE, type Task } from './task.js';

const GROUP = 'MPI:';

const options: Readonly<Record<string, Options>> = {
  hosts: { type: 'string', group: GROUP, describe: 'Hosts with commas between them: node1,node2' },
  hostfile: {
    type: 'string',
    group: GROUP,
    describe: 'A file with a host on each line; what follows a name is left out',
  },
  mpirun: {
    type: 'string',
    group: GROUP,
    default: 'mpirun',
    describe: 'The launcher of Open MPI, MPICH or Intel MPI',
  },
};

/** Intel's takes the arguments of MPICH's, but was not seen here. */
type Kind = 'openmpi' | 'mpich' | 'intel';

/** The host of each line of a host file, of Open MPI's (`n1 slots=4`) or MPICH's (`n1:4`) kind. Each once. */
export function hostsOf(text: string): readonly string[] {
  const names = text
    .split(/[\n,]/)
    .map((line) => line.replace(/#.*/, '').trim().split(/[\s:]/)[0] ?? '')
    .filter((name) => name !== '');
  return [...new Set(names)].map(checkedNode);
}

export function kindOf(version: string): Kind | null {
  if (/Open MPI|OpenRTE|PRRTE/i.test(version)) return 'openmpi';
  if (/Intel\(R\) MPI/i.test(version)) return 'intel';
  return /HYDRA/i.test(version) ? 'mpich' : null;
}

/** @param root whether the user is: Open MPI refuses it unless it is told */
export function launchCommand(
  kind: Kind,
  mpirun: string,
  settings: Settings,
  task: Task,
  root: boolean,
): readonly string[] {
  // Hosts call themselves by other names than a list does; folders have the list's.
  const command = ['env', `${NODE_VARIABLE}=${task.target}`, ...nodeCommand(settings, task)];
  if (kind !== 'openmpi') return [mpirun, '-hosts', task.target, '-n', '1', '-bind-to', 'none', ...command];
  return [
    mpirun,
    ...(root ? ['--allow-run-as-root'] : []),
    '--host',
    task.target,
    '-np',
    '1',
    '--bind-to',
    'none',
    ...command,
  ];
}

/**
 * Open MPI 4's launchers on a host share a folder, which each removes at its end where it is empty: another one, about to make its
 * own below it, then fails (https://github.com/open-mpi/ompi/issues/8510; 2 of 240 here, four at a time). A submission starts one
 * for each of its hosts, so each gets a temporary folder of its own. A signal to all lets it end by itself before that is removed.
 */
const APART = [
  'TMPDIR=$(mktemp -d) || exit; export TMPDIR',
  'trap : HUP INT TERM',
  '"$@"; code=$?',
  'rm -rf "$TMPDIR"; exit "$code"',
].join('; ');

const apart = (kind: Kind, command: readonly string[]): readonly string[] =>
  kind === 'openmpi' ? ['sh', '-c', APART, 'sh', ...command] : command;

async function kindHere(mpirun: string): Promise<Kind> {
  const { stdout, stderr } = await runProgram(mpirun, ['--version']);
  const kind = kindOf(`${stdout}${stderr}`);
  if (kind !== null) return kind;
  const first = `${stdout}${stderr}`.trim().split('\n')[0] ?? '';
  throw new UserError(
    `${mpirun} is a launcher that is not known here ("${first}"): Open MPI's, MPICH's and Intel MPI's are`,
  );
}

/** The command that begins a task, and of which kind its launcher is. */
async function launching({ settings }: Context) {
  const mpirun = String(settings.mpirun);
  const kind = await kindHere(mpirun);
  const root = process.getuid?.() === 0;
  const command = (task: Task): readonly string[] =>
    apart(kind, launchCommand(kind, mpirun, settings, task, root));
  return { kind, command };
}

async function connect(context: Context) {
  const { kind, command } = await launching(context);
  return launchedConnection(context, {
    said: saidByMpirun,
    // https://github.com/pmodels/mpich/issues/1620
    mayStrand: kind === 'mpich',
    hasScheduler: false,
    command,
    cancel: async () => {},
    check: async () => {},
    states: async () => new Map(),
  });
}

export const mpi: Scheduler = {
  name: 'mpi',
  summary: 'On hosts that mpirun reaches, one pi-bench on each',
  options,
  examples: [['$0 submit mpi matmul --hosts node1,node2', 'a record of each host']],
  mostBytes: MOST_BYTES,
  settingsOf(flags) {
    if ((flags.hosts === undefined) === (flags.hostfile === undefined))
      throw new UserError('say which hosts: --hosts node1,node2 or --hostfile FILE, one of them');
    let text = String(flags.hosts ?? '');
    if (flags.hostfile !== undefined) {
      try {
        text = readFileSync(String(flags.hostfile), 'utf8');
      } catch (error) {
        throw new UserError(`cannot read the host file: ${messageOf(error)}`);
      }
    }
    const hosts = hostsOf(text);
    if (hosts.length === 0) throw new UserError('the list of hosts is empty');
    return { hosts, mpirun: String(flags.mpirun) };
  },
  async targets(settings) {
    await kindHere(String(settings.mpirun));
    return { names: settings.hosts as readonly string[], unfit: new Map() };
  },
  connect,
  dryRunNeeds: 'the launcher, which tells its kind',
  async dryRun(context, tasks) {
    const { command } = await launching(context);
    return `${tasks.map((task) => command(task).map(quoted).join(' ')).join('\n')}\n`;
  },
};
