// From what the launches of a case told to its figures. Pure.
import { median } from '../lib/measure.mjs';
import { isClean, isUndecided, judge, pairedRatio } from '../lib/paired.mjs';

/**
 * What one launch told: seconds and disturbance of each way's turns, elements that it left wrong.
 * @typedef {object} Launch
 * @property {number} moved bytes that one pass moves
 * @property {string} auto what `auto` chose
 * @property {readonly { name: string, wrong: number, turns: readonly import('../lib/paired.mjs').Turn[] }[]} ways
 */
/** @typedef {ReturnType<typeof figures>} Figures */

/** `auto` is to reach the C library's function, and this share of the best of all ways. */
const OF_THE_LIBRARY = 1;
const OF_THE_BEST = 0.95;
const LIBRARY = ['memcpy', 'memset'];

/**
 * Each way with its turns of all launches.
 * @param {readonly Launch[]} launches
 */
function together(launches) {
  return launches[0].ways.map(({ name }, index) => ({
    name,
    wrong: launches.reduce((sum, { ways }) => sum + ways[index].wrong, 0),
    launches: launches.map(({ ways }) => ways[index].turns),
  }));
}

/** Of the turns that were not disturbed, unless there are no others. */
function secondsOf({ launches }) {
  const turns = launches.flat();
  const clean = turns.filter(isClean);
  return median((clean.length > 0 ? clean : turns).map((turn) => turn.median));
}

/** `auto` against one other way: their ratio, and whether it reaches the target. Null where there is no other. */
function against(auto, other, target) {
  if (other === undefined) return null;
  return { name: other.name, target, ...pairedRatio(auto, other), verdict: judge(auto, [other], target) };
}

/**
 * The figures of one case: bytes per second of each way, what was chosen in each launch, and `auto` against the C library
 * (null where it has no such function) and against the best way of ours.
 * @param {{ pass: string, threads: number, bytes: number }} situation
 * @param {readonly Launch[]} launches
 */
export function figures(situation, launches) {
  const ways = together(launches);
  const moved = launches[0].moved;
  const auto = ways.find(({ name }) => name === 'auto');
  const library = ways.find(({ name }) => LIBRARY.includes(name));
  const [best] = ways
    .filter((way) => way !== auto && way !== library)
    .sort((a, b) => secondsOf(a) - secondsOf(b));
  return {
    situation,
    rates: Object.fromEntries(ways.map((way) => [way.name, moved / secondsOf(way)])),
    chosen: [...new Set(launches.map((launch) => launch.auto))],
    wrong: ways.filter(({ wrong }) => wrong > 0).map(({ name, wrong }) => ({ name, wrong })),
    comparisons: [against(auto, library, OF_THE_LIBRARY), against(auto, best, OF_THE_BEST)].filter(
      (comparison) => comparison !== null,
    ),
  };
}

/** Whether more rounds could decide what these have not. */
export const isOpen = ({ comparisons }) => comparisons.some(({ verdict }) => isUndecided(verdict));
