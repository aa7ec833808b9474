/** The band of chance is that of the repetitions which were looked at, and the words say how many those are. */
import { describe, expect, it } from 'vitest';
import { normalOf, randomBits, uniformOf } from '../../src/random.js';
import { detailsOf } from '../../src/report/details.js';
import { autocorrelation } from '../../src/report/figures/autocorrelation.js';
import { type Figure, isDrawn } from '../../src/report/figures/figure.js';
import { buildReport } from '../../src/report/model.js';
import { recordOf } from '../support/records.js';

function figureOf(repetitions: number): Figure {
  const normal = normalOf(uniformOf(randomBits(3)));
  const seconds = Float64Array.from({ length: repetitions }, () => 1e-3 * (1 + 0.01 * normal()));
  const record = recordOf({ batches: [{ launches: [1e-3] }] });
  const [batch] = record.batches;
  if (batch === undefined) throw new Error('no batch');
  const inspections = batch.inspections.map((one) => ({ ...one, statistics: { median: 1e-3 } }));
  const details = detailsOf({ inspections }, () => ({
    samples: {
      seconds,
      entries: seconds.map((_, i) => i * 1e-3),
      disturbed: null,
      warmup: [],
      warmupCallsEach: 1,
      callsPerSample: 1,
    },
  }));
  const report = buildReport(record, [details]);
  const [model] = report.batches;
  if (model === undefined) throw new Error('no batch');
  const figure = autocorrelation.draw(model, report);
  if (!isDrawn(figure)) throw new Error(figure.why);
  return figure;
}

describe('the autocorrelation of independent repetitions', () => {
  it('is hardly outside what chance allows, also of more than are looked at, which is said', () => {
    const { caption, alternative } = figureOf(400_000);
    const [, outside] = /; (\d+) of 40 are outside what chance allows/.exec(alternative) ?? [];
    expect(Number(outside)).toBeLessThanOrEqual(6);
    expect(caption).toMatch(/^Of the first 100,000 of 400,000 repetitions of launch 1, the typical one\./);
    expect(alternative).toMatch(
      /^Autocorrelation of the first 100,000 of 400,000 repetitions at lags 1 to 40:/,
    );
  });

  it('is of all repetitions where there are no more', () => {
    const { caption, alternative } = figureOf(1000);
    expect(caption).toMatch(/^Of the repetitions of launch 1, /);
    expect(alternative).toMatch(/^Autocorrelation of 1,000 repetitions at lags/);
  });
});
