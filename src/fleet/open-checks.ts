/** Checks of a node's own that nobody could judge: what keeps it from being qualified keeps it from being good in its fleet. Pure. */
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

/** An open check that its suite does not require. */
export interface OptionalCheck {
  readonly check: string;
  readonly nodes: readonly string[];
  /** Of the first of these nodes. */
  readonly why: string;
}

/** What leaves no node open and is to be seen all the same: each check once, with all nodes that have it open. */
export function optionalChecksOf(nodes: readonly NodeHead[]): readonly OptionalCheck[] {
  const all = new Map<string, { readonly nodes: string[]; readonly why: string }>();
  for (const { node, checks } of nodes) {
    for (const { name, verdict, required, reason } of checks) {
      if (verdict !== 'inconclusive' || required !== false) continue;
      const known = all.get(name) ?? { nodes: [], why: reason ?? 'it does not say why' };
      known.nodes.push(node);
      all.set(name, known);
    }
  }
  return [...all].map(([check, { nodes: of, why }]) => ({ check, nodes: of, why }));
}
