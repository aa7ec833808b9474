/** A roof says of its points only what it can: which launches measured it, and nothing where a point has passed it. */
import { describe, expect, it } from 'vitest';
import type { PiBenchRecord } from '../../src/record/schema.js';
import { type Figure, isDrawn } from '../../src/report/figures/figure.js';
import { roofline } from '../../src/report/figures/roofline.js';
import { sweep } from '../../src/report/figures/sweep.js';
import { LIGHT } from '../../src/report/figures/theme.js';
import { buildReport } from '../../src/report/model.js';
import { ceilingsOf } from '../support/batch.js';
import { recordOf } from '../support/records.js';

/** A repetition takes a millisecond. @param sides of a product */
function recordAt(peak: number, reading: number, sides: readonly number[] = [100]): PiBenchRecord {
  const launch = { seconds: 1e-3, ceilings: ceilingsOf(peak, reading) };
  return recordOf({ batches: sides.map((m) => ({ parameters: { m }, launches: [launch, launch] })) });
}

/** As if only some of a batch's launches had measured its ceilings. */
const measuredBy = (record: PiBenchRecord, ...launches: readonly number[]): PiBenchRecord => ({
  ...record,
  batches: record.batches.map((batch, i) => ({
    ...batch,
    roofline:
      batch.roofline == null
        ? null
        : { ...batch.roofline, measuredBy: { launches: launches[i] ?? 0, of: 24 } },
  })),
});

function figureOf(record: PiBenchRecord, figure = roofline): Figure {
  const drawn = figure.draw(buildReport(record, []));
  if (!isDrawn(drawn)) throw new Error(drawn.why);
  return drawn;
}

describe('a roof that all launches measured', () => {
  const { caption, alternative } = figureOf(recordAt(2.5e9, 1e12));

  it('is of the same launches as its point, which has a bound and its share', () => {
    expect(caption).toContain('measured in the same launches');
    expect(caption).not.toMatch(/too low|only some launches/);
    expect(alternative).toMatch(/, bound by arithmetic, 80\.0 % of what is attainable\.$/);
  });
});

describe('a roof that only some launches measured', () => {
  it('says which, and that its share is of their rate', () => {
    const { caption, alternative } = figureOf(measuredBy(recordAt(2.5e9, 1e12), 3));
    expect(caption).toContain('measured in 3 of 24 launches');
    expect(caption).not.toContain('in the same launches');
    expect(caption).toMatch(/Where only some launches measured the roof, shares .* and points are of all/);
    expect(alternative).toMatch(/80\.0 % of what is attainable in the 3 of 24 launches that measured it\.$/);
  });

  it('leaves the numbers to the table of rates where they differ', () => {
    const { caption } = figureOf(measuredBy(recordAt(2.5e9, 1e12, [100, 50]), 3, 5));
    expect(caption).toContain('or in those of them that the table of rates tells');
  });

  it('is not that of the same launches over a sweep either', () => {
    const swept = recordAt(2.5e9, 1e12, [50, 100]);
    expect(figureOf(swept, sweep).caption).toContain('the arithmetic peak, measured in the same launches.');
    const some = figureOf(measuredBy(swept, 3, 3), sweep);
    expect(some.caption).toContain('the arithmetic peak, measured in 3 of 24 launches.');
  });
});

describe('a roof below its point', () => {
  it.each([
    ['of arithmetic', 1.5e9, 1e12],
    ['of memory', 1e13, 1e7],
  ])('%s was measured too low: it is no bound, and nothing is a share of it', (_, peak, reading) => {
    const figure = figureOf(recordAt(peak, reading));
    expect(figure.alternative).not.toMatch(/attainable|bound by/);
    expect(figure.alternative).toMatch(/, and its roof was measured too low\.$/);
    expect(figure.caption).toMatch(
      /those of these points were measured too low and say nothing of them: matmul\./,
    );
    expect(JSON.stringify(figure.spec(LIGHT))).not.toContain('attainable');
  });

  it('is told of over a sweep as well', () => {
    const swept = (peak: number) => figureOf(recordAt(peak, 1e12, [50, 100]), sweep).caption;
    expect(swept(2.5e9)).not.toContain('too low');
    expect(swept(1.8e9)).toMatch(/ measured too low and say nothing of them: [^,]*100[^,]*\.$/);
  });

  it('is named among others that are not', () => {
    const doubted = recordAt(1.5e9, 1e12);
    const sound = recordAt(2.5e9, 1e12, [50]);
    const { caption, alternative } = figureOf({ ...sound, batches: [...sound.batches, ...doubted.batches] });
    expect(caption).toMatch(/say nothing of them: [^,]*100[^,]*\.$/);
    expect(alternative).toMatch(/bound by arithmetic, 40\.0 % of what is attainable\..* too low\.$/);
  });
});
