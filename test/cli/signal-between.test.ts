/** What goes on after a campaign to whose end a signal came when nothing of it was left to stop: nothing. */
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { runCampaign } from '../../src/cli/run-campaign.js';
import type { PiBenchRecord } from '../../src/record/schema.js';
import { knownMachine, partsRecord, RATE, SECOND, smallSuite } from '../qualify/support.js';
import { ceilingsOf } from '../support/batch.js';
import { withModule } from '../support/mocked.js';
import { withFolder } from '../support/pi-bench.js';

const campaigns = vi.fn<typeof runCampaign>();
const { qualify, selfTest, testQualification } = await withModule(
  'src/cli/run-campaign.ts',
  { runCampaign: campaigns },
  async () => ({
    ...(await import('../../src/cli/qualification/qualify.js')),
    ...(await import('../../src/cli/self-test.js')),
    ...(await import('../../src/cli/qualification/self-test.js')),
  }),
);

const INTERRUPTED = 130;

/** Each campaign comes to this record, and the signal after it. */
function endsWith(record: PiBenchRecord, folder: string): void {
  const path = join(folder, 'record.json');
  const end = { record, path, exitCode: 0, signalled: null, came: INTERRUPTED, waited: 0 };
  campaigns.mockResolvedValue(end);
}

/** With a part that reaches so much of what bounds it. */
const reaching = (share: number): PiBenchRecord =>
  partsRecord([{ part: 'gemm', launches: [{ seconds: SECOND, ceilings: ceilingsOf(RATE / share, null) }] }]);

const qualified = (out: string) =>
  qualify({
    suite: smallSuite('{ check: efficiency, atLeast: 0.5 }'),
    machine: knownMachine(),
    lookAround: async () => ({ busy: null, memoryErrors: null }),
    expected: {},
    baseline: null,
    history: [],
    out,
    command: ['qualify'],
    began: 0,
    startedAt: '2026-01-02T03:04:05.000Z',
    budget: null,
    deadline: null,
    quiet: true,
    wait: false,
  });

beforeEach(() => {
  campaigns.mockReset();
});

describe('after a signal that came too late to stop a campaign', () => {
  it('a self-test ends without a result', () =>
    withFolder(async (folder) => {
      endsWith(partsRecord([]), folder);
      const results: string[] = [];
      expect(await selfTest(knownMachine(), ({ what }) => results.push(what))).toBe(INTERRUPTED);
      expect(results).toEqual([]);
      expect(campaigns).toHaveBeenCalledOnce();
    }));

  it('that of a qualification does so, too', () =>
    withFolder(async (folder) => {
      endsWith(reaching(0.9), folder);
      const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
      try {
        expect(await testQualification()).toBe(INTERRUPTED);
        expect(write).not.toHaveBeenCalled();
      } finally {
        write.mockRestore();
      }
      expect(campaigns).toHaveBeenCalledOnce();
    }));

  it('a qualification measures nothing again, and says why', () =>
    withFolder(async (folder) => {
      endsWith(reaching(0.1), folder);
      const { signalled, qualification } = await qualified(folder);
      expect(signalled).toBe(INTERRUPTED);
      expect(campaigns).toHaveBeenCalledOnce();
      expect(qualification.checks[0]?.reason).toMatch(/^not measured again, as it was interrupted/);
    }));

  it('a qualification of which nothing is left to measure has its verdict', () =>
    withFolder(async (folder) => {
      endsWith(reaching(0.9), folder);
      const { signalled, qualification } = await qualified(folder);
      expect([signalled, qualification.outcome]).toEqual([null, 'qualified']);
    }));
});
