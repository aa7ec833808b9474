/**
 * Conducts a campaign: launches what its plan asks for and is not done, one inspection at a time, and writes each
 * change of state to the journal before anything follows from it. Measures nothing itself.
 */

import { UserError } from '../errors.js';
import type { Engine, LaunchEnd } from '../execution/engine.js';
import { type Cores, placeOthers, placeThreads } from '../execution/placement.js';
import { findIndicator } from '../indicators/index.js';
import { type Job, monotonic } from '../inspection/job.js';
import type { InspectionEnd } from '../record/inspection-end.js';
import type { BatchSpec, Campaign, Warmup } from '../record/schema.js';
import { findStack } from '../stacks/index.js';
import { inspectionFile, type Store, samplesFile } from '../store/store.js';
import { type PlannedInspection, plan } from './plan.js';

export interface Progress {
  readonly planned: number;
  /** Of the plan, how many have ended. */
  readonly ended: number;
  readonly title: string;
  readonly phase: string;
  readonly taken: number;
  /** null where a time budget decides. */
  readonly repetitions: number | null;
}

export interface Conductor {
  readonly campaign: Campaign;
  readonly store: Store;
  readonly engine: Engine;
  readonly cores: Cores;
  readonly onlineCpus: number;
  readonly onProgress: (progress: Progress) => void;
  readonly onEnd: (end: InspectionEnd, batch: BatchSpec) => void;
  readonly signal: AbortSignal;
}

const stamp = (): string => new Date().toISOString();

function makeJob(conductor: Conductor, planned: PlannedInspection, attempt: number, warmup: Warmup): Job {
  const { campaign, cores, store } = conductor;
  const batch = campaign.batches[planned.batch] as BatchSpec;
  const indicator = findIndicator(batch.case.indicator);
  const threads = indicator.threads(batch.case.parameters);
  const cpus = batch.case.parameters.pin === true ? placeThreads(cores, threads) : [];
  if (cpus === null) {
    throw new UserError(`${threads} threads cannot be pinned: ${cores.allowed.length} CPUs may be used here`);
  }
  const { sampling } = batch;
  const fault = campaign.fault?.inspection === planned.index ? campaign.fault : null;
  return {
    campaign: campaign.id,
    index: planned.index,
    attempt,
    case: batch.case,
    stack: findStack(batch.stack.provider).identify(batch.stack.variant),
    device: batch.device,
    seed: planned.seed,
    cpus,
    otherCpus: placeOthers(cores, cpus),
    warmup,
    native: {
      ...indicator.nativeWorkload(batch.case.parameters, { cpus }, batch.stack.variant, planned.seed),
      warmup,
      repetitions: sampling.kind === 'fixed' ? sampling.repetitions : 0,
      budgetSeconds: sampling.kind === 'budget' ? sampling.seconds : 0,
      least: sampling.kind === 'budget' ? sampling.least : 1,
      most: sampling.kind === 'budget' ? sampling.most : 1,
      cold: batch.case.parameters.cache === 'cold',
      fault: fault === null ? null : { kind: fault.kind, at: fault.at },
    },
    timeout: batch.timeout,
    launchedAt: monotonic(),
    onlineCpus: conductor.onlineCpus,
    allowedCpus: cores.allowed,
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
 * @returns the ends of all inspections that ended, earlier ones included, in the plan's order
 */
export async function conduct(
  conductor: Conductor,
  before: ReadonlyMap<number, InspectionEnd>,
  attempts: ReadonlyMap<number, number>,
): Promise<readonly InspectionEnd[]> {
  const { campaign, store, engine, signal } = conductor;
  const planned = plan(campaign);
  const ends = new Map(before);
  const pilots = new Map<number, number>();
  const learn = ({ batch, index }: PlannedInspection): void => {
    const warmup = store.readInspection(index)?.document.warmup;
    if (warmup?.rule.kind === 'auto') pilots.set(batch, warmup.calls);
  };
  for (const inspection of planned) if (ends.has(inspection.index)) learn(inspection);

  for (const inspection of planned) {
    if (ends.has(inspection.index)) continue;
    if (signal.aborted) break;
    const batch = campaign.batches[inspection.batch] as BatchSpec;
    const attempt = (attempts.get(inspection.index) ?? 0) + 1;
    store.append({ event: 'started', index: inspection.index, attempt, at: stamp() });
    const title = findIndicator(batch.case.indicator).title(batch.case.parameters);
    const repetitions = batch.sampling.kind === 'fixed' ? batch.sampling.repetitions : null;
    const onProgress = (phase: string, taken: number): void =>
      conductor.onProgress({ planned: planned.length, ended: ends.size, title, phase, taken, repetitions });
    onProgress('start', 0);

    const job = makeJob(conductor, inspection, attempt, warmupOf(batch, pilots.get(inspection.batch)));
    const launched: LaunchEnd = await engine.launch(job, { onProgress, signal });
    if (launched.path !== null) store.documentWritten(launched.path);
    const { status, reason, wall } = launched;
    const end: InspectionEnd = { index: inspection.index, attempt, status, reason, wall };
    store.append({ event: 'ended', ...end, at: stamp() });
    ends.set(inspection.index, end);
    if (status === 'measured' && !pilots.has(inspection.batch)) learn(inspection);
    conductor.onEnd(end, batch);
  }
  return planned.flatMap(({ index }) => ends.get(index) ?? []);
}
