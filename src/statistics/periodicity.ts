/** Do values cluster at multiples of a period? */
import { requireFinite } from './finite.js';

export interface Clustering {
  /** In the unit of the values. */
  readonly period: number;
  /** Share of the values within the tolerance of a multiple; by chance it would be 2 x tolerance / period. */
  readonly share: number;
  readonly byChance: number;
  /** Length of the mean vector of the phases, 0 to 1; and how likely such a length is when they are uniform (Rayleigh). */
  readonly resultant: number;
  readonly rayleighP: number;
  /** The V test (Greenwood & Durand 1955) for phases about zero: a standard normal deviate when they are uniform. */
  readonly u: number;
  /** How many different multiples hold at least three values. */
  readonly multiples: number;
  /**
   * The same of the values whose nearest multiple is not the one most frequent. A narrow distribution that happens to
   * lie on a multiple clusters as a whole; then the rest, its tail, has no phase.
   */
  readonly rest: {
    readonly n: number;
    readonly share: number;
    readonly u: number;
    readonly multiples: number;
  };
}

/** Of the period, to either side of a multiple. */
export const TOLERANCE = 0.06;
const LEAST_ON_A_MULTIPLE = 3;

interface Place {
  readonly multiple: number;
  readonly cos: number;
  readonly sin: number;
  readonly near: boolean;
}

function placeOf(value: number, period: number): Place {
  const turns = value / period;
  const multiple = Math.round(turns);
  const angle = 2 * Math.PI * (turns - multiple);
  const near = multiple > 0 && Math.abs(turns - multiple) <= TOLERANCE;
  return { multiple, cos: Math.cos(angle), sin: Math.sin(angle), near };
}

interface OnMultiple {
  n: number;
  near: number;
  cos: number;
  sin: number;
}

function total(multiples: readonly OnMultiple[]): {
  n: number;
  share: number;
  u: number;
  resultant: number;
  multiples: number;
} {
  const sum = (of: (one: OnMultiple) => number): number => multiples.reduce((all, one) => all + of(one), 0);
  const n = sum((one) => one.n);
  const [cos, sin] = [sum((one) => one.cos), sum((one) => one.sin)];
  return {
    n,
    share: n === 0 ? 0 : sum(({ near }) => near) / n,
    u: n === 0 ? 0 : cos * Math.sqrt(2 / n),
    resultant: n === 0 ? 0 : Math.hypot(cos, sin) / n,
    multiples: multiples.filter(({ near }) => near >= LEAST_ON_A_MULTIPLE).length,
  };
}

/** P of a resultant this long under uniform phases: exp(-n R^2) with the correction of Zar (1999, eq. 27.4). */
function rayleighP(n: number, resultant: number): number {
  const length = n * resultant;
  return Math.min(1, Math.exp(Math.sqrt(1 + 4 * n + 4 * (n * n - length * length)) - (1 + 2 * n)));
}

function isNear(value: number, period: number): boolean {
  const turns = value / period;
  const multiple = Math.round(turns);
  return multiple > 0 && Math.abs(turns - multiple) <= TOLERANCE;
}

/** Share of the values within the tolerance of a multiple: the cheap part of `clustering`. */
export function shareNearMultiples(values: ArrayLike<number>, period: number): number {
  let near = 0;
  for (let i = 0; i < values.length; i++) if (isNear(values[i] ?? 0, period)) near++;
  return values.length === 0 ? 0 : near / values.length;
}

/** Whether that share is at least so large; ends as soon as it cannot be any more. */
export function nearMultiples(values: ArrayLike<number>, period: number, share: number): boolean {
  const n = values.length;
  let away = 0;
  for (let i = 0; i < n; i++) {
    if (isNear(values[i] ?? 0, period)) continue;
    away++;
    if ((n - away) / n < share) return false;
  }
  return n > 0;
}

/**
 * @param period in the unit of the values, above 0
 * @throws RangeError for a value that is not finite
 */
export function clustering(values: ArrayLike<number>, period: number): Clustering {
  requireFinite(values);
  const byMultiple = new Map<number, OnMultiple>();
  for (let i = 0; i < values.length; i++) {
    const { multiple, cos, sin, near } = placeOf(values[i] ?? 0, period);
    const one = byMultiple.get(multiple) ?? { n: 0, near: 0, cos: 0, sin: 0 };
    one.n++;
    one.near += near ? 1 : 0;
    one.cos += cos;
    one.sin += sin;
    byMultiple.set(multiple, one);
  }
  const most = [...byMultiple.values()].sort((a, b) => b.n - a.n);
  const { n, share, u, resultant, multiples } = total(most);
  const rest = total(most.slice(1));
  return {
    period,
    share,
    byChance: 2 * TOLERANCE,
    resultant,
    rayleighP: n === 0 ? 1 : rayleighP(n, resultant),
    u,
    multiples,
    rest: { n: rest.n, share: rest.share, u: rest.u, multiples: rest.multiples },
  };
}
