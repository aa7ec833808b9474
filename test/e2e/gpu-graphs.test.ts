/** Groups of repetitions that are launched as a graph, on a driver that is a fake: that nothing but the launching is another. */
import { beforeAll, expect, it } from 'vitest';
import type { GpuTelemetry } from '../../src/telemetry/gpu.js';
import { fakeEnvironment, fakeGpu } from '../support/fake-gpu.js';
import {
  campaignFolder,
  piBenchIn,
  printedRecord,
  readInspectionFile,
  readSamples,
  withFolder,
} from '../support/pi-bench.js';
import { there } from '../support/there.js';

const REPETITIONS = 300;
const LAUNCH = ['--device', 'cuda:0', '--inspections', '1', '--reps', `${REPETITIONS}`, '--warmup', '3'];
// So long that a repetition is one call of it.
const LONG = ['matmul', '--size', '192', ...LAUNCH];

beforeAll(() => void fakeGpu(), 120_000);

/** Of one launch: its record, and where it was not lost what the device's clock says and the samples. */
async function launched(groups: string, settings: string, ...args: readonly string[]) {
  return withFolder(async (out) => {
    const env = { ...fakeEnvironment(fakeGpu(), settings), PI_BENCH_CUDA_GROUPS: groups };
    const run = await piBenchIn({ env }, ...args, '--json', '--quiet', '--out', out);
    const batch = there(printedRecord(run).batches[0], 'batch');
    if (batch.measured === 0) return { run, batch, clock: null, seconds: [] };
    const { clock } = readInspectionFile(campaignFolder(out), 0).telemetry.gpu as unknown as GpuTelemetry;
    return {
      run,
      batch,
      clock: there(clock, 'clock'),
      seconds: [...readSamples(campaignFolder(out), 0).seconds],
    };
  });
}

it('are measured in every repetition, verified, and counted', async () => {
  const { run, batch, clock, seconds } = await launched('graph', '', ...LONG);
  expect(run.code, run.stderr).toBe(0);
  expect(batch.verified).toBe('passed');
  expect(clock?.samples).toBe(REPETITIONS);
  expect(clock?.graphGroups).toBeGreaterThan(3);
  expect(seconds.length).toBe(REPETITIONS);
  expect(Math.min(...seconds)).toBeGreaterThan(0);
  // Of a graph that recorded its events only once, every group would have the times of the first.
  expect(new Set(seconds).size).toBeGreaterThan(REPETITIONS / 2);
  expect(seconds.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(clock?.deviceSeconds ?? 0);
});

it('are launched call by call where nobody asks for a graph', async () => {
  const { run, clock } = await launched('', '', ...LONG);
  expect(run.code, run.stderr).toBe(0);
  expect(clock).toMatchObject({ samples: REPETITIONS, graphGroups: 0 });
});

it('are launched call by call where operands rotate, and where several calls share a repetition', async () => {
  const cold = await launched('graph', '', ...LONG, '--cache', 'cold');
  expect(cold.clock).toMatchObject({ samples: REPETITIONS, graphGroups: 0 });
  const short = await launched('graph', '', 'matmul', '--size', '8', ...LAUNCH);
  expect(short.clock).toMatchObject({ samples: REPETITIONS, graphGroups: 0 });
});

it('a call that fails in one of the later graphs ends the launch, which says so', async () => {
  const { run, batch } = await launched('graph', 'launch-fails=150', ...LONG);
  expect(run.code).toBe(2);
  expect(batch.inspections[0]).toMatchObject({ status: 'failed' });
  expect(batch.inspections[0]?.reason).toMatch(/CUDA_ERROR_LAUNCH_FAILED/);
});
