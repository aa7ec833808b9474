// Uses what the addon has for GPUs, in a process that finds the fakes of the driver, of NVML and of NCCL (test/native/fake-cuda): their
// kernels are a CPU's, so what a sanitizer sees is all that runs on the host.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { shortJob } from '../../support/short-job.mjs';
import { EXCHANGE, right } from './exchange.mjs';
import { meetOther } from './meeting.mjs';

const PLACE = { ordinal: 0, kernels: process.env.PIBENCH_GPU_KERNELS ?? '' };
const PRODUCT = { m: 48, n: 32, k: 64, batch: 2, isa: '', seed: 1, cold: 0 };
const TYPES = ['float32', 'float64', 'tf32', 'float16', 'bfloat16', 'float8_e4m3', 'int8'];
/** Of each multiprocessor of the fake, which has four: what every loop does a whole number of times. */
const PEAK_OPERATIONS = 4 * 2 ** 24;
const ELEMENTS = 5000;

const jobFor = (workload, parameters, more = {}) => shortJob(workload, { ...PLACE, ...parameters }, more);

async function products(addon) {
  for (const dtype of TYPES) {
    for (const cold of [0, 1])
      await right(
        addon,
        jobFor('cuda-matmul', { ...PRODUCT, dtype, cold }, { ceilings: dtype === 'float32' }),
      );
  }
  const product = { ...PRODUCT, dtype: 'float32' };
  const wrong = jobFor('cuda-matmul', product, { fault: { kind: 'wrong-element', at: 0 } });
  assert.equal((await addon.inspect(wrong).result).verification.passed, false);
  const one = { ...product, m: 1, n: 1, k: 1, batch: 1, library: 'none' };
  for (const [side, asked] of Object.entries({ m: 'cublas', batch: 'cublaslt' })) {
    const long = jobFor('cuda-matmul', { ...one, interface: asked, [side]: 2 ** 32 + 512 });
    await assert.rejects(addon.inspect(long).result, /longer than cuBLAS(Lt)? can count/);
  }
  const inTurns = { ceilings: true, inTurns: true, operations: 2 * 2 * 48 * 32 * 64 };
  await right(addon, jobFor('cuda-matmul', product, inTurns));
  const { device } = await right(
    addon,
    jobFor('cuda-matmul', product, { warmup: { kind: 'time', seconds: 0.05 } }),
  );
  assert.equal(JSON.parse(device).nvml.problem, null);
}

/** One that waits at a gate, and one that is cancelled while it measures. */
async function steered(addon) {
  const product = { ...PRODUCT, dtype: 'float32' };
  const gated = addon.inspect(jobFor('cuda-matmul', product, { gate: true }));
  while (gated.progress().phase !== 'gate') await sleep(1);
  gated.openGate();
  assert.equal((await gated.result).samples.seconds.length, 3);
  const endless = addon.inspect(jobFor('cuda-matmul', product, { repetitions: 2_000_000 }));
  while (endless.progress().taken === 0) await sleep(1);
  endless.cancel();
  assert.equal((await endless.result).samples.cancelled, true);
}

async function others(addon) {
  for (const dtype of TYPES)
    await right(
      addon,
      jobFor('cuda-peak', { dtype, isa: '', operations: PEAK_OPERATIONS * (dtype === 'int8' ? 8 : 4) }),
    );
  const memory = { elements: ELEMENTS, seed: 1 };
  for (const operation of ['read', 'write', 'copy', 'scale', 'add', 'triad'])
    await right(addon, jobFor('cuda-pass', { ...memory, operation, isa: '' }));
  for (const [operation, pinned, peer] of [
    ['device-copy', 1, 0],
    ['host-to-device', 1, 0],
    ['host-to-device', 0, 0],
    ['device-to-host', 1, 0],
    ['device-to-host', 0, 0],
    ['both-ways', 1, 0],
    ['peer', 1, 1],
  ])
    await right(addon, jobFor('cuda-copy', { ...memory, operation, pinned, peer }));
  for (const mode of ['latency', 'throughput', 'streams', 'graph'])
    await right(addon, jobFor('cuda-launch', { mode, launches: 20, streams: 2 }));
}

async function watched(addon) {
  const { devices } = JSON.parse(addon.describeGpus());
  assert.equal(devices.length, 2);
  const watch = addon.watchGpu(0);
  const begin = addon.beginCall();
  await sleep(100);
  assert.equal(typeof watch.settled(), 'boolean');
  assert(JSON.parse(watch.report(begin, addon.endCall())).nvml.readings > 0);
  assert.throws(() => watch.report(0, 1), /nobody watches/);
  assert.equal(watch.settled(), true);
  assert.throws(() => addon.watchGpu(7));
}

async function exchanges(addon) {
  const exchange = { ...EXCHANGE, transport: 'nccl', workers: 'threads', count: 1000 };
  for (const operation of ['all-reduce', 'all-to-all', 'broadcast']) {
    const outcome = await right(addon, jobFor('collective', { ...exchange, operation }));
    // Calls do not work on what lies on the host.
    assert.equal(outcome.hugePages, null);
  }
  const altered = jobFor('collective', exchange, { fault: { kind: 'corrupt-rank', at: 1 } });
  assert.equal((await addon.inspect(altered).result).verification.passed, false);
  const product = { m: 48, n: 48, k: 48 };
  assert((await right(addon, jobFor('overlap', { ...exchange, ...product }))).parts);
}

/** Where the fake is told to fail a launch: what was counted of the GPU comes with the driver's words. */
export async function exerciseFailure(addon) {
  const job = jobFor('cuda-matmul', { ...PRODUCT, dtype: 'float32' });
  const error = await addon.inspect(job).result.catch((failure) => failure);
  assert.match(error.message, /CUDA_ERROR_LAUNCH_FAILED/);
  assert.equal(JSON.parse(error.device).nvml.problem, null);
}

/** @param {(place: string) => import('node:child_process').ChildProcess} startRank of the other rank, which meets there */
export async function exerciseGpus(addon, startRank) {
  await watched(addon);
  await products(addon);
  await steered(addon);
  await others(addon);
  await exchanges(addon);
  await meetOther(addon, startRank);
}
