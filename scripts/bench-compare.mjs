// npm run bench:compare: how often `compare` and the interval of a score are right, on launches whose truth is known. The tables of
// docs/score.md are its output. Seeded: the same numbers each time.
import { normalOf, randomBits, uniformOf } from '../dist/random.js';
import { compareLaunches, verdictOf } from '../dist/statistics/compare.js';
import { geometricMean } from '../dist/statistics/geometric-mean.js';
import { launchInterval } from '../dist/statistics/interval.js';
import { median } from '../dist/statistics/quantile.js';

const TRIALS = 2000;
const SCORE_TRIALS = 600;
const TRUE_RATIO = 1.03;

const uniform = uniformOf(randomBits(7));
const normal = normalOf(uniform);
/** 20 of 100 launches lie far off. */
const twoModes = () => (uniform() < 0.2 ? 4 : 0) + 0.5 * normal();

const launches = (count, spread, centre = 1) =>
  Array.from({ length: count }, () => centre * Math.exp(spread * normal()));

const percent = (count, of, digits = 1) => `${((100 * count) / of).toFixed(digits)} %`;

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

console.log(`compare, margin 1 %, ${TRIALS} trials each\n`);
console.log(
  '| launches | spread | called different | called the same | 3 % found | interval covers, same / 3 % |',
);
console.log('|---|---|---|---|---|---|');
for (const count of [3, 6, 12, 20, 30]) {
  for (const spread of [0.005, 0.0075, 0.01]) {
    const draw = () => launches(count, spread);
    const same = trial(draw, draw, 1);
    const slower = trial(draw, () => launches(count, spread, TRUE_RATIO), 1 / TRUE_RATIO);
    const cells = [
      count,
      `${100 * spread} %`,
      percent(same.faster + same.slower, TRIALS),
      percent(same.same, TRIALS),
      percent(slower.slower, TRIALS),
      `${percent(same.covered, TRIALS)} / ${percent(slower.covered, TRIALS)}`,
    ];
    console.log(`| ${cells.join(' | ')} |`);
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

console.log(`\nscore, coverage of the 95 % interval, ${SCORE_TRIALS} trials each\n`);
const COUNTS = [3, 5, 6, 12, 30];
console.log(`| cases | ${COUNTS.map((count) => `${count} launches`).join(' | ')} |`);
console.log(`|---|${COUNTS.map(() => '---|').join('')}`);
for (const [name, draw, truth] of [
  ['normal', normal, 0],
  ['two modes 80:20', twoModes, 0],
]) {
  for (const cases of [1, 10, 30]) {
    const cells = COUNTS.map((count) => {
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
    console.log(`| ${cases}, ${name} | ${cells.join(' | ')} |`);
  }
}
