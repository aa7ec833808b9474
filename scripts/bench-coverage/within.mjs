// The interval within one launch: how often it contains this launch's median, of few and of many repetitions.
import { withinLaunchInterval } from '../../dist/statistics/interval.js';
import { quantileSorted } from '../../dist/statistics/quantile.js';
import { drawLaunch, EFFECTS, NOISES, truthOf } from './series.mjs';
import { randomFrom } from './simulate.mjs';

export const REPETITIONS = [15, 20, 30, 50, 100, 200, 500];
const NORMAL_REACH = 1.96;

/** Half-width in ranks of order statistics of repetitions that are known to be independent. */
const plainWidth = (sorted) => {
  const reach = NORMAL_REACH / (2 * Math.sqrt(sorted.length));
  return quantileSorted(sorted, Math.min(1, 0.5 + reach)) - quantileSorted(sorted, Math.max(0, 0.5 - reach));
};

function oneCount(noise, truth, repetitions, trials, random) {
  let [given, covering] = [0, 0];
  const times = [];
  for (let trial = 0; trial < trials; trial++) {
    const samples = drawLaunch(noise, EFFECTS.none, repetitions, random);
    const { ci } = withinLaunchInterval(samples);
    if (ci === null) continue;
    given++;
    if (ci.low <= truth && truth <= ci.high) covering++;
    times.push((ci.high - ci.low) / plainWidth(samples.sort()));
  }
  return {
    repetitions,
    given: given / trials,
    coverage: given === 0 ? null : covering / given,
    times:
      given === 0
        ? null
        : quantileSorted(
            times.sort((a, b) => a - b),
            0.5,
          ),
  };
}

/** Of each kind of noise. */
export function simulateWithin({ trials, seed }) {
  return Object.entries(NOISES).map(([noise, kind], i) => {
    const random = randomFrom(seed + 300_000 + i);
    const { median } = truthOf(kind, EFFECTS.none);
    return {
      noise,
      byCount: REPETITIONS.map((repetitions) => oneCount(kind, median, repetitions, trials, random)),
    };
  });
}
