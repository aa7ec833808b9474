/** On a real GPU: skipped where there is none. scripts/gpu-check.sh runs these, and measures besides. */
import { describe, expect, it } from 'vitest';
import { piBenchWithin, trouble } from '../../scripts/gpu-check/pi-bench.mjs';
import { surveyGpus } from '../../src/devices/gpu-survey.js';
import { gpuKernelsProblem } from '../../src/stacks/embedded.js';

/** Not by the launcher, which looks for npm: a machine with a GPU may have none. */
const piBench = piBenchWithin(() => 60);
const survey = surveyGpus();
const problem = survey.problem ?? gpuKernelsProblem();
const multipliesFloat8 = Number(survey.devices[0]?.computeCapability) >= 8.9;

describe.skipIf(problem !== null)(`on a GPU (${problem ?? 'there is one'})`, () => {
  it.for([
    'float32',
    'float64',
    'tf32',
    'float16',
    'bfloat16',
    'float8_e4m3',
    'int8',
  ])('a product of %s that fits no tile is right', async (dtype, { skip }) => {
    if (dtype === 'float8_e4m3' && !multipliesFloat8) skip('before compute capability 8.9 there is none');
    const shape = ['--m', '333', '--n', '129', '--k', '257'];
    const few = ['--inspections', '1', '--reps', '5', '--warmup', '1'];
    const given = await piBench('matmul', '--device', 'cuda:0', ...shape, '--dtype', dtype, ...few);
    expect(trouble(given)).toBeNull();
    expect(given.record.batches[0].verified).toBe('passed');
  });
});
