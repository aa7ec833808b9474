/**
 * The pairing test: which node is the culprit of a slow link? A link has two ends, so one measurement cannot say. In the first
 * pass every node is in one pair; in the second each node of a slow pair is paired with a node that passed, so a link that is
 * slow again has one suspect left. Both passes run side by side, which is why it takes two measurements however many nodes
 * there are. Pure.
 */
import { UserError } from '../errors.js';
import { randomBits, shuffle } from '../random.js';
import { median } from '../statistics/quantile.js';
import { partnersOf } from './partners.js';

export type Pair = readonly [string, string];

/** Equal for a pair whichever of its nodes is named first. */
export const pairKey = ([a, b]: Pair): string => (a < b ? `${a} ${b}` : `${b} ${a}`);

/** Rates of a link by what was measured, higher is better; null: it failed. */
export type LinkRates = Readonly<Record<string, number | null>>;

const NO_RATE = 'no pair has a rate: nothing can be said of any node';

export interface MeasuredPair {
  readonly pair: Pair;
  /** null: it failed before anything was measured. */
  readonly rates: LinkRates | null;
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

export interface Planned {
  /** With the pairs of the plan that nothing is there of: they failed, for whoever hangs or is gone leaves nothing behind. */
  readonly measured: readonly MeasuredPair[];
  readonly absent: readonly Pair[];
  /** Nodes that no pair was left for, and that nobody measured with another node either. */
  readonly alone: readonly string[];
}

/**
 * What was measured of a first pass, beside what was to be measured.
 * @throws UserError for a pair that is not of this plan: with other nodes, or another seed, all pairs would be absent
 */
export function besidePlan({ pairs, left }: Plan, measured: readonly MeasuredPair[]): Planned {
  const wanted = new Set(pairs.map(pairKey));
  const other = measured.find(
    ({ pair }) => !wanted.has(pairKey(pair)) && !pair.some((node) => left.includes(node)),
  );
  if (other !== undefined)
    throw new UserError(
      `${other.pair.join(' and ')} are no pair of a first pass over these nodes: give the --nodes and the --seed with which it was planned`,
    );
  const there = new Set(measured.map(({ pair }) => pairKey(pair)));
  const absent = pairs.filter((pair) => !there.has(pairKey(pair)));
  return {
    measured: [...measured, ...absent.map((pair) => ({ pair, rates: null }))],
    absent,
    alone: left.filter((node) => !measured.some(({ pair }) => pair.includes(node))),
  };
}

/** What a link has to reach, by what was measured. */
export type LinkLimits = Readonly<Record<string, number>>;

/** Of fewer the median is one of them, or lies between two: the only pair is never slow, and of two nobody knows which is as it should be. */
export const LEAST_PAIRS = 3;

export interface FirstJudgement {
  readonly limits: LinkLimits;
  /** Pairs that the limits rest on: those that have a rate. */
  readonly rated: number;
  readonly slow: readonly MeasuredPair[];
  readonly passed: readonly string[];
}

/** @throws UserError for a pair that measured something else: a large transfer is no measure of a small one */
function requireSame(whats: readonly string[], measured: readonly MeasuredPair[]): void {
  const other = measured.find(
    ({ rates }) =>
      rates !== null &&
      !(Object.keys(rates).length === whats.length && whats.every((what) => rates[what] !== undefined)),
  );
  if (other !== undefined)
    throw new UserError(
      `${other.pair.join(' and ')} did not measure what the other pairs did, so they cannot be compared: measure all pairs alike`,
    );
}

/** Where it is furthest below its limit; a failure is below anything. */
export function slowestOf(
  { rates }: MeasuredPair,
  limits: LinkLimits,
): { what: string; rate: number | null } {
  const shares = Object.entries(limits).map(([what, limit]) => {
    const rate = rates?.[what] ?? null;
    return { what, rate, share: rate === null ? 0 : rate / limit };
  });
  return shares.reduce((least, one) => (one.share < least.share ? one : least));
}

/** One that is slow at anything is slow. */
function isSlow(one: MeasuredPair, limits: LinkLimits): boolean {
  const { what, rate } = slowestOf(one, limits);
  return rate === null || rate < (limits[what] as number);
}

/**
 * Each thing that was measured against the median of all pairs at that same thing.
 * @param margin share below the median that is slow
 * @throws UserError where no pair has a rate, or not all measured the same
 */
export function judgePairs(measured: readonly MeasuredPair[], margin: number): FirstJudgement {
  const whats = Object.keys(measured.find(({ rates }) => rates !== null)?.rates ?? {});
  requireSame(whats, measured);
  const limits = Object.fromEntries(
    whats.map((what) => {
      const rates = measured.flatMap((one) => one.rates?.[what] ?? []);
      if (rates.length === 0) throw new UserError(NO_RATE);
      return [what, median(rates) * (1 - margin)];
    }),
  );
  if (whats.length === 0) throw new UserError(NO_RATE);
  const slow = measured.filter((one) => isSlow(one, limits));
  const passed = measured.filter((one) => !slow.includes(one)).flatMap(({ pair }) => pair);
  const rated = measured.filter(({ rates }) => whats.some((what) => (rates?.[what] ?? null) !== null)).length;
  return { limits, rated, slow, passed: [...new Set(passed)].sort() };
}

const keysOf = (measured: readonly MeasuredPair[]): ReadonlySet<string> =>
  new Set(measured.map(({ pair }) => pairKey(pair)));

export interface SecondPlan extends Plan {
  /** Of those that are left: slow with every node that passed, and so culprits that no further pass says more of. */
  readonly slowWithAll: readonly string[];
}

/**
 * As many suspects as can be, each with a node of its own that passed, and that it was not slow with: a pair that is measured again says
 * no more of its ends than before. Further suspects wait for another round of the second pass.
 * @throws UserError where no node passed: there is nothing that a suspect could be held against
 */
export function secondPass({ slow, passed }: FirstJudgement): SecondPlan {
  const good = new Set(passed);
  const named = new Set(slow.flatMap(({ pair }) => pair));
  const suspects = [...named].filter((node) => !good.has(node));
  if (suspects.length > 0 && passed.length === 0) {
    throw new UserError(
      'no pair passed, so no suspect can be paired with a good node: look at what they share',
    );
  }
  const slowPairs = keysOf(slow);
  const saysMore = (suspect: string, node: string): boolean => !slowPairs.has(pairKey([suspect, node]));
  const partners = partnersOf(suspects, passed, saysMore);
  const left = suspects.filter((suspect) => !partners.has(suspect));
  return {
    pairs: suspects.flatMap((suspect): Pair[] => {
      const partner = partners.get(suspect);
      return partner === undefined ? [] : [[suspect, partner]];
    }),
    left,
    slowWithAll: left.filter((suspect) => !passed.some((node) => saysMore(suspect, node))),
  };
}

export type PairVerdict = 'culprit' | 'cleared' | 'not measured';

export interface SuspectVerdict {
  readonly node: string;
  readonly verdict: PairVerdict;
  readonly first: MeasuredPair;
  /** With a node that passed: of the second pass, or, where that has none, another one of the first in which it was slow. null: it was measured with none. */
  readonly second: MeasuredPair | null;
}

export interface PairsVerdict {
  readonly limits: LinkLimits;
  readonly suspects: readonly SuspectVerdict[];
  /** Slow pairs both of whose nodes were cleared: the way between them, or chance. */
  readonly between: readonly Pair[];
}

/**
 * Who is slow again with a good node is the culprit, with whichever of several. Of who was not measured again and was slow in several pairs
 * of the first pass, one of them with a good node, that pass says as much as two; it does not outweigh a second one. The limits are those
 * of the first pass: in the second most pairs may be slow.
 * @throws UserError where the second pass measured something else
 */
export function judgeSecondPass(first: FirstJudgement, second: readonly MeasuredPair[]): PairsVerdict {
  const { limits, slow, passed } = first;
  requireSame(Object.keys(limits), second);
  const slowPairs = keysOf(slow);
  const others = second.filter(({ pair }) => !slowPairs.has(pairKey(pair)));
  const nodes = [...new Set(slow.flatMap(({ pair }) => pair))].filter((node) => !passed.includes(node));
  const suspects = nodes.map((node): SuspectVerdict => {
    const own = slow.filter(({ pair }) => pair.includes(node));
    const withGood = (pairs: readonly MeasuredPair[]): readonly MeasuredPair[] =>
      pairs.filter(({ pair }) => pair.includes(node) && pair.some((other) => passed.includes(other)));
    const measuredAgain = withGood(others);
    const told = measuredAgain.length > 0 || own.length === 1 ? measuredAgain : withGood(own);
    const slowAgain = told.find((one) => isSlow(one, limits));
    const second = slowAgain ?? told[0] ?? null;
    return {
      node,
      verdict: second === null ? 'not measured' : slowAgain === undefined ? 'cleared' : 'culprit',
      first: own.find((one) => one !== second) as MeasuredPair,
      second,
    };
  });
  const verdictOf = (node: string): PairVerdict | null =>
    suspects.find((one) => one.node === node)?.verdict ?? null;
  const between = slow
    .map(({ pair }) => pair)
    .filter((pair) => pair.every((node) => passed.includes(node) || verdictOf(node) === 'cleared'));
  return { limits, suspects, between };
}
