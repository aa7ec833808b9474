/** From when until when a campaign has the machine for itself, and what it does then. */
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { beforeEach, expect, it, vi } from 'vitest';
import type * as analysis from '../../src/cli/analyse-campaign.js';
import { beginCampaign } from '../../src/cli/begin-campaign.js';
import type { Engine } from '../../src/execution/engine.js';
import type * as locks from '../../src/execution/machine-lock.js';
import { readJournal } from '../../src/store/journal.js';
import { JOURNAL } from '../../src/store/store.js';
import { matmulCase } from '../support/batch.js';
import { campaignOf, specOf } from '../support/campaign.js';
import { machineOf } from '../support/machine.js';
import { withModule } from '../support/mocked.js';
import { withFolder } from '../support/pi-bench.js';

const WAITED_MS = 30;

/** What happened, in order. */
const log: string[] = [];

/** Whom the holder of the lock is told of, once it has it. */
let visit: (by: string) => void = () => {};

const lockMachine: typeof locks.lockMachine = async (_, onWait, onContended) => {
  onWait('campaign other');
  await setTimeout(WAITED_MS);
  log.push('ours');
  visit = onContended;
  return { release: () => log.push('released') };
};
const analyseCampaign: typeof analysis.analyseCampaign = async (...asked) => {
  log.push('analysed');
  visit('campaign late');
  return (await import('../../src/cli/analyse-campaign.js')).analyseCampaign(...asked);
};

const { runCampaign } = await withModule('src/execution/machine-lock.ts', { lockMachine }, () =>
  withModule(
    'src/cli/analyse-campaign.ts',
    { analyseCampaign },
    () => import('../../src/cli/run-campaign.js'),
  ),
);

const engine: Engine = {
  name: 'none',
  launch: async () => {
    log.push('launched');
    return { status: 'failed', reason: 'there is nothing to measure', path: null, wall: 0 };
  },
};

const batch = specOf({
  case: matmulCase({ transpose: 'NN', batch: 1, prepack: false, pin: false, threads: 1 }),
});

async function run(folder: string, onMachine: (waited: number) => Promise<void>, batches = [batch]) {
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    return await runCampaign(beginCampaign(campaignOf(batches), folder, machineOf()), {
      quiet: true,
      wait: true,
      strict: false,
      engine,
      onMachine,
    });
  } finally {
    write.mockRestore();
  }
}

beforeEach(() => {
  log.length = 0;
});

it('until its record is made: who waits for it would begin beside the threads that analyse', () =>
  withFolder(async (folder) => {
    const { path } = await run(folder, async () => {});
    expect(log).toEqual(['ours', 'launched', 'analysed', 'released']);
    // Who came then has measured beside nothing of it.
    const { entries } = readJournal(join(dirname(path), JOURNAL));
    expect(entries.map(({ event }) => event)).toEqual(['campaign', 'started', 'ended', 'stopped']);
  }));

it('tells when it has it, before it launches anything, and how long it waited', () =>
  withFolder(async (folder) => {
    const told: number[] = [];
    const { waited } = await run(folder, async (seconds) => {
      told.push(seconds);
      log.push('told');
    });
    expect(log).toEqual(['ours', 'told', 'launched', 'analysed', 'released']);
    expect(told).toEqual([waited]);
    expect(waited * 1000).toBeGreaterThan(WAITED_MS / 2);
  }));

it('is not told of a machine where it has nothing to launch', () =>
  withFolder(async (folder) => {
    const told = vi.fn<() => Promise<void>>();
    await run(folder, told, []);
    expect(told).not.toHaveBeenCalled();
  }));
