/** What one inspection's document says: its statistics, its flags, its line in the record. Pure. */
import { isGpu } from '../devices/device.js';
import { findIndicator } from '../indicators/index.js';
import { byTheHost, overHostLink, peerOf } from '../indicators/memory-gpu.js';
import { formatCpuList } from '../machine/linux/cpu-list.js';
import { isWithin } from '../mpi/choice.js';
import { shortestPart } from '../statistics/overlap.js';
import { median, sortedCopy } from '../statistics/quantile.js';
import { type Summary, summariseSorted } from '../statistics/summary.js';
import { LEAST_WINDOW } from '../statistics/validity/detector.js';
import { detectFlags, notChecked } from '../statistics/validity/index.js';
import { type LaunchNoise, launchNoise } from '../statistics/variance.js';
import { without } from '../statistics/without.js';
import type { Observation, Telemetry } from '../telemetry/types.js';
import type { Hertz, Seconds } from '../units.js';
import { abovePeak, aboveThreads, NO_PEAK } from './above-peak.js';
import { sha256 } from './digest.js';
import { clocksWithin } from './executed.js';
import type { InspectionEnd } from './inspection-end.js';
import { NO_SAMPLES, type Samples } from './samples.js';
import type { InspectionDocument, RecordInspection, Span } from './schema.js';
import { countedWork } from './work.js';

/** An inspection's document as it was read back. */
export interface ReadInspection {
  readonly document: InspectionDocument;
  readonly text: string;
  /** Relative to the record. */
  readonly file: string;
  readonly samples: Samples;
}

export interface AnalysedInspection {
  readonly entry: RecordInspection;
  /** Seconds of each repetition; empty where nothing was measured. */
  readonly samples: Float64Array;
  /** The same, ascending: sorted once for all that ask for quantiles. */
  readonly sorted: Float64Array;
  readonly document: InspectionDocument | null;
  /** For the variance of its batch; null where nothing was measured. */
  readonly noise: LaunchNoise | null;
}

/** Of the repetitions' wall time, what passed because of how they are timed, and not because anything took it. */
function ofMeasuring({ evicting, telemetry }: InspectionDocument): Seconds {
  const { gpu } = telemetry as unknown as Telemetry;
  return evicting + (gpu?.clock?.betweenSeconds ?? 0);
}

/** A library that makes its threads in each call has them on all of the case's CPUs. */
const isPinned = ({ cpus, stack }: InspectionDocument): boolean =>
  cpus.length > 0 && (stack.threadBinding ?? 'each') === 'each';

function observationOf(
  document: InspectionDocument,
  { seconds, disturbed }: Samples,
  sorted: Float64Array,
  drift: Observation['drift'],
  contendedBy: string | null,
): Observation {
  return {
    samples: seconds,
    sorted,
    drift,
    disturbed,
    wall: document.wall - ofMeasuring(document),
    takenOff: ofMeasuring(document),
    threads: document.ranks?.here ?? findIndicator(document.case.indicator).threads(document.case.parameters),
    pinned: isPinned(document),
    callsPerSample: document.callsPerSample,
    ...partOf(document),
    clockOverhead: document.clock.overhead,
    clockResolution: document.clock.resolution,
    steady: document.warmup.steady,
    telemetry: document.telemetry as unknown as Telemetry,
    concurrentCampaign: contendedBy,
    ...besideOf(document),
    ...elsewhereOf(document),
    ...apartOf(document),
    ...watchedOf(document),
    onGpu: isGpu(document.device),
    ...linkOf(document),
  };
}

/** As the addon names it, whoever reads it; a device's events have another name. */
const HOST_CLOCK = 'monotonic';

function partOf({ overlap, clock }: InspectionDocument): Pick<Observation, 'shortestPart'> {
  if (overlap === undefined) return {};
  return { shortestPart: shortestPart(overlap, clock.name.startsWith(HOST_CLOCK)) };
}

/** A copy to another GPU goes over PCIe where no NVLink connects the two, or where the driver brings it by way of the host. */
function linkOf({
  case: { parameters },
  device,
  stack,
  telemetry,
}: InspectionDocument): Pick<Observation, 'overHostLink' | 'peer'> {
  const other = peerOf(parameters);
  if (other === null) return { overHostLink: overHostLink(parameters) };
  const { gpu } = telemetry as unknown as Telemetry;
  const linked = byTheHost(stack.implementation) ? false : (gpu?.linked?.[0] ?? null);
  const peer = gpu?.others === undefined ? {} : { peer: { own: device, other } };
  return { overHostLink: linked === null ? null : !linked, ...peer };
}

/** Ranks on the host that is looked at, as they told when they met, or as the case says; null: neither tells. */
function ranksHereOf({ case: one, ranks }: InspectionDocument): number | null {
  const { perHost } = one.parameters;
  return ranks?.here ?? (typeof perHost === 'number' ? perHost : null);
}

/** Ranks on hosts other than that of rank 0, which alone is looked at. */
function elsewhereOf(document: InspectionDocument): Pick<Observation, 'elsewhere'> {
  const { ranks } = document.case.parameters;
  const elsewhere = Number(ranks ?? 0) - (ranksHereOf(document) ?? Number(ranks ?? 0));
  return elsewhere > 0 ? { elsewhere } : {};
}

/** Of ranks that leave a barrier of ours before each repetition. */
function apartOf({
  case: one,
  ranks,
  stack,
}: InspectionDocument): Pick<Observation, 'beganApart' | 'clocksWithin'> {
  if (ranks === undefined || one.parameters.sync !== 'barrier') return {};
  const within = clocksWithin(stack.implementation);
  return { beganApart: ranks.skewIn.p50, ...(within === null ? {} : { clocksWithin: within }) };
}

/** Who was watched beside the calls themselves. */
function watchedOf({ case: one, ranks, traffic }: InspectionDocument): Pick<Observation, 'met' | 'loaded'> {
  return {
    ...(ranks === undefined || one.parameters.sync === 'none' ? {} : { met: true }),
    ...(traffic === undefined ? {} : { loaded: true }),
  };
}

/** Of a copy to another GPU, the one that comes back has a context here, too. */
function besideOf({ atOnce, case: one }: InspectionDocument): Pick<Observation, 'beside' | 'besideHere'> {
  if (atOnce === undefined) return {};
  return { beside: atOnce.of - 1, besideHere: isGpu(String(one.parameters.peer ?? '')) ? atOnce.of - 1 : 0 };
}

/**
 * Of a launch on a library, why its rate cannot be that of the case; null where nothing speaks against it.
 * @param elapsed median of its repetitions
 */
export function disobeyed(document: InspectionDocument, elapsed: Seconds): string | null {
  if (document.stack.threadBinding === undefined) return null;
  const indicator = findIndicator(document.case.indicator);
  const { parameters } = document.case;
  return abovePeak({
    rate: indicator.work(parameters).flop / elapsed,
    peak: document.ceilings?.arithmetic?.rate ?? null,
    threads: indicator.threads(parameters),
    unit: indicator.rateUnit(parameters),
  });
}

/** Of a launch on a library whose rate there is no peak to hold against. */
function withoutPeak(document: InspectionDocument): Pick<RecordInspection, 'flags' | 'notChecked'> {
  const { stack, ceilings, case: one } = document;
  const { work, threads } = findIndicator(one.indicator);
  if (stack.threadBinding === undefined || ceilings?.arithmetic != null || work(one.parameters).flop === 0)
    return { flags: [], notChecked: [] };
  const { processCpuTime, window } = document.telemetry as unknown as Telemetry;
  const flag = aboveThreads(processCpuTime, window, threads(one.parameters));
  return {
    flags: flag === null ? [] : [{ ...flag, evidence: { ...flag.evidence } }],
    notChecked: [{ flag: 'above-ceiling', why: NO_PEAK }],
  };
}

/** How many of the threads that a library was told computed, nobody sees; in a short window ticks do not tell either. */
function cpusUsedOf({ stack, telemetry }: InspectionDocument): Pick<RecordInspection, 'cpusUsed'> {
  const { processCpuTime, window } = telemetry as unknown as Telemetry;
  return stack.threadBinding === undefined || processCpuTime === null || window < LEAST_WINDOW
    ? {}
    : { cpusUsed: processCpuTime / window };
}

/** Launches that are no processes of their own have no difference between processes that could be seen. */
function oneJobForAll({ case: { parameters } }: InspectionDocument): RecordInspection['notChecked'] {
  if (!isWithin(parameters.launcher ?? '')) return [];
  const why =
    'all launches ran in the one job of their launcher, in the same processes: what differs from one start of the ranks to the next is in no figure; without a launcher around it, pi-bench starts fresh ranks for each';
  return [{ flag: 'launches-not-independent', why }];
}

/** Median of the repetitions in which no measuring thread lost its CPU. */
function undisturbedMedian({ seconds, disturbed }: Samples): Seconds | null {
  if (disturbed === null) return null;
  const clean = without(seconds, disturbed);
  return clean.length === 0 ? null : median(clean);
}

/** Mean of before and after the repetitions; null where it is not known. */
function frequencyOf(document: InspectionDocument): Hertz | null {
  const { frequency } = document.telemetry as unknown as Telemetry;
  return frequency === null ? null : (frequency.before + frequency.after) / 2;
}

/** The time from the document to the end of the process belongs to the launch too. */
function spansOf(document: InspectionDocument, wall: Seconds): Span[] {
  const told = document.spans.reduce((sum, { seconds }) => sum + seconds, 0);
  return [...document.spans, { name: 'write', seconds: Math.max(0, wall - told) }];
}

/** The first span is over when the worker reads the clock. */
function endOf({ startedAt }: InspectionDocument, spans: readonly Span[]): string {
  const since = spans.reduce((sum, { name, seconds }) => (name === 'start' ? sum : sum + seconds), 0);
  return new Date(Date.parse(startedAt) + since * 1000).toISOString();
}

const NO_DOCUMENT = 'its document is missing, so nothing of it is known';

/** @param read null where the inspection left no document, or it is gone: then nothing counts as measured */
export function analyseInspection(
  end: InspectionEnd,
  read: ReadInspection | null,
  contendedBy: string | null,
): AnalysedInspection {
  const { index, status, reason, wall } = end;
  // A document of another attempt is not this end's.
  const document = read !== null && read.document.attempt === end.attempt ? read.document : null;
  if (read === null || document === null) {
    const entry: RecordInspection = {
      index,
      ...(status === 'measured' ? { status: 'failed', reason: NO_DOCUMENT } : { status, reason }),
      file: null,
      sha256: null,
      statistics: null,
      rate: null,
      disturbedShare: null,
      undisturbedMedian: null,
      steady: null,
      frequency: null,
      ceilings: null,
      verification: null,
      flags: [],
      notChecked: [],
      spans: [],
    };
    return { entry, samples: NO_SAMPLES.seconds, sorted: NO_SAMPLES.seconds, document, noise: null };
  }
  const samples = read.samples.seconds;
  const sorted = sortedCopy(samples);
  const statistics: Summary | null = samples.length > 0 ? summariseSorted(samples, sorted) : null;
  const indicator = findIndicator(document.case.indicator);
  const work = countedWork({
    work: indicator.work(document.case.parameters),
    rateCounts: indicator.rateCounts,
  });
  const observation = observationOf(document, read.samples, sorted, statistics?.drift ?? null, contendedBy);
  const calls = samples.length * document.callsPerSample;
  // A wrong output has no score, however fast it came.
  const right = statistics !== null && status !== 'wrong' && document.verification?.passed === true;
  const disobedience = right ? disobeyed(document, statistics.median) : null;
  const scored = right && disobedience === null;
  const { disturbed } = read.samples;
  const unbounded = withoutPeak(document);
  const spans = spansOf(document, wall);
  const entry: RecordInspection = {
    index,
    status: disobedience === null ? status : 'failed',
    reason: disobedience ?? reason,
    endedAt: endOf(document, spans),
    file: read.file,
    sha256: sha256(read.text),
    statistics:
      statistics === null ? null : (JSON.parse(JSON.stringify(statistics)) as RecordInspection['statistics']),
    rate: scored ? { burst: work / statistics.median, sustained: (work * calls) / observation.wall } : null,
    disturbedShare: disturbed === null || samples.length === 0 ? null : disturbed.length / samples.length,
    undisturbedMedian: undisturbedMedian(read.samples),
    steady: document.warmup.steady,
    frequency: frequencyOf(document),
    ...(isPinned(document) ? { cpus: formatCpuList(document.cpus.toSorted((a, b) => a - b)) } : {}),
    ...cpusUsedOf(document),
    ceilings: document.ceilings ?? null,
    ...(document.hugePages === undefined ? {} : { hugePages: document.hugePages }),
    ...(document.ranks === undefined ? {} : { ranks: document.ranks }),
    ...(document.overlap === undefined ? {} : { overlap: document.overlap }),
    ...(document.traffic === undefined ? {} : { traffic: document.traffic }),
    verification: document.verification,
    flags:
      samples.length > 0
        ? [
            ...detectFlags(observation).map(({ name, reason, evidence }) => ({ name, reason, evidence })),
            ...unbounded.flags,
          ]
        : [],
    notChecked:
      samples.length > 0
        ? [
            ...notChecked(observation).map(({ flag, why }) => ({ flag, why })),
            ...unbounded.notChecked,
            ...oneJobForAll(document),
          ]
        : [],
    spans,
  };
  const noise = statistics === null ? null : launchNoise(samples, statistics.median);
  return { entry, samples, sorted, document, noise };
}
