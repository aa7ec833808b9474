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
  it('names the launches that were lost with pi-bench, whose time is not in it', () => {
    const record = recordOf({ batches: [{ launches: [1e-3] }] });
    const counted = page({ ...record, accounting });
    expect(counted).toContain('4.00 s, 25 % of it inside repetitions that count');
    expect(counted).not.toContain('not in it');
    expect(page({ ...record, accounting: { ...accounting, unended: 1 } })).toContain(
      'that count; not in it: 1 launch lost when pi-bench was killed, and to be repeated',
    );
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

describe('the page of an overlap', () => {
  const parameters = {
    ...{ operation: 'all-reduce', bytes: 65536, dtype: 'float32', ranks: 2, threads: 1 },
    ...{ size: 128, pin: true },
  };
  const times = { compute: 3, communicate: 1, computeBeside: 3, communicateBeside: 2 };
  const ratios = { mostHidden: 0.9, gain: 1.25, computeSlowed: 1.1, communicateSlowed: 2.5 };
  const overlapOf = (overlap: Partial<typeof ratios>): PiBenchRecord => ({
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

  it('of a record from before they were written has those of the times', () => {
    const text = page(overlapOf({}));
    expect(text).toContain('gain 0.800x as fast');
    expect(text).not.toContain('each repetition says');
  });
});
