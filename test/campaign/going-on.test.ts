/** What of a campaign counts as done when it goes on, and what becomes of it where some of it has to be made again. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Conductor, conduct } from '../../src/campaign/conduct.js';
import { doneSoFar } from '../../src/campaign/progress-of-journal.js';
import type { InspectionEnd } from '../../src/record/inspection-end.js';
import type { JournalEntry } from '../../src/store/journal.js';
import { campaignOf, specOf } from '../support/campaign.js';

const at = '2026-01-01T00:00:00.000Z';
const ended = (index: number): JournalEntry => ({
  event: 'ended',
  index,
  attempt: 1,
  status: 'measured',
  reason: null,
  wall: 2,
  at,
});

describe('a journal', () => {
  it('does not call done what is gone, and counts its time as lost', () => {
    const complete: JournalEntry = { event: 'stopped', active: 4, status: 'complete', at };
    const gone: JournalEntry = { event: 'gone', index: 0, attempt: 1, reason: 'no file', at };
    expect(doneSoFar([ended(0), ended(1), complete])).toMatchObject({ complete: true, lost: { seconds: 0 } });
    const after = doneSoFar([ended(0), ended(1), complete, gone]);
    expect([...after.ends.keys()]).toEqual([1]);
    expect(after).toMatchObject({ complete: false, lost: { seconds: 2, unended: 0 } });
    expect([...doneSoFar([ended(0), gone, { ...ended(0), attempt: 2 }]).ends.values()]).toMatchObject([
      { index: 0, attempt: 2 },
    ]);
  });
});

describe('a journal of launches at once', () => {
  const begun = (index: number, attempt: number): JournalEntry => ({ event: 'started', index, attempt, at });
  it('does not call an earlier attempt done that was begun again', () => {
    const interrupted = (index: number, attempt: number): JournalEntry => ({
      ...(ended(index) as Extract<JournalEntry, { event: 'ended' }>),
      ...{ attempt, status: 'interrupted' },
    });
    const first = [begun(0, 1), begun(1, 1), ended(0), interrupted(1, 1)];
    const again = [
      begun(0, 2),
      begun(1, 2),
      { ...ended(1), attempt: 2 },
      interrupted(0, 2),
    ] as JournalEntry[];
    expect([...doneSoFar([...first, ...again]).ends.keys()]).toEqual([1]);
    expect(doneSoFar([...first, ...again]).lost).toEqual({ seconds: 6, unended: 0 });
  });
});

describe('a campaign that was killed', () => {
  const later = (seconds: number): string => new Date(Date.parse(at) + seconds * 1000).toISOString();
  it('has not worked while it waited for the machine', () => {
    const campaign = { event: 'campaign', at } as unknown as JournalEntry;
    const begun: JournalEntry = { event: 'started', index: 0, attempt: 1, at: later(1800) };
    const entries = [campaign, begun, { ...ended(0), at: later(1810) } as JournalEntry];
    expect(doneSoFar(entries).active).toBe(10);
    const resumed = { event: 'resumed', at: later(5000) } as unknown as JournalEntry;
    expect(doneSoFar([...entries, resumed]).active).toBe(10);
  });

  it('has worked on launches, too, that came to their end as nobody noted it any more: on those at once only once', () => {
    const begun = (index: number): JournalEntry => ({ event: 'started', index, attempt: 1, at });
    const resumed: JournalEntry = { event: 'resumed', at: later(5000) };
    const noted = (index: number): JournalEntry => ({ ...ended(index), at: later(5000) }) as JournalEntry;
    expect(doneSoFar([begun(0), resumed, noted(0)])).toMatchObject({ active: 2, lost: { unended: 0 } });
    expect(doneSoFar([begun(0), begun(1), resumed, noted(0), noted(1)]).active).toBe(2);
    expect(doneSoFar([begun(0), resumed]).active).toBe(0);
  });

  it('has not worked twice in the time up to its last line, which is counted already', () => {
    const begun = (index: number): JournalEntry => ({ event: 'started', index, attempt: 1, at });
    const resumed: JournalEntry = { event: 'resumed', at: later(5000) };
    const noted = (index: number, wall: number, seconds: number): JournalEntry =>
      ({ ...ended(index), wall, at: later(seconds) }) as JournalEntry;
    const atOnce = [begun(0), begun(1), noted(0, 60, 60), resumed, noted(1, 61, 5000)];
    expect(doneSoFar(atOnce).active).toBe(61);
    const contended = { event: 'contended', by: 'x', at: later(50) } as JournalEntry;
    expect(doneSoFar([begun(0), contended, resumed, noted(0, 60, 5000)]).active).toBe(60);
  });

  it('has lost attempts that did not end, whether they were repeated or not, and none that did', () => {
    const begun = (index: number, attempt: number): JournalEntry => ({
      event: 'started',
      index,
      attempt,
      at,
    });
    const unended = (...entries: JournalEntry[]): number => doneSoFar(entries).lost.unended;
    const resumed: JournalEntry = { event: 'resumed', at };
    expect(unended(begun(0, 1), ended(0))).toBe(0);
    expect(unended(begun(0, 1), ended(0), begun(1, 1), resumed)).toBe(1);
    expect(unended(begun(0, 1), resumed, begun(0, 2), resumed)).toBe(2);
    const again = { ...ended(0), attempt: 2 } as JournalEntry;
    expect(unended(begun(0, 1), resumed, begun(0, 2), again)).toBe(1);
    // Its document was there: the end was noted later.
    expect(unended(begun(0, 1), resumed, ended(0))).toBe(0);
  });
});

describe('the time that a campaign that was killed has worked', () => {
  const HOUR = 3600;
  const lines = fc.array(
    fc.record({
      // Whole seconds, and how far somebody sets the clock before the line is written.
      passed: fc.integer({ min: 0, max: 1000 }),
      step: fc.oneof(fc.constant(0), fc.integer({ min: -24 * HOUR, max: 24 * HOUR })),
      event: fc.constantFrom('started', 'ended', 'contended', 'interrupted', 'resumed', 'stopped'),
    }),
    { maxLength: 20 },
  );
  type Line = { readonly passed: number; readonly step: number; readonly event: string };

  /** As a process after the other writes them, each with a clock that begins anew where the machine is booted between them. */
  function journalOf(all: readonly Line[], monotonic: boolean, steps: boolean): readonly JournalEntry[] {
    let wall = Date.parse(at) / 1000;
    let clock = 5;
    return [{ event: 'campaign', passed: 0, step: 0 }, ...all].map((line, index) => {
      wall += line.passed + (steps ? line.step : 0);
      clock = line.event === 'resumed' && index % 2 === 0 ? 1 : clock + line.passed;
      return {
        ...{ event: line.event, index, attempt: 1, status: 'measured', reason: null, wall: 0, active: 7 },
        at: new Date(wall * 1000).toISOString(),
        ...(monotonic ? { monotonic: clock } : {}),
      } as unknown as JournalEntry;
    });
  }

  it('is the same wherever the clock was set meanwhile, forwards or back', () => {
    fc.assert(
      fc.property(lines, (all) => {
        const { active } = doneSoFar(journalOf(all, true, true));
        expect(active).toBe(doneSoFar(journalOf(all, true, false)).active);
        expect(active).toBe(doneSoFar(journalOf(all, false, false)).active);
      }),
    );
  });

  it('is never less than none, also in a journal that has the wall clock alone', () => {
    fc.assert(
      fc.property(lines, (all) => {
        expect(doneSoFar(journalOf(all, false, true)).active).toBeGreaterThanOrEqual(0);
      }),
    );
    const [head, begun, contended] = journalOf(
      [
        { event: 'started', passed: 1, step: 0 },
        { event: 'contended', passed: 5, step: -HOUR },
      ],
      true,
      true,
    ) as [JournalEntry, JournalEntry, JournalEntry];
    expect(doneSoFar([head, begun, contended]).active).toBe(5);
  });
});

describe('a campaign whose time is over', () => {
  it('keeps what was measured behind a launch that is missing, and launches nothing', async () => {
    const before = new Map(
      [0, 2].map((index): [number, InspectionEnd] => [
        index,
        { index, attempt: 1, status: 'measured', reason: null, wall: 1 },
      ]),
    );
    const conductor = {
      campaign: campaignOf([specOf({ inspections: 3, warmup: { kind: 'count', count: 1 } })]),
      signal: new AbortController().signal,
      deadline: 0,
    } as unknown as Conductor;
    const { ends, stoppedBy } = await conduct(conductor, before, new Map());
    expect(ends.map(({ index }) => index)).toEqual([0, 2]);
    expect(stoppedBy).toBe('budget');
  });
});
