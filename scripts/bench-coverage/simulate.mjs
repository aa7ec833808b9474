// Coverage on synthetic launches with a known truth: the code that makes the record's intervals, and others beside it.
import { normalOf, randomBits, uniformOf } from '../../dist/random.js';
import { launchInterval } from '../../dist/statistics/interval.js';
import { quantileSorted } from '../../dist/statistics/quantile.js';
import { launchQuantile } from '../../dist/statistics/quantile-interval.js';
import { precisionReached } from '../../dist/statistics/stopping.js';
import { criterion, hyperfine, meanOf, naiveCovers, pyperf, pyperfValues } from './others.mjs';
import { drawLaunch, EFFECT, truthOf } from './series.mjs';

export const COUNTS = [6, 8, 12, 20, 30];
const MOST = Math.max(...COUNTS);
const QUANTILES = { median: 0.5, p5: 0.05, p95: 0.95 };
const MOST_SEQUENTIAL = 300;
/** Trials of a sequential setting: each takes many launches. */
const SEQUENTIAL_SHARE = 0.4;
const CRITERION_SHARE = 0.25;
/** Launches whose median stands for what another campaign of the same kind finds. */
const REFERENCE = 10;

export function randomFrom(seed) {
  const uniform = uniformOf(randomBits(seed));
  return { uniform, normal: normalOf(uniform) };
}

const contains = ({ low, high }, truth) => low <= truth && truth <= high;

/** What is asked of one launch. */
function launchOf(noise, effect, repetitions, random, repeated) {
  const samples = drawLaunch(noise, effect, repetitions, random);
  const sorted = samples.slice().sort();
  const quantiles = Object.fromEntries(
    Object.entries(QUANTILES).map(([name, p]) => [name, launchQuantile(sorted, p)]),
  );
  let atOrBelow = 0;
  for (const value of samples) if (value <= repeated.median) atOrBelow++;
  return { ...quantiles, samples, atOrBelow, mean: meanOf(samples), values: pyperfValues(samples) };
}

/** The medians over very many launches: the truth where launches have no more than these repetitions. */
function repeatedTruth(noise, effect, { trials, repetitions }, random) {
  const own = Object.fromEntries(
    Object.keys(QUANTILES).map((name) => [name, new Float64Array(REFERENCE * trials)]),
  );
  for (let i = 0; i < REFERENCE * trials; i++) {
    const sorted = drawLaunch(noise, effect, repetitions, random).sort();
    for (const [name, p] of Object.entries(QUANTILES)) own[name][i] = launchQuantile(sorted, p);
  }
  return Object.fromEntries(
    Object.keys(QUANTILES).map((name) => [name, quantileSorted(own[name].sort(), 0.5)]),
  );
}

function judge(launches, truth, repeated, repetitions) {
  const hits = {};
  const widths = {};
  const ours = (name) => launchInterval(launches.map((launch) => launch[name])).ci;
  for (const name of Object.keys(QUANTILES)) {
    const ci = ours(name);
    hits[name] = ci !== null && contains(ci, repeated[name]);
    hits[`${name} ideal`] = ci !== null && contains(ci, truth[name]);
    if (name === 'median') widths.median = ci.high - ci.low;
  }
  const pooled = launches.reduce((sum, { atOrBelow }) => sum + atOrBelow, 0);
  hits.naive = naiveCovers(pooled, launches.length * repetitions);
  const fine = hyperfine(launches.map(({ mean }) => mean));
  hits.hyperfine = contains(fine, truth.mean);
  widths.hyperfine = fine.high - fine.low;
  hits.pyperf = contains(pyperf(launches.flatMap(({ values }) => values)), truth.mean);
  return { hits, widths };
}

/** Coverage of each method for each number of launches: the first k of the launches of one trial. */
export function simulateFixed(noise, effect, options) {
  const { trials, repetitions, seed } = options;
  const random = randomFrom(seed);
  const truth = truthOf(noise, effect);
  const repeated = repeatedTruth(noise, effect, options, random);
  const sums = COUNTS.map(() => ({ hits: {}, widths: {} }));
  const criterionTrials = Math.ceil(CRITERION_SHARE * trials);
  let criterionHits = 0;
  for (let trial = 0; trial < trials; trial++) {
    const launches = Array.from({ length: MOST }, () =>
      launchOf(noise, effect, repetitions, random, repeated),
    );
    if (trial < criterionTrials && contains(criterion(launches[0].samples, random), truth.mean)) {
      criterionHits++;
    }
    COUNTS.forEach((k, i) => {
      const { hits, widths } = judge(launches.slice(0, k), truth, repeated, repetitions);
      for (const [name, hit] of Object.entries(hits)) {
        sums[i].hits[name] = (sums[i].hits[name] ?? 0) + (hit ? 1 / trials : 0);
      }
      for (const [name, width] of Object.entries(widths)) {
        sums[i].widths[name] = (sums[i].widths[name] ?? 0) + width / trials;
      }
    });
  }
  return {
    criterion: criterionHits / criterionTrials,
    criterionTrials,
    byCount: COUNTS.map((k, i) => ({ k, coverage: sums[i].hits, widths: sums[i].widths })),
  };
}

/** The rule of --precision: coverage of its interval, and the launches that it took. */
export function simulateSequential(noise, effect, target, { trials, repetitions, seed }) {
  const random = randomFrom(seed);
  const truth = repeatedTruth(noise, effect, { trials, repetitions }, random).median;
  const runs = Math.ceil(SEQUENTIAL_SHARE * trials);
  const taken = [];
  let [covered, reachedRuns] = [0, 0];
  for (let run = 0; run < runs; run++) {
    const medians = [];
    const following = effect.inTime === undefined ? effect : { ...effect, draw: effect.inTime(random) };
    let result = null;
    while (medians.length < MOST_SEQUENTIAL && !(result?.reached ?? false)) {
      const sorted = drawLaunch(noise, following, repetitions, random).sort();
      medians.push(quantileSorted(sorted, 0.5));
      if (medians.length >= 6) result = precisionReached(medians, target);
    }
    if (result.interval.ci !== null && contains(result.interval.ci, truth)) covered++;
    if (result.reached) reachedRuns++;
    taken.push(medians.length);
  }
  taken.sort((a, b) => a - b);
  return {
    runs,
    coverage: covered / runs,
    reached: reachedRuns / runs,
    launches: quantileSorted(taken, 0.5),
    most: taken.at(-1),
  };
}

/** Targets of the sequential rule, in standard deviations of normal launch effects. */
export const TARGETS = [2, 1, 0.5].map((deviations) => deviations * EFFECT);
