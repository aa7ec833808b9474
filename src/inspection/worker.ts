/**
 * The worker: one fresh process, one inspection. Reads its job from standard input, measures, writes its document and
 * says where. Imports as little as it can: its start is part of what every launch costs.
 */
import { mkdirSync, readFileSync, writeSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { readLocalFile } from '../machine/local-files.js';
import { type NativeOutcome, native, type RunningInspection } from '../native.js';
import { sha256 } from '../record/digest.js';
import type { ResourceUsage } from '../record/schema.js';
import { relevantEnvironment } from '../stacks/environment.js';
import { writeFileAtomic } from '../store/atomic.js';
import { encodeSamples } from '../store/samples-file.js';
import { snapshotPaths } from '../telemetry/paths.js';
import type { Seconds } from '../units.js';
import { makeDocument } from './document.js';
import { CHANNEL_FD, type FrameworkJob, type Job, monotonic, type Order, type Report } from './job.js';

/** A wake-up of this process and of the campaign's costs a millisecond of CPU: one a second stays under 0.1 % of a launch. */
const PROGRESS_EVERY_MS = 1000;

const began = monotonic();
const startedAt = new Date().toISOString();

function report(message: Report): void {
  try {
    writeSync(CHANNEL_FD, `${JSON.stringify(message)}\n`);
  } catch {
    // Nobody listens any more: the document is what counts.
  }
}

const timeLeft = (job: Job): Seconds => Math.max(0.001, job.timeout - (monotonic() - job.launchedAt));

function start(job: Job): RunningInspection {
  if (job.cpus.length > 0) native().bindMainThread(job.otherCpus);
  // A library may take the process with it while it is loaded: whose fault that was must be known by then.
  if (job.stack.path != null)
    report({ event: 'progress', phase: `start of ${basename(job.stack.path)}`, taken: 0 });
  return native().inspect({
    ...job.native,
    snapshotPaths: snapshotPaths(readLocalFile, job.allowedCpus),
    timeLimitSeconds: timeLeft(job),
  });
}

/** A framework's calls are made on this thread, which has no timer then: it speaks between samples. */
async function startFramework(job: Job, framework: FrameworkJob): Promise<RunningInspection> {
  report({ event: 'progress', phase: `start of ${framework.provider}:${framework.backend}`, taken: 0 });
  const { inspectFramework } = await import('../frameworks/inspect.js');
  const running: RunningInspection = inspectFramework(job, framework, timeLeft(job), () =>
    report({ event: 'progress', ...running.progress() }),
  );
  return running;
}

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

/** Shared libraries of this process that lie below one of the folders, as the kernel has them. */
function loadedFrom(folders: readonly string[]): readonly string[] {
  if (folders.length === 0) return [];
  try {
    const mapped = readFileSync('/proc/self/maps', 'utf8').matchAll(/ (\/.*)$/gm);
    const files = new Set([...mapped].map(([, path = '']) => path));
    return [...files].filter((path) => folders.some((folder) => path.startsWith(`${folder}/`))).sort();
  } catch {
    return [];
  }
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

async function measure(job: Job, running: RunningInspection): Promise<void> {
  const timer =
    job.framework === null
      ? setInterval(() => report({ event: 'progress', ...running.progress() }), PROGRESS_EVERY_MS)
      : undefined;
  let outcome: NativeOutcome;
  try {
    outcome = await running.result;
  } finally {
    clearInterval(timer);
  }
  const { seconds, entries, disturbed } = outcome.samples;
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

function fail(error: unknown): never {
  const message = error instanceof Error ? error.message : String(error);
  report({
    event: 'failed',
    status: message.startsWith('out of memory') ? 'out-of-memory' : 'failed',
    message,
  });
  process.exit(1);
}

native().dieWithParent();
// A terminal sends Ctrl-C to the whole group; the parent decides what it means and says so.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});

let started = false;
let running: RunningInspection | undefined;
let cancelled = false;

async function carryOut(job: Job): Promise<void> {
  running = job.framework === null ? start(job) : await startFramework(job, job.framework);
  // Somebody may have been in a hurry.
  if (cancelled) running.cancel();
  await measure(job, running);
}

const orders = createInterface({ input: process.stdin });
orders.on('line', (line) => {
  try {
    const message = JSON.parse(line) as Job | Order;
    if ('order' in message) {
      cancelled = true;
      running?.cancel();
    } else if (!started) {
      started = true;
      carryOut(message).then(() => process.exit(0), fail);
    }
  } catch (error) {
    fail(error);
  }
});
orders.on('close', () => process.exit(1));
