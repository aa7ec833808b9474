/** What jobs of a submission ask Slurm for, as its programs take it. Pure. */
import type { Options } from 'yargs';
import { UserError } from '../errors.js';
import type { Settings } from './scheduler.js';

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

/** @throws UserError where nobody says which nodes, or not how many */
export function slurmSettings(flags: Readonly<Record<string, unknown>>): Settings {
  if (flags.nodes === undefined && flags.nodelist === undefined)
    throw new UserError('say which nodes: --nodes 16, --nodelist n[1-16], or --nodes all');
  const given = (name: string): string | null => (flags[name] === undefined ? null : String(flags[name]));
  const nodes = given('nodes');
  if (nodes !== null && nodes !== 'all' && !/^[1-9]\d{0,5}$/.test(nodes))
    throw new UserError(`--nodes takes a number of nodes, or all; got "${nodes}"`);
  const passed = Object.keys(PASSED).map((name) => [name, given(name)]);
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
  return ['--nodes=1', '--ntasks=1', ...passed, ...(settings.exclusive === true ? ['--exclusive'] : [])];
}
