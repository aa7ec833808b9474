/** How far a node may lie from its fleet before it is named: a margin, or what chance does among so many nodes and KPIs. Pure. */
import { deviationFrom, medianInPlace } from '../statistics/quantile.js';
import { robustDeviation } from '../statistics/scale.js';
import { studentReach } from '../statistics/student.js';

/** The share of healthy nodes that all rules on all KPIs together may name, where nodes differ normally. */
export const FALSE_ALARMS = 0.0005;
/** Beyond so many degrees of freedom Student's t is the normal distribution, as far as it matters here. */
const MOST_DEGREES = 200;
/** Qn looks at all pairs. */
const MOST_FOR_QN = 200;
/** The median absolute deviation times this is the standard deviation of normal values. */
export const MAD_OF_NORMAL = 1.482602218505602;
/** Of few nodes the spread is hardly known. Then a node this many margins away is named all the same. */
const FEW_NODES_MARGINS = 2;

export interface Centre {
  readonly centre: number;
  /** Robust standard deviation; 0 where it cannot be known. */
  readonly deviation: number;
  readonly nodes: number;
}

function knownOf(values: Float64Array): Float64Array {
  const known = new Float64Array(values.length);
  let count = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    if (!Number.isNaN(value)) known[count++] = value;
  }
  return known.subarray(0, count);
}

/** @param values those of the nodes that are kept; NaN: not known. Up to half of them may lie anywhere. */
export function centreOf(values: Float64Array): Centre | null {
  const known = knownOf(values);
  if (known.length === 0) return null;
  const centre = medianInPlace(known);
  const deviation =
    known.length < 2
      ? 0
      : known.length <= MOST_FOR_QN
        ? robustDeviation(known)
        : MAD_OF_NORMAL * deviationFrom(centre, known);
  return { centre, deviation, nodes: known.length };
}

/** Standard deviations that chance reaches in none of `tests` rules and KPIs of nearly all nodes. */
function reachOf(tests: number, nodes: number): number {
  const level = 1 - (2 * FALSE_ALARMS) / Math.max(1, tests);
  return studentReach(level, Math.min(MOST_DEGREES, Math.max(1, nodes - 1)));
}

/** @param wide the reach where the spread is known; `reach` that of so few nodes */
export interface Reach {
  readonly reach: number;
  readonly wide: number;
}

const reaches = new Map<string, Reach>();

export function reachesOf(tests: number, nodes: number): Reach {
  const key = `${tests} ${Math.min(nodes, MOST_DEGREES + 1)}`;
  const known = reaches.get(key);
  if (known !== undefined) return known;
  const made = { reach: reachOf(tests, nodes), wide: reachOf(tests, Number.POSITIVE_INFINITY) };
  reaches.set(key, made);
  return made;
}

/**
 * The least deviation that is named: the margin, or what chance may do. Student's t of three nodes would let anything pass, so
 * with few nodes the limit is at most twice the margin, unless the spread that was seen asks for more.
 */
export function limitOf(margin: number, deviation: number, { reach, wide }: Reach): number {
  const few = Math.max(FEW_NODES_MARGINS * margin, wide * deviation);
  return Math.max(margin, Math.min(reach * deviation, few));
}
