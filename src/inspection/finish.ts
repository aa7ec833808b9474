/**
 * What a worker does with a running inspection: waits for it, makes the document and the samples, writes both and says
 * where.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { NativeOutcome, RunningInspection } from '../native.js';
import { sha256 } from '../record/digest.js';
import type { ResourceUsage } from '../record/schema.js';
import { relevantEnvironment } from '../stacks/environment.js';
import { writeFileAtomic } from '../store/atomic.js';
import { encodeSamples } from '../store/samples-file.js';
import type { Seconds } from '../units.js';
import { makeDocument } from './document.js';
import { AT_GATE, BEFORE_GATE, type Job, LOADING, MEASURED, monotonic, type Report } from './job.js';
import { loadedFrom } from './loaded.js';

/**
 * A wake-up of this process and of the campaign's costs a millisecond of CPU, or one and a half where CPUs are slow: that is to
 * stay under 0.1 % of a launch (`npm run bench`).
 */
const PROGRESS_EVERY_MS = 1500;
/**
 * Others wait for a launch that is not at the gate yet, and whoever looks for a library's fault wants to know whether it had been loaded.
 * Before the repetitions nothing is measured that could be disturbed.
 */
const START_EVERY_MS = 20;

/** When the work on a job began: in wall-clock time, and CLOCK_MONOTONIC. */
export interface Begin {
  readonly startedAt: string;
  readonly began: Seconds;
}

export const timeLeft = (job: Job): Seconds => Math.max(0.001, job.timeout - (monotonic() - job.launchedAt));

function usageSoFar(): ResourceUsage {
  const used = process.resourceUsage();
  return {
    userSeconds: used.userCPUTime / 1e6,
    systemSeconds: used.systemCPUTime / 1e6,
    maxResidentBytes: used.maxRSS * 1024,
    minorFaults: used.minorPageFault,
    majorFaults: used.majorPageFault,
    blockInputs: used.fsRead,
    blockOutputs: used.fsWrite,
    voluntarySwitches: used.voluntaryContextSwitches,
    involuntarySwitches: used.involuntaryContextSwitches,
  };
}

interface Files {
  readonly document: string;
  readonly samples: Buffer;
}

/**
 * Writes to the first folder that takes both files; the reasons of those that did not. The document comes last: where it
 * is, all of it is.
 */
function write(job: Job, { document, samples }: Files): { path: string; refused: string[] } {
  const refused: string[] = [];
  for (const folder of job.folders) {
    try {
      mkdirSync(folder, { recursive: true });
      const path = join(folder, job.fileName);
      writeFileAtomic(join(folder, job.samplesName), samples);
      writeFileAtomic(path, document);
      return { path, refused };
    } catch (error) {
      refused.push(`${folder}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  throw new Error(`the document could not be written: ${refused.join('; ')}`);
}

/**
 * Tells at once that everything is loaded and filled, and that the gate is reached where there is one; after that only the progress
 * speaks. Returns what ends it.
 */
function tellOfStart(job: Job, running: RunningInspection, report: (message: Report) => void): () => void {
  const waits = job.native.gate === true;
  let told = LOADING;
  const timer = setInterval(() => {
    const progress = running.progress();
    const { phase } = progress;
    if (phase === told) return;
    told = phase;
    if (!waits || !BEFORE_GATE.includes(phase)) clearInterval(timer);
    if (phase === AT_GATE || BEFORE_GATE.includes(phase)) report({ event: 'progress', ...progress });
  }, START_EVERY_MS);
  return () => clearInterval(timer);
}

export async function finish(
  job: Job,
  running: RunningInspection,
  { startedAt, began }: Begin,
  report: (message: Report) => void,
): Promise<void> {
  const timer =
    job.framework === null
      ? setInterval(() => report({ event: 'progress', ...running.progress() }), PROGRESS_EVERY_MS)
      : undefined;
  const startIsTold = job.framework === null ? tellOfStart(job, running, report) : () => {};
  let outcome: NativeOutcome;
  try {
    outcome = await running.result;
  } finally {
    clearInterval(timer);
    startIsTold();
  }
  const { seconds, entries, disturbed } = outcome.samples;
  report({ event: 'progress', phase: MEASURED, taken: seconds.length });
  const samples = encodeSamples(
    { seconds, entries, disturbed: disturbed === null ? null : Array.from(disturbed) },
    outcome.callsPerSample,
    outcome.ranks,
    outcome.parts,
  );
  const file = { file: job.samplesName, sha256: sha256(samples) };
  const moments = {
    startedAt,
    began,
    collected: monotonic(),
    usage: usageSoFar(),
    environment: relevantEnvironment(process.env),
    loaded: loadedFrom(job.ownFolders),
  };
  const document = makeDocument(job, outcome, moments, file);
  const { path, refused } = write(job, { document: `${JSON.stringify(document)}\n`, samples });
  report({
    event: 'written',
    path,
    ended: document.ended,
    passed: document.verification?.passed ?? null,
    refused,
  });
}
