/**
 * One inspection of a stack that lives in JavaScript: the twin of native/inspection.cc and its loop, phase by phase. The calls are
 * made here, on the main thread; operands, poison, check, ceilings, clock, warm-up rule and thread binding are the addon's.
 */
import { readFile } from 'node:fs/promises';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import type { FrameworkJob, Job } from '../inspection/job.js';
import { readLocalFile } from '../machine/local-files.js';
import { type HostedCase, type HostedThreads, native, type RunningInspection } from '../native.js';
import { median } from '../statistics/quantile.js';
import { snapshotPaths } from '../telemetry/paths.js';
import type { Seconds } from '../units.js';
import type { OpenedFramework, PreparedProduct, Product } from './adapter.js';
import { measureClock } from './clock.js';
import { identityInUse } from './identity.js';
import { openFramework } from './index.js';
import type { FrameworkOutcome } from './outcome.js';

/** Nanoseconds of CLOCK_MONOTONIC. */
type Nanoseconds = number;

/** Between samples the event loop gets a turn, so that a signal and the progress display are heard. */
const BREATH: Nanoseconds = 100e6;
const PROGRESS: Nanoseconds = 1e9;
const SETTLE: Nanoseconds = 1e6;

interface Control {
  phase: string;
  taken: number;
  cancelled: boolean;
}

interface Span {
  readonly name: string;
  readonly begin: Seconds;
  readonly end: Seconds;
}

/** Spans without gap or overlap: one ends where the next begins. */
function spanRecorder(): { readonly spans: Span[]; readonly end: (name: string) => void } {
  const spans: Span[] = [];
  let begin = native().endCall();
  const end = (name: string): void => {
    const at = native().endCall();
    spans.push({ name, begin: begin * 1e-9, end: at * 1e-9 });
    begin = at;
  };
  return { spans, end };
}

/** Waits for a repetition only where there is something to wait for: a promise's turn of the microtasks costs time. */
async function call({ run }: PreparedProduct, calls: number): Promise<void> {
  for (let i = 0; i < calls; ++i) {
    const pending = run();
    if (pending !== undefined) await pending;
  }
}

function productOf({ parameters }: Job['native']): Product {
  const side = (name: string): number => Number(parameters[name]);
  return {
    m: side('m'),
    n: side('n'),
    k: side('k'),
    transposeA: parameters.transposeA === 'T',
    transposeB: parameters.transposeB === 'T',
    batch: side('batch'),
    dtype: parameters.dtype as Product['dtype'],
  };
}

interface Prepared {
  readonly hosted: HostedCase;
  readonly opened: OpenedFramework;
  readonly product: PreparedProduct;
}

async function prepare(
  job: Job,
  framework: FrameworkJob,
  endSpan: (name: string) => void,
): Promise<Prepared> {
  // The engine's threads for files start with their first work: before the framework's threads are told from others.
  await readFile('/proc/self/stat');
  if (job.cpus.length > 0) native().bindOtherThreads(job.otherCpus);
  const { workload, parameters } = job.native;
  const hosted = native().host(workload, { ...parameters, libraryThreads: framework.threads });
  endSpan('allocate');
  const opened = await openFramework(framework);
  if (opened.threads > framework.threads) {
    throw new Error(
      `it was told to use ${framework.threads} threads and says that it uses ${opened.threads}`,
    );
  }
  endSpan('open');
  const { inputs, output } = hosted.prepare();
  const [a, b] = inputs;
  if (a === undefined || b === undefined)
    throw new Error(`${workload} has no operands that a framework could read`);
  const product = await opened.prepare(productOf(job.native), { a, b, c: output });
  endSpan('fill');
  return { hosted, opened, product };
}

/** What one call takes, for the calibration: the later half of the warm-up, or a call made for the purpose. */
async function callSeconds(warmup: Float64Array, product: PreparedProduct): Promise<Seconds> {
  if (warmup.length > 0) return median(Array.from(warmup.subarray(Math.floor(warmup.length / 2))));
  const begin = native().endCall();
  await call(product, 1);
  return (native().endCall() - begin) * 1e-9;
}

async function settle(product: PreparedProduct): Promise<void> {
  const until = native().endCall() + SETTLE;
  for (let calls = 0; calls < 2 || native().endCall() < until; ++calls) await call(product, 1);
}

interface Taken {
  readonly entries: Float64Array;
  readonly exits: Float64Array;
  readonly disturbed: number[];
  count: number;
  evicting: Nanoseconds;
  outOfTime: boolean;
}

interface Loop {
  readonly job: Job['native'];
  readonly prepared: Prepared;
  readonly callsPerSample: number;
  readonly deadline: Nanoseconds;
  readonly control: Control;
  readonly breathe: (at: Nanoseconds) => Promise<void>;
}

/** The measuring loop: native/measure/loop.h in TypeScript, stop rules included. */
async function repeat({ job, prepared, callsPerSample, deadline, control, breathe }: Loop): Promise<Taken> {
  const { beginCall, endCall, disturbed } = native();
  const { hosted, product } = prepared;
  const { run } = product;
  const capacity = job.repetitions > 0 ? job.repetitions : job.most;
  const taken: Taken = {
    entries: new Float64Array(capacity),
    exits: new Float64Array(capacity),
    disturbed: [],
    count: 0,
    evicting: 0,
    outOfTime: false,
  };
  for (;;) {
    if (job.cold) {
      const begin = endCall();
      hosted.evict();
      taken.evicting += endCall() - begin;
    }
    const entry = beginCall();
    for (let i = 0; i < callsPerSample; ++i) {
      const pending = run();
      if (pending !== undefined) await pending;
    }
    const exit = endCall();
    if (disturbed()) taken.disturbed.push(taken.count);
    taken.entries[taken.count] = entry;
    taken.exits[taken.count] = exit;
    control.taken = ++taken.count;
    const enough =
      job.repetitions > 0
        ? taken.count >= job.repetitions
        : taken.count >= job.most ||
          (taken.count >= job.least && exit - (taken.entries[0] ?? exit) >= job.budgetSeconds * 1e9);
    if (enough || control.cancelled) return taken;
    if (exit >= deadline) {
      taken.outOfTime = true;
      return taken;
    }
    await breathe(exit);
  }
}

function samplesOf(
  { entries, exits, disturbed, count, evicting, outOfTime }: Taken,
  callsPerSample: number,
  cancelled: boolean,
  { watched }: HostedThreads,
): FrameworkOutcome['samples'] {
  const first = entries[0] ?? 0;
  return {
    entries: entries.subarray(0, count).map((entry) => (entry - first) * 1e-9),
    seconds: exits
      .subarray(0, count)
      .map((exit, i) => ((exit - (entries[i] ?? exit)) * 1e-9) / callsPerSample),
    evictingSeconds: evicting * 1e-9,
    wallSeconds: count === 0 ? 0 : ((exits[count - 1] ?? first) - first) * 1e-9,
    cancelled,
    outOfTime,
    disturbed: watched ? Uint32Array.from(disturbed) : null,
  };
}

const NOTHING_TAKEN: Taken = {
  entries: new Float64Array(0),
  exits: new Float64Array(0),
  disturbed: [],
  count: 0,
  evicting: 0,
  outOfTime: false,
};

async function inspect(
  job: Job,
  framework: FrameworkJob,
  timeLimit: Seconds,
  control: Control,
  onProgress: () => void,
): Promise<FrameworkOutcome> {
  if (job.native.fault != null) throw new Error('faults are injected into the embedded stack only');
  const addon = native();
  const { spans, end } = spanRecorder();
  const started = addon.endCall();
  const deadline = started + timeLimit * 1e9;
  let breathed = started;
  let told = started;
  const breathe = async (at: Nanoseconds): Promise<void> => {
    if (at - breathed < BREATH) return;
    breathed = at;
    if (at - told >= PROGRESS) {
      told = at;
      onProgress();
    }
    await turnOfTheLoop();
  };

  const prepared = await prepare(job, framework, end);
  const { hosted, product } = prepared;
  const { cold } = job.native;
  control.phase = 'warm-up';
  // Its threads are there after a first call; the warm-up is of threads where they will stay.
  const startsCold = job.warmup.kind === 'count' && job.warmup.count === 0;
  if (!startsCold) {
    await call(product, 1);
    hosted.bindThreads();
  }
  const judge = addon.warmupJudge(job.warmup);
  for (let enough = !judge.wantsCalls; !enough; ) {
    if (cold) hosted.evict();
    const entry = addon.endCall();
    await call(product, 1);
    const exit = addon.endCall();
    enough = judge.enough(entry, exit) || exit >= deadline || control.cancelled;
    await breathe(exit);
  }
  const warmup = judge.result();
  const threads = hosted.bindThreads();
  end('warm-up');

  control.phase = 'calibrate';
  const clock = measureClock();
  const callsPerSample = startsCold
    ? 1
    : addon.calibrate(await callSeconds(warmup.seconds, product), clock, cold);
  const paths = snapshotPaths(readLocalFile, job.allowedCpus);
  const frequencyBefore = addon.effectiveFrequency();
  const before = addon.takeSnapshot(paths, threads.ids);
  if (!startsCold) await settle(product);
  product.poison();
  hosted.poison();
  end('calibrate');

  control.phase = 'measure';
  const taken = control.cancelled
    ? NOTHING_TAKEN
    : await repeat({ job: job.native, prepared, callsPerSample, deadline, control, breathe });
  end('measure');

  control.phase = 'cool-down';
  const after = addon.takeSnapshot(paths, threads.ids);
  const frequencyAfter = addon.effectiveFrequency();
  addon.disarm();
  end('cool-down');

  // What bounds a call on another device these threads cannot tell.
  const whole = !control.cancelled && !taken.outOfTime && job.device === 'cpu';
  const ceilings = whole ? hosted.ceilings(cold) : { arithmetic: null, memory: null };
  end('ceilings');

  control.phase = 'verify';
  if (taken.count > 0) product.deliver();
  const verification = taken.count > 0 ? hosted.verify() : null;
  end('verify');
  control.phase = 'done';
  return {
    spans,
    clock,
    clockName: 'monotonic, read from JavaScript',
    warmup,
    callsPerSample,
    samples: samplesOf(taken, callsPerSample, control.cancelled, threads),
    before,
    after,
    frequencyBefore,
    frequencyAfter,
    threadIds: threads.ids,
    ...identityInUse(job, framework, prepared.opened, product, threads),
    ceilings,
    verification,
  };
}

/**
 * @param timeLimit of all phases up to the end of the repetitions
 * @param onProgress called now and then, between samples
 */
export function inspectFramework(
  job: Job,
  framework: FrameworkJob,
  timeLimit: Seconds,
  onProgress: () => void,
): RunningInspection {
  const control: Control = { phase: 'allocate', taken: 0, cancelled: false };
  return {
    result: inspect(job, framework, timeLimit, control, onProgress),
    progress: () => ({ phase: control.phase, taken: control.taken }),
    cancel: () => {
      control.cancelled = true;
    },
  };
}
