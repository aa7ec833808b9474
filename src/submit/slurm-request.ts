/** What jobs of a submission ask Slurm for, as its programs take it. Pure. */
import type { Options } from 'yargs';
import { UserError } from '../errors.js';
import type { Settings } from './scheduler.js';
import { megabytesOf } from './slurm-suits.js';

const GROUP = 'Slurm:';
const text = (describe: string): Options => ({ type: 'string', group: GROUP, describe });

/** Handed on as they are. */
const PASSED = {
  partition: text('Partition; without it the default one'),
  account: text('Account that pays'),
  qos: text('Quality of service'),
  reservation: text('Reservation in which the jobs run'),
  constraint: text('Features that nodes must have'),
  gres: text('Generic resources of each node: gpu:8'),
  mem: {
    ...text('Memory of each node, as Slurm writes it: 64G'),
    defaultDescription: 'all that it has; with --no-exclusive what Slurm gives',
  },
  time: text('Time limit of each node, as Slurm writes it: 10 is ten minutes, 1:00:00 an hour'),
} as const;

export const slurmOptions: Readonly<Record<string, Options>> = {
  nodes: text('How many nodes, chosen among those that can run jobs now, idle ones first; or `all`'),
  nodelist: text('These nodes: n[1-16],n20'),
  exclude: text('Without these'),
  ...PASSED,
  exclusive: {
    type: 'boolean',
    group: GROUP,
    default: true,
    describe: 'Each node for itself; --no-exclusive measures beside other jobs',
  },
  via: {
    type: 'string',
    group: GROUP,
    choices: ['sbatch', 'srun'],
    default: 'sbatch',
    describe:
      'sbatch: one array of batch jobs, for nodes that share the results folder; srun: for nodes that do not',
  },
};

/** Of what decides on nodes Slurm's programs take from the environment what they are not told: nodes are chosen by the same. */
const FROM_ENVIRONMENT: readonly string[] = ['partition', 'reservation', 'constraint', 'gres'];

function fromEnvironment(name: string, via: unknown, env: NodeJS.ProcessEnv): string | null {
  if (!FROM_ENVIRONMENT.includes(name)) return null;
  return env[`${via === 'srun' ? 'SLURM' : 'SBATCH'}_${name.toUpperCase()}`] || null;
}

/** @throws UserError where nobody says which nodes, or not how many, and for what is no amount of memory */
export function slurmSettings(
  flags: Readonly<Record<string, unknown>>,
  env: NodeJS.ProcessEnv = process.env,
): Settings {
  if (flags.nodes === undefined && flags.nodelist === undefined)
    throw new UserError('say which nodes: --nodes 16, --nodelist n[1-16], or --nodes all');
  const given = (name: string): string | null => (flags[name] === undefined ? null : String(flags[name]));
  const nodes = given('nodes');
  if (nodes !== null && nodes !== 'all' && !/^[1-9]\d{0,5}$/.test(nodes))
    throw new UserError(`--nodes takes a number of nodes, or all; got "${nodes}"`);
  const memory = given('mem');
  if (memory !== null && megabytesOf(memory) === null)
    throw new UserError(
      `--mem takes the memory of each node as Slurm writes it, a number of megabytes or one with K, M, G or T (64G); got "${memory}"`,
    );
  const passed = Object.keys(PASSED).map((name) => [
    name,
    given(name) ?? fromEnvironment(name, flags.via, env),
  ]);
  return {
    nodes,
    nodelist: given('nodelist'),
    exclude: given('exclude'),
    exclusive: flags.exclusive !== false,
    via: String(flags.via),
    ...Object.fromEntries(passed),
  };
}

/** The same for `sbatch` and `srun`. */
export function requestOf(settings: Settings): readonly string[] {
  const passed = Object.keys(PASSED).flatMap((name) => {
    const value = settings[name];
    return typeof value === 'string' ? [`--${name}=${value}`] : [];
  });
  // A node that is for one job alone is so with its CPUs: of its memory the job gets a default, unless it asks for all.
  const memory = typeof settings.mem === 'string' ? [] : ['--mem=0'];
  const whole = settings.exclusive === true ? ['--exclusive', ...memory] : [];
  return ['--nodes=1', '--ntasks=1', ...passed, ...whole];
}
