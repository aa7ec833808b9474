// Uses what the addon offers, but for what LEFT_OUT names, in processes of their own that a sanitizer watches
// (scripts/sanitize-addon.mjs): node exercise-addon.mjs <addon> <name of EXERCISES>. Ends with 1 where the addon did not do what
// it should.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { exerciseFailure, exerciseGpus } from './exercise/gpus.mjs';
import { followOther } from './exercise/meeting.mjs';
import { exerciseRanks } from './exercise/ranks.mjs';

const [addonPath, what, ...more] = process.argv.slice(2);
const addon = createRequire(import.meta.url)(addonPath);

/** Whether this CPU's fastest instructions for int8 are such as no loop of ours has (knows_peak in kernels/cpu/gemm/gemm.h). */
const CPU = readFileSync('/proc/cpuinfo', 'utf8');
const OTHER_DOTS = /\b(avx_vnni|avx512bw)\b/.test(CPU) && !/\bavx512_vnni\b/.test(CPU);

const DTYPES = ['float32', 'float64', 'bfloat16', 'int8'];
const MATMUL = {
  m: 65,
  n: 70,
  k: 75,
  transposeA: 'N',
  transposeB: 'N',
  batch: 1,
  prepack: 0,
  dtype: 'float32',
  threads: 1,
  cpus: [],
  isa: '',
  seed: 1,
};

/** @param {Partial<import('../../dist/native.js').NativeJob>} change */
function jobOf({ parameters = {}, ...rest } = {}) {
  return {
    workload: 'matmul',
    parameters: { ...MATMUL, ...parameters },
    warmup: { kind: 'count', count: 5 },
    repetitions: 30,
    budgetSeconds: 0,
    least: 1,
    most: 1,
    cold: false,
    timeLimitSeconds: 0,
    snapshotPaths: ['/proc/self/task/{tid}/stat', '/no/such/file'],
    ...rest,
  };
}

const ENDLESS = jobOf({ parameters: { threads: 2 }, repetitions: 2_000_000 });

/** What cannot be loaded is an error with the loader's reason, in a probe and in an inspection. */
async function libraries() {
  assert.throws(() => addon.probeLibrary('cblas', '/no/such.so'), /could not be loaded/);
  assert.throws(() => addon.probeLibrary('fortran', '/no/such.so'), /no interface fortran/);
  const parameters = { interface: 'cblas', library: '/no/such.so' };
  await assert.rejects(addon.inspect(jobOf({ parameters })).result, /could not be loaded/);
}

async function everyType() {
  for (const dtype of DTYPES) {
    for (const threads of [1, 2]) {
      for (const cold of [false, true]) {
        const outcome = await addon.inspect(jobOf({ parameters: { dtype, threads }, cold })).result;
        assert.equal(outcome.samples.seconds.length, 30);
        assert.equal(outcome.threadIds.length, threads);
        if (dtype === 'int8' && OTHER_DOTS) assert.equal(outcome.ceilings.arithmetic, null);
        else assert(outcome.ceilings.arithmetic.rate > 0);
        assert(outcome.ceilings.memory.rate > 0);
        assert.equal(outcome.verification.passed, true, outcome.verification.firstWrong);
      }
    }
  }
}

/** A product that is large enough for Freivalds' check and for huge pages, in every type. */
async function largeProducts() {
  for (const dtype of DTYPES) {
    const parameters = { dtype, threads: 2, m: 40, n: 1030, k: 1030 };
    const outcome = await addon.inspect(jobOf({ parameters, repetitions: 2 })).result;
    assert.equal(outcome.verification.method, 'freivalds');
    assert.equal(outcome.verification.passed, true, outcome.verification.firstWrong);
  }
}

/** Operands in every layout, several products in a call, B packed before the repetitions. */
async function everyLayout() {
  for (const dtype of DTYPES) {
    for (const [transposeA, transposeB] of ['NN', 'NT', 'TN', 'TT']) {
      for (const prepack of [0, 1]) {
        const parameters = { dtype, threads: 2, transposeA, transposeB, batch: 3, prepack };
        const outcome = await addon.inspect(jobOf({ parameters, repetitions: 2 })).result;
        assert.equal(outcome.verification.passed, true, outcome.verification.firstWrong);
      }
    }
  }
}

const PEAK = { threads: 2, cpus: [], isa: '', operations: 2 * 3 * 2 ** 22 };

async function everyPeak() {
  for (const dtype of DTYPES) {
    const job = { ...jobOf({ repetitions: 2 }), workload: 'peak', parameters: { ...PEAK, dtype } };
    const outcome = await addon.inspect(job).result;
    assert.equal(outcome.verification.passed, true, outcome.verification.firstWrong);
    const wrong = await addon.inspect({ ...job, fault: { kind: 'wrong-element', at: 0 } }).result;
    assert.equal(wrong.verification.passed, false);
    const odd = { ...job, parameters: { ...PEAK, dtype, operations: PEAK.operations + 2 } };
    await assert.rejects(addon.inspect(odd).result, /no multiple/);
  }
}

const MEMORY = { elements: 1001, passes: 3, threads: 2, cpus: [], isa: '', seed: 1 };

async function everyPass() {
  for (const { isa, runsHere } of addon.memoryKernels()) {
    if (!runsHere) continue;
    for (const operation of ['read', 'write', 'copy', 'scale', 'add', 'triad']) {
      for (const stores of ['cached', 'streaming', 'auto']) {
        const job = { ...jobOf(), workload: 'memory', parameters: { ...MEMORY, operation, stores, isa } };
        const outcome = await addon.inspect({ ...job, cold: true }).result;
        assert.equal(outcome.verification.passed, true, outcome.verification.firstWrong);
        if (isa === 'portable' && stores === 'cached') {
          const fault = { kind: 'wrong-element', at: 0 };
          const wronged = await addon.inspect({ ...job, repetitions: 1, fault }).result;
          assert.equal(wronged.verification.passed, false, operation);
        }
      }
    }
  }
  for (const wrong of [{ operation: 'sort' }, { stores: 'slow' }]) {
    const parameters = { ...MEMORY, operation: 'copy', stores: 'cached', ...wrong };
    assert.throws(() => addon.inspect({ ...jobOf(), workload: 'memory', parameters }));
  }
}

async function everyRule() {
  const automatic = await addon.inspect(jobOf({ warmup: { kind: 'auto' }, repetitions: 0, most: 50 })).result;
  assert.equal(automatic.warmup.judged, true);
  const timed = await addon.inspect(jobOf({ warmup: { kind: 'time', seconds: 0.01 }, timeLimitSeconds: 60 }))
    .result;
  assert.equal(timed.samples.outOfTime, false);
  const idle = await addon.inspect(jobOf({ workload: 'idle' })).result;
  assert.equal(idle.implementation, 'idle');
  const wrong = await addon.inspect(jobOf({ fault: { kind: 'wrong-element', at: 0 } })).result;
  assert.equal(wrong.verification.passed, false);
}

async function cancelInFlight() {
  for (const pause of [0, 1, 20, 100]) {
    const running = addon.inspect(ENDLESS);
    await sleep(pause);
    running.progress();
    running.cancel();
    const outcome = await running.result;
    assert.equal(outcome.samples.cancelled, true);
    assert.equal(running.progress().phase, 'done');
    running.cancel(); // too late, and harmless
  }
  const running = addon.inspect(ENDLESS);
  while (running.progress().taken < 10) await sleep(1);
  running.cancel();
  assert.equal((await running.result).verification.passed, true);
}

async function severalAtOnce() {
  const outcomes = await Promise.all([1, 2, 3].map(() => addon.inspect(jobOf()).result));
  for (const outcome of outcomes) assert.equal(outcome.verification.passed, true);
}

/** What a stack in JavaScript uses: every step of an inspection but the calls, which are these loops. */
function hosted() {
  for (const { dtype, Operand, Result } of [
    { dtype: 'float32', Operand: Float32Array, Result: Float32Array },
    { dtype: 'float64', Operand: Float64Array, Result: Float64Array },
    { dtype: 'int8', Operand: Int8Array, Result: Int32Array },
  ]) {
    const parameters = { ...MATMUL, dtype, interface: 'hosted', library: '', libraryThreads: 1, threads: 2 };
    const it = addon.host('matmul', parameters);
    const { inputs, output } = it.prepare();
    const [a, b] = inputs.map((bytes) => new Operand(bytes));
    const c = new Result(output);
    const multiply = () => {
      for (let i = 0; i < MATMUL.m; ++i) {
        for (let j = 0; j < MATMUL.n; ++j) {
          let sum = 0;
          for (let l = 0; l < MATMUL.k; ++l) sum += a[i * MATMUL.k + l] * b[l * MATMUL.n + j];
          c[i * MATMUL.n + j] = sum;
        }
      }
    };
    assert.equal(it.verify().passed, false, 'poison is no result');
    const judge = addon.warmupJudge({ kind: 'count', count: 2 }, false);
    assert(judge.wantsCalls);
    for (let enough = false; !enough; ) {
      const entry = addon.beginCall();
      multiply();
      const exit = addon.endCall();
      assert.equal(typeof addon.disturbed(), 'boolean');
      assert(exit > entry);
      enough = judge.enough(entry, exit, true);
    }
    addon.disarm();
    assert.equal(judge.result().calls, 2);
    assert.equal(judge.result().seconds.length, 2);
    assert.equal(it.verify().passed, true);
    it.evict();
    assert(it.ceilings(false).arithmetic.rate > 0);
    const threads = it.bindThreads();
    assert(threads.ids.length >= 1);
    const { files } = addon.takeSnapshot(['/proc/self/task/{tid}/stat'], threads.ids);
    assert(Object.keys(files).length === threads.ids.length);
    it.poison();
    assert.equal(it.verify().passed, false);
  }
  const none = addon.warmupJudge({ kind: 'count', count: 0 }, false);
  assert.equal(none.wantsCalls, false);
  const clock = addon.measureClock();
  const fixed = { repetitions: 5, budgetSeconds: 1, most: 10, cold: false };
  assert(addon.calibrate(1e-7, clock, fixed) > 1);
  assert.equal(addon.calibrate(1e-7, clock, { ...fixed, cold: true }), 1);
  const lasting = { ...fixed, repetitions: 0, budgetSeconds: 1, most: 1000 };
  assert.equal(addon.calibrate(1e-4, { overheadSeconds: 0, resolutionSeconds: 0 }, lasting), 13);
  assert(addon.effectiveFrequency() >= 0);
  assert.throws(() => addon.bindOtherThreads([8191]));
  assert.throws(() => addon.bindOtherThreads([8192]));
  assert.throws(() => addon.host('sort', MATMUL), /unknown workload/);
  assert.throws(() =>
    addon.host('matmul', { ...MATMUL, interface: 'hosted', library: '', m: 2 ** 40 }).prepare(),
  );
}

async function refusals() {
  for (const job of [
    {},
    { ...jobOf(), cold: undefined },
    { ...jobOf(), repetitions: -1 },
    { ...jobOf(), repetitions: 'ten' },
    { ...jobOf(), warmup: { kind: 'never' } },
    { ...jobOf(), workload: 'sort' },
    { ...jobOf(), fault: { kind: 'none', at: 0 } },
    jobOf({ parameters: { dtype: 'float8' } }),
    jobOf({ parameters: { seed: 'one' } }),
    { ...jobOf(), parameters: { ...MATMUL, extra: {} } },
  ]) {
    assert.throws(() => addon.inspect(job));
  }
  for (const parameters of [
    { isa: 'sse9' },
    { m: 0 },
    { m: -5 },
    { threads: 2, cpus: [8191, 8191] },
    { m: 2 ** 30, k: 2 ** 30 }, // more memory than there is
    { m: 2 ** 40, k: 2 ** 40 }, // more elements than can be counted
  ]) {
    await assert.rejects(addon.inspect(jobOf({ parameters })).result, Error, JSON.stringify(parameters));
  }
}

function otherFunctions() {
  assert(addon.measureClock().overheadSeconds > 0);
  for (const { isa, dtype, runsHere } of addon.kernels()) {
    const { operations } = addon.peakLoop(dtype, isa, 1000);
    assert(runsHere || operations === 0);
  }
  for (const cpu of [-1, 8191, 8192]) assert.throws(() => addon.bindMainThread([cpu]), Error, String(cpu));
}

/** The process ends while a thread of the addon measures: what process.exit() tears down, it may still use. */
async function endMeanwhile() {
  const running = addon.inspect(ENDLESS);
  while (running.progress().taken < 10) await sleep(1);
  process.exit(0);
}

async function onThisCpu() {
  await everyType();
  await libraries();
  await largeProducts();
  await everyLayout();
  await everyPeak();
  await everyPass();
  await everyRule();
  await cancelInFlight();
  await severalAtOnce();
  hosted();
  await refusals();
  otherFunctions();
  await exerciseRanks(addon);
}

const startRank = (place) =>
  spawn(process.execPath, [fileURLToPath(import.meta.url), addonPath, 'follow', place], { stdio: 'inherit' });

const EXERCISES = {
  all: onThisCpu,
  exit: endMeanwhile,
  gpus: () => exerciseGpus(addon, startRank),
  'gpu-failure': () => exerciseFailure(addon),
  follow: (place) => followOther(addon, place),
};
await EXERCISES[what](...more);
globalThis.gc?.();
