/** Which nodes of a Slurm a submission means. Pure. */
import { UserError } from '../errors.js';
import { plural } from '../quantities/format.js';
import { checkedNode } from './names.js';
import type { Settings, Targets } from './scheduler.js';
import { requirementsOf } from './slurm-suits.js';
import { type SlurmNode, unfitness } from './slurm-text.js';

const MOST_NAMED = 8;

function listed(names: readonly string[]): string {
  const more = names.length - MOST_NAMED;
  return `${names.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

export const textOf = (settings: Settings, name: string): string | null => {
  const value = settings[name];
  return typeof value === 'string' ? value : null;
};

/** Idle ones first, those of a reservation too that wait for its jobs; else as Slurm lists them. */
function idleFirst(nodes: readonly SlurmNode[]): readonly SlurmNode[] {
  const isIdle = ({ state }: SlurmNode): boolean => /^(idle|reserved)/.test(state);
  return [...nodes.filter(isIdle), ...nodes.filter((node) => !isIdle(node))];
}

/** Whether nodes are chosen, by what jobs ask for, instead of being named. */
export const areChosen = (settings: Settings): boolean => {
  const nodes = textOf(settings, 'nodes');
  return nodes !== null && !(nodes === 'all' && textOf(settings, 'nodelist') !== null);
};

/** Why a node cannot begin a job now that has no reservation. */
const closedBy = ({ state }: SlurmNode): string | null =>
  /^(reserved|maint)|[$]$/.test(state) ? 'the node is reserved' : null;

export interface Around {
  /** null: the default one. */
  readonly partition: string | null;
  readonly nodes: readonly SlurmNode[];
  /** Of the reservation that is asked for; null: none is. */
  readonly reserved: readonly string[] | null;
  readonly named: readonly string[] | null;
  readonly excluded: readonly string[];
}

interface Choice {
  /** What the nodes are called among which is chosen. */
  readonly within: string;
  readonly suits: (node: SlurmNode) => boolean;
}

/** Where jobs would run as they ask for it. @throws UserError where that cannot be told */
function choiceOf(settings: Settings, { partition, nodes, reserved }: Around): Choice {
  if (partition === null && !nodes.some(({ inDefault }) => inDefault))
    throw new UserError('this Slurm has no default partition: give --partition');
  const requirements = requirementsOf(settings);
  const where = partition === null ? 'the default partition' : `partition ${partition}`;
  const place = reserved === null ? where : `reservation ${textOf(settings, 'reservation')} in ${where}`;
  const having = requirements.map(({ says }) => says).join(', ');
  return {
    within: having === '' ? place : `${place} with ${having}`,
    suits: (node) =>
      (partition !== null || node.inDefault) &&
      (reserved?.includes(node.name) ?? true) &&
      requirements.every((one) => one.suits(node)),
  };
}

const reasonsOf = (
  nodes: readonly SlurmNode[],
  unable: (node: SlurmNode) => string | null,
): readonly (readonly [string, string])[] =>
  nodes.flatMap((node) => {
    const why = unable(node);
    return why === null ? [] : [[node.name, why] as const];
  });

/**
 * Named nodes are all meant, unfit ones too, so that these are missing by name; a number is chosen among those that can run jobs and
 * have what is asked for.
 * @throws UserError where there are too few, or one is none of this partition's
 */
export function chooseTargets(settings: Settings, around: Around): Targets {
  const { partition, nodes, reserved, named, excluded } = around;
  const here = partition === null ? 'this Slurm' : `partition ${partition}`;
  if (nodes.length === 0) throw new UserError(`${here} is not there, or has no nodes`);
  const unknown = (named ?? []).filter((name) => !nodes.some((node) => node.name === name));
  if (unknown.length > 0) throw new UserError(`${here} has no node ${listed(unknown)}`);
  const { within, suits }: Choice = areChosen(settings)
    ? choiceOf(settings, around)
    : { within: here, suits: () => true };
  const candidates = nodes.filter(
    (node) => (named?.includes(node.name) ?? true) && !excluded.includes(node.name) && suits(node),
  );
  const asked = textOf(settings, 'nodes');
  const isCounted = asked !== null && asked !== 'all';
  const unable = (node: SlurmNode): string | null =>
    unfitness(node) ?? (isCounted && reserved === null ? closedBy(node) : null);
  const chosen = isCounted
    ? idleFirst(candidates.filter((node) => unable(node) === null)).slice(0, Number(asked))
    : candidates;
  if (isCounted && chosen.length < Number(asked)) {
    const why = reasonsOf(candidates, unable).map(([name, reason]) => `${name}: ${reason}`);
    throw new UserError(
      `${plural(Number(asked), 'node was', 'nodes were')} asked for, and ${chosen.length} of ${within} can run jobs now${why.length === 0 ? '' : ` (${listed(why)})`}`,
    );
  }
  if (chosen.length === 0) throw new UserError(`${within} has no node left to run on`);
  return { names: chosen.map(({ name }) => checkedNode(name)), unfit: new Map(reasonsOf(chosen, unable)) };
}
