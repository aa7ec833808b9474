/** Slurm: which nodes, and by which of its programs they are reached. */
import { UserError } from '../errors.js';
import { plural } from '../quantities/format.js';
import { checkedNode } from './names.js';
import { nodeCommand, quoted } from './node-command.js';
import { MOST_BYTES, type Scheduler, type Settings, type Targets } from './scheduler.js';
import { batchArguments, batchConnection, batchScript, bindings } from './slurm-batch.js';
import { askNodes, expandNodes } from './slurm-queue.js';
import { slurmOptions, slurmSettings } from './slurm-request.js';
import { srunArguments, srunConnection } from './slurm-srun.js';
import { type SlurmNode, unfitness } from './slurm-text.js';

const MOST_NAMED = 8;

function listed(names: readonly string[]): string {
  const more = names.length - MOST_NAMED;
  return `${names.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

const textOf = (settings: Settings, name: string): string | null => {
  const value = settings[name];
  return typeof value === 'string' ? value : null;
};

/** Idle ones first, else as Slurm lists them. */
const idleFirst = (nodes: readonly SlurmNode[]): readonly SlurmNode[] => [
  ...nodes.filter(({ state }) => state.startsWith('idle')),
  ...nodes.filter(({ state }) => !state.startsWith('idle')),
];

/**
 * Named nodes are all meant, unfit ones too, so that these are missing by name; a number is chosen among those that can run jobs.
 * @throws UserError where there are too few, or one is none of this partition's
 */
export function chooseTargets(
  settings: Settings,
  nodes: readonly SlurmNode[],
  named: readonly string[] | null,
  excluded: readonly string[],
): Targets {
  const partition = textOf(settings, 'partition');
  const here = partition === null ? 'this Slurm' : `partition ${partition}`;
  if (nodes.length === 0) throw new UserError(`${here} is not there, or has no nodes`);
  const unknown = (named ?? []).filter((name) => !nodes.some((node) => node.name === name));
  if (unknown.length > 0) throw new UserError(`${here} has no node ${listed(unknown)}`);
  const candidates = nodes.filter(({ name }) => (named?.includes(name) ?? true) && !excluded.includes(name));
  const asked = textOf(settings, 'nodes');
  const fit = candidates.filter((node) => unfitness(node) === null);
  const chosen = asked === null || asked === 'all' ? candidates : idleFirst(fit).slice(0, Number(asked));
  if (chosen.length === 0) throw new UserError(`${here} has no node left to run on`);
  if (asked !== null && asked !== 'all' && chosen.length < Number(asked)) {
    const why = candidates.flatMap((node) =>
      unfitness(node) === null ? [] : [`${node.name}: ${unfitness(node)}`],
    );
    throw new UserError(
      `${plural(Number(asked), 'node')} were asked for, and ${chosen.length} of ${here} can run jobs now${why.length === 0 ? '' : ` (${listed(why)})`}`,
    );
  }
  const unfit = chosen.flatMap((node): [string, string][] => {
    const why = unfitness(node);
    return why === null ? [] : [[node.name, why]];
  });
  return { names: chosen.map(({ name }) => checkedNode(name)), unfit: new Map(unfit) };
}

export const slurm: Scheduler = {
  name: 'slurm',
  summary: 'On nodes of a Slurm cluster, each by itself',
  options: slurmOptions,
  examples: [
    ['$0 submit slurm matmul --nodes 16 --reservation new-rack', 'a record of each of 16 nodes'],
    [
      '$0 submit slurm run campaign.yaml --nodelist n[1-4] --retries 1',
      'a campaign file, lost nodes once more',
    ],
  ],
  mostBytes: MOST_BYTES,
  settingsOf: slurmSettings,
  async targets(settings) {
    const list = textOf(settings, 'nodelist');
    const exclude = textOf(settings, 'exclude');
    const named = list === null ? null : await expandNodes(list);
    const excluded = exclude === null ? [] : await expandNodes(exclude);
    return chooseTargets(settings, await askNodes(textOf(settings, 'partition'), null), named, excluded);
  },
  connect: async (context) =>
    context.settings.via === 'srun' ? srunConnection(context) : batchConnection(context),
  dryRunNeeds: 'a live controller, which tells the nodes',
  dryRun(context, tasks) {
    const { settings } = context;
    if (settings.via !== 'srun') {
      const command = ['sbatch', ...batchArguments(context, tasks)].map(quoted).join(' ');
      return `${command} <<'END'\n${batchScript(settings, tasks)}END\nscontrol <<'END'\n${bindings('JOB', tasks)}END\n`;
    }
    const line = (words: readonly string[]): string => `${words.map(quoted).join(' ')}\n`;
    return tasks
      .map((task) => line(['srun', ...srunArguments(context, task, null), ...nodeCommand(settings, task)]))
      .join('');
  },
};
