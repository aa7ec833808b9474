/**
 * Which checks have paid for their time: from what each check found on nodes that had a defect, the subset that a budget buys.
 * Choosing the best subset is hard in general; taking again and again what finds most new defects per second comes within
 * 1 - 1/sqrt(e) of the best where the better of it and the single best check is taken (Khuller, Moss & Naor 1999). Pure.
 */

import type { Seconds } from '../units.js';
import { binomialRange } from './proportion.js';

/** One node at one time, of which at least one check failed. */
export interface Defect {
  /** The same for one node at all times. */
  readonly node: string;
  /** Names of the checks that failed. */
  readonly found: ReadonlySet<string>;
}

export interface CheckHistory {
  readonly name: string;
  /** Median over the history; null: it was never told. */
  readonly seconds: Seconds | null;
  readonly runs: number;
}

export interface PlannedCheck {
  readonly name: string;
  readonly seconds: Seconds;
  readonly runs: number;
  /** Defects that it found, and those of them that no check before it in the plan finds. */
  readonly found: number;
  readonly added: number;
}

export interface FleetPlan {
  readonly checks: readonly PlannedCheck[];
  readonly seconds: Seconds;
  readonly defects: number;
  readonly covered: number;
  /**
   * Share of defects that were not looked at while choosing and that the choice finds all the same, each node left out in turn with all
   * that was ever found on it: what can be expected of the next nodes. With its 95 % interval; null: fewer than two nodes had any.
   */
  readonly expected: { readonly share: number; readonly low: number; readonly high: number } | null;
  /** Checks that were left out, by what they would have found. */
  readonly leftOut: readonly PlannedCheck[];
  /** Checks that cannot be planned, as nobody knows how long they take; what they found counts among the defects. */
  readonly untimed: readonly Pick<PlannedCheck, 'name' | 'runs' | 'found'>[];
}

interface Priced {
  readonly name: string;
  readonly seconds: Seconds;
  readonly runs: number;
}

/** Defects by the checks that found them. */
function coverage(defects: readonly Defect[]): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, number[]>();
  defects.forEach(({ found: names }, i) => {
    for (const name of names) found.set(name, [...(found.get(name) ?? []), i]);
  });
  return found;
}

interface Choice {
  readonly names: readonly string[];
  readonly covered: ReadonlySet<number>;
}

const NOTHING: readonly number[] = [];

/** A look that is over in no time is always taken, whatever it found. */
const isFree = ({ seconds }: Priced): boolean => seconds === 0;

/** Nothing is left out. */
const NOBODY: ReadonlySet<number> = new Set();

const foundBy = (
  names: readonly string[],
  found: ReadonlyMap<string, readonly number[]>,
  without: ReadonlySet<number>,
): Set<number> => new Set(names.flatMap((name) => found.get(name) ?? NOTHING).filter((i) => !without.has(i)));

function greedy(
  checks: readonly Priced[],
  found: ReadonlyMap<string, readonly number[]>,
  budget: Seconds,
  without: ReadonlySet<number>,
): Choice {
  const free = checks.filter(isFree);
  const names = free.map(({ name }) => name);
  const covered = foundBy(names, found, without);
  let left = budget;
  const open = new Set(checks.filter((check) => !isFree(check)));
  const newOf = ({ name }: Priced): number =>
    (found.get(name) ?? NOTHING).reduce((sum, i) => sum + (without.has(i) || covered.has(i) ? 0 : 1), 0);
  for (;;) {
    let best: Priced | null = null;
    let most = 0;
    for (const check of open) {
      if (check.seconds > left) continue;
      const worth = newOf(check) / check.seconds;
      if (worth > most) [best, most] = [check, worth];
    }
    if (best === null) break;
    names.push(best.name);
    left -= best.seconds;
    open.delete(best);
    for (const i of found.get(best.name) ?? NOTHING) if (!without.has(i)) covered.add(i);
  }
  return { names, covered };
}

/** The single check that finds most beside those that take no time, where that beats all that the same budget buys by worth. */
function chosen(
  checks: readonly Priced[],
  found: ReadonlyMap<string, readonly number[]>,
  budget: Seconds,
  without: ReadonlySet<number>,
): Choice {
  const byWorth = greedy(checks, found, budget, without);
  const free = checks.filter(isFree).map(({ name }) => name);
  let best = byWorth;
  for (const one of checks) {
    if (isFree(one) || one.seconds > budget) continue;
    const names = [...free, one.name];
    const covered = foundBy(names, found, without);
    if (covered.size > best.covered.size) best = { names, covered };
  }
  return best;
}

/** Leaving each of thousands out would say no more than leaving out some. */
const MOST_LEFT_OUT = 200;

/**
 * A node that is broken for weeks is one thing that could be found, however often it was looked at: each node counts once, by the
 * share of its defects that a choice finds which knew none of them.
 */
function expectedOf(
  checks: readonly Priced[],
  found: ReadonlyMap<string, readonly number[]>,
  defects: readonly Defect[],
  budget: Seconds,
): FleetPlan['expected'] {
  const ofNode = new Map<string, number[]>();
  defects.forEach(({ node }, i) => {
    ofNode.set(node, [...(ofNode.get(node) ?? []), i]);
  });
  if (ofNode.size < 2) return null;
  const step = Math.ceil(ofNode.size / MOST_LEFT_OUT);
  const tried = [...ofNode.values()].filter((_, i) => i % step === 0);
  const shares = tried.map((own) => {
    const { names } = chosen(checks, found, budget, new Set(own));
    return own.filter((i) => names.some((name) => defects[i]?.found.has(name))).length / own.length;
  });
  const caught = shares.reduce((sum, share) => sum + share, 0);
  return { share: caught / tried.length, ...binomialRange(caught, tried.length) };
}

const byFound = (a: Pick<PlannedCheck, 'name' | 'found'>, b: Pick<PlannedCheck, 'name' | 'found'>): number =>
  b.found - a.found || (a.name < b.name ? -1 : 1);

/**
 * @param history every check that ever ran; those whose time is not known cannot be planned
 * @param budget of one node
 */
export function planChecks(
  history: readonly CheckHistory[],
  defects: readonly Defect[],
  budget: Seconds,
): FleetPlan {
  const checks = history
    .flatMap(({ name, seconds, runs }): readonly Priced[] =>
      seconds === null ? [] : [{ name, seconds, runs }],
    )
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const found = coverage(defects);
  const { names, covered } = chosen(checks, found, budget, NOBODY);
  const seen = new Set<number>();
  const planned = (name: string): PlannedCheck => {
    const { seconds = 0, runs = 0 } = checks.find((check) => check.name === name) ?? {};
    const own = found.get(name) ?? NOTHING;
    const added = own.filter((i) => !seen.has(i)).length;
    return { name, seconds, runs, found: own.length, added };
  };
  const taken = names.map((name) => {
    const one = planned(name);
    for (const i of found.get(name) ?? NOTHING) seen.add(i);
    return one;
  });
  return {
    checks: taken,
    seconds: taken.reduce((sum, { seconds }) => sum + seconds, 0),
    defects: defects.length,
    covered: covered.size,
    expected: expectedOf(checks, found, defects, budget),
    leftOut: checks
      .filter(({ name }) => !names.includes(name))
      .map(({ name }) => planned(name))
      .sort(byFound),
    untimed: history
      .filter(({ seconds }) => seconds === null)
      .map(({ name, runs }) => ({ name, runs, found: (found.get(name) ?? NOTHING).length }))
      .sort(byFound),
  };
}
