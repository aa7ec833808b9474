/** NaN and infinities are refused by whatever takes samples: none may pass for a number, or for no flag. */
import { describe, expect, it } from 'vitest';
import { effectiveSampleSize, lag1 } from '../../src/statistics/autocorrelation.js';
import { box } from '../../src/statistics/box.js';
import { describeSamples } from '../../src/statistics/describe.js';
import { drift } from '../../src/statistics/drift.js';
import { launchInterval, withinLaunchInterval } from '../../src/statistics/interval.js';
import { slowRepetitions } from '../../src/statistics/outliers.js';
import { clustering } from '../../src/statistics/periodicity.js';
import { steadyFrom } from '../../src/statistics/steady.js';
import { summarise } from '../../src/statistics/summary.js';
import { detectFlags } from '../../src/statistics/validity/index.js';
import { violin } from '../../src/statistics/violin.js';
import { quietObservation, series } from './support.js';

const takers: Readonly<Record<string, (samples: Float64Array) => unknown>> = {
  box,
  clustering: (samples) => clustering(samples, 0.1),
  describeSamples,
  detectFlags: (samples) => detectFlags(quietObservation({ samples })),
  drift,
  effectiveSampleSize,
  lag1,
  launchInterval,
  slowRepetitions,
  steadyFrom,
  summarise,
  violin,
  withinLaunchInterval,
};

describe.each(Object.entries(takers))('%s', (_, take) => {
  it.each([
    Number.NaN,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
  ])('refuses a series with %f in it', (bad) => {
    for (const place of [0, 17, 29]) {
      const samples = series(30, (i) => (i === place ? bad : 1 + i / 100));
      expect(() => take(samples)).toThrow('a value is not a finite number');
    }
  });

  it('takes the series without it', () => {
    expect(() => take(series(30, (i) => 1 + i / 100))).not.toThrow();
  });
});
