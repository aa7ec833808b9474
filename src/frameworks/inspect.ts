/**
 * One inspection of a stack that lives in JavaScript: the twin of native/inspection.cc, phase by phase. The calls are
 * made here, on the main thread; operands, poison, check, ceilings, clock, warm-up rule and thread binding are the addon's.
 */
import { readFile } from 'node:fs/promises';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { isGpu } from '../devices/device.js';
import { messageOf } from '../errors.js';
import type { FrameworkJob, Job } from '../inspection/job.js';
import { listLocalFolder, readLocalFile } from '../machine/local-files.js';
import {
  type GpuWatch,
  type HostedCase,
  type NativeVerification,
  native,
  type RunningInspection,
} from '../native.js';
import { median } from '../statistics/quantile.js';
import { snapshotPaths } from '../telemetry/paths.js';
import type { Hertz, Seconds } from '../units.js';
import type { OpenedFramework, PreparedProduct, Product } from './adapter.js';
import { ceilingsOf } from './ceilings.js';
import { measureClock } from './clock.js';
import { ONLY_GPU } from './gpu-environment.js';
import { identityInUse } from './identity.js';
import { openFramework } from './index.js';
import { type Control, call, type Nanoseconds, NOTHING_TAKEN, repeat, samplesOf } from './loop.js';
import type { FrameworkOutcome } from './outcome.js';
import { settle } from './settle.js';

/** Between samples the event loop gets a turn, so that a signal and the progress display are heard. */
const BREATH: Nanoseconds = 100e6;
const PROGRESS: Nanoseconds = 1e9;

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
  if (opened.threads !== null && opened.threads > framework.threads) {
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

/** The output of the repetitions, and, where that is right, of one call more on other operands, as the addon does it. */
async function verify({ hosted, product }: Prepared): Promise<NativeVerification> {
  product.deliver();
  const repetitions = hosted.verify();
  if (!repetitions.passed) return repetitions;
  if (product.renew !== null) {
    hosted.renew();
    product.renew();
  }
  product.poison();
  hosted.poison();
  await call(product, 1);
  product.deliver();
  return hosted.verifyOneCall();
}

/** What somebody sees of the GPU meanwhile. */
interface Watch {
  gpu: GpuWatch | null;
}

/** The phases in their order. `watch` is the caller's, who can still ask it when one of them threw. */
async function goThrough(
  job: Job,
  framework: FrameworkJob,
  timeLimit: Seconds,
  control: Control,
  onProgress: () => void,
  watch: Watch,
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

  // Said at once: a call may take longer than the launch has, and then it must be known where it was.
  const enter = (phase: string): void => {
    control.phase = phase;
    onProgress();
  };

  // Before the framework is there: other processes on the GPU must be told from this one.
  const onGpu = isGpu(job.device);
  if (onGpu) watch.gpu = addon.watchGpu(ONLY_GPU);
  const prepared = await prepare(job, framework, end);
  const { hosted, product } = prepared;
  const { cold } = job.native;
  enter('warm-up');
  // Its threads are there after a first call; the warm-up is of threads where they will stay.
  const startsCold = job.warmup.kind === 'count' && job.warmup.count === 0;
  if (!startsCold) {
    await call(product, 1);
    hosted.bindThreads();
  }
  const judge = addon.warmupJudge(job.warmup, onGpu);
  for (let enough = !judge.wantsCalls; !enough; ) {
    if (cold) hosted.evict();
    const entry = addon.endCall();
    await call(product, 1);
    const exit = addon.endCall();
    enough = judge.enough(entry, exit, watch.gpu?.settled() ?? true) || exit >= deadline || control.cancelled;
    await breathe(exit);
  }
  const warmup = judge.result();
  let threads = hosted.bindThreads();
  end('warm-up');

  enter('calibrate');
  const clock = measureClock();
  const oneCall = startsCold ? 0 : await callSeconds(warmup.seconds, product);
  const callsPerSample = startsCold ? 1 : addon.calibrate(oneCall, clock, job.native);
  const paths = snapshotPaths(readLocalFile, listLocalFolder, job.allowedCpus);
  // Of the CPU: on a GPU it is another clock that matters, of which NVML tells.
  const frequency = (): Hertz => (onGpu ? 0 : addon.effectiveFrequency());
  const frequencyBefore = frequency();
  const before = addon.takeSnapshot(paths, threads.ids);
  // Before the calls that bring back what telling costs.
  enter('measure');
  if (!startsCold) await settle(product, oneCall);
  product.poison();
  hosted.poison();
  end('calibrate');

  const measuring = addon.endCall();
  const taken = control.cancelled
    ? NOTHING_TAKEN
    : await repeat({
        job: job.native,
        product,
        evict: () => hosted.evict(),
        callsPerSample,
        deadline,
        control,
        breathe,
      });
  end('measure');

  enter('cool-down');
  // Made by a first call that was a repetition: nobody binds them any more, as they were measured where they are.
  if (startsCold) threads = hosted.findThreads();
  const after = addon.takeSnapshot(paths, threads.ids);
  const frequencyAfter = frequency();
  addon.disarm();
  end('cool-down');

  // What bounds a call on another device these threads cannot tell.
  const whole = !taken.cancelled && !taken.outOfTime && !onGpu;
  // A thread that waits for a GPU may leave its CPU of its own accord.
  const samples = samplesOf(taken, callsPerSample, threads.watched && !onGpu);
  const ceilings =
    whole && job.native.ceilings
      ? ceilingsOf(() => hosted.ceilings(cold), job.native.operations ?? 0, median(samples.seconds))
      : { arithmetic: null, memory: null };
  end('ceilings');

  enter('verify');
  const verification = taken.count > 0 ? await verify(prepared) : null;
  const identity = identityInUse(job, framework, prepared.opened, product, threads);
  // Whoever reads the output may be the first to find an error in the memory where it lies. Last, for it ends the watch.
  const device = watch.gpu?.report(measuring, after.at * 1e9) ?? null;
  end('verify');
  control.phase = 'done';
  return {
    spans,
    clock,
    clockName: 'monotonic, read from JavaScript',
    warmup,
    callsPerSample,
    samples,
    before,
    after,
    frequencyBefore,
    frequencyAfter,
    threadIds: threads.ids,
    ...identity,
    ceilings,
    device,
    verification,
  };
}

/** A fault of the hardware ends the launch here: its counters have to be read while somebody still can. */
const withFaults = (error: unknown, { gpu }: Watch): unknown =>
  gpu === null
    ? error
    : Object.assign(new Error(messageOf(error), { cause: error }), { device: gpu.faults() });

/**
 * @param timeLimit of all phases up to the end of the repetitions
 * @param onProgress called when a phase begins, and now and then between samples
 */
export function inspectFramework(
  job: Job,
  framework: FrameworkJob,
  timeLimit: Seconds,
  onProgress: () => void,
): RunningInspection {
  const control: Control = { phase: 'allocate', taken: 0, cancelled: false };
  const watch: Watch = { gpu: null };
  return {
    result: goThrough(job, framework, timeLimit, control, onProgress, watch).catch((error: unknown) => {
      throw withFaults(error, watch);
    }),
    progress: () => ({ phase: control.phase, taken: control.taken }),
    cancel: () => {
      control.cancelled = true;
    },
  };
}
