/** How far the intervals of several cases reach, in one line: never less than they do. */
import { describe, expect, it } from 'vitest';
import { uncertaintyText } from '../../src/readers/terminal/basis.js';
import type { RecordBatch } from '../../src/record/schema.js';
import { batchOf, matmulCase } from '../support/batch.js';

const three = [1e-3, 1.1e-3, 0.9e-3].map((seconds) => ({ seconds }));
const alone = batchOf(matmulCase(), [{ seconds: 1e-3 }]);

/** Of a rate of 100, whose interval ends there. */
function reaching(low: number, high: number, title = 'one'): RecordBatch {
  const batch = batchOf(matmulCase(), three);
  if (batch.rate?.interval == null) throw new Error('no interval');
  return {
    ...batch,
    title,
    rate: { ...batch.rate, median: 100, interval: { ...batch.rate.interval, low, high } },
  };
}

const textOf = (...batches: readonly RecordBatch[]): string => uncertaintyText(batches).join();

describe('the uncertainty of several cases', () => {
  it('is the larger distance to an end of the interval, and not half of its width', () => {
    expect(textOf(reaching(95, 160), reaching(95, 160, 'other'))).toMatch(
      /: half of the cases are within ± 60 %; the widest is ± 60 % \(one\)$/,
    );
    expect(textOf(reaching(40, 105, 'low'), reaching(90, 110))).toMatch(/the widest is ± 60 % \(low\)$/);
  });

  it('is of those that have an interval, and says how many have none', () => {
    const five = [10, 20, 30, 40, 50].map((reach) => reaching(100 - reach, 100));
    expect(textOf(...five, ...Array<RecordBatch>(5).fill(alone))).toMatch(
      /: 5 of 10 cases have none; half of the 5 cases that have an interval are within ± 30 %; /,
    );
    expect(textOf(reaching(80, 110), reaching(80, 110), alone)).toMatch(
      /: 1 of 3 cases has none; half of the 2 cases that have an interval are within ± 20 %; /,
    );
    expect(textOf(reaching(80, 110), alone)).toMatch(
      /: 1 of 2 cases has none; the one case that has an interval is within ± 20 %; /,
    );
  });
});
