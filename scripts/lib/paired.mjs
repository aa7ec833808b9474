// Candidates that were measured in turns, round by round: how much faster is one, and does it reach a target? Pure.
import { median } from './measure.mjs';
import { intervalOf, sideOf } from './order-interval.mjs';

/**
 * What a candidate told of one turn: seconds of the work, in the samples that were not disturbed.
 * @typedef {object} Turn
 * @property {number} median
 * @property {number} min
 * @property {number} count of samples
 * @property {number} disturbed
 */
/**
 * The turns of each launch. Candidates that are compared have as many: what has the same place was measured side by side.
 * @typedef {{ launches: readonly (readonly Turn[])[] }} WithTurns
 */
/**
 * `few`: too few rounds or launches for an interval to decide. Null: there is nothing to compare with.
 * @typedef {'holds' | 'missed' | 'tie' | 'few' | 'disturbed' | null} Verdict
 */

/**
 * The intervals' level: 5 % of risk are shared by the four looks that a case may take, because measuring goes on until an
 * interval decides.
 */
export const LEVEL = 1 - 0.05 / 4;

/** What a process got of memory it keeps, and its speed with it: rounds of one process speak of no other. */
const LEAST_LAUNCHES = 2;

/** How it is decided, for the head of a table. */
export const HOW_DECIDED =
  'Ratio: median over the rounds, of turns side by side, with its interval of 95 % over all looks; that is of the rounds, and what differs between launches is not in it. A verdict needs 8 undisturbed rounds in 2 launches, and the medians of launches on the same side of the target as the interval; without it the ratio stands alone';

/**
 * How many of the rounds each launch has: as even as they go.
 * @param {number} rounds
 * @param {number} launches
 */
export const roundsOfLaunches = (rounds, launches) =>
  Array.from({ length: launches }, (_, launch) => Math.floor((rounds + launches - 1 - launch) / launches));

/** @param {Turn} turn */
export const isClean = ({ count, disturbed }) => disturbed < count;

/**
 * How much faster `own` was than `other`, round by round, so that what drifted over the rounds cancels; from the rounds in
 * which both had undisturbed samples, with the interval of the median (null for too few rounds) and each launch's own median.
 * `clean` is false where those rounds are less than half: then it says little.
 * @param {WithTurns} own
 * @param {WithTurns} other
 */
export function pairedRatio(own, other) {
  const all = own.launches.map((turns, launch) =>
    turns.map((mine, round) => ({ mine, theirs: other.launches[launch][round] })),
  );
  const undisturbed = all.map((rounds) =>
    rounds.filter(({ mine, theirs }) => isClean(mine) && isClean(theirs)),
  );
  const clean = undisturbed.flat().length * 2 >= all.flat().length;
  const counted = (clean ? undisturbed : all)
    .map((rounds) => rounds.map(({ mine, theirs }) => theirs.median / mine.median))
    .filter((ratios) => ratios.length > 0);
  const ratios = counted.flat();
  return {
    ratio: median(ratios),
    interval: intervalOf(ratios, LEVEL),
    rounds: ratios.length,
    launchRatios: counted.map(median),
    clean,
  };
}

/**
 * The interval of the rounds decides where the launches agree: all of them, or as many as the interval of their own medians
 * has.
 * @returns {Verdict}
 */
function against({ interval, launchRatios, clean }, target) {
  if (!clean) return 'disturbed';
  if (interval === null || launchRatios.length < LEAST_LAUNCHES) return 'few';
  const ofLaunches = intervalOf(launchRatios, LEVEL) ?? {
    low: Math.min(...launchRatios),
    high: Math.max(...launchRatios),
  };
  const side = sideOf(interval, target);
  if (side === 'open' || sideOf(ofLaunches, target) !== side) return 'tie';
  return side === 'above' ? 'holds' : 'missed';
}

/**
 * Whether `own` reaches the target against every rival. A sure loss to one is a loss; a win over rivals of which some were
 * disturbed, or hardly measured, is none.
 * @param {WithTurns} own
 * @param {readonly WithTurns[]} rivals
 * @param {number} target
 * @returns {Verdict}
 */
export function judge(own, rivals, target) {
  const verdicts = rivals.map((rival) => against(pairedRatio(own, rival), target));
  /** @type {Verdict[]} */
  const order = ['missed', 'disturbed', 'few', 'tie', 'holds'];
  return order.find((verdict) => verdicts.includes(verdict)) ?? null;
}

/**
 * Whether more rounds could decide.
 * @param {string | null} verdict
 */
export const isUndecided = (verdict) => verdict === 'tie' || verdict === 'few' || verdict === 'disturbed';

/** `1.021 (1.009 to 1.034)`; nothing where nothing was compared. */
export const ratioText = ({ ratio, interval }) =>
  [
    ratio?.toFixed(3) ?? '',
    interval === null ? '' : `(${interval.low.toFixed(3)} to ${interval.high.toFixed(3)})`,
  ]
    .filter(Boolean)
    .join(' ');

/**
 * How many comparisons came to what; those that have the ratio alone are apart, by its side of the target.
 * @template {{ verdict: string | null, ratio: number | null, target: number | null }} Comparison
 * @param {readonly Comparison[]} comparisons
 */
export function counts(comparisons) {
  const having = (verdict) => comparisons.filter((one) => one.verdict === verdict);
  const [held, missed, tied, few] = ['holds', 'missed', 'tie', 'few'].map(having);
  const open = comparisons.filter((one) => ![...held, ...missed, ...tied, ...few].includes(one));
  const above = few.filter(({ ratio, target }) => ratio >= (target ?? 1));
  return { held, missed, tied, few, open, above: above.length, below: few.length - above.length };
}

/**
 * `Of 9 targets 5 hold, ...`.
 * @param {Parameters<typeof counts>[0]} comparisons those with a target
 */
export function countsOfTargets(comparisons) {
  const { held, missed, tied, few, open, above, below } = counts(comparisons);
  const alone =
    few.length === 0
      ? ''
      : ` By the ratio alone, of too few rounds or launches for a verdict: ${above} at or above the target, ${below} below.`;
  return `Of ${comparisons.length} targets ${held.length} hold, ${tied.length} are ties (the target lies inside the interval of the ratio, or between launches), ${missed.length} were missed, ${open.length} could not be judged.${alone}`;
}
