/** What a campaign does of which nothing is left to measure: what it tells of a signal, and for whose machine it waits. */
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { beginCampaign } from '../../src/cli/begin-campaign.js';
import { runCampaign } from '../../src/cli/run-campaign.js';
import { UserError } from '../../src/errors.js';
import type { lockMachine, shareMachine } from '../../src/execution/machine-lock.js';
import { type JournalEntry, readJournal } from '../../src/store/journal.js';
import { JOURNAL } from '../../src/store/store.js';
import { matmulCase } from '../support/batch.js';
import { campaignOf, specOf } from '../support/campaign.js';
import { machineOf } from '../support/machine.js';
import { withModule } from '../support/mocked.js';
import { withFolder } from '../support/pi-bench.js';

const lock = vi.fn<typeof lockMachine>();
const share = vi.fn<typeof shareMachine>();
const locking = await withModule(
  'src/execution/machine-lock.ts',
  { lockMachine: lock, shareMachine: share },
  () => import('../../src/cli/run-campaign.js'),
);

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

describe('a campaign whose launches are all done, and whose record is to be made again', () => {
  const at = '2026-01-02T03:04:05.000Z';
  const DONE: readonly JournalEntry[] = [
    { event: 'started', index: 0, attempt: 1, at },
    { event: 'ended', index: 0, attempt: 1, status: 'crashed', reason: 'it did', wall: 1, at },
    { event: 'stopped', active: 1, status: 'complete', at },
  ];

  beforeEach(() => {
    lock.mockReset();
    share.mockReset();
  });

  /** What it did, in order. */
  async function madeAgain(folder: string, did: string[], wait = true, done = DONE) {
    const batch = specOf({ case: matmulCase({ transpose: 'NN', batch: 1, prepack: false }) });
    const start = beginCampaign(campaignOf([batch]), folder, machineOf());
    const { store } = start;
    const writeRecord: typeof store.writeRecord = (record) => {
      did.push('written');
      return store.writeRecord(record);
    };
    const onMachine = async () => void did.push('to be launched');
    return locking.runCampaign(
      {
        ...start,
        journal: [...start.journal, ...done],
        lacksRecordOnly: true,
        store: { ...store, writeRecord },
      },
      { ...OPTIONS, resumed: folder, wait, onMachine },
    );
  }

  it('has the machine to itself until it is written: what analyses it would be beside what others measure', () =>
    withFolder(async (folder) => {
      const did: string[] = [];
      lock.mockImplementation(async () => {
        did.push('taken');
        return { release: () => void did.push('released') };
      });
      await madeAgain(folder, did);
      expect(did).toEqual(['taken', 'written', 'released']);
    }));

  it('is not flagged for whoever is there meanwhile', () =>
    withFolder(async (folder) => {
      lock.mockImplementation(async (_, _onWait, onContended) => {
        onContended('another campaign');
        return { release: () => {} };
      });
      expect((await madeAgain(folder, [])).record.contendedBy).toBeNull();
    }));

  it('is no less idle where it was killed before it could say that it had come to its end', () =>
    withFolder(async (folder) => {
      lock.mockImplementation(async (_, _onWait, onContended) => {
        onContended('another campaign');
        return { release: () => {} };
      });
      const did: string[] = [];
      const { record } = await madeAgain(folder, did, true, DONE.slice(0, -1));
      expect(record.contendedBy).toBeNull();
      expect(did).toEqual(['written']);
    }));

  it('launches nothing, also where launches were left out', () =>
    withFolder(async (folder) => {
      const did: string[] = [];
      lock.mockResolvedValue({ release: () => {} });
      const { record } = await madeAgain(folder, did, true, []);
      expect([record.stoppedBy, record.batches[0]?.inspections]).toEqual(['budget', []]);
      expect(did).toEqual(['written']);
    }));

  it('tells no other campaign that it measures beside it, where it does not wait', () =>
    withFolder(async (folder) => {
      const did: string[] = [];
      await madeAgain(folder, did, false);
      expect(did).toEqual(['written']);
      expect(share).not.toHaveBeenCalled();
      expect(lock).not.toHaveBeenCalled();
    }));

  it('is left as it is once it is told to stop while it waits: its analysis would be beside whom it waits for', () =>
    withFolder(async (folder) => {
      const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
      const listening = process.listenerCount('SIGINT');
      try {
        lock.mockImplementation(async (_, _onWait, _onContended, signal) => {
          interrupt();
          signal.throwIfAborted();
          return { release: () => {} };
        });
        const did: string[] = [];
        await expect(madeAgain(folder, did)).rejects.toEqual(
          new UserError(
            `stopped before its record was made, for which all is measured: pi-bench resume ${folder} makes it`,
            130,
          ),
        );
        expect(did).toEqual([]);
        expect(process.listenerCount('SIGINT')).toBe(listening);
      } finally {
        said.mockRestore();
      }
    }));
});
