/** What the time decides that something takes here, and so what else is running: precision, budgets, and the limit of a launch. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PiBenchRecord } from '../../src/record/schema.js';
import { precisionReached } from '../../src/statistics/stopping.js';
import {
  campaignFolder,
  journalOf,
  matmulRecord,
  piBench,
  readInspectionFile,
  readRecordFile,
  readSamples,
  withFolder,
} from '../support/pi-bench.js';

const json = (stdout: string): PiBenchRecord => JSON.parse(stdout) as PiBenchRecord;

/** As narrow as an interval gets also where the clock steps between launches: what is told of it is the same. */
const PRECISION = 0.6;

describe('--precision', () => {
  it('launches until the interval is as narrow as asked, with launches that it made short', () =>
    withFolder(async (out) => {
      const { record, folder, run } = await matmulRecord(
        out,
        '--size',
        '64',
        '--threads',
        '1',
        '--precision',
        `${PRECISION * 100}%`,
      );
      expect(run.code).toBe(0);
      const [batch] = record.batches;
      expect(batch?.precision).toMatchObject({ target: PRECISION, reached: true });
      const { medians } = batch?.launches as unknown as { medians: number[] };
      expect(medians.length).toBeGreaterThanOrEqual(8);
      expect(batch?.planned).toBe(medians.length);
      expect(precisionReached(medians, PRECISION).reached).toBe(true);
      if (medians.length > 8) expect(precisionReached(medians.slice(0, -1), PRECISION).reached).toBe(false);
      // The first three tell what bounds the repetitions; the others do not spend time on it.
      const ceilings = medians.map(
        (_, index) => readInspectionFile(folder, index).ceilings?.arithmetic ?? null,
      );
      expect(ceilings.map((one) => one !== null)).toEqual(medians.map((_, index) => index < 3));
      expect(batch?.roofline?.peak).toBeGreaterThan(0);
      const counts = medians.map((_, index) => readSamples(folder, index).seconds.length);
      expect(new Set(counts.slice(3)).size).toBe(1);
      const { interval } = batch?.elapsed ?? {};
      expect(interval?.method).toMatch(/looking/);
    }));

  it('stops at the budget, says that it was not reached, and with --strict the answer is no', () =>
    withFolder(async (out) => {
      const BUDGET_MS = 2000;
      const args = ['--size', '64', '--precision', '0.0001%', '--budget', '2s', '--strict'];
      const { record, run, folder } = await matmulRecord(out, ...args);
      expect(run.code).toBe(1);
      expect(record.status).toBe('complete');
      expect(record.stoppedBy).toBe('budget');
      expect(record.batches[0]?.precision?.reached).toBe(false);
      // Nothing was begun after it. A launch that was begun before ends later by as much as it takes.
      const journal = journalOf(folder);
      const { at, active } = journal.at(-1) as { readonly at: string; readonly active: number };
      const began = Date.parse(at) - active * 1000;
      const starts = journal
        .filter(({ event }) => event === 'started')
        .map((one) => Date.parse(String(one.at)));
      expect(starts.length).toBeGreaterThan(0);
      expect(Math.max(...starts) - began).toBeLessThan(BUDGET_MS);
    }));
});

describe('--budget', () => {
  const lasting = (...durations: readonly string[]): string =>
    JSON.stringify({
      seed: 1,
      budget: '12s',
      defaults: { inspections: 3, warmup: '100ms' },
      measure: durations.map((duration) => ({
        indicator: 'matmul',
        parameters: { size: 32, threads: 1 },
        duration,
      })),
    });

  it('leaves out what would end later, be it the first in turn, and goes on with what is short enough', () =>
    withFolder(async (out) => {
      const file = join(out, 'campaign.json');
      writeFileSync(file, lasting('10min', '200ms', '300ms'));
      const run = await piBench('run', file, '--quiet', '--json', '--out', join(out, 'results'));
      expect(run.code).toBe(2);
      const { batches, stoppedBy, status, campaign, accounting } = json(run.stdout);
      expect(batches.map(({ measured }) => measured)).toEqual([0, 3, 3]);
      expect({ stoppedBy, status }).toEqual({ stoppedBy: 'budget', status: 'incomplete' });
      // Resumed it has the same time, of which nothing is left that would do.
      const folder = campaignFolder(join(out, 'results'));
      const again = await piBench('resume', folder, '--quiet', '--json');
      expect(again.code).toBe(2);
      expect(json(again.stdout).campaign.id).toBe(campaign.id);
      // To find that out is no part of what the result took.
      expect(json(again.stdout).accounting?.wall).toBe(accounting?.wall);
      expect(journalOf(folder).filter(({ event }) => event === 'started')).toHaveLength(6);
    }));
});

describe('the time limit of a launch', () => {
  it('keeps what was measured until then', () =>
    withFolder(async (out) => {
      const run = await piBench(
        ...['matmul', '--size', '256', '--threads', '1', '--warmup', '5'],
        ...['--reps', '1000000', '--inspections', '1', '--timeout', '2500ms', '--out', out],
      );
      const folder = campaignFolder(out);
      const launch = readRecordFile(folder).batches[0]?.inspections[0];
      expect(launch?.status).toBe('timed-out');
      expect(launch?.reason).toMatch(/reached its limit of 2\.500 s/);
      // The limit counts the start, too: a slow one leaves few repetitions.
      const kept = readSamples(folder, 0).seconds.length;
      expect(kept).toBeGreaterThan(0);
      expect(launch?.statistics?.n).toBe(kept);
      expect(run.code).toBe(2);
    }));
});
