/** How well a share is known that was counted. Pure. */

const Z_95 = 1.959963984540054;

/** The 95 % interval of Wilson (1927) for a proportion of which `hits` of `trials` were seen: also where none or all were. */
export function binomialRange(hits: number, trials: number): { readonly low: number; readonly high: number } {
  if (trials === 0) return { low: 0, high: 1 };
  const share = hits / trials;
  const z2 = Z_95 ** 2;
  const middle = (share + z2 / (2 * trials)) / (1 + z2 / trials);
  const half =
    (Z_95 * Math.sqrt((share * (1 - share)) / trials + z2 / (4 * trials ** 2))) / (1 + z2 / trials);
  // Where none or all were seen the end is exact, and rounding must not move it.
  return {
    low: hits === 0 ? 0 : Math.max(0, middle - half),
    high: hits === trials ? 1 : Math.min(1, middle + half),
  };
}
