/** A qualification that waits for another campaign: it is not judged by what that one did, and its budget is for measuring. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it, vi } from 'vitest';
import { type Asked, keptSurroundings } from '../../src/cli/qualification/asked.js';
import type { runCampaign } from '../../src/cli/run-campaign.js';
import { monotonic } from '../../src/inspection/job.js';
import { QUALIFY } from '../../src/store/store.js';
import { knownMachine, partsRecord, RATE, SECOND, smallSuite } from '../qualify/support.js';
import { ceilingsOf } from '../support/batch.js';
import { withModule } from '../support/mocked.js';
import { withFolder } from '../support/pi-bench.js';

const campaigns = vi.fn<typeof runCampaign>();
const { qualify } = await withModule(
  'src/cli/run-campaign.ts',
  { runCampaign: campaigns },
  () => import('../../src/cli/qualification/qualify.js'),
);

const BUDGET = 60;
const WAITED = 300;
const LONE = { corrected: 0, uncorrected: 0 };

const ASKED: Asked = {
  kind: 'pi-bench qualification',
  schemaVersion: 1,
  tier: 't2',
  suite: null,
  require: null,
  expect: null,
  baseline: null,
  budget: BUDGET,
  deadline: null,
  format: null,
  push: null,
  out: '',
  startedAt: '2026-01-02T03:04:05.000Z',
};

/** The other campaign is at work until the first has waited for it. */
let othersWork = true;

/** Each campaign reaches a tenth of what bounds it, which is measured again. @param waited by the first */
function campaignsWait(waited: number, folder: string): void {
  const end = {
    record: partsRecord([
      { part: 'gemm', launches: [{ seconds: SECOND, ceilings: ceilingsOf(RATE / 0.1, null) }] },
    ]),
    path: join(folder, 'record.json'),
    exitCode: 0,
    signalled: null,
    came: null,
  };
  campaigns.mockImplementation(async (_, { onMachine }) => {
    const first = othersWork;
    othersWork = false;
    await onMachine?.(first ? waited : 0);
    return { ...end, waited: first ? waited : 0 };
  });
}

const qualified = (out: string) =>
  qualify({
    suite: smallSuite('{ check: load }', '{ check: efficiency, atLeast: 0.5 }'),
    machine: knownMachine(),
    lookAround: async () => ({ busy: othersWork ? 0.9 : 0.01, memoryErrors: LONE }),
    expected: {},
    baseline: null,
    history: [],
    out,
    command: ['qualify'],
    began: monotonic() - WAITED - 1,
    startedAt: ASKED.startedAt,
    budget: BUDGET,
    deadline: null,
    quiet: true,
    wait: true,
    asked: ASKED,
  });

beforeEach(() => {
  othersWork = true;
  campaigns.mockReset();
});

it('looks around when that one is done, and keeps what it saw then', () =>
  withFolder(async (folder) => {
    campaignsWait(WAITED, folder);
    const { qualification, store } = await qualified(folder);
    expect(qualification.checks.find(({ kind }) => kind === 'load')?.verdict).toBe('pass');
    const kept = JSON.parse(readFileSync(join(store.folder(), QUALIFY), 'utf8')) as Asked;
    expect([kept.busy, kept.memoryErrors]).toEqual([0.01, LONE]);
  }));

it('has its whole budget left to measure again, and does not count the waiting as its time', () =>
  withFolder(async (folder) => {
    campaignsWait(WAITED, folder);
    const { qualification } = await qualified(folder);
    expect(qualification.attempts.length).toBeGreaterThan(1);
    expect(qualification.wall).toBeLessThan(BUDGET);
  }));

it('has none left where it worked for as long', () =>
  withFolder(async (folder) => {
    campaignsWait(0, folder);
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    try {
      const { qualification } = await qualified(folder);
      expect(qualification.attempts).toHaveLength(1);
      expect(String(write.mock.calls[0]?.[0])).toMatch(/no time to measure again what did not hold \(gemm\)/);
    } finally {
      write.mockRestore();
    }
  }));

it('is judged by what was kept, where all of its first launches are done', () => {
  const kept = { ...ASKED, busy: 0.01, memoryErrors: LONE };
  expect(keptSurroundings(kept, { complete: true })).toEqual({ busy: 0.01, memoryErrors: LONE });
  expect(keptSurroundings(kept, { complete: false })).toBeNull();
  expect(keptSurroundings(ASKED, { complete: true })).toBeNull();
});
