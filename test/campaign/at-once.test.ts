import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeGate, measuredAtOnce } from '../../src/campaign/at-once.js';
import { conduct } from '../../src/campaign/conduct.js';
import { rounds } from '../../src/campaign/plan.js';
import type { Engine, LaunchHooks } from '../../src/execution/engine.js';
import { groupsOf, overlapOf, shareOfAlone } from '../../src/record/at-once.js';
import type { InspectionEnd } from '../../src/record/inspection-end.js';
import type { BatchSpec } from '../../src/record/schema.js';
import type { JournalEntry } from '../../src/store/journal.js';
import type { Store } from '../../src/store/store.js';
import { matmulCase } from '../support/batch.js';
import { campaignOf, specOf } from '../support/campaign.js';
import { withModule } from '../support/mocked.js';
import { recordBatch } from '../support/records.js';

const batchOf = (device: string, more: Partial<BatchSpec> = {}): BatchSpec =>
  specOf({
    case: matmulCase({ transpose: 'NN', batch: 1, prepack: false, pin: false, threads: 1 }),
    device,
    inspections: 2,
    ...more,
  });
const peer = (device: string, other: string): BatchSpec =>
  batchOf(device, { case: { indicator: 'memory', parameters: { operation: 'peer', peer: other } } });

describe('what is measured at once', () => {
  it('is all that differs in nothing but where it runs, and nothing that was not asked for', () => {
    const all = [batchOf('cpu:0'), batchOf('cpu:1'), batchOf('cpu:0', { labels: { part: 'x' } })];
    expect(groupsOf(all)).toEqual([[0], [1], [2]]);
    expect(groupsOf(all.map((one) => ({ ...one, atOnce: true })))).toEqual([[0, 1], [0, 1], [2]]);
  });

  it('has a share of its rate alone, and none where there is no rate, as of what does no work', () => {
    const share = (more: { idle?: true }) => {
      const [alone, beside] = [{ launches: [1] }, { launches: [2], atOnce: true as const }].map((one) =>
        recordBatch({ ...one, ...more }),
      );
      return alone === undefined || beside === undefined ? null : shareOfAlone(beside, [alone, beside]);
    };
    expect(share({})).toBeCloseTo(0.5, 9);
    expect(share({ idle: true })).toBeNull();
  });

  it('is compared with what was sampled in the same way, and with nothing else', () => {
    const withRepetitions = (seconds: number, repetitions: number, more: { atOnce?: true } = {}) => {
      const batch = recordBatch({ launches: [seconds], ...more });
      return { ...batch, asked: { ...batch.asked, sampling: { kind: 'fixed' as const, repetitions } } };
    };
    const beside = withRepetitions(4, 20, { atOnce: true });
    const [other, same] = [withRepetitions(3, 10), withRepetitions(2, 20)];
    expect(shareOfAlone(beside, [other, same, beside])).toBeCloseTo(0.5, 9);
    expect(shareOfAlone(beside, [other, beside])).toBeNull();
  });

  it('is compared with nothing of which no launch ran to its end', () => {
    const cut = { seconds: 1, status: 'interrupted' } as const;
    const share = (alone: typeof cut | number, own: typeof cut | number) => {
      const beside = recordBatch({ launches: [own], atOnce: true });
      return shareOfAlone(beside, [recordBatch({ launches: [alone] }), beside]);
    };
    expect([share(1, 1), share(cut, 1), share(1, cut)]).toEqual([1, null, null]);
  });

  it('is of copies between GPUs the one there and the one back', () => {
    const all = ['0', '1', '2'].flatMap((from) =>
      ['0', '1', '2'].flatMap((to) => (from === to ? [] : [peer(`cuda:${from}`, `cuda:${to}`)])),
    );
    const groups = new Set(groupsOf(measuredAtOnce(all, 'only')).map((group) => group.join()));
    expect([...groups]).toEqual(['0,2', '1,4', '3,5']);
  });

  it('comes beside each alone where that is wanted, and leaves alone what has no other', () => {
    const two = [batchOf('cpu:0'), batchOf('cpu:1')];
    const marks = (all: readonly BatchSpec[]) => all.map(({ device, atOnce }) => [device, atOnce === true]);
    expect(marks(measuredAtOnce(two, undefined))).toEqual([
      ['cpu:0', false],
      ['cpu:1', false],
    ]);
    expect(marks(measuredAtOnce(two, 'only'))).toEqual([
      ['cpu:0', true],
      ['cpu:1', true],
    ]);
    expect(marks(measuredAtOnce(two, 'beside'))).toEqual([
      ['cpu:0', false],
      ['cpu:1', false],
      ['cpu:0', true],
      ['cpu:1', true],
    ]);
    expect(marks(measuredAtOnce([batchOf('cpu:0')], 'beside'))).toEqual([['cpu:0', false]]);
  });

  it('follows each other in the plan, whatever the seed', () => {
    const batches = [...measuredAtOnce([batchOf('cpu:0'), batchOf('cpu:1'), batchOf('cpu:2')], 'beside')];
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const campaign = campaignOf(batches, seed);
        const order = [...rounds(campaign, (_, launch) => launch < 2)];
        expect(order.map(({ index }) => index)).toEqual(order.map((_, i) => i));
        for (const launch of [0, 1]) {
          const round = order.filter((one) => one.launch === launch).map(({ batch }) => batch);
          expect([...round].sort()).toEqual([0, 1, 2, 3, 4, 5]);
          const at = round.indexOf(3);
          expect(round.slice(at, at + 3)).toEqual([3, 4, 5]);
        }
      }),
    );
  });
});

describe('a record of thousands of batches', () => {
  it('is looked through once for what each has alone, not once for each', async () => {
    let texts = 0;
    const { withAtOnce } = await withModule(
      'src/record/digest.ts',
      {
        canonicalJson: (value: unknown) => {
          texts++;
          return JSON.stringify(value);
        },
      },
      () => import('../../src/record/at-once.js'),
    );
    const devices = Array.from({ length: 500 }, (_, cpu) => `cpu:${cpu}`);
    const asked = measuredAtOnce(
      devices.map((device) => batchOf(device)),
      'beside',
    );
    const [alone, beside] = [recordBatch({ launches: [1] }), recordBatch({ launches: [2], atOnce: true })];
    const batches = asked.map(({ device, atOnce }) => ({ ...(atOnce === true ? beside : alone), device }));
    const together = { atOnce: { of: devices.length, began: 0, ended: 1 } };
    const launches = asked.map(({ atOnce }) => (atOnce === true ? [{ document: together }] : []));
    const made = withAtOnce(batches as never, asked, launches as never);
    expect(made.filter(({ atOnce }) => atOnce?.ofAlone === 0.5)).toHaveLength(devices.length);
    expect(texts).toBeLessThan(5 * asked.length);
  });
});

describe('a gate', () => {
  it('opens when the last one has come, and not before', () => {
    const gate = makeGate(3);
    for (const member of [0, 1, 1, 0]) gate.arrived(member);
    expect(gate.opened.aborted).toBe(false);
    gate.arrived(2);
    expect(gate.opened.aborted).toBe(true);
  });
});

describe('the time in which all measured', () => {
  const window = (began: number, ended: number, of = 2) => ({ of, began, ended });
  it('is the share of its own that lies in all', () => {
    expect(overlapOf(window(0, 10), [window(0, 10), window(1, 11)])).toBeCloseTo(0.9);
    expect(overlapOf(window(0, 10), [window(0, 10), window(20, 30)])).toBe(0);
  });
  it('is none where one was lost, or nothing took time', () => {
    expect(overlapOf(window(0, 10), [window(0, 10), null])).toBe(0);
    expect(overlapOf(window(0, 10, 3), [window(0, 10, 3), window(0, 10, 3)])).toBe(0);
    expect(overlapOf(window(5, 5), [window(5, 5), window(5, 5)])).toBe(0);
  });
});

/** An engine that tells when each launch came to the gate and when it went through; `fails` never come there. */
function gatedEngine(fails: (index: number) => boolean, log: string[]): Engine {
  return {
    name: 'test',
    launch({ index, native, atOnce }, { onProgress, gate }: LaunchHooks) {
      return new Promise((resolve) => {
        const end = (status: 'measured' | 'crashed'): void =>
          resolve({ status, reason: status === 'measured' ? null : 'it went away', wall: 1, path: null });
        if (native.gate !== true) {
          log.push(`alone ${index}`);
          return end('measured');
        }
        expect(atOnce).toEqual({ of: 2 });
        setTimeout(
          () => {
            if (fails(index)) return end('crashed');
            log.push(`at ${index}`);
            gate?.addEventListener('abort', () => {
              log.push(`through ${index}`);
              end('measured');
            });
            onProgress('gate', 0);
          },
          5 * (index % 2),
        );
        return undefined;
      });
    },
  };
}

async function conducted(
  batches: readonly BatchSpec[],
  before: ReadonlyMap<number, InspectionEnd> = new Map(),
  fails: (index: number) => boolean = () => false,
) {
  const log: string[] = [];
  const journal: JournalEntry[] = [];
  const left: (number | null)[] = [];
  const store = {
    append: (entry: JournalEntry) => void journal.push(entry),
    documentWritten: () => {},
    inspectionFolders: () => ['/nowhere'],
    readInspection: () => null,
  } as unknown as Store;
  const { ends } = await conduct(
    {
      campaign: campaignOf(batches),
      store,
      engine: gatedEngine(fails, log),
      cores: { allowed: [0, 1], siblings: (cpu) => [cpu], kinds: [], nodes: [] },
      cpusOf: () => null,
      onlineCpus: 2,
      onProgress: () => {},
      onEnd: (_, secondsLeft) => void left.push(secondsLeft),
      signal: new AbortController().signal,
      deadline: Number.POSITIVE_INFINITY,
    },
    before,
    new Map([...before.keys()].map((index) => [index, 1])),
  );
  return { ends, log, journal, left };
}

describe('a campaign with launches at once', () => {
  const two = measuredAtOnce([batchOf('cpu:0'), batchOf('cpu:1')], 'only').map((one) => ({
    ...one,
    inspections: 1,
  }));
  const ended = (index: number): InspectionEnd => ({
    index,
    attempt: 1,
    status: 'measured',
    reason: null,
    wall: 1,
  });

  it('lets none begin before all are there', async () => {
    const { log, ends } = await conducted(two);
    expect(log).toEqual(['at 0', 'at 1', 'through 0', 'through 1']);
    expect(ends.map(({ index, status }) => [index, status])).toEqual([
      [0, 'measured'],
      [1, 'measured'],
    ]);
  });

  it('says after each launch how long the others take, by all that have ended', async () => {
    const alone = ['cpu:0', 'cpu:1'].map((device) => ({ ...batchOf(device), inspections: 2 }));
    const { left } = await conducted(alone);
    expect(left).toEqual([3, 2, 1, 0]);
  });

  it('does not wait for one that went away', async () => {
    const { log, ends } = await conducted(two, new Map(), (index) => index === 1);
    expect(log).toEqual(['at 0', 'through 0']);
    expect(ends.map(({ status }) => status)).toEqual(['measured', 'crashed']);
  });

  it('repeats all of them where one is missing after a kill, and none where all are there', async () => {
    const { log, journal } = await conducted(two, new Map([[0, ended(0)]]));
    expect(log).toHaveLength(4);
    expect(journal.filter(({ event }) => event === 'started')).toMatchObject([
      { index: 0, attempt: 2 },
      { index: 1, attempt: 1 },
    ]);
    expect(
      (
        await conducted(
          two,
          new Map([
            [0, ended(0)],
            [1, ended(1)],
          ]),
        )
      ).log,
    ).toEqual([]);
  });

  it('measures those that are asked for alone, alone', async () => {
    const { log } = await conducted(
      [batchOf('cpu:0'), batchOf('cpu:1')].map((one) => ({ ...one, inspections: 1 })),
    );
    expect([...log].sort()).toEqual(['alone 0', 'alone 1']);
  });
});
