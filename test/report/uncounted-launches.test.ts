/** A launch that left times and has no part in the numbers is never drawn as if it had. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { RecordInspection } from '../../src/record/schema.js';
import { detailsOf } from '../../src/report/details.js';
import { betweenWithin } from '../../src/report/figures/between-within.js';
import { type Absent, type Figure, isDrawn } from '../../src/report/figures/figure.js';
import { launches } from '../../src/report/figures/launches.js';
import { samples } from '../../src/report/figures/samples.js';
import { LIGHT } from '../../src/report/figures/theme.js';
import { type BatchModel, buildReport, type ReportModel } from '../../src/report/model.js';
import { readLaunch } from '../../src/report/read-samples.js';
import { withCampaign } from '../support/report.js';

const LAUNCHES = 4;

/** A campaign of one batch, of which some launches ended otherwise, with a median and a spread far beyond those of the others. */
const endedAs = (statuses: Readonly<Record<number, RecordInspection['status']>>): Promise<ReportModel> =>
  withCampaign([{ repetitions: 20, inspections: LAUNCHES }], (folder, record) => {
    const [batch] = record.batches;
    if (batch === undefined) throw new Error('no batch');
    const inspections = batch.inspections.map((one, i): RecordInspection => {
      const status = statuses[i + 1];
      const statistics = { ...one.statistics, median: 5, q1: 5, q3: 5, covm: 9 };
      return status === undefined ? one : { ...one, status, statistics };
    });
    const changed = { ...batch, inspections };
    const details = detailsOf(changed, (one) => readLaunch(folder, one));
    return buildReport({ ...record, batches: [changed] }, [details]);
  });

function drawn(figure: Figure | Absent): Figure {
  if (!isDrawn(figure)) throw new Error(figure.why);
  return figure;
}

const batchIn = ({ batches: [batch] }: ReportModel): BatchModel => {
  if (batch === undefined) throw new Error('no batch');
  return batch;
};

let third: ReportModel;
let first: ReportModel;
let sound: ReportModel;
beforeAll(async () => {
  third = await endedAs({ 3: 'timed-out' });
  first = await endedAs({ 1: 'timed-out' });
  sound = await endedAs({});
});

describe('a launch that was cut off', () => {
  it('is no point of the estimate, and is named as what it is', () => {
    const { caption, alternative, spec } = drawn(launches.draw(batchIn(third), third));
    expect(caption).toContain('the median of the points that count.');
    for (const text of [caption, alternative])
      expect(text).toContain('Not counted, and of another colour: launch 3 (timed-out).');
    expect(alternative).toMatch(/^Medians of 3 launches from /);
    expect(alternative).not.toContain('5.000 s');
    expect(JSON.stringify(spec(LIGHT).data)).toContain('launch 3 (timed-out, not counted)');
    const whole = drawn(launches.draw(batchIn(sound), sound));
    expect(whole.caption).toContain('the median of the points.');
    expect(whole.caption + whole.alternative).not.toMatch(/counted|that count/);
  });

  it('is neither the typical one nor the furthest from it', () => {
    const shown = batchIn(third).details?.shown ?? [];
    expect(shown.some(({ number }) => number === 3)).toBe(false);
  });

  it('says so over its samples where it is shown, as the first one is', () => {
    const { caption, alternative, spec } = drawn(samples.draw(batchIn(first), first));
    expect(caption).toMatch(/^Launch 1 \(timed-out, not counted\): 20 repetitions; launch /);
    expect(alternative).toMatch(/^launch 1 \(first, timed-out, not counted\): 20 repetitions/);
    const marks = JSON.stringify(spec(LIGHT).marks);
    expect(marks).toContain('launch 1 (first, timed-out, not counted)');
    expect(marks).toContain('\\"launch 1 (timed-out, not counted)\\"');
  });

  it('has no part in the spread within a launch', async () => {
    const { alternative } = drawn(
      betweenWithin.draw(await endedAs({ 1: 'wrong', 2: 'wrong', 3: 'timed-out' })),
    );
    expect(alternative).toMatch(/, within /);
    expect(alternative).not.toContain('within 900 %');
  });
});
