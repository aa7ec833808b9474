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

const OWN = 'pi-bench';
const JUDGED: ReadonlySet<CheckVerdict> = new Set(['pass', 'warn', 'fail']);

export const hasJudgedCheck = ({ checks }: Pick<NodeHead, 'checks'>): boolean =>
  checks.some(({ verdict }) => JUDGED.has(verdict));

/** `dcgm/memory@gpu 7 and 4 more` */
const someChecks = ([first = '', ...more]: readonly string[]): string =>
  more.length === 0 ? first : `${first} and ${more.length} more`;

type Checked = Pick<NodeHead, 'checks' | 'tool'>;

/** Of each tool the checks that a share of its nodes was judged by. */
function judgedShares(nodes: readonly Checked[]): ReadonlyMap<string, ReadonlyMap<string, number>> {
  const counts = new Map<string, { nodes: number; readonly judged: Map<string, number> }>();
  for (const { tool, checks } of nodes) {
    const own = counts.get(tool.name) ?? { nodes: 0, judged: new Map<string, number>() };
    counts.set(tool.name, own);
    own.nodes++;
    const names = checks.filter(({ verdict }) => JUDGED.has(verdict)).map(({ name }) => name);
    for (const name of new Set(names)) own.judged.set(name, (own.judged.get(name) ?? 0) + 1);
  }
  return new Map(
    [...counts].map(([tool, { nodes: of, judged }]) => [
      tool,
      new Map([...judged].map(([name, count]) => [name, count / of])),
    ]),
  );
}

/** `dcgm/memory@gpu 0` of `dcgm/memory`, the check of the whole test. */
export const isEntityOf = (name: string, whole: string): boolean => name.startsWith(`${whole}@`);

/**
 * Another tool’s checks that most of its nodes were judged by and that this one does not even name, as of a GPU that is gone. A
 * suite of ours says itself what is required.
 */
function absentChecks({ checks, tool }: Checked, shares: ReadonlyMap<string, number>): readonly string[] {
  if (checks.length === 0 || checks.some(({ required }) => required !== undefined)) return [];
  if (tool.name === OWN) return [];
  const own = new Set(checks.map(({ name }) => name));
  const isThere = (usual: string) => own.has(usual) || checks.some(({ name }) => isEntityOf(name, usual));
  return [...shares].flatMap(([name, share]) => (share > 0.5 && !isThere(name) ? [name] : []));
}

/** What a node skipped and at least half of all were judged by, together where it is the same of the same nodes. */
export function skippedTexts(nodes: readonly (Checked & Pick<NodeHead, 'node'>)[]): readonly string[] {
  const shares = judgedShares(nodes);
  const all = new Map<string, { readonly node: string; readonly why: string; readonly names: string[] }>();
  for (const { node, checks, tool } of nodes) {
    for (const { name, verdict, reason, required } of checks) {
      const share = shares.get(tool.name)?.get(name) ?? 0;
      if (verdict !== 'skipped' || required === true || share < 0.5) continue;
      const why = reason ?? 'it does not say why';
      const key = JSON.stringify([node, why]);
      const known = all.get(key) ?? { node, why, names: [] };
      known.names.push(name);
      all.set(key, known);
    }
  }
  return [...all.values()].map(
    ({ node, why, names }) =>
      `skipped on ${node}, and judged on at least half of the nodes: ${someChecks(names)}: ${why}`,
  );
}

/**
 * Who has none of the checks that most nodes have, or of another tool’s not all, was not qualified as they were; of whom nothing was judged, that is told elsewhere.
 * @param judged nodes of which a KPI was
 * @returns of each node what it lacks, in words; null: nothing
 */
export function lackedChecks(
  nodes: readonly Checked[],
  judged: ReadonlySet<number>,
): readonly (string | null)[] {
  const having = nodes.filter(({ checks }) => checks.length > 0).length;
  const text =
    having >= nodes.length / 2
      ? `it has no check of its own, and ${having} of ${plural(nodes.length, 'node')} have`
      : null;
  const shares = judgedShares(nodes);
  return nodes.map((one, node) => {
    if (one.checks.length === 0) return judged.has(node) ? text : null;
    const absent = absentChecks(one, shares.get(one.tool.name) ?? new Map());
    return absent.length === 0 ? null : `it lacks what most nodes were judged by: ${someChecks(absent)}`;
  });
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
