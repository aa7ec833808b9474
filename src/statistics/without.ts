/** A series without some of its values, the others in their order. */

/** @param indices of values that are left out; one that the series does not have leaves out nothing */
export function without(values: Float64Array, indices: readonly number[]): Float64Array {
  if (indices.length === 0) return values;
  const out = new Uint8Array(values.length);
  for (const index of indices) out[index] = 1;
  const kept = new Float64Array(values.length);
  let n = 0;
  for (let i = 0; i < values.length; i++) if (out[i] === 0) kept[n++] = values[i] as number;
  return kept.subarray(0, n);
}
