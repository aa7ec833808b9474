/** What the page of a record says of times: of those that nobody knows, and of shares beside the times that they are not made of. */
import { describe, expect, it } from 'vitest';
import { renderRecord } from '../../src/readers/terminal/record.js';
import { terminalStyle } from '../../src/readers/terminal/style.js';
import type { PiBenchRecord } from '../../src/record/schema.js';
import { batchOf } from '../support/batch.js';
import { recordOf } from '../support/records.js';

/** Unfolded. */
const page = (record: PiBenchRecord): string =>
  renderRecord(record, null, terminalStyle({ isTTY: false })).replace(/\s+/g, ' ');

const accounting = { wall: 4, measured: 1, share: 0.25, spans: [], lost: 0 };

describe('the time of a record', () => {
  const record = recordOf({ batches: [{ launches: [1e-3] }] });
  const lost = (status: PiBenchRecord['status'], unended: number): string =>
    page({ ...record, status, accounting: { ...accounting, unended } });

  it('names the launches that were lost with pi-bench, whose time is not in it', () => {
    const counted = page({ ...record, accounting });
    expect(counted).toContain('4.00 s, 25 % of it inside repetitions that count');
    expect(counted).not.toContain('not in it');
    expect(lost('interrupted', 1)).toMatch(
      /that count; not in it: 1 launch lost when pi-bench was killed(?!,)/,
    );
  });

  it('says that they were repeated only where the campaign is complete', () => {
    expect(lost('complete', 2)).toContain(
      'not in it: 2 launches lost when pi-bench was killed, and repeated since',
    );
    for (const status of ['incomplete', 'interrupted'] as const)
      expect(lost(status, 2)).not.toContain('repeated since');
  });
});

describe('the slowest twentieth', () => {
  const of = (repetitions: number): PiBenchRecord =>
    recordOf({ batches: [{ launches: [{ seconds: 1e-3, samples: Array(repetitions).fill(1e-3) }] }] });

  it('of few repetitions is said to lean on the slowest, and of enough nothing is', () => {
    expect(page(of(19))).toMatch(
      /slowest 5 % below \S+ GFLOP\/s: of a launch of 19 repetitions that leans on/,
    );
    expect(page(of(20))).not.toContain('leans on');
  });
});

describe('the violin', () => {
  it('leaves no gap where so few repetitions have none', () => {
    const record = recordOf({ batches: [{ launches: [{ seconds: 1e-3, samples: [1e-3] }] }] });
    const [batch] = record.batches;
    if (batch === undefined) throw new Error('no batch');
    const flat = {
      ...record,
      batches: [{ ...batch, violin: { grid: [1e-3], density: [1], scale: 'linear' } }],
    };
    expect(renderRecord(flat, null, terminalStyle({ isTTY: false }))).not.toMatch(/\n\n\n/);
  });
});

describe('the page of an overlap', () => {
  const parameters = {
    ...{ operation: 'all-reduce', bytes: 65536, dtype: 'float32', ranks: 2, threads: 1 },
    ...{ size: 128, pin: true },
  };
  const times = { compute: 3, communicate: 1, computeBeside: 3, communicateBeside: 2 };
  const ratios = { mostHidden: 0.9, gain: 1.25, computeSlowed: 1.1, communicateSlowed: 2.5 };
  const overlapOf = (overlap: Partial<typeof ratios & typeof times>): PiBenchRecord => ({
    ...recordOf({ batches: [] }),
    batches: [
      batchOf({ indicator: 'overlap', parameters }, [
        { seconds: 5, overlap: { ...times, hidden: 0.8, ...overlap } },
      ]),
    ],
  });

  it('has the ratios of the repetitions, and says that they are', () => {
    const text = page(overlapOf(ratios));
    expect(text).toContain('at most 90.0 % could');
    expect(text).toContain('gain 1.25x as fast at once as one after the other');
    expect(text).toContain('matmul takes 1.10x its time, the collective 2.50x');
    expect(text).toContain('medians of what each repetition says');
  });

  it.each([
    [1, { compute: 1, communicate: 6 }, 'at most 100 % could: the product is no shorter than'],
    [0.9, { compute: 3, communicate: 1 }, 'at most 90.0 % could: the product is shorter than'],
  ])('does not contradict its share %s by the medians of the times', (mostHidden, medians, says) => {
    expect(page(overlapOf({ ...ratios, mostHidden, ...medians }))).toContain(
      `${says} the collective, as each repetition’s own times say`,
    );
  });

  it('of a record from before they were written has those of the times', () => {
    const text = page(overlapOf({}));
    expect(text).toContain('gain 0.800x as fast');
    expect(text).not.toContain('each repetition says');
  });
});
