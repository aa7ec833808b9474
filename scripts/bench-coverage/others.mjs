// What others' published procedures make of the same launches. Each says what was taken of it: none of them is its program.
import { normalReach } from '../../dist/statistics/normal.js';
import { quantileSorted } from '../../dist/statistics/quantile.js';
import { studentReach } from '../../dist/statistics/student.js';

const LEVEL = 0.95;
const RESAMPLES = 1000;
const CRITERION_VALUES = 100;
const PYPERF_VALUES = 3;

export const TAKEN = [
  'naive: all repetitions of all launches pooled and taken for independent; order statistics about their median.',
  'hyperfine: each launch is one run and its mean the run’s time; mean ± standard deviation over the runs, as it prints. That is a spread and no interval for the mean; read as one, it covers too often and does not get narrower with more runs (the column of its width says so).',
  `criterion: the samples of one process, ${CRITERION_VALUES} values of equal numbers of iterations (its flat sampling), bootstrap of their mean, percentiles; ${RESAMPLES} resamples in place of its 100,000.`,
  `pyperf: each launch gives ${PYPERF_VALUES} values (means of equal parts of its repetitions), all of them pooled; it prints mean ± standard deviation, and here Student's t interval of that mean is taken.`,
  'hyperfine, criterion and pyperf estimate a mean, so they are judged by the true mean; the naive interval and ours by the true median.',
];

const meanOf = (values) => {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
};

function deviationOf(values) {
  const centre = meanOf(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - centre) ** 2, 0) / (values.length - 1));
}

const parts = (samples, count) =>
  Array.from({ length: count }, (_, i) =>
    meanOf(
      samples.subarray(
        Math.floor((i * samples.length) / count),
        Math.floor(((i + 1) * samples.length) / count),
      ),
    ),
  );

/**
 * Pooled and independent: whether so many of n values at or below the truth put it inside. Ends by the normal distribution.
 * @param {number} atOrBelow
 * @param {number} n
 */
export function naiveCovers(atOrBelow, n) {
  const reach = (normalReach(LEVEL) * Math.sqrt(n)) / 2;
  return Math.abs(atOrBelow - n / 2) <= reach;
}

export function hyperfine(runMeans) {
  const [centre, reach] = [meanOf(runMeans), deviationOf(runMeans)];
  return { low: centre - reach, high: centre + reach };
}

export function criterion(samples, { uniform }) {
  const values = parts(samples, Math.min(CRITERION_VALUES, samples.length));
  const means = Float64Array.from({ length: RESAMPLES }, () => {
    let sum = 0;
    for (let i = 0; i < values.length; i++) sum += values[Math.floor(uniform() * values.length)];
    return sum / values.length;
  }).sort();
  return { low: quantileSorted(means, (1 - LEVEL) / 2), high: quantileSorted(means, (1 + LEVEL) / 2) };
}

export const pyperfValues = (samples) => parts(samples, PYPERF_VALUES);

export function pyperf(values) {
  const centre = meanOf(values);
  const reach = (studentReach(LEVEL, values.length - 1) * deviationOf(values)) / Math.sqrt(values.length);
  return { low: centre - reach, high: centre + reach };
}

export { meanOf };
