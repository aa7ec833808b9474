// Simulated comparisons and scores: launches are drawn, so that what is true of them is known.
import { normalOf, randomBits, uniformOf } from '../../dist/random.js';
import { compareLaunches, DEFAULT_MARGIN, verdictOf } from '../../dist/statistics/compare.js';
import { geometricMean } from '../../dist/statistics/geometric-mean.js';
import { launchInterval } from '../../dist/statistics/interval.js';
import { median } from '../../dist/statistics/quantile.js';
import { isLook, MOST_ROUNDS, settled } from '../../dist/statistics/settling.js';

const TRIALS = 2000;
const SCORE_TRIALS = 600;
const TRUE_RATIO = 1.03;

const uniform = uniformOf(randomBits(7));
const normal = normalOf(uniform);
/** 20 of 100 launches lie far off. */
const twoModes = () => (uniform() < 0.2 ? 4 : 0) + 0.5 * normal();
/** Student's t with 3 degrees of freedom, of variance 1: now and then a launch is far off. */
const heavyTails = () => normal() / Math.sqrt(normal() ** 2 + normal() ** 2 + normal() ** 2);

export const percent = (part, of, digits = 1) => `${((100 * part) / of).toFixed(digits)} %`;

const row = (cells) => console.log(`| ${cells.join(' | ')} |`);
const header = (cells) => {
  row(cells);
  console.log(`|${cells.map(() => '---|').join('')}`);
};

const holds = (interval, truth) => interval !== null && interval.low <= truth && truth <= interval.high;

/** One comparison, launched until it is settled. `mood` is what both launches of a round have in common. */
function settle(draw, spread, ratio, mood) {
  const [reference, candidate] = [[], []];
  for (let rounds = 1; rounds <= MOST_ROUNDS; rounds++) {
    const common = mood(rounds);
    reference.push(Math.exp(common + spread * draw()));
    candidate.push(ratio * Math.exp(common + spread * draw()));
    if (!isLook(rounds, MOST_ROUNDS)) continue;
    const end = settled(reference, candidate, DEFAULT_MARGIN, 1);
    if (end === null && rounds < MOST_ROUNDS) continue;
    const looked = { rounds: true, looked: true };
    const comparison = compareLaunches(reference, candidate, DEFAULT_MARGIN, looked);
    return {
      verdict: end?.verdict ?? verdictOf(comparison, comparison.p),
      rounds,
      ratioHeld: holds(comparison.interval, 1 / ratio),
      rateHeld: holds(launchInterval(candidate).ci, ratio),
    };
  }
  throw new Error('the last round is always looked at');
}

const still = () => 0;

function settleMany(draw, spread, ratio, mood) {
  const ends = Array.from({ length: TRIALS }, () => settle(draw, spread, ratio, mood));
  const share = (...verdicts) =>
    percent(ends.filter(({ verdict }) => verdicts.includes(verdict)).length, TRIALS);
  const held = (what) => percent(ends.filter((end) => end[what]).length, TRIALS);
  return {
    share,
    rounds: median(ends.map(({ rounds }) => rounds)),
    ratio: held('ratioHeld'),
    // Where launches drift or have modes, 1 is not the median of them.
    rate: mood === still && draw !== twoModes ? held('rateHeld') : null,
  };
}

const STACKS = [
  ...[0.005, 0.01, 0.02, 0.03].map((spread) => [`${100 * spread} %, normal`, normal, spread, still]),
  ['2 %, heavy tails', heavyTails, 0.02, still],
  ['1 %, drifting by 10 % in 100 rounds', normal, 0.01, (rounds) => 0.001 * rounds],
  ['two modes 4 % apart, 80:20', twoModes, 0.01, still],
];

export function simulateSettling() {
  console.log(`compare, settled within ${percent(DEFAULT_MARGIN, 1, 0)}, ${TRIALS} trials each\n`);
  header([
    'spread of launch medians',
    'called different',
    'called the same',
    'rounds',
    '3 % found',
    'rounds',
    'at the margin called the same',
    'interval of the ratio holds it, of 1 / 1.03 / 1.02',
    'interval of the rate, likewise',
  ]);
  for (const [name, draw, spread, mood] of STACKS) {
    const itself = settleMany(draw, spread, 1, mood);
    const slower = settleMany(draw, spread, TRUE_RATIO, mood);
    const margin = settleMany(draw, spread, 1 + DEFAULT_MARGIN, mood);
    row([
      name,
      itself.share('faster', 'slower'),
      itself.share('same'),
      itself.rounds,
      slower.share('slower'),
      slower.rounds,
      margin.share('same'),
      `${itself.ratio} / ${slower.ratio} / ${margin.ratio}`,
      itself.rate === null ? '' : `${itself.rate} / ${slower.rate} / ${margin.rate}`,
    ]);
  }
}

const launches = (count, spread, centre = 1) =>
  Array.from({ length: count }, () => centre * Math.exp(spread * normal()));

/** Of `TRIALS` comparisons: how many end how, and how many intervals hold the true ratio. */
function trial(drawReference, drawCandidate, ratio) {
  const counts = { faster: 0, slower: 0, same: 0, 'cannot tell': 0, covered: 0 };
  for (let i = 0; i < TRIALS; i++) {
    const comparison = compareLaunches(drawReference(), drawCandidate());
    counts[verdictOf(comparison, comparison.p)]++;
    const { interval } = comparison;
    if (interval !== null && interval.low <= ratio && ratio <= interval.high) counts.covered++;
  }
  return counts;
}

export function simulateFixed() {
  console.log(
    `\ncompare of so many launches, not paired, margin ${percent(DEFAULT_MARGIN, 1, 0)}, ${TRIALS} trials each\n`,
  );
  header([
    'launches',
    'spread',
    'called different',
    'called the same',
    '3 % found',
    'interval covers, same / 3 %',
  ]);
  for (const count of [3, 6, 12, 20, 30]) {
    for (const spread of [0.005, 0.01, 0.02]) {
      const draw = () => launches(count, spread);
      const same = trial(draw, draw, 1);
      const slower = trial(draw, () => launches(count, spread, TRUE_RATIO), 1 / TRUE_RATIO);
      row([
        count,
        `${100 * spread} %`,
        percent(same.faster + same.slower, TRIALS),
        percent(same.same, TRIALS),
        percent(slower.slower, TRIALS),
        `${percent(same.covered, TRIALS)} / ${percent(slower.covered, TRIALS)}`,
      ]);
    }
  }

  console.log('\nspreads and numbers that are unlike: interval covers, called different\n');
  for (const [m, n, a, b] of [
    [12, 12, 0.005, 0.02],
    [8, 20, 0.005, 0.02],
    [20, 8, 0.005, 0.02],
  ]) {
    const { covered, faster, slower } = trial(
      () => launches(m, a),
      () => launches(n, b),
      1,
    );
    const what = `${m} launches of ${100 * a} % against ${n} of ${100 * b} %`;
    console.log(`${what}: ${percent(covered, TRIALS)}, ${percent(faster + slower, TRIALS)}`);
  }
}

export function simulateScores() {
  console.log(`\nscore, coverage of the 95 % interval, ${SCORE_TRIALS} trials each\n`);
  const counts = [3, 5, 6, 12, 30];
  header(['cases', ...counts.map((count) => `${count} launches`)]);
  for (const { name, draw, truth } of [
    { name: 'normal', draw: normal, truth: 0 },
    { name: 'two modes 80:20', draw: twoModes, truth: 0 },
  ]) {
    for (const cases of [1, 10, 30]) {
      const cells = counts.map((count) => {
        const drawn = () => {
          const values = Array.from({ length: count }, () => Math.exp(0.01 * draw()));
          return { median: median(values), interval: launchInterval(values).ci, launches: count };
        };
        let covered = 0;
        for (let i = 0; i < SCORE_TRIALS; i++) {
          const pairs = Array.from({ length: cases }, () => ({ value: drawn(), reference: drawn() }));
          const { interval } = geometricMean(pairs);
          if (interval !== null && Math.log(interval.low) <= truth && truth <= Math.log(interval.high))
            covered++;
        }
        return percent(covered, SCORE_TRIALS);
      });
      row([`${cases}, ${name}`, ...cells]);
    }
  }
}
