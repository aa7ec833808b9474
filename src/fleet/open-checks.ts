/** Checks of a node's own that nobody could judge: what keeps it from being qualified keeps it from being good in its fleet. Pure. */
import { plural } from '../quantities/format.js';
import type { CheckVerdict, NodeCheck, NodeHead } from './node-line.js';

/** As qualify has it: a required check that was skipped or is inconclusive never qualifies. One of which nobody says that it is not required counts where it tried. */
const keepsOpen = ({ verdict, required }: NodeCheck): boolean =>
  verdict === 'inconclusive' ? required !== false : verdict === 'skipped' && required === true;

export const checkText = ({ name, reason }: NodeCheck): string =>
  reason === null ? name : `${name}: ${reason}`;

/** What leaves a node open, in words; nothing: its own checks do not. */
export function openChecksOf({ checks }: Pick<NodeHead, 'checks'>): readonly string[] {
  const open = checks.filter(keepsOpen).map(checkText);
  if (open.length > 0 || checks.length === 0) return open;
  return checks.every(({ required }) => required === false)
    ? ['none of its checks is required, so none of them can qualify it']
    : [];
}

const JUDGED: ReadonlySet<CheckVerdict> = new Set(['pass', 'warn', 'fail']);

export const hasJudgedCheck = ({ checks }: Pick<NodeHead, 'checks'>): boolean =>
  checks.some(({ verdict }) => JUDGED.has(verdict));

/**
 * Who has none of the checks that most nodes have was not qualified as they were; of whom nothing was judged, that is told elsewhere.
 * @param judged nodes of which a KPI was
 * @returns of each node what it lacks, in words; null: nothing
 */
export function lackedChecks(
  nodes: readonly Pick<NodeHead, 'checks'>[],
  judged: ReadonlySet<number>,
): readonly (string | null)[] {
  const having = nodes.filter(({ checks }) => checks.length > 0).length;
  const text =
    having >= nodes.length / 2
      ? `it has no check of its own, and ${having} of ${plural(nodes.length, 'node')} have`
      : null;
  return nodes.map(({ checks }, node) => (checks.length === 0 && judged.has(node) ? text : null));
}

/** A check of which nodes are told: one that is open and not required, or that warns. */
export interface OptionalCheck {
  readonly check: string;
  readonly nodes: readonly string[];
  /** Of the first of these nodes. */
  readonly why: string;
}

/** What leaves no node open and is to be seen all the same: each check once, with all nodes that have it open. */
export const optionalChecksOf = (nodes: readonly NodeHead[]): readonly OptionalCheck[] =>
  togetherOf(nodes, ({ verdict, required }) => verdict === 'inconclusive' && required === false);

/** Checks that hold and have something to tell. */
export const warnedChecksOf = (nodes: readonly NodeHead[]): readonly OptionalCheck[] =>
  togetherOf(nodes, ({ verdict }) => verdict === 'warn');

function togetherOf(
  nodes: readonly NodeHead[],
  isTold: (check: NodeCheck) => boolean,
): readonly OptionalCheck[] {
  const all = new Map<string, { readonly nodes: string[]; readonly why: string }>();
  for (const { node, checks } of nodes) {
    for (const { name, reason } of checks.filter(isTold)) {
      const known = all.get(name) ?? { nodes: [], why: reason ?? 'it does not say why' };
      known.nodes.push(node);
      all.set(name, known);
    }
  }
  return [...all].map(([check, { nodes: of, why }]) => ({ check, nodes: of, why }));
}
