/** What the launches of a batch say of the next campaign: how many repetitions and launches are worth their time. Pure. */
import { median } from '../statistics/quantile.js';
import { LEAST_FOR_ROBUST } from '../statistics/scale.js';
import { bestRepetitions, componentsOf, launchesFor } from '../statistics/variance.js';
import type { Seconds } from '../units.js';
import type { AnalysedInspection } from './analyse-inspection.js';
import type { RecordBatch } from './schema.js';

const LEAST_LAUNCHES = 3;
const TARGET = 0.01;

interface Costs {
  readonly costOfLaunch: Seconds;
  readonly costOfRepetition: Seconds;
}

/** Of a launch outside its repetitions, and of one of them; null where a launch has no spans. */
function costsOf({ entry, samples }: AnalysedInspection): Costs | null {
  const of = (isMeasure: boolean): Seconds =>
    entry.spans
      .filter(({ name }) => (name === 'measure') === isMeasure)
      .reduce((sum, { seconds }) => sum + seconds, 0);
  const measured = of(true);
  return measured > 0 && samples.length > 0
    ? { costOfLaunch: of(false), costOfRepetition: measured / samples.length }
    : null;
}

function medianCosts(resting: readonly AnalysedInspection[]): Costs | null {
  const costs = resting.flatMap((inspection) => costsOf(inspection) ?? []);
  if (costs.length === 0) return null;
  return {
    costOfLaunch: median(costs.map(({ costOfLaunch }) => costOfLaunch)),
    costOfRepetition: median(costs.map(({ costOfRepetition }) => costOfRepetition)),
  };
}

/** null for fewer than 3 launches: the spread of two says next to nothing. */
export function varianceOf(resting: readonly AnalysedInspection[]): RecordBatch['variance'] {
  if (resting.length < LEAST_LAUNCHES) return null;
  const noises = resting.flatMap(({ noise }) => noise ?? []);
  const components = componentsOf(noises);
  if (components === null) return null;
  const { within, between, estimate, relativeBetween, relativeWithin, repetitions } = components;
  if (relativeBetween === null || relativeWithin === null) return null;
  const costs = medianCosts(resting);
  const best = costs === null ? null : bestRepetitions({ within, between, ...costs });
  // Of fewer launches a third of all such plans would be for the least that there is, whatever it takes.
  const isPlan = resting.length >= LEAST_FOR_ROBUST;
  const measured = { medians: noises.map((launch) => launch.median), repetitions };
  const launchesWith = (each: number | null): number | null =>
    each === null || !isPlan
      ? null
      : launchesFor({ within, between, estimate, repetitions: each, target: TARGET, measured });
  return {
    between: relativeBetween,
    within: relativeWithin,
    repetitions,
    costOfLaunch: costs?.costOfLaunch ?? null,
    costOfRepetition: costs?.costOfRepetition ?? null,
    bestRepetitions: best,
    launchesForOnePercent: launchesWith(repetitions),
    launchesForOnePercentAtBest: launchesWith(best),
  };
}
