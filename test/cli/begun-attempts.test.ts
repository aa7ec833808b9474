/** A qualification that goes on with what was measured again before it was killed: what of that counts. */
import { join } from 'node:path';
import { beforeEach, expect, it, vi } from 'vitest';
import { beginCampaign } from '../../src/cli/begin-campaign.js';
import { ATTEMPTS } from '../../src/cli/qualification/names.js';
import type { runCampaign } from '../../src/cli/run-campaign.js';
import type { BatchSpec } from '../../src/record/schema.js';
import { knownMachine, partsRecord, RATE, SECOND, smallSuite } from '../qualify/support.js';
import { ceilingsOf } from '../support/batch.js';
import { campaignOf, specOf } from '../support/campaign.js';
import { withModule } from '../support/mocked.js';
import { withFolder } from '../support/pi-bench.js';

const campaigns = vi.fn<typeof runCampaign>();
const { qualify } = await withModule(
  'src/cli/run-campaign.ts',
  { runCampaign: campaigns },
  () => import('../../src/cli/qualification/qualify.js'),
);

beforeEach(() => {
  campaigns.mockReset();
});

const specFor = (part: string): BatchSpec => specOf({ labels: { part } });
const PARTS = ['gemm', 'copy'];

/** Of what bounds it the part `gemm` reaches a tenth, whenever it is measured, and each other all but that. */
const reached = (part: string) => ({
  part,
  launches: [{ seconds: SECOND, ceilings: ceilingsOf(RATE / (part === 'gemm' ? 0.1 : 0.9), null) }],
});

/** @param again parts that were measured again before the kill, by the campaign's id */
async function resumed(folder: string, again: Readonly<Record<string, readonly string[]>>) {
  const begin = (id: string, parts: readonly string[], out: string) =>
    beginCampaign({ ...campaignOf(parts.map(specFor)), id }, out, knownMachine());
  const first = begin('first', PARTS, folder);
  const place = join(first.store.folder(), ATTEMPTS);
  campaigns.mockImplementation(async ({ campaign, store }) => ({
    record: partsRecord(
      campaign.batches.map(({ labels }) => reached(labels?.part ?? '')),
      campaign.id,
    ),
    path: join(store.folder(), 'record.json'),
    exitCode: 0,
    signalled: null,
    came: null,
    waited: 0,
  }));
  const { qualification } = await qualify(
    {
      suite: smallSuite('{ check: efficiency, atLeast: 0.5 }'),
      machine: knownMachine(),
      lookAround: async () => ({ busy: null, memoryErrors: null }),
      expected: {},
      baseline: null,
      history: [],
      out: folder,
      command: ['qualify'],
      began: 0,
      startedAt: '2026-01-02T03:04:05.000Z',
      budget: null,
      deadline: null,
      quiet: true,
      wait: false,
    },
    { first, again: Object.entries(again).map(([id, parts]) => begin(id, parts, place)) },
  );
  const attempts = qualification.attempts.map(({ campaign, parts }) => [campaign, parts]);
  return { attempts, notJudged: qualification.notJudged };
}

it('counts what measured all that does not hold, and says what it measured', () =>
  withFolder(async (folder) => {
    const { attempts, notJudged } = await resumed(folder, { second: PARTS });
    expect(attempts).toEqual([
      ['first', PARTS],
      ['second', PARTS],
    ]);
    expect(notJudged.join('\n')).not.toContain('does not count');
  }));

it('does not count what was begun for other checks, and says so: what does not hold now is measured again', () =>
  withFolder(async (folder) => {
    const { attempts, notJudged } = await resumed(folder, { other: ['copy'], second: ['gemm'] });
    expect(attempts).toEqual([
      ['first', PARTS],
      ['second', ['gemm']],
    ]);
    const text = 'attempts/other measured again what the checks do not ask for now, and does not count';
    expect(notJudged).toContain(text);
    const alone = await resumed(join(folder, 'alone'), { other: ['copy'] });
    expect(alone.attempts).toEqual([
      ['first', PARTS],
      [expect.stringContaining('-again'), ['gemm']],
    ]);
    expect(alone.notJudged).toContain(text);
  }));

it('does not count what would be a third of two that tell', () =>
  withFolder(async (folder) => {
    const { attempts, notJudged } = await resumed(folder, { second: ['gemm'], third: ['gemm'] });
    expect(attempts).toHaveLength(2);
    expect(notJudged.join('\n')).toMatch(/attempts\/third measured again what/);
  }));
