/** The monotone series nearest to a given one: a trend of any shape, without what scatters about it. */

interface Level {
  readonly mean: number;
  readonly count: number;
}

/**
 * Least squares among the series that never fall, by pooling neighbours that do (Ayer, Brunk, Ewing, Reid & Silverman 1955).
 * @param values finite
 */
function neverFalling(values: Float64Array): Float64Array {
  const levels: Level[] = [];
  for (const value of values) {
    let last: Level = { mean: value, count: 1 };
    for (
      let before = levels.at(-1);
      before !== undefined && before.mean > last.mean;
      before = levels.at(-1)
    ) {
      const count = before.count + last.count;
      last = { mean: (before.mean * before.count + last.mean * last.count) / count, count };
      levels.pop();
    }
    levels.push(last);
  }
  return Float64Array.from(levels.flatMap(({ mean, count }) => Array<number>(count).fill(mean)));
}

/**
 * What remains of a series without its trend, of whatever shape: a straight line taken from one that bends would leave neighbours alike.
 * @param direction above 0 where it rises, below 0 where it falls; 0: there is no trend to take out
 */
export function withoutTrend(values: Float64Array, direction: number): Float64Array {
  if (direction === 0) return values;
  const sign = Math.sign(direction);
  const trend = neverFalling(values.map((value) => sign * value));
  return values.map((value, i) => value - sign * (trend[i] ?? 0));
}
