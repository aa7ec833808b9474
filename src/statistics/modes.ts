/** The maxima of a curve that stand out. */

/**
 * Indices of the maxima from which the curve falls by at least `prominence` times its highest value before it rises above
 * them again, on either side; the curve is taken to be 0 beyond its ends. Of a plateau the first index.
 */
export function prominentMaxima(curve: ArrayLike<number>, prominence: number): number[] {
  let highest = 0;
  for (let i = 0; i < curve.length; i++) highest = Math.max(highest, curve[i] ?? 0);
  const least = prominence * highest;
  const maxima: number[] = [];
  let rising = true;
  let [peak, peakAt, valley] = [0, 0, 0];
  for (let i = 0; i <= curve.length; i++) {
    const value = curve[i] ?? 0;
    if (rising) {
      if (value > peak) [peak, peakAt] = [value, i];
      else if (peak - value >= least && peak > 0) {
        maxima.push(peakAt);
        [rising, valley] = [false, value];
      }
    } else {
      valley = Math.min(valley, value);
      if (value - valley >= least) [rising, peak, peakAt] = [true, value, i];
    }
  }
  return maxima;
}
