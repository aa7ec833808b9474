/** What of a campaign is still to be launched, and what that is held to. */
import { beforeEach, describe, expect, it } from 'vitest';
import { rounds } from '../../src/campaign/plan.js';
import type { InspectionDocument } from '../../src/record/schema.js';
import type { Journal, JournalEntry } from '../../src/store/journal.js';
import type * as reading from '../../src/store/read-inspection.js';
import { ceilingsOf, matmulCase } from '../support/batch.js';
import { campaignOf, specOf } from '../support/campaign.js';
import { withModule } from '../support/mocked.js';

const at = '2026-01-02T03:04:05.000Z';
const SECONDS = 1e-3;

/** By the file's name. */
const documents = new Map<string, InspectionDocument>();
const readInspection: typeof reading.readInspection = (_, file) => {
  const document = documents.get(file);
  if (document === undefined) return null;
  const seconds = new Float64Array(20).fill(SECONDS * (1 + document.index / 1e6));
  const samples = { seconds, entries: new Float64Array(20), disturbed: null };
  return { document, text: '', file, samples };
};
const { batchesSoFar } = await withModule(
  'src/store/read-inspection.ts',
  { readInspection },
  () => import('../../src/cli/where-it-stands.js'),
);

beforeEach(() => documents.clear());

const LAUNCHES = 2;
const batchOn = (provider: string) =>
  specOf({
    case: matmulCase({ transpose: 'NN', batch: 1, prepack: false, pin: false }),
    stack: { provider, variant: null },
    inspections: LAUNCHES,
  });
const campaign = campaignOf([batchOn('openblas'), batchOn('blis')]);

/** Of a plan that nothing decides on the way. */
const batchOfEach = [...rounds(campaign, (_, launch) => launch < LAUNCHES)].map(({ batch }) => batch);
const indicesOf = (batch: number): readonly number[] =>
  batchOfEach.flatMap((one, index) => (one === batch ? [index] : []));

function leave(index: number, of = campaign, provider = 'openblas'): void {
  documents.set(`inspections/${index}.json`, {
    campaign: of.id,
    index,
    attempt: 1,
    ended: 'complete',
    case: of.batches[0]?.case,
    stack: { provider, variant: null, threadBinding: 'all', sha256: 'a', version: '1' },
    ceilings: ceilingsOf(4e9, null),
    warmup: { calls: 1 },
    wall: 20 * SECONDS,
    spans: [],
    verification: null,
  } as unknown as InspectionDocument);
}

const started = (index: number): JournalEntry => ({ event: 'started', index, attempt: 1, at });
const ended = (index: number, status = 'measured'): JournalEntry => ({
  event: 'ended',
  index,
  attempt: 1,
  status,
  reason: null,
  wall: 1,
  at,
});
const launched = (...indices: readonly number[]): JournalEntry[] =>
  indices.flatMap((index) => {
    leave(index);
    return [started(index), ended(index)];
  });

const standing = (entries: readonly JournalEntry[], of = campaign, environment = {}) => {
  const head = { event: 'campaign', campaign: of, environment, at };
  const journal = { head, entries: [head, ...entries] } as unknown as Journal;
  return batchesSoFar('/nowhere', journal);
};
const toComeOf = (...asked: Parameters<typeof standing>) => standing(...asked).map(({ toCome }) => toCome);
const firstOf = (...asked: Parameters<typeof standing>) =>
  standing(...asked).map(({ first }) => first?.index ?? null);

describe('what is left to launch', () => {
  it('is all of a campaign that measured nothing, which is held to nothing', () => {
    expect(standing([])).toMatchObject([
      { toCome: LAUNCHES, first: null, environment: null },
      { toCome: LAUNCHES, first: null, environment: null },
    ]);
  });

  it('is nothing of a batch that is done beside one that is not', () => {
    const [done, begun] = [indicesOf(0), indicesOf(1)];
    const entries = launched(...done, begun[0] ?? 0);
    expect(toComeOf(entries)).toEqual([0, 1]);
    expect(firstOf(entries)).toEqual([done[0], begun[0]]);
  });

  it('is nothing where all was measured, also where the campaign was killed while it was analysed', () => {
    expect(toComeOf(launched(0, 1, 2, 3))).toEqual([0, 0]);
  });

  it('is none of what a worker had written before the kill', () => {
    const [first = 0, second = 0] = indicesOf(1);
    leave(second);
    const entries = [...launched(...indicesOf(0), first), started(second)];
    expect(toComeOf(entries)).toEqual([0, 0]);
  });

  it('is what can no longer be read, and what is held to is then the next one', () => {
    const [first = 0, second = 0] = indicesOf(0);
    const entries = launched(0, 1, 2, 3);
    documents.delete(`inspections/${first}.json`);
    expect(toComeOf(entries)).toEqual([1, 0]);
    expect(firstOf(entries)[0]).toBe(second);
  });

  it('is held to no launch that left nothing', () => {
    const [first = 0] = indicesOf(0);
    const entries = [started(first), ended(first, 'crashed')];
    expect(standing(entries)[0]).toMatchObject({ toCome: LAUNCHES - 1, first: null });
  });

  it('is what a precision still takes', () => {
    const precise = campaignOf([
      {
        ...batchOn('openblas'),
        precision: 0.01,
        inspections: 30,
        sampling: { kind: 'budget', seconds: 1, least: 20, most: 1000 },
      },
    ]);
    const firsts = (count: number) => launched(...Array.from({ length: count }, (_, index) => index));
    expect(toComeOf(firsts(5), precise)[0]).toBeGreaterThan(0);
    expect(toComeOf(firsts(8), precise)).toEqual([0]);
  });

  it('is nothing where what is left of a budget is too short for any launch', () => {
    const stopped = (active: number): JournalEntry => ({
      event: 'stopped',
      active,
      status: 'incomplete',
      at,
    });
    const limited = { ...campaign, budget: 10 };
    // Each took a second.
    expect(toComeOf([...launched(0), stopped(9.5)], limited)).toEqual([0, 0]);
    expect(toComeOf([...launched(0), stopped(8.5)], limited).reduce((sum, one) => sum + one)).toBe(3);
    expect(toComeOf([...launched(0), stopped(9.5)]).reduce((sum, one) => sum + one)).toBe(3);
  });

  it('is not less for the time that passed since a kill, in which nobody worked', () => {
    leave(1);
    expect(
      toComeOf([...launched(0), started(1)], { ...campaign, budget: 10 }).reduce((sum, one) => sum + one),
    ).toBe(2);
  });
});

it('knows what was around the first launch of each batch: of who began the campaign, or of who resumed it', () => {
  const [then, since] = [{ MALLOC_ARENA_MAX: '1' }, { MALLOC_ARENA_MAX: '7' }];
  const resumed: JournalEntry = { event: 'resumed', environment: since, at };
  const [first = 0, second = 0] = indicesOf(0);
  const entries = [...launched(first), resumed, ...launched(second, ...indicesOf(1))];
  expect(standing(entries, campaign, then).map(({ environment }) => environment)).toEqual([then, since]);
});
