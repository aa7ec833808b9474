// Two candidates that were measured in turns, round by round: how much faster is one, and does it reach a target? Pure.
import { median } from './measure.mjs';

/**
 * What a candidate told of one turn: seconds of the work, in the samples that were not disturbed.
 * @typedef {object} Turn
 * @property {number} median
 * @property {number} min
 * @property {number} count of samples
 * @property {number} disturbed
 */
/** @typedef {{ turns: readonly Turn[] }} WithTurns */

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
 * The chance that an interval of a median may be wrong: 5 % shared by the four looks that a case may take, because measuring
 * goes on until an interval decides.
 */
const RISK = 0.05 / 4;

/**
 * How many values may be left out at each end so that what remains holds the median: the most whose two tails of a binomial
 * distribution with p = 1/2 stay within the risk. Null where even all of them are too few to tell: under 8 values.
 * @param {number} count
 */
export function leftOutAtEachEnd(count) {
  let probability = 2 ** -count;
  let tail = probability;
  if (2 * tail > RISK) return null;
  for (let out = 1; ; out++) {
    probability *= (count - out + 1) / out;
    tail += probability;
    if (2 * tail > RISK) return out - 1;
  }
}

/**
 * How much faster `own` was than `other`, round by round, so that what drifted over the rounds cancels; from the rounds in
 * which both had undisturbed samples, with the interval of the median (null for fewer than 8 such rounds). `clean` is
 * false where those are less than half: then it says little.
 * @param {WithTurns} own
 * @param {WithTurns} other
 */
export function pairedRatio(own, other) {
  const rounds = own.turns.map((turn, round) => ({ mine: turn, theirs: other.turns[round] }));
  const undisturbed = rounds.filter(({ mine, theirs }) => isClean(mine) && isClean(theirs));
  const clean = undisturbed.length * 2 >= rounds.length;
  const counted = clean ? undisturbed : rounds;
  const ratios = counted.map(({ mine, theirs }) => theirs.median / mine.median).sort((a, b) => a - b);
  const out = leftOutAtEachEnd(ratios.length);
  const interval = out === null ? null : { low: ratios[out], high: ratios[ratios.length - 1 - out] };
  return { ratio: median(ratios), interval, clean };
}

/** What the rounds say of one rival: the interval decides; without one, the ratio. */
function against({ ratio, interval, clean }, target) {
  if (!clean) return 'disturbed';
  const { low, high } = interval ?? { low: ratio, high: ratio };
  return high < target ? 'missed' : low >= target ? 'holds' : 'tie';
}

/**
 * Whether `own` reaches the target against every rival: true or false where the rounds decide it; 'tie' where the interval
 * of a ratio has the target inside, so that they cannot be told apart; null where turns were disturbed. A sure loss to one
 * is a loss; a win over rivals whose turns were disturbed is none.
 * @param {WithTurns} own
 * @param {readonly WithTurns[]} rivals
 * @param {number | null} target
 */
export function judge(own, rivals, target) {
  if (target === null || rivals.length === 0) return null;
  const verdicts = rivals.map((rival) => against(pairedRatio(own, rival), target));
  if (verdicts.includes('missed')) return false;
  if (verdicts.includes('disturbed')) return null;
  return verdicts.includes('tie') ? 'tie' : true;
}

/** `1.021 (1.009 to 1.034)`; nothing where nothing was compared. */
export const ratioText = ({ ratio, interval }) =>
  [
    ratio?.toFixed(3) ?? '',
    interval === null ? '' : `(${interval.low.toFixed(3)} to ${interval.high.toFixed(3)})`,
  ]
    .filter(Boolean)
    .join(' ');
