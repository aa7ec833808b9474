/** Where a series becomes stationary: MSER-5 (White 1997; Spratt 1998), as the addon's warm-up applies it. */
import { requireFinite } from './finite.js';

const BATCH = 5;
const LEAST_BATCHES = 4;

/** Means of fives; what remains at the end is left out. */
function batchMeans(samples: ArrayLike<number>): Float64Array {
  return Float64Array.from({ length: Math.floor(samples.length / BATCH) }, (_, i) => {
    let sum = 0;
    for (let j = 0; j < BATCH; j++) sum += samples[i * BATCH + j] ?? 0;
    return sum / BATCH;
  });
}

/**
 * The number of samples to cut off the front: the cut that minimises sum((y - mean)^2) / (n - d)^2 of the batch means that
 * remain, at most half of them. null when the minimum is at the half, or for fewer than 20 samples: no steady state.
 * @throws RangeError for a value that is not finite
 */
export function steadyFrom(samples: ArrayLike<number>): number | null {
  requireFinite(samples);
  const means = batchMeans(samples);
  const batches = means.length;
  if (batches < LEAST_BATCHES) return null;
  // Suffix sums about the last mean, so that squares do not cancel.
  const origin = means[batches - 1] ?? 0;
  let sum = 0;
  let squares = 0;
  let best = Number.POSITIVE_INFINITY;
  let cut = 0;
  for (let d = batches - 1; d >= 0; d--) {
    const y = (means[d] ?? 0) - origin;
    sum += y;
    squares += y * y;
    const rest = batches - d;
    if (d > batches / 2) continue;
    const score = Math.max(0, squares - (sum * sum) / rest) / (rest * rest);
    if (score <= best) {
      best = score;
      cut = d;
    }
  }
  return cut + 1 > batches / 2 ? null : cut * BATCH;
}
