/** How far a node may lie from its fleet before it is named: a margin, or what chance does among so many nodes and KPIs. Pure. */
import { deviationFrom, medianInPlace } from '../statistics/quantile.js';
import { robustDeviation, robustDeviationOfGroups } from '../statistics/scale.js';
import { studentReach } from '../statistics/student.js';
import type { RuleName } from './rules.js';

/**
 * The share of healthy nodes that each rule may name on all KPIs together, where nodes differ normally; the sum is below 0.1 %, so it
 * holds however the rules depend on each other. What nodes differ by most is their level, which the medians show: most of it is theirs.
 */
const FALSE_ALARMS: Readonly<Record<RuleName, number>> = {
  median: 0.0005,
  p05: 0.00008,
  sustained: 0.00008,
  spread: 0.00008,
  drift: 0.00008,
  distribution: 0.00008,
  overall: 0.00008,
};
/** Fewer than three cannot say which of them is off. Devices of fewer are compared all the same, with nobody to say whether all of them are off. */
export const LEAST_NODES = 3;
/** Beyond so many degrees of freedom Student's t is the normal distribution, as far as it matters here. */
const MOST_DEGREES = 1000;
/** Qn looks at all pairs. */
const MOST_FOR_QN = 200;
/** Of normal values: what a spread is worth beside the standard deviation of as many (Rousseeuw & Croux 1993). */
const QN_EFFICIENCY = 0.82;
const MAD_EFFICIENCY = 0.37;
/** The variance of a median over that of a mean, of normal values. */
const MEDIAN_VARIANCE = Math.PI / 2;
/** Nodes that are so many robust standard deviations worse than the middle have no part in how far the others differ ... */
const APART = 3;
/** ... unless there are so few that chance alone makes the spread too small. */
const LEAST_FOR_APART = 40;
/** Of fewer each node widens the spread by which it is judged, which makes up for how little that spread and the median are known. */
const LEAST_FOR_OWN_PART = 30;
/** The median absolute deviation times this is the standard deviation of normal values. */
export const MAD_OF_NORMAL = 1.482602218505602;
/** Of few nodes the spread is hardly known. Then a node this many margins away is named all the same. */
const FEW_NODES_MARGINS = 2;

export interface Centre {
  readonly centre: number;
  /** Robust standard deviation; 0 where it cannot be known. */
  readonly deviation: number;
  readonly nodes: number;
  /** Of freedom, that the deviation is known with. */
  readonly degrees: number;
  /** It is of other nodes than those that are judged by it; left out: each of these has its part in it. */
  readonly ofOthers?: true;
}

const degreesOfQn = (nodes: number): number =>
  (nodes < LEAST_FOR_OWN_PART ? nodes : QN_EFFICIENCY * nodes) - 1;

/** Degrees of freedom of `centreOf`'s deviation, where the nodes that are judged by it have no part in it. */
export const degreesOfOthers = (nodes: number): number =>
  nodes <= MOST_FOR_QN ? QN_EFFICIENCY * nodes - 1 : degreesOfMad(nodes);

/** Degrees of freedom of a median absolute deviation. */
export const degreesOfMad = (nodes: number): number => MAD_EFFICIENCY * nodes - 1;

function knownOf(values: Float64Array): Float64Array {
  const known = new Float64Array(values.length);
  let count = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    if (!Number.isNaN(value)) known[count++] = value;
  }
  return known.subarray(0, count);
}

/** How many nodes have a known value. */
function nodesAmong(values: Float64Array, of: Int32Array): number {
  let count = 0;
  let last: number | null = null;
  for (let i = 0; i < values.length; i++) {
    if (Number.isNaN(values[i]) || of[i] === last) continue;
    last = of[i] as number;
    count++;
  }
  return count;
}

/** The known values of each node. */
function groupsOf(values: Float64Array, of: Int32Array): readonly (readonly number[])[] {
  const groups = new Map<number, number[]>();
  values.forEach((value, i) => {
    if (Number.isNaN(value)) return;
    const node = of[i] as number;
    const group = groups.get(node) ?? [];
    group.push(value);
    groups.set(node, group);
  });
  return [...groups.values()];
}

/**
 * @param values those of the nodes that are kept; NaN: not known. Up to half of them may lie anywhere.
 * @param of which node each is, where one may have several, which then follow each other; null: each is of another. What a node is like
 * is in all of its values: these say nothing of how far nodes differ, and how well that is known goes by the nodes. Of fewer than
 * three nodes each value counts for itself.
 */
export function centreOf(values: Float64Array, of: Int32Array | null = null): Centre | null {
  const known = knownOf(values);
  if (known.length === 0) return null;
  const centre = medianInPlace(known);
  if (known.length < 2) return { centre, deviation: 0, nodes: 1, degrees: 1 };
  const among = of === null ? 0 : nodesAmong(values, of);
  const nodes = among < LEAST_NODES ? known.length : among;
  if (nodes > MOST_FOR_QN) {
    const deviation = MAD_OF_NORMAL * deviationFrom(centre, known);
    return { centre, deviation, nodes, degrees: degreesOfMad(nodes) };
  }
  const deviation =
    of === null || nodes === known.length
      ? robustDeviation(known)
      : robustDeviationOfGroups(groupsOf(values, of));
  return { centre, deviation, nodes, degrees: degreesOfQn(nodes) };
}

/**
 * The same without the nodes that are far worse than the middle: two slow ones among sixty make the spread 7 % larger, and would so
 * hide each other.
 */
export function centreWithoutWorst(values: Float64Array, all: Centre, of: Int32Array | null = null): Centre {
  const most = all.centre + APART * all.deviation;
  if (all.nodes < LEAST_FOR_APART || !(all.deviation > 0)) return all;
  if (!values.some((value) => value > most)) return all;
  return (
    centreOf(
      values.map((value) => (value > most ? Number.NaN : value)),
      of,
    ) ?? all
  );
}

/** The probability with which chance may take a healthy node beyond the limit of a rule at one of so many KPIs. */
export const levelOf = (rule: RuleName, kpis: number): number => FALSE_ALARMS[rule] / Math.max(1, kpis);

/** Of the rule that may name fewest: for a tail whose weight is only estimated, beyond which a node is failed all the same. */
export const strictestLevel = (kpis: number): number =>
  Math.min(...Object.values(FALSE_ALARMS)) / Math.max(1, kpis);

/** Standard deviations that chance goes beyond, to one side, with that probability. */
export const reachOf = (level: number, degrees: number): number =>
  studentReach(1 - 2 * level, Math.min(MOST_DEGREES, Math.max(1, Math.floor(degrees))));

/** @param wide the reach where centre and spread are known; `reach` that of so few nodes */
export interface Reach {
  readonly reach: number;
  readonly wide: number;
}

const reaches = new Map<string, number>();

function knownReach(level: number, degrees: number): number {
  const key = `${level} ${Math.min(MOST_DEGREES, Math.floor(degrees))}`;
  const made = reaches.get(key) ?? reachOf(level, degrees);
  reaches.set(key, made);
  return made;
}

export function reachesOf(level: number, { nodes, degrees, ofOthers }: Centre): Reach {
  const ofMedian =
    nodes < LEAST_FOR_OWN_PART && ofOthers !== true ? 1 : Math.sqrt(1 + MEDIAN_VARIANCE / nodes);
  return { reach: ofMedian * knownReach(level, degrees), wide: knownReach(level, MOST_DEGREES) };
}

/**
 * The least deviation that is named: the margin, or what chance may do. Student's t of three nodes would let anything pass, so
 * with few nodes the limit is at most twice the margin, unless the spread that was seen asks for more.
 */
export function limitOf(margin: number, deviation: number, { reach, wide }: Reach): number {
  const few = Math.max(FEW_NODES_MARGINS * margin, wide * deviation);
  return Math.max(margin, Math.min(reach * deviation, few));
}
