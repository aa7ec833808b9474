// Where the threads of a case are bound: from the CPUs that a campaign places them on to those that Linux lets each run on.
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findIndicator } from '../../src/indicators/index.js';
import type { Indicator, Parameters } from '../../src/indicators/indicator.js';
import { readAllowedCpus } from '../../src/machine/linux/allowed-cpus.js';
import { native } from '../../src/native.js';
import { THREAD_ID, threadPath } from '../../src/telemetry/paths.js';
import { machineOf } from '../support/machine.js';
import { shortJob } from '../support/short-job.mjs';

/** A case of each indicator that takes threads, as small as it can be. */
const CASES: readonly (readonly [name: string, flags: Record<string, unknown>])[] = [
  ['matmul', { size: '64', threads: '2' }],
  ['memory', { operation: 'read', bytes: '64KiB', threads: '2' }],
  ['peak', { dtype: 'float32', threads: '2' }],
  ['collective', { operation: 'all-reduce', bytes: '1KiB', ranks: '2' }],
  ['overlap', { size: '64', bytes: '1KiB', ranks: '2', threads: '1' }],
];

function pinned(name: string, flags: Record<string, unknown>) {
  const indicator = findIndicator(name);
  const [one = {}] = indicator.fromFlags(flags, machineOf());
  return { indicator, parameters: { ...one, pin: true } };
}

const workloadOf = (indicator: Indicator, parameters: Parameters, cpus: readonly number[]) =>
  indicator.nativeWorkload(parameters, { cpus, gpu: null }, null, 1);

describe('the CPUs that the workload is asked to bind its threads to', () => {
  it.each(CASES)('of %s are those of the case, in their order', (name, flags) => {
    const { indicator, parameters } = pinned(name, flags);
    const cpus = [7, 3, 5, 1].slice(0, indicator.threads(parameters));
    const asked = workloadOf(indicator, parameters, cpus).parameters;
    // Of an overlap those of a rank are one that computes and one that communicates.
    const expected = name === 'overlap' ? { computeCpus: [7, 5], cpus: [3, 1] } : { cpus: [7, 3] };
    expect(asked).toMatchObject(expected);
  });
});

describe('the CPUs that Linux lets the threads run on', () => {
  const allowed = readAllowedCpus((path) => (existsSync(path) ? readFileSync(path, 'utf8') : null)) ?? [];
  const numerically = (a: number, b: number): number => a - b;

  it.each(CASES)('are with %s one for each, that of the case', async (name, flags) => {
    const { indicator, parameters } = pinned(name, flags);
    const threads = indicator.threads(parameters);
    // The last first, as nobody would have them by chance. Where there are fewer than threads, they are taken again.
    const cpus = Array.from({ length: threads }, (_, at) => allowed.at(-1 - (at % allowed.length)) ?? -1);
    const { workload, parameters: asked } = workloadOf(indicator, parameters, cpus);
    const job = shortJob(workload, asked, { snapshotPaths: [threadPath(THREAD_ID, 'status')] });
    const { threadIds, before } = await native().inspect(job).result;
    const bound = threadIds.map((tid) => {
      const status = before.files[threadPath(tid, 'status')] ?? null;
      return readAllowedCpus((path) => (path === '/proc/self/status' ? status : null)) ?? [];
    });
    expect(bound).toHaveLength(threads);
    if (name !== 'overlap') expect(bound).toEqual(cpus.map((cpu) => [cpu]));
    // Its threads are told in no order.
    else expect(bound.flat().toSorted(numerically)).toEqual(cpus.toSorted(numerically));
  });
});
