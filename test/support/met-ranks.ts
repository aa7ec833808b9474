/**
 * Ranks of NCCL that meet without MPI, each started as somebody starts it, on fakes of the driver and of NCCL (test/native/fake-cuda)
 * whose processes exchange data in files.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { fakeEnvironment, fakeGpu } from './fake-gpu.js';
import {
  campaignFolder,
  journalOf,
  launcher,
  printedRecord,
  type Run,
  type Running,
  start,
  until,
} from './pi-bench.js';

const SHORT = ['--reps', '10', '--warmup', '2', '--no-wait', '--quiet', '--json'];

export interface MetRank {
  readonly rank: number;
  readonly ranks: number;
  readonly place: string;
  /** What runs a command where the rank is to be, before the command; absent: here. */
  readonly on?: readonly string[];
  /** Of the fakes, as test/native/fake-cuda/settings.h reads them. */
  readonly settings?: string;
  /** How long it waits for the others, at most; absent: as long as usual. */
  readonly seconds?: number;
}

/** On a machine with a GPU for each. @param folder for its results, and for what the fake exchanges */
export function startMetRank(folder: string, args: readonly string[], one: MetRank): Running {
  const { rank, ranks, place, on = [], settings = '', seconds } = one;
  const fakes = fakeGpu();
  const env = {
    ...fakeEnvironment(fakes, `devices=${ranks}${settings}`),
    LD_LIBRARY_PATH: `${fakes}:${fakes}/nccl`,
    TMPDIR: folder,
    ...(seconds === undefined ? {} : { PIBENCH_RENDEZVOUS_SECONDS: String(seconds) }),
  };
  const what = ['collective', ...args, '--device', 'cuda:all', '--out', join(folder, 'out'), ...SHORT];
  const where = ['--rendezvous', place, '--ranks', String(ranks), '--rank', String(rank)];
  const [program = '', ...rest] = [...on, process.execPath, launcher, ...what, ...where];
  return start(program, rest, undefined, env);
}

/** Until the second launch of the campaign there has begun. */
export const measuredSome = (folder: string): Promise<true> =>
  until(() => {
    const out = join(folder, 'out');
    if (!existsSync(out) || readdirSync(out).length === 0) return undefined;
    if (!existsSync(join(campaignFolder(out), 'journal.ndjson'))) return undefined;
    const started = journalOf(campaignFolder(out)).filter(({ event }) => event === 'started');
    return started.length >= 2 || undefined;
  }, 'a launch to be measured');

/** What rank 0 says where a rank was lost after a launch: why, and what was measured before. */
export function expectLost(run: Run | undefined, says: RegExp): void {
  expect(run?.code).toBe(2);
  const [batch] = printedRecord(run as Run).batches;
  expect(batch?.measured).toBeGreaterThanOrEqual(1);
  expect(batch?.verified).toBe('passed');
  expect(batch?.inspections.find(({ status }) => status !== 'measured')?.reason).toMatch(says);
}

export function expectOneLine(run: Run | undefined, code: number, says: RegExp): void {
  expect(run?.stderr).toMatch(says);
  expect(run?.stderr.trim().split('\n')).toHaveLength(1);
  expect(run?.code).toBe(code);
}
