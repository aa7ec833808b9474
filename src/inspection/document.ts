/** From what the addon observed to the inspection's document. Pure. */
import type { FrameworkOutcome } from '../frameworks/outcome.js';
import type { NativeOutcome, NativeVerification } from '../native.js';
import type { InspectionDocument, ResourceUsage, Span } from '../record/schema.js';
import { summariseOverlap } from '../statistics/overlap.js';
import { summariseRanks } from '../statistics/rank-times.js';
import type { GpuTelemetry } from '../telemetry/gpu.js';
import { computeTelemetry } from '../telemetry/telemetry.js';
import type { Seconds } from '../units.js';
import type { Job } from './job.js';

export interface WorkerMoments {
  readonly startedAt: string;
  /** CLOCK_MONOTONIC: when the worker's own code began, and when the document was about to be made. */
  readonly began: Seconds;
  readonly collected: Seconds;
  /** At the same moment. */
  readonly usage: ResourceUsage;
  /** Variables of the worker's own environment that change what is measured. */
  readonly environment: Readonly<Record<string, string>>;
  /** Shared libraries from the folders of a stack of one's own. */
  readonly loaded: readonly string[];
}

const nanosecond = (value: Seconds): Seconds => Math.round(value * 1e9) / 1e9;

/** Spans without gap or overlap, from the launch to the document. */
function spans(job: Job, outcome: NativeOutcome, { began, collected }: WorkerMoments): Span[] {
  const first = outcome.spans[0]?.begin ?? began;
  const last = outcome.spans.at(-1)?.end ?? began;
  return [
    { name: 'start', seconds: began - job.launchedAt },
    { name: 'load', seconds: first - began },
    ...outcome.spans.map(({ name, begin, end }) => ({ name, seconds: end - begin })),
    { name: 'collect', seconds: collected - last },
  ].map(({ name, seconds }) => ({ name, seconds: nanosecond(seconds) }));
}

function verification(native: NativeVerification | null): InspectionDocument['verification'] {
  if (native === null) return null;
  return { ...native, worstError: Number.isFinite(native.worstError) ? native.worstError : null };
}

type Outcome = NativeOutcome & Partial<Pick<FrameworkOutcome, 'identity' | 'clockName'>>;

/** A library knows better than its file what it is. */
function librarySays(
  { stack: { provider } }: Job,
  { library, identity, device }: Outcome,
): Partial<InspectionDocument['stack']> {
  if (library === null) return {};
  const { chose, binding } = library;
  // Gloo has no call that tells it.
  const ofHeaders = provider === 'gloo' && library.version !== null;
  const version = ofHeaders ? `${library.version}, by its plugin’s headers` : library.version;
  // On a GPU it computes with no threads of the host.
  const threads = device == null ? { threadBinding: binding } : {};
  return { version, chose, ...threads, ...identity };
}

/** What of a stack of one's own the launch really had. */
function ownSays(
  { stack, ownFolders }: Job,
  { loaded }: WorkerMoments,
): Partial<InspectionDocument['stack']> {
  if (stack.own === undefined || ownFolders.length === 0) return {};
  return { own: { ...stack.own, loaded: [...loaded] } };
}

function ranksOf({ ranksHere }: Job, { ranks, callsPerSample }: Outcome): Pick<InspectionDocument, 'ranks'> {
  const native = ranks ?? null;
  const summary = native === null ? null : summariseRanks(native, callsPerSample);
  if (native === null || summary === null) return {};
  const { late, useful, runtimeSeconds } = native;
  const known = useful.length > 0;
  return {
    ranks: {
      repetitions: summary.repetitions,
      calls: summary.calls,
      ranks: [...summary.ranks],
      skewIn: summary.skewIn,
      skewOut: summary.skewOut,
      late,
      ...(ranksHere == null ? {} : { here: ranksHere }),
      useful: known ? Array.from(useful) : null,
      runtime: known ? runtimeSeconds : null,
    },
  };
}

function overlapOf({ parts, samples }: Outcome): Pick<InspectionDocument, 'overlap'> {
  const summary = parts == null ? null : summariseOverlap(parts, samples.seconds);
  return summary === null ? {} : { overlap: { ...summary } };
}

function trafficOf({ traffic }: Outcome): Pick<InspectionDocument, 'traffic'> {
  if (traffic == null) return {};
  const { threads, seconds, by } = traffic;
  // Of pieces that were not over at either end parts are counted.
  const bytes = Math.round(traffic.bytes);
  return { traffic: { threads, bytes, seconds, rate: bytes / seconds, by } };
}

/** On the clock that all processes of this machine share: whether others measured meanwhile can be told from it. */
function atOnceOf({ atOnce }: Job, { spans: told }: Outcome): Pick<InspectionDocument, 'atOnce'> {
  const measured = told.find(({ name }) => name === 'measure');
  return atOnce === undefined || measured === undefined
    ? {}
    : { atOnce: { of: atOnce.of, began: measured.begin, ended: measured.end } };
}

export interface SamplesFile {
  readonly file: string;
  readonly sha256: string;
}

export function makeDocument(
  job: Job,
  outcome: Outcome,
  moments: WorkerMoments,
  { file, sha256 }: SamplesFile,
): InspectionDocument {
  const { samples, clock, warmup } = outcome;
  const frequencyKnown = outcome.frequencyBefore > 0 && outcome.frequencyAfter > 0;
  const telemetry = computeTelemetry({
    before: outcome.before,
    after: outcome.after,
    threadIds: outcome.threadIds,
    frequency: frequencyKnown ? { before: outcome.frequencyBefore, after: outcome.frequencyAfter } : null,
    allowedCpus: job.allowedCpus.length,
    onlineCpus: job.onlineCpus,
    coreKinds: job.coreKinds,
    clockTicks: 100,
    gpu: outcome.device == null ? null : (JSON.parse(outcome.device) as GpuTelemetry),
  });
  return {
    // Not imported: schema.ts brings a library that a worker has no use for. The type knows the one right value.
    $schema: 'urn:pi-bench:schema:inspection:2',
    kind: 'pi-bench inspection',
    schemaVersion: 2,
    campaign: job.campaign,
    index: job.index,
    attempt: job.attempt,
    case: job.case,
    stack: {
      ...job.stack,
      implementation: outcome.implementation,
      // Also where no stack’s library executes: MPI reads variables, and our own kernels stand on the C library and the loader.
      environment: { ...moments.environment },
      ...librarySays(job, outcome),
      ...(job.mpi === undefined ? {} : { mpi: job.mpi }),
      ...ownSays(job, moments),
    },
    device: job.device,
    seed: job.seed,
    cpus: [...job.cpus],
    startedAt: moments.startedAt,
    ended: samples.cancelled ? 'interrupted' : samples.outOfTime ? 'timed-out' : 'complete',
    clock: {
      name: outcome.clockName ?? clock.name ?? 'monotonic',
      overhead: clock.overheadSeconds,
      resolution: clock.resolutionSeconds,
    },
    warmup: {
      rule: job.warmup,
      calls: warmup.calls,
      steady: warmup.judged ? warmup.steady : null,
      seconds: Array.from(warmup.seconds, nanosecond),
    },
    callsPerSample: outcome.callsPerSample,
    samples: {
      file,
      sha256,
      count: samples.seconds.length,
      disturbed: samples.disturbed?.length ?? null,
    },
    wall: nanosecond(samples.wallSeconds),
    evicting: nanosecond(samples.evictingSeconds),
    spans: spans(job, outcome, moments),
    telemetry: telemetry as unknown as InspectionDocument['telemetry'],
    ceilings: outcome.ceilings,
    ...(outcome.hugePages == null ? {} : { hugePages: outcome.hugePages }),
    ...ranksOf(job, outcome),
    ...overlapOf(outcome),
    ...trafficOf(outcome),
    ...atOnceOf(job, outcome),
    usage: moments.usage,
    verification: verification(outcome.verification),
    fault: job.native.fault ?? null,
  };
}
