/**
 * Conducts a campaign: launches what its schedule asks for and is not done, one inspection at a time, and writes each change of state to the journal before anything follows from it; launches that are to be measured at once begin together. Measures
 * nothing itself.
 */

import { sum } from 'simple-statistics';
import { isGpu, ordinalOf } from '../devices/device.js';
import { UserError } from '../errors.js';
import type { Engine, LaunchEnd } from '../execution/engine.js';
import { type Cores, placeOthers, placeThreads } from '../execution/placement.js';
import { findIndicator } from '../indicators/index.js';
import { AT_GATE, type Job, monotonic } from '../inspection/job.js';
import { gpuKernels, type NativeFault } from '../native.js';
import type { BatchEnd, InspectionEnd } from '../record/inspection-end.js';
import type { BatchSpec, Campaign, PiBenchRecord, Warmup } from '../record/schema.js';
import { identifyStack, launchOf, ownStackOf } from '../stacks/own/own-stack.js';
import { inspectionFile, type Store, samplesFile } from '../store/store.js';
import type { Seconds } from '../units.js';
import { type Gate, makeGate } from './at-once.js';
import { endsOfGroup, type Group, groupsAsked } from './groups.js';
import { launchEnvironment } from './launch-environment.js';
import { createLaunchTimes } from './launch-times.js';
import { allMeasureCeilings, createLearned } from './learned.js';
import type { PlannedInspection } from './plan.js';
import { type Asked, createSchedule, decidesOnTheWay } from './schedule.js';

export interface Progress {
  /** As far as can be told: a precision decides on the way. */
  readonly planned: number;
  /** Of the plan, how many have ended. */
  readonly ended: number;
  readonly title: string;
  readonly phase: string;
  readonly taken: number;
  /** null where a time budget decides. */
  readonly repetitions: number | null;
  /** Of the launches to come; null where nothing tells yet how long they are. */
  readonly secondsLeft: Seconds | null;
}

export interface Conductor {
  readonly campaign: Campaign;
  readonly store: Store;
  readonly engine: Engine;
  readonly cores: Cores;
  /** CPUs of a device that is a part of the CPU; null: all that may be used. */
  readonly cpusOf: (device: string) => readonly number[] | null;
  readonly onlineCpus: number;
  readonly onProgress: (progress: Progress) => void;
  /** @param secondsLeft of the launches to come, by what is known with this one; null: nothing tells */
  readonly onEnd: (end: InspectionEnd, secondsLeft: Seconds | null) => void;
  readonly signal: AbortSignal;
  /** CLOCK_MONOTONIC after which nothing is launched. */
  readonly deadline: Seconds;
}

export interface Conducted {
  /** Of all inspections that ended, earlier ones included, in the order in which they were asked for. */
  readonly ends: readonly BatchEnd[];
  readonly stoppedBy: NonNullable<PiBenchRecord['stoppedBy']>;
  /** Whether all comparisons that the launches were to settle are. */
  readonly settled: boolean;
}

const stamp = (): string => new Date().toISOString();

/** null: none in this inspection. */
function faultOf({ fault }: Campaign, { index, batch }: PlannedInspection): NativeFault | null {
  if (fault === null || fault.kind === 'stopped') return null;
  if (fault.kind === 'repeated-work') {
    return fault.batch === batch ? { kind: fault.kind, share: fault.share } : null;
  }
  return fault.inspection === index ? { kind: fault.kind, at: fault.at } : null;
}

/** The CPUs that are left of all for the device. */
function coresOf({ cores, cpusOf }: Conductor, device: string): Cores {
  const own = cpusOf(device);
  return own === null ? cores : { ...cores, allowed: cores.allowed.filter((cpu) => own.includes(cpu)) };
}

/** @param atOnce launches that are to measure at the same time, this one included */
function makeJob(conductor: Conductor, planned: Asked, attempt: number, warmup: Warmup, atOnce: number): Job {
  const { campaign, store } = conductor;
  const batch = campaign.batches[planned.batch] as BatchSpec;
  const cores = coresOf(conductor, batch.device);
  const indicator = findIndicator(batch.case.indicator);
  const threads = indicator.threads(batch.case.parameters);
  const cpus = batch.case.parameters.pin === true ? placeThreads(cores, threads) : [];
  if (cpus === null) {
    throw new UserError(`${threads} threads cannot be pinned: ${cores.allowed.length} CPUs may be used here`);
  }
  const sampling: BatchSpec['sampling'] =
    planned.repetitions === null ? batch.sampling : { kind: 'fixed', repetitions: planned.repetitions };
  const { executor, ownFolders, framework } = launchOf(campaign, batch, threads);
  // A framework brings the operands to the GPU by itself: they begin where every framework takes them, on the host.
  const ours = isGpu(batch.device) && framework === null;
  const gpu = ours ? { ordinal: ordinalOf(batch.device), kernels: gpuKernels } : null;
  const workload = indicator.nativeWorkload(batch.case.parameters, { cpus, gpu }, executor.isa, planned.seed);
  return {
    campaign: campaign.id,
    index: planned.index,
    attempt,
    case: batch.case,
    stack: identifyStack(campaign, batch.stack, batch.device),
    environment: launchEnvironment(campaign, batch, process.env),
    ownFolders,
    device: batch.device,
    seed: planned.seed,
    cpus,
    otherCpus: placeOthers(cores, cpus),
    warmup,
    ...(atOnce > 1 ? { atOnce: { of: atOnce } } : {}),
    framework,
    native: {
      ...workload,
      gate: atOnce > 1,
      parameters: { ...workload.parameters, ...executor.parameters },
      warmup,
      repetitions: sampling.kind === 'fixed' ? sampling.repetitions : 0,
      budgetSeconds: sampling.kind === 'budget' ? sampling.seconds : 0,
      least: sampling.kind === 'budget' ? sampling.least : 1,
      most: sampling.kind === 'budget' ? sampling.most : 1,
      cold: batch.case.parameters.cache === 'cold',
      ceilings: planned.pilot || allMeasureCeilings(batch),
      inTurns: batch.inTurns === true,
      operations: isGpu(batch.device) ? 0 : indicator.work(batch.case.parameters).flop,
      fault: faultOf(campaign, planned),
    },
    timeout: batch.timeout,
    standstill: campaign.fault?.kind === 'stopped' ? campaign.fault.share : null,
    launchedAt: monotonic(),
    onlineCpus: conductor.onlineCpus,
    allowedCpus: conductor.cores.allowed,
    coreKinds: conductor.cores.kinds,
    folders: store.inspectionFolders(),
    fileName: inspectionFile(planned.index),
    samplesName: samplesFile(planned.index),
  };
}

/**
 * The warm-up of a launch. An automatic one is found by the batch's first launch and then fixed for the others: a cut
 * chosen anew for each launch would bias their medians.
 */
function warmupOf(batch: BatchSpec, pilotCalls: number | undefined): Warmup {
  if (batch.warmup.kind !== 'auto' || pilotCalls === undefined) return batch.warmup;
  return { kind: 'count', count: pilotCalls };
}

/**
 * @param before ends of earlier inspections by index, the last attempt's; those that count as done are not repeated
 * @param attempts how many attempts each inspection has had
 */
export async function conduct(
  conductor: Conductor,
  before: ReadonlyMap<number, InspectionEnd>,
  attempts: ReadonlyMap<number, number>,
): Promise<Conducted> {
  const { campaign, store, engine, signal, deadline } = conductor;
  const schedule = createSchedule(campaign);
  const learned = createLearned(campaign, schedule, (index) => store.readInspection(index));
  const { ends } = learned;
  const times = createLaunchTimes(campaign.batches);
  const learn = (inspection: PlannedInspection, end: InspectionEnd): void => {
    times.ended(inspection.batch, end.wall, end.status === 'measured');
    learned.learn(inspection, end);
  };

  const timeToCome = (): Seconds | null => {
    const toCome = times.ofAll(learned.toCome());
    return toCome === null ? null : Math.min(toCome, deadline - monotonic());
  };

  /** Whoever is not there any more keeps the others of its group waiting no longer. */
  const launchOne = async (...asked: Parameters<typeof launchNoted>): Promise<InspectionEnd> => {
    const [inspection, , gate] = asked;
    try {
      return await launchNoted(...asked);
    } finally {
      gate?.arrived(inspection.index);
    }
  };

  /** All of them have ended before one that could not be noted is an error: the machine is taken until then. */
  const launchAll = async (group: Group): Promise<readonly InspectionEnd[]> => {
    const gate = group.length > 1 ? makeGate(group.length) : null;
    const settled = await Promise.allSettled(group.map((one) => launchOne(one, group.length, gate)));
    return settled.map((one) => {
      if (one.status === 'rejected') throw one.reason;
      return one.value;
    });
  };

  /** One launch, noted before and after. */
  const launchNoted = async (
    inspection: Asked,
    members: number,
    gate: Gate | null,
  ): Promise<InspectionEnd> => {
    const batch = campaign.batches[inspection.batch] as BatchSpec;
    const attempt = (attempts.get(inspection.index) ?? 0) + 1;
    store.append({ event: 'started', index: inspection.index, attempt, at: stamp() });
    const title = findIndicator(batch.case.indicator).title(batch.case.parameters);
    const repetitions =
      inspection.repetitions ?? (batch.sampling.kind === 'fixed' ? batch.sampling.repetitions : null);
    const planned = sum(schedule.expected());
    const secondsLeft = timeToCome();
    const onProgress = (phase: string, taken: number): void => {
      if (phase === AT_GATE) gate?.arrived(inspection.index);
      conductor.onProgress({ planned, ended: ends.length, title, phase, taken, repetitions, secondsLeft });
    };
    onProgress('start', 0);

    const problem = ownStackOf(campaign, batch.stack)?.problem ?? null;
    const warmup = warmupOf(batch, learned.pilotCalls(inspection.batch));
    const launch = (): Promise<LaunchEnd> =>
      engine.launch(makeJob(conductor, inspection, attempt, warmup, members), {
        onProgress,
        signal,
        another: planned - ends.length > members,
        ...(gate === null ? {} : { gate: gate.opened }),
      });
    // A stack that could not be made has nothing to launch.
    const launched: LaunchEnd =
      problem === null ? await launch() : { status: 'failed', reason: problem, wall: 0, path: null };
    if (launched.path !== null) store.documentWritten(launched.path);
    const { status, reason, wall } = launched;
    const end: InspectionEnd = { index: inspection.index, attempt, status, reason, wall };
    store.append({ event: 'ended', ...end, at: stamp() });
    return end;
  };

  /** Why these are not launched. */
  const stop = (group: Group): Conducted['stoppedBy'] | null => {
    if (signal.aborted) return 'signal';
    // Not what would end after it: a budget is a promise.
    return monotonic() + times.together(group.map(({ batch }) => batch)) > deadline ? 'budget' : null;
  };
  let stoppedBy: Conducted['stoppedBy'] | null = null;
  for (const group of groupsAsked(campaign, schedule)) {
    const known = endsOfGroup(group, before);
    if (known !== null) {
      group.forEach((inspection, i) => {
        learn(inspection, known[i] as InspectionEnd);
      });
      continue;
    }
    const stopped = stop(group);
    if (stopped !== null) {
      stoppedBy = stopped;
      if (decidesOnTheWay(campaign)) break;
      // Behind one that has to be made again there may be some that are done, and behind a long one some that are short enough.
      continue;
    }
    const ended = await launchAll(group);
    ended.forEach((end, i) => {
      const inspection = group[i] as Asked;
      learn(inspection, end);
      conductor.onEnd(end, timeToCome());
    });
  }
  const interrupted = ends.some(({ status }) => status === 'interrupted');
  return {
    ends,
    stoppedBy: stoppedBy ?? (interrupted ? 'signal' : 'plan'),
    settled: schedule.settled(),
  };
}
