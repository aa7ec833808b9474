/** What a campaign tells of a signal that comes when nothing of it is left to stop. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { beginCampaign } from '../../src/cli/begin-campaign.js';
import { runCampaign } from '../../src/cli/run-campaign.js';
import { readJournal } from '../../src/store/journal.js';
import { JOURNAL } from '../../src/store/store.js';
import { machineOf } from '../support/machine.js';
import { withFolder } from '../support/pi-bench.js';

const OPTIONS = { quiet: true, wait: false, strict: false, resumed: null };

/** Of a campaign that launches nothing, and so takes no machine. */
async function ranIn(folder: string, whileWriting: () => void) {
  const start = beginCampaign(
    {
      id: 'campaign',
      createdAt: '2026-01-02T03:04:05.000Z',
      command: ['qualify'],
      seed: 1,
      batches: [],
      fault: null,
    },
    folder,
    machineOf(),
  );
  const { store } = start;
  const writeRecord: typeof store.writeRecord = (record) => {
    whileWriting();
    return store.writeRecord(record);
  };
  const end = await runCampaign({ ...start, store: { ...store, writeRecord } }, OPTIONS);
  const { entries } = readJournal(join(folder, 'campaign', JOURNAL));
  return { end, last: entries.slice(-2).map(({ event }) => event) };
}

/** To the campaign alone: others here listen, too. */
function interrupt(): void {
  process.listeners('SIGINT').at(-1)?.('SIGINT');
}

describe('a campaign', () => {
  it('that a signal finds with nothing left to measure is complete, and tells of it whoever would go on', () =>
    withFolder(async (folder) => {
      const { end, last } = await ranIn(folder, interrupt);
      expect(end).toMatchObject({ exitCode: 0, signalled: null, came: 130 });
      expect(end.record.status).toBe('complete');
      expect(last).toEqual(['interrupted', 'stopped']);
    }));

  it('to which none came tells of none', () =>
    withFolder(async (folder) => {
      const { end, last } = await ranIn(folder, () => {});
      expect(end).toMatchObject({ exitCode: 0, signalled: null, came: null });
      expect(last).not.toContain('interrupted');
    }));
});
