/**
 * The pairing test: which node is the culprit of a slow link? A link has two ends, so one measurement cannot say. In the first
 * pass every node is in one pair; in the second each node of a slow pair is paired with a node that passed, so a link that is
 * slow again has one suspect left. Both passes run side by side, which is why it takes two measurements however many nodes
 * there are. Pure.
 */
import { UserError } from '../errors.js';
import { randomBits, shuffle } from '../random.js';
import { median } from '../statistics/quantile.js';

export type Pair = readonly [string, string];

export interface MeasuredPair {
  readonly pair: Pair;
  /** Rate of the link, higher is better; null: it failed. */
  readonly rate: number | null;
}

export interface Plan {
  readonly pairs: readonly Pair[];
  /** Nodes that no pair was left for. */
  readonly left: readonly string[];
}

/**
 * Two nodes that share a switch share its faults: neighbours in the list are not paired on purpose.
 * @param seed of the order
 * @throws UserError for fewer than two nodes, and for one that is named twice
 */
export function firstPass(nodes: readonly string[], seed: number): Plan {
  const twice = nodes.find((node, i) => nodes.indexOf(node) !== i);
  if (twice !== undefined) throw new UserError(`node ${twice} is named twice: each is paired once`);
  if (nodes.length < 2) throw new UserError('pairs need two nodes or more');
  const order = [...nodes];
  shuffle(order, randomBits(seed));
  const pairs: Pair[] = [];
  for (let i = 0; i + 1 < order.length; i += 2) pairs.push([order[i] as string, order[i + 1] as string]);
  return { pairs, left: order.length % 2 === 0 ? [] : [order.at(-1) as string] };
}

export interface FirstJudgement {
  /** What a link has to reach. */
  readonly limit: number;
  readonly slow: readonly MeasuredPair[];
  readonly passed: readonly string[];
}

/**
 * @param margin share below the median of all pairs that is slow
 * @throws UserError where no pair has a rate
 */
export function judgePairs(measured: readonly MeasuredPair[], margin: number): FirstJudgement {
  const rates = measured.flatMap(({ rate }) => rate ?? []);
  if (rates.length === 0) throw new UserError('no pair has a rate: nothing can be said of any node');
  const limit = median(rates) * (1 - margin);
  const slow = measured.filter(({ rate }) => rate === null || rate < limit);
  const passed = measured.filter((one) => !slow.includes(one)).flatMap(({ pair }) => pair);
  return { limit, slow, passed: [...new Set(passed)].sort() };
}

/**
 * Each suspect with a node of its own that passed; further suspects wait for another round of the second pass.
 * @throws UserError where no node passed: there is nothing that a suspect could be held against
 */
export function secondPass({ slow, passed }: FirstJudgement): Plan {
  const suspects = [...new Set(slow.flatMap(({ pair }) => pair))].filter((node) => !passed.includes(node));
  if (suspects.length > 0 && passed.length === 0) {
    throw new UserError(
      'no pair passed, so no suspect can be paired with a good node: look at what they share',
    );
  }
  const pairs = suspects.slice(0, passed.length).map((suspect, i): Pair => [suspect, passed[i] as string]);
  return { pairs, left: suspects.slice(passed.length) };
}

export type PairVerdict = 'culprit' | 'cleared' | 'not measured';

export interface SuspectVerdict {
  readonly node: string;
  readonly verdict: PairVerdict;
  readonly first: MeasuredPair;
  /** null: not measured in the second pass. */
  readonly second: MeasuredPair | null;
}

export interface PairsVerdict {
  readonly limit: number;
  readonly suspects: readonly SuspectVerdict[];
  /** Slow pairs both of whose nodes were cleared: the way between them, or chance. */
  readonly between: readonly Pair[];
}

/**
 * Who is slow again with a good node is the culprit. The limit is that of the first pass: in the second most pairs may be slow.
 */
export function judgeSecondPass(first: FirstJudgement, second: readonly MeasuredPair[]): PairsVerdict {
  const { limit, slow, passed } = first;
  const suspects = slow.flatMap((one) =>
    one.pair
      .filter((node) => !passed.includes(node))
      .map((node): SuspectVerdict => {
        const again =
          second.find(({ pair }) => pair.includes(node) && pair.some((other) => passed.includes(other))) ??
          null;
        const verdict: PairVerdict =
          again === null ? 'not measured' : again.rate === null || again.rate < limit ? 'culprit' : 'cleared';
        return { node, verdict, first: one, second: again };
      }),
  );
  const verdictOf = (node: string): PairVerdict | null =>
    suspects.find((one) => one.node === node)?.verdict ?? null;
  const between = slow
    .map(({ pair }) => pair)
    .filter((pair) => pair.every((node) => passed.includes(node) || verdictOf(node) === 'cleared'));
  const unique = suspects.filter(({ node }, i) => suspects.findIndex((one) => one.node === node) === i);
  return { limit, suspects: unique, between };
}
