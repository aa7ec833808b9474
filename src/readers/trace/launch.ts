/** One launch as events: the launch, its phases, its repetitions, and what was counted while they were measured. Pure. */
import { formatSeconds, plural } from '../../quantities/format.js';
import type { ReadInspection } from '../../record/analyse-inspection.js';
import type { RecordBatch, RecordInspection } from '../../record/schema.js';
import type { Telemetry } from '../../telemetry/types.js';
import type { Seconds } from '../../units.js';
import { stackText } from '../comparison/sides.js';
import {
  type Nanoseconds,
  nanoseconds,
  type Slice,
  type TraceArguments,
  type TraceEvent,
  type Track,
} from './events.js';
import { repetitionSlices } from './repetitions.js';

export interface LaunchOnTrace {
  readonly index: number;
  readonly attempt: number;
  readonly status: string;
  readonly reason: string | null;
  readonly begin: Nanoseconds;
  readonly wall: Seconds;
  /** How far `begin` was moved because the launch before had not ended: clocks of two processes, in milliseconds. */
  readonly moved: Nanoseconds;
  readonly batch: RecordBatch | null;
  /** null for an attempt that was repeated: the record tells of the last. */
  readonly entry: RecordInspection | null;
  /** null where no document is left, or cannot be read, and then why. */
  readonly read: ReadInspection | null;
  readonly unreadable: string | null;
  readonly mostSlices: number;
}

export interface LaunchTracks {
  readonly launches: Track;
  readonly throttled: Track;
}

export interface DrawnLaunch {
  readonly end: Nanoseconds;
  /** Of the track of throttling, in their order. */
  readonly throttled: readonly Slice[];
  readonly repetitions: number;
  readonly oneByOne: number;
}

const telemetryOf = ({ document }: ReadInspection): Telemetry => document.telemetry as unknown as Telemetry;

/** What the control group counted around the repetitions: how often and how long, never when. */
function throttling({ cgroup, thermalThrottles }: Telemetry): TraceArguments | null {
  const byQuota = cgroup !== null && cgroup.throttledPeriods > 0;
  const byHeat = thermalThrottles !== null && thermalThrottles > 0;
  if (!byQuota && !byHeat) return null;
  return {
    ...(byQuota
      ? {
          throttledPeriods: cgroup.throttledPeriods,
          periods: cgroup.periods,
          throttledSecondsOfAllCpus: cgroup.throttledTime,
          quotaCpus: cgroup.quotaCpus,
        }
      : {}),
    ...(byHeat ? { thermalThrottles } : {}),
    note: 'counted between two readings, before and after the repetitions: when in between is not known',
  };
}

function throttledName({ cgroup, thermalThrottles }: Telemetry): string {
  const parts: string[] = [];
  if (cgroup !== null && cgroup.throttledPeriods > 0) {
    parts.push(
      `throttled in ${cgroup.throttledPeriods} of ${plural(cgroup.periods, 'period')}, ${formatSeconds(cgroup.throttledTime, 3)}`,
    );
  }
  if (thermalThrottles !== null && thermalThrottles > 0) {
    parts.push(`thermal limit reported ${plural(thermalThrottles, 'time')}`);
  }
  return `somewhere in here: ${parts.join('; ')}`;
}

const batchArguments = (batch: RecordBatch): TraceArguments => ({
  batch: batch.title,
  stack: stackText(batch),
  device: batch.device,
  ...(batch.asked.labels === undefined ? {} : { labels: batch.asked.labels }),
});

function launchArguments(launch: LaunchOnTrace): TraceArguments {
  const { index, attempt, status, reason, batch, entry, read, unreadable, moved } = launch;
  return {
    launch: index + 1,
    attempt,
    status,
    ...(reason === null ? {} : { reason }),
    ...(batch === null ? {} : batchArguments(batch)),
    ...(entry === null
      ? {}
      : {
          flags: entry.flags.map((flag) => `${flag.name}: ${flag.reason}`),
          notChecked: entry.notChecked.map(({ flag, why }) => `${flag}: ${why}`),
          medianSeconds: entry.statistics?.median ?? null,
          verified: entry.verification?.passed ?? null,
        }),
    ...(read === null ? {} : { cpus: read.document.cpus, frequencyHertz: telemetryOf(read).frequency }),
    ...(unreadable === null ? {} : { unreadable }),
    ...(moved > 0 ? { movedByMilliseconds: moved / 1e6 } : {}),
  };
}

function measureArguments({ document }: ReadInspection): TraceArguments {
  const { samples, callsPerSample, wall, evicting } = document;
  return {
    repetitions: samples.count,
    callsPerRepetition: callsPerSample,
    disturbed: samples.disturbed ?? 'not known',
    wallSeconds: wall,
    ...(evicting > 0 ? { evictingSeconds: evicting } : {}),
    ...throttling(telemetryOf({ document } as ReadInspection)),
  };
}

/** The repetitions inside their phase. The document does not say when the first began; the last ended with the phase. */
function* measured(
  read: ReadInspection,
  phase: { readonly begin: Nanoseconds; readonly end: Nanoseconds },
  track: Track,
  most: number,
): Generator<Slice, { readonly oneByOne: number }> {
  const begin = Math.max(phase.begin, phase.end - nanoseconds(read.document.wall));
  const { samples } = read;
  const { callsPerSample } = read.document;
  return yield* repetitionSlices({ samples, callsPerSample, begin, end: phase.end, track, most });
}

/** @yields the launch, and in it its phases, and in `measure` its repetitions */
export function* launchEvents(
  launch: LaunchOnTrace,
  tracks: LaunchTracks,
): Generator<TraceEvent, DrawnLaunch> {
  const { index, status, begin, batch, entry, read, mostSlices } = launch;
  const spans = entry?.spans ?? [];
  const told = spans.reduce((sum, { seconds }) => sum + nanoseconds(seconds), 0);
  const end = begin + Math.max(told, nanoseconds(launch.wall));
  const track = tracks.launches;
  const title = `launch ${index + 1}${status === 'measured' ? '' : `, ${status}`}`;
  yield {
    kind: 'slice',
    track,
    name: batch === null ? title : `${title}: ${batch.title}`,
    category: 'launch',
    begin,
    duration: end - begin,
    args: launchArguments(launch),
    bad: status !== 'measured',
  };
  const throttled: Slice[] = [];
  let oneByOne = 0;
  let at = begin;
  for (const { name, seconds } of spans) {
    const duration = nanoseconds(seconds);
    const inside = name === 'measure' ? read : null;
    const slice: Slice = {
      kind: 'slice',
      track,
      name,
      category: 'phase',
      begin: at,
      duration,
      ...(inside === null ? {} : { args: measureArguments(inside) }),
    };
    yield slice;
    if (inside !== null) {
      const counted = throttling(telemetryOf(inside));
      if (counted !== null) {
        const called = throttledName(telemetryOf(inside));
        throttled.push({
          ...slice,
          track: tracks.throttled,
          name: called,
          category: 'throttled',
          args: { launch: index + 1, ...counted },
          bad: true,
        });
      }
      const drawn = yield* measured(inside, { begin: at, end: at + duration }, track, mostSlices);
      oneByOne = drawn.oneByOne;
    }
    at += duration;
  }
  return { end, throttled, repetitions: read?.samples.seconds.length ?? 0, oneByOne };
}
