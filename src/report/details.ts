/** What a report shows of single launches: their samples over time and how they depend on each other. Pure. */
import type { RecordBatch, RecordInspection } from '../record/schema.js';
import { autocorrelations, lookedAt } from '../statistics/autocorrelation.js';
import type { Seconds } from '../units.js';
import { countedOf } from './counted.js';
import { type Bucket, envelope } from './envelope.js';
import type { LaunchSamples, ReadLaunch } from './read-samples.js';

/** Points of the launches of a whole report, so that the page stays light; of one launch, two pixels of a wide screen each. */
const MOST_POINTS = 3600;
const MOST_BUCKETS = 400;
/** Of a launch's points, those of its warm-up. */
const WARMUP_SHARE = 0.2;
const MOST_SHOWN = 3;
const LAGS = 40;

export type Role = 'first' | 'typical' | 'furthest';

export interface ShownLaunch {
  /** In the campaign, from 1. */
  readonly number: number;
  readonly status: RecordInspection['status'];
  /** Why this one: the first, the one in the middle, the one furthest from it. */
  readonly roles: readonly Role[];
  readonly flags: readonly string[];
  readonly repetitions: number;
  readonly callsPerSample: number;
  /** false: the system cannot tell which repetitions were disturbed. */
  readonly disturbedKnown: boolean;
  /** At negative times, the last ending where the repetitions begin. */
  readonly warmup: readonly Bucket[];
  readonly buckets: readonly Bucket[];
}

export interface Correlation {
  readonly launch: number;
  readonly repetitions: number;
  /** Of them the first, on which the values rest. */
  readonly lookedAt: number;
  /** At lags 1, 2, ... */
  readonly values: readonly number[];
}

export interface BatchDetails {
  readonly shown: readonly ShownLaunch[];
  /** Of the typical launch; null where all its repetitions took the same time. */
  readonly correlation: Correlation | null;
  /** Launches that could not be read, and why. */
  readonly missing: readonly { readonly launch: number; readonly why: string; readonly damaged: boolean }[];
}

export interface Choice {
  readonly inspection: RecordInspection;
  readonly roles: readonly Role[];
}

const medianOf = ({ statistics }: RecordInspection): Seconds => Number(statistics?.median);

/**
 * The first launch, the one whose median is in the middle, and the one that is furthest from it: three at most. The last two are of
 * those that count: nothing is typical of a batch that has no part in its numbers.
 */
export function chooseLaunches({ inspections }: Pick<RecordBatch, 'inspections'>): readonly Choice[] {
  const ran = inspections.filter((inspection) => medianOf(inspection) > 0);
  const counted = countedOf(ran);
  const sorted = [...counted].sort((a, b) => medianOf(a) - medianOf(b));
  const typical = sorted[(sorted.length - 1) >> 1];
  const [first] = ran;
  if (first === undefined || typical === undefined) return [];
  const away = (inspection: RecordInspection): number =>
    Math.abs(Math.log(medianOf(inspection) / medianOf(typical)));
  const furthest = counted.reduce((a, b) => (away(b) > away(a) ? b : a));
  const roles = (inspection: RecordInspection): Role[] => [
    ...(inspection === first ? (['first'] as const) : []),
    ...(inspection === typical ? (['typical'] as const) : []),
    ...(inspection === furthest && inspection !== typical ? (['furthest'] as const) : []),
  ];
  return [...new Set([first, typical, furthest])].map((inspection) => ({
    inspection,
    roles: roles(inspection),
  }));
}

/**
 * Warm-up calls have no entries of their own: they are laid end to end before the first repetition. Which of them were disturbed nobody
 * looks for.
 */
function warmupBuckets({ warmup, warmupCallsEach }: LaunchSamples, most: number): readonly Bucket[] {
  const seconds = Float64Array.from(warmup);
  const times = new Float64Array(seconds.length);
  let at = 0;
  for (let i = seconds.length - 1; i >= 0; i--) {
    at -= (seconds[i] ?? 0) * warmupCallsEach;
    times[i] = at;
  }
  return envelope(seconds, times, null, Math.ceil(most * WARMUP_SHARE));
}

function shownOf({ inspection, roles }: Choice, samples: LaunchSamples, most: number): ShownLaunch {
  const { seconds, entries, disturbed, callsPerSample } = samples;
  return {
    number: inspection.index + 1,
    status: inspection.status,
    roles,
    flags: inspection.flags.map(({ name }) => name),
    repetitions: seconds.length,
    callsPerSample,
    disturbedKnown: disturbed !== null,
    warmup: warmupBuckets(samples, most),
    buckets: envelope(seconds, entries, disturbed, most),
  };
}

/** Points that each launch gets where the launches of so many batches are shown. */
export const pointsEach = (batches: number): number =>
  Math.min(MOST_BUCKETS, Math.floor(MOST_POINTS / (MOST_SHOWN * Math.max(1, batches))));

/**
 * @param read of one launch: called for the few that are shown, one after the other
 * @param most points of one launch
 */
export function detailsOf(
  batch: Pick<RecordBatch, 'inspections' | 'imported'>,
  read: (inspection: RecordInspection) => ReadLaunch,
  most: number = MOST_BUCKETS,
): BatchDetails {
  // Others published no samples: that none are there is no fault of any launch.
  if (batch.imported !== undefined) return { shown: [], correlation: null, missing: [] };
  const shown: ShownLaunch[] = [];
  const missing: { launch: number; why: string; damaged: boolean }[] = [];
  let correlation: Correlation | null = null;
  for (const choice of chooseLaunches(batch)) {
    const launch = choice.inspection.index + 1;
    const found = read(choice.inspection);
    if ('why' in found) {
      missing.push({ launch, why: found.why, damaged: found.damaged });
      continue;
    }
    const { seconds } = found.samples;
    shown.push(shownOf(choice, found.samples, most));
    if (!choice.roles.includes('typical')) continue;
    const values = autocorrelations(seconds, LAGS);
    if (values !== null)
      correlation = { launch, repetitions: seconds.length, lookedAt: lookedAt(seconds), values };
  }
  return { shown, correlation, missing };
}

/** Batches whose launches are shown: all of few, otherwise some that are evenly apart, the first and the last among them. */
export function chooseBatches(count: number, most: number): readonly number[] {
  if (count <= most) return Array.from({ length: count }, (_, i) => i);
  return Array.from({ length: most }, (_, i) => Math.round((i * (count - 1)) / (most - 1)));
}
