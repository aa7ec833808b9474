/** Values that are not finite have no place in a statistic: they are refused where they come in, and loudly. */

const refuse = (): never => {
  throw new RangeError('a value is not a finite number');
};

/** @throws RangeError for NaN and infinities */
export function requireFinite(values: ArrayLike<number>): void {
  for (let i = 0; i < values.length; i++) if (!Number.isFinite(values[i])) refuse();
}

/**
 * The same where the values are in ascending order: NaN sorts to the end, so that both ends tell for all.
 * @throws RangeError for NaN and infinities
 */
export function requireFiniteSorted(sorted: Float64Array): void {
  if (sorted.length > 0 && !(Number.isFinite(sorted[0]) && Number.isFinite(sorted.at(-1)))) refuse();
}
