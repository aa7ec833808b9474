/** Which launches and which batches are shown from the inside. */
import { describe, expect, it } from 'vitest';
import type { RecordInspection } from '../../src/record/schema.js';
import { chooseBatches, chooseLaunches, detailsOf, pointsEach } from '../../src/report/details.js';

const inspection = (
  index: number,
  median: number | null,
  status: RecordInspection['status'] = 'measured',
): RecordInspection =>
  ({
    index,
    status,
    statistics: median === null ? null : { median },
    flags: [],
  }) as unknown as RecordInspection;

const chosen = (...medians: (number | null)[]) =>
  chooseLaunches({ inspections: medians.map((median, i) => inspection(i, median)) }).map(
    ({ inspection: { index }, roles }) => [index, ...roles],
  );

const samplesOf = (seconds: readonly number[]) => ({
  samples: {
    seconds: Float64Array.from(seconds),
    entries: Float64Array.from(seconds.map((_, i) => i)),
    disturbed: null,
    warmup: [0.5, 0.25],
    warmupCallsEach: 1,
    callsPerSample: 1,
  },
});

describe('chooseLaunches', () => {
  it('takes the first, the middle one and the one furthest from it, in ratio', () => {
    expect(chosen(11, 10, 30, 9, 2)).toEqual([
      [0, 'first'],
      [1, 'typical'],
      [4, 'furthest'],
    ]);
  });

  it('shows a launch once where it is several of them', () => {
    expect(chosen(10, 11)).toEqual([
      [0, 'first', 'typical'],
      [1, 'furthest'],
    ]);
    expect(chosen(10)).toEqual([[0, 'first', 'typical']]);
  });

  it('passes over launches in which nothing was measured', () => {
    expect(chosen(null, 5, null)).toEqual([[1, 'first', 'typical']]);
    expect(chosen(null)).toEqual([]);
  });

  it('finds nothing typical, nor far from it, in what does not count where others do', () => {
    const of = (...statuses: RecordInspection['status'][]) =>
      chooseLaunches({
        inspections: [10, 11, 50].map((median, i) => inspection(i, median, statuses[i])),
      }).map(({ inspection: { index }, roles }) => [index, ...roles]);
    expect(of('measured', 'measured', 'timed-out')).toEqual([
      [0, 'first', 'typical'],
      [1, 'furthest'],
    ]);
    expect(of('timed-out', 'wrong', 'measured')).toEqual([
      [0, 'first'],
      [2, 'typical'],
    ]);
    expect(of('timed-out', 'interrupted', 'timed-out')).toEqual([
      [0, 'first'],
      [1, 'typical'],
      [2, 'furthest'],
    ]);
  });
});

describe('detailsOf', () => {
  const batch = { inspections: [inspection(0, 1), inspection(1, 2)] };

  it('lays the warm-up end to end before the first repetition', () => {
    const { shown } = detailsOf(batch, () => samplesOf([1, 2, 1, 2]));
    expect(shown[0]?.warmup.map(({ time }) => time)).toEqual([-0.75, -0.25]);
  });

  it('says which launches could not be read, and shows the others', () => {
    const { shown, missing, correlation } = detailsOf(batch, ({ index }) =>
      index === 0 ? { why: 'is missing', damaged: false } : samplesOf([1, 2, 1, 2]),
    );
    expect(missing).toEqual([{ launch: 1, why: 'is missing', damaged: false }]);
    expect(shown.map(({ number }) => number)).toEqual([2]);
    expect(correlation).toBeNull();
  });

  it('correlates the typical launch: alternation is negative at lag 1 and positive at lag 2', () => {
    const { correlation } = detailsOf(batch, () => samplesOf(Array.from({ length: 100 }, (_, i) => i % 2)));
    expect(correlation).toMatchObject({ launch: 1, repetitions: 100 });
    expect(correlation?.values[0]).toBeCloseTo(-0.99, 2);
    expect(correlation?.values[1]).toBeCloseTo(0.98, 2);
  });
});

describe('chooseBatches', () => {
  it('takes all of a few, and of many some from the first to the last', () => {
    expect(chooseBatches(3, 8)).toEqual([0, 1, 2]);
    expect(chooseBatches(0, 8)).toEqual([]);
    const some = chooseBatches(100, 8);
    expect(some).toHaveLength(8);
    expect([some[0], some.at(-1)]).toEqual([0, 99]);
  });

  it('gives each launch fewer points the more are shown', () => {
    expect(pointsEach(8)).toBeLessThan(pointsEach(2));
    expect(pointsEach(8)).toBeGreaterThanOrEqual(100);
  });
});
