// Replays a real campaign: all its launches are the truth, and intervals are made from few of them.
import { dirname } from 'node:path';
import { launchInterval, withinLaunchInterval } from '../../dist/statistics/interval.js';
import { launchDependence } from '../../dist/statistics/launch-dependence.js';
import { median } from '../../dist/statistics/quantile.js';
import { precisionReached } from '../../dist/statistics/stopping.js';
import { readInspection } from '../../dist/store/read-inspection.js';
import { readRecord } from '../../dist/store/read-record.js';
import { naiveCovers } from './others.mjs';
import { COUNTS, randomFrom } from './simulate.mjs';

/** Fewer launches are no truth. */
const LEAST_LAUNCHES = 40;
const TARGETS = [0.01, 0.005, 0.0025];
const MOST_SEQUENTIAL = 300;

const contains = ({ low, high }, truth) => low <= truth && truth <= high;

/** Launches of one batch in the order of time. */
function launchesOf(folder, batch) {
  return batch.inspections
    .filter(({ status, file }) => status === 'measured' && file !== null)
    .map(({ file }) => readInspection(folder, file))
    .filter((read) => read !== null)
    .sort((a, b) => Date.parse(a.document.startedAt) - Date.parse(b.document.startedAt))
    .map(({ samples }) => samples.seconds);
}

function share(trials, covers) {
  let covered = 0;
  for (let trial = 0; trial < trials; trial++) if (covers(trial)) covered++;
  return covered / trials;
}

function replayBatch(launches, { trials, random }) {
  const medians = launches.map(median);
  const truth = median(medians);
  const all = medians.length;
  const place = () => Math.floor(random.uniform() * all);
  const atOrBelow = launches.map((samples) =>
    samples.reduce((sum, value) => sum + (value <= truth ? 1 : 0), 0),
  );
  const counts = COUNTS.filter((k) => k <= all / 2).map((k) => ({
    k,
    random: share(trials, () =>
      contains(launchInterval(Array.from({ length: k }, () => medians[place()])).ci, truth),
    ),
    consecutive: share(all - k + 1, (at) => contains(launchInterval(medians.slice(at, at + k)).ci, truth)),
    naive: share(trials, () => {
      const chosen = Array.from({ length: k }, place);
      const n = chosen.reduce((sum, i) => sum + launches[i].length, 0);
      return naiveCovers(
        chosen.reduce((sum, i) => sum + atOrBelow[i], 0),
        n,
      );
    }),
  }));
  const sequential = TARGETS.map((target) => {
    const taken = [];
    let reached = 0;
    const coverage = share(trials, () => {
      const chosen = [];
      let result = null;
      while (chosen.length < MOST_SEQUENTIAL && !(result?.reached ?? false)) {
        chosen.push(medians[place()]);
        if (chosen.length >= 6) result = precisionReached(chosen, target);
      }
      taken.push(chosen.length);
      reached += result.reached ? 1 : 0;
      return result.interval.ci !== null && contains(result.interval.ci, truth);
    });
    return { target, coverage, launches: median(taken), reached: reached / trials };
  });
  const oneLaunch = share(all, (i) => {
    const { ci } = withinLaunchInterval(launches[i]);
    return ci !== null && contains(ci, truth);
  });
  return { launches: all, truth, dependence: launchDependence(medians), counts, sequential, oneLaunch };
}

/**
 * Each batch of a record with enough launches.
 * @throws Error when the record cannot be read, or has no such batch
 */
export function replay(path, { trials, seed }) {
  const { record, path: file } = readRecord(path);
  const random = randomFrom(seed);
  const batches = record.batches.filter(({ measured }) => measured >= LEAST_LAUNCHES);
  if (batches.length === 0) {
    throw new Error(
      `${path} has no batch of at least ${LEAST_LAUNCHES} launches: they are to stand for the truth`,
    );
  }
  return batches.map((batch) => {
    const launches = launchesOf(dirname(file), batch);
    return {
      title: batch.title,
      machine: record.labels.cpu_model ?? 'unknown CPU',
      repetitions: median(launches.map(({ length }) => length)),
      ...replayBatch(launches, { trials, random }),
    };
  });
}
