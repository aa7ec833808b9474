// What --precision spends: its schedule on launches with known variances, beside the repetitions that somebody would choose
// who knew them. The schedule is the one that conducts campaigns.
import { createSchedule } from '../../dist/campaign/schedule.js';
import { median } from '../../dist/statistics/quantile.js';
import { precisionReached } from '../../dist/statistics/stopping.js';
import { drawLaunch, EFFECT, NOISE } from './series.mjs';
import { randomFrom } from './simulate.mjs';

/** Seconds of a launch outside of its repetitions, and of one of them: matmul at 512. */
export const COSTS = { costOfLaunch: 0.2, costOfRepetition: 1.4e-3 };
export const TARGET = 0.01;
const PILOT_SECONDS = 0.25;
const MOST_LAUNCHES = 200;
/** Standard errors of a median over that of a mean, normal data. */
const OF_MEDIAN = Math.sqrt(Math.PI / 2);
const LENGTHS = [20, 30, 45, 70, 100, 150, 220, 330, 500, 750, 1100];

/** Standard deviations between launches and of a repetition, as shares of the median. */
export const SPREADS = [0, 0.0025, 0.005, 0.01, 0.02].flatMap((between) =>
  [0.01, 0.03, 0.1].map((within) => ({ between, within })),
);

const timeOf = (repetitions) => COSTS.costOfLaunch + repetitions * COSTS.costOfRepetition;

/** @returns {import('../../dist/record/schema.js').Campaign} */
const campaign = (seed) => ({
  id: 'simulated',
  createdAt: '',
  command: [],
  seed,
  fault: null,
  batches: [
    {
      case: { indicator: 'simulated', parameters: {} },
      stack: { provider: 'embedded', variant: null },
      device: 'cpu',
      warmup: { kind: 'auto' },
      timeout: 0,
      precision: TARGET,
      inspections: MOST_LAUNCHES,
      sampling: { kind: 'budget', seconds: PILOT_SECONDS, least: 20, most: 20_000 },
    },
  ],
});

/** One campaign from its pilots to its end. */
function conducted({ between, within }, seed, random) {
  const schedule = createSchedule(campaign(seed));
  const effect = { draw: ({ normal }) => (normal() * between) / EFFECT };
  const noise = {
    begin:
      ({ normal }) =>
      () =>
        (normal() * within) / NOISE,
  };
  const medians = [];
  let seconds = 0;
  let chosen = null;
  for (let next = schedule.next(); next !== null; next = schedule.next()) {
    const repetitions = next.repetitions ?? Math.floor(PILOT_SECONDS / COSTS.costOfRepetition);
    chosen = next.repetitions ?? chosen;
    const samples = drawLaunch(noise, effect, repetitions, random);
    medians.push(median(samples));
    seconds += timeOf(repetitions);
    schedule.ended(next, { samples, ...COSTS });
  }
  return { ...precisionReached(medians, TARGET), seconds, repetitions: chosen };
}

/** Seconds that the same rule takes with one fixed number of repetitions, from the first launch on. */
function knowing({ between, within }, repetitions, { normal }) {
  const deviation = Math.hypot(between, (OF_MEDIAN * within) / Math.sqrt(repetitions));
  const medians = [];
  do medians.push(1 + deviation * normal());
  while (medians.length < MOST_LAUNCHES && !precisionReached(medians, TARGET).reached);
  return medians.length * timeOf(repetitions);
}

/** @returns medians over the trials, and the share of them whose interval has the truth in it */
export function simulateSpending(spread, trials, seed) {
  const random = randomFrom(seed);
  const runs = Array.from({ length: trials }, (_, i) => conducted(spread, seed + i, random));
  const best = Math.min(
    ...LENGTHS.map((repetitions) =>
      median(Float64Array.from({ length: trials }, () => knowing(spread, repetitions, random))),
    ),
  );
  const covers = runs.filter(({ interval: { ci } }) => ci !== null && ci.low <= 1 && 1 <= ci.high);
  const of = (what) => median(Float64Array.from(runs, what));
  return {
    coverage: covers.length / trials,
    reached: runs.filter(({ reached }) => reached).length / trials,
    launches: of(({ launches }) => launches),
    repetitions: of(({ repetitions }) => repetitions),
    seconds: of(({ seconds }) => seconds),
    best,
  };
}
