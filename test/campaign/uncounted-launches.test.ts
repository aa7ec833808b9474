/** Launches that no record will count decide nothing on the way, and are no reason to go on for ever. */
import { describe, expect, it } from 'vitest';
import { conduct } from '../../src/campaign/conduct.js';
import type { Engine } from '../../src/execution/engine.js';
import type { ReadInspection } from '../../src/record/analyse-inspection.js';
import type { BatchSpec, InspectionStatus } from '../../src/record/schema.js';
import type { Store } from '../../src/store/store.js';
import { ceilingsOf, matmulCase } from '../support/batch.js';
import { campaignOf, specOf } from '../support/campaign.js';

/** 2e6 operations in a millisecond: 2 GFLOP/s. */
const SECONDS = 1e-3;

interface Ran {
  /** Of the threads of the case. */
  readonly peak: number;
  readonly build: string;
  /** Absent: to its end. */
  readonly status?: InspectionStatus;
  /** That left the document; absent: this one. */
  readonly attempt?: number;
}

const RIGHT: Ran = { peak: 4e9, build: 'a' };

/** What a launch on a library left. */
const documentOf = (index: number, { peak, build, attempt = 1 }: Ran): ReadInspection =>
  ({
    document: {
      attempt,
      case: matmulCase(),
      stack: { provider: 'openblas', threadBinding: 'all', sha256: build, version: '1' },
      ceilings: ceilingsOf(peak, null),
      warmup: { calls: 1 },
      wall: 20 * SECONDS,
      spans: [],
    },
    text: '',
    file: `${index}.json`,
    samples: { seconds: new Float64Array(20).fill(SECONDS * (1 + index / 1e6)), disturbed: null },
  }) as unknown as ReadInspection;

/** How many launches there were of a batch each. */
async function launchesOf(batches: readonly BatchSpec[], ran: (batch: number, launch: number) => Ran) {
  const launched = batches.map(() => 0);
  const documents = new Map<number, ReadInspection>();
  const engine: Engine = {
    name: 'test',
    launch({ index, timeout }) {
      // Each batch has a time limit of its own, by which it is known.
      const batch = batches.findIndex((one) => one.timeout === timeout);
      const launch = launched[batch] ?? 0;
      launched[batch] = launch + 1;
      const one = ran(batch, launch);
      documents.set(index, documentOf(index, one));
      return Promise.resolve({ status: one.status ?? 'measured', reason: null, wall: 1, path: null });
    },
  };
  const store = {
    append: () => {},
    documentWritten: () => {},
    inspectionFolders: () => ['/nowhere'],
    readInspection: (index: number) => documents.get(index) ?? null,
  } as unknown as Store;
  await conduct(
    {
      campaign: campaignOf(batches),
      store,
      engine,
      cores: { allowed: [0, 1], siblings: (cpu) => [cpu], kinds: [], nodes: [] },
      cpusOf: () => null,
      onlineCpus: 2,
      onProgress: () => {},
      onEnd: () => {},
      signal: new AbortController().signal,
      deadline: Number.POSITIVE_INFINITY,
    },
    new Map(),
    new Map(),
  );
  return launched;
}

const batchOf = (more: Partial<BatchSpec>): BatchSpec =>
  specOf({
    case: matmulCase({ transpose: 'NN', batch: 1, prepack: false, pin: false }),
    inspections: 30,
    sampling: { kind: 'budget', seconds: 1, least: 20, most: 1000 },
    ...more,
  });

describe('a precision', () => {
  const precise = batchOf({ precision: 0.01 });

  it('is reached by launches that a record counts, 8 at the least', async () => {
    expect(await launchesOf([precise], () => RIGHT)).toEqual([8]);
  });

  it('is given up after three launches above the peak of their threads, however well they agree', async () => {
    expect(await launchesOf([precise], () => ({ ...RIGHT, peak: 1e9 }))).toEqual([3]);
  });

  it('does not count those, where others are right', async () => {
    const above = (launch: number): Ran => ({ ...RIGHT, peak: launch % 2 === 0 ? 1e9 : 4e9 });
    expect(await launchesOf([precise], (_, launch) => above(launch))).toEqual([16]);
  });

  it('is given up where another build came, of which the first says nothing', async () => {
    expect(await launchesOf([precise], (_, launch) => ({ ...RIGHT, build: launch < 4 ? 'a' : 'b' }))).toEqual(
      [7],
    );
  });

  it('is held to the build of a launch that ran out of its time, as its record is', async () => {
    const first = { status: 'timed-out', build: 'a' } as const;
    const ran = (build: string) => (_: number, launch: number) =>
      launch === 0 ? { ...RIGHT, ...first } : { ...RIGHT, build };
    expect(await launchesOf([precise], ran('a'))).toEqual([9]);
    expect(await launchesOf([precise], ran('b'))).toEqual([3]);
  });

  it('is not held to what an earlier attempt left of a launch that was lost', async () => {
    const lost = { status: 'crashed', build: 'a', attempt: 7 } as const;
    expect(
      await launchesOf([precise], (_, launch) => ({ ...RIGHT, build: 'b', ...(launch === 0 ? lost : {}) })),
    ).toEqual([9]);
  });
});

describe('a comparison that is to be settled', () => {
  it('is given up where one side never keeps to its threads', async () => {
    const sides = [1, 2].map((timeout) => batchOf({ settle: 0.02, timeout, inspections: 112 }));
    const launched = await launchesOf(sides, (batch) => ({ ...RIGHT, peak: batch === 0 ? 4e9 : 1e9 }));
    expect(launched[1]).toBe(3);
    expect(launched[0]).toBeLessThan(10);
  });
});
