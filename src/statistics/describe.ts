/** All that is said and drawn of one series, sorted once: sorting is most of the cost. */
import { type Box, boxOfSorted } from './box.js';
import { sortedCopy } from './quantile.js';
import { type Summary, summariseSorted } from './summary.js';
import { type Violin, violinOfSorted } from './violin.js';

export interface Description {
  readonly summary: Summary;
  readonly box: Box;
  readonly violin: Violin;
}

/**
 * @param samples in order, finite, at least one
 * @param shown the share of the samples that the violin's grid spans
 * @throws RangeError for an empty series or a value that is not finite
 */
export function describeSamples(samples: ArrayLike<number>, shown = 1): Description {
  const sorted = sortedCopy(samples);
  return {
    summary: summariseSorted(samples, sorted),
    box: boxOfSorted(sorted),
    violin: violinOfSorted(sorted, shown),
  };
}
