/** How often chance alone counts so many. By itself: a launch's own process loads no packages. */

/** Terms that are smaller than this share of their sum change nothing of it. */
const NEGLIGIBLE = 1e-16;

/** The logarithm of how many ways there are to take k of n. */
function logChoices(n: number, k: number): number {
  const few = Math.min(k, n - k);
  let sum = 0;
  for (let i = 1; i <= few; i++) sum += Math.log((n - few + i) / i);
  return sum;
}

/**
 * P(Bin(n, p) >= k), summed from k on; logarithms of the first term, because it may be too small for a number.
 * @param n,k whole numbers, of at least 0
 * @param p between 0 and 1, both excluded
 */
export function binomialTail(n: number, p: number, k: number): number {
  if (k <= 0) return 1;
  if (k > n) return 0;
  const first = logChoices(n, k) + k * Math.log(p) + (n - k) * Math.log1p(-p);
  let term = 1;
  let sum = 0;
  for (let i = k; i <= n && term > NEGLIGIBLE * sum; i++) {
    sum += term;
    term *= ((n - i) / (i + 1)) * (p / (1 - p));
  }
  return Math.min(1, Math.exp(first + Math.log(sum)));
}
