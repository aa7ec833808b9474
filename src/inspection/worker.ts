/**
 * The worker: one fresh process, one inspection. Reads its job from standard input, measures, writes its document and
 * says where. Imports as little as it can: its start is part of what every launch costs.
 */
import { writeSync } from 'node:fs';
import { basename } from 'node:path';
import { createInterface } from 'node:readline';
import { listLocalFolder, readLocalFile } from '../machine/local-files.js';
import { native, type RunningInspection } from '../native.js';
import { snapshotPaths } from '../telemetry/paths.js';
import { reasonOf } from './failure.js';
import { type Begin, finish, timeLeft } from './finish.js';
import { CHANNEL_FD, type FrameworkJob, type Job, monotonic, type Order, type Report } from './job.js';

const moment = (): Begin => ({ startedAt: new Date().toISOString(), began: monotonic() });
const started = moment();

function report(message: Report): void {
  try {
    writeSync(CHANNEL_FD, `${JSON.stringify(message)}\n`);
  } catch {
    // Nobody listens any more: the document is what counts.
  }
}

function start(job: Job): RunningInspection {
  if (job.cpus.length > 0) native().bindMainThread(job.otherCpus);
  // A library may take the process with it while it is loaded: whose fault that was must be known by then.
  if (job.stack.path != null)
    report({ event: 'progress', phase: `start of ${basename(job.stack.path)}`, taken: 0 });
  return native().inspect({
    ...job.native,
    snapshotPaths: snapshotPaths(readLocalFile, listLocalFolder, job.allowedCpus),
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

function fail(error: unknown): never {
  const message = reasonOf(error);
  report({
    event: 'failed',
    status: message.startsWith('out of memory') ? 'out-of-memory' : 'failed',
    message,
  });
  process.exit(1);
}

native().dieWithParent();
// A terminal sends Ctrl-C, and its end, to the whole group; the parent decides what it means and says so.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => {});

let asked = false;
let running: RunningInspection | undefined;
let cancelled = false;

async function carryOut(job: Job): Promise<void> {
  // A process that stood ready before its launch begins when its job comes.
  const begin = started.began < job.launchedAt ? moment() : started;
  running = job.framework === null ? start(job) : await startFramework(job, job.framework);
  // Somebody may have been in a hurry.
  if (cancelled) running.cancel();
  await finish(job, running, begin, report);
}

const orders = createInterface({ input: process.stdin });
orders.on('line', (line) => {
  try {
    const message = JSON.parse(line) as Job | Order;
    if ('order' in message && message.order === 'go') running?.openGate?.();
    else if ('order' in message) {
      cancelled = true;
      running?.cancel();
    } else if (!asked) {
      asked = true;
      carryOut(message).then(() => process.exit(0), fail);
    }
  } catch (error) {
    fail(error);
  }
});
orders.on('close', () => process.exit(1));
