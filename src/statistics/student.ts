/** Student's t distribution for whole degrees of freedom, which simple-statistics lacks. */
import { bisect } from 'simple-statistics';
import { normalReach } from './normal.js';

/**
 * P(|T| <= t): the finite sums of Abramowitz & Stegun (1964), 26.7.3 and 26.7.4.
 * @param degrees of freedom, a whole number of at least 1
 */
export function withinStudent(t: number, degrees: number): number {
  const angle = Math.atan(t / Math.sqrt(degrees));
  const [sin, cos] = [Math.sin(angle), Math.cos(angle)];
  const odd = degrees % 2 === 1;
  let term = odd ? cos : 1;
  let sum = degrees === 1 ? 0 : term;
  for (let i = odd ? 3 : 2; i < degrees; i += 2) {
    term *= (cos * cos * (i - 1)) / i;
    sum += term;
  }
  return odd ? (2 / Math.PI) * (angle + sin * sum) : sin * sum;
}

/**
 * The t that |T| stays below with a probability of `level`; at level 0.95 and 4 degrees of freedom 2.776.
 * @param level between 0 and 1
 * @param degrees of freedom, a whole number of at least 1
 * @throws RangeError for others
 */
export function studentReach(level: number, degrees: number): number {
  if (!(level > 0 && level < 1)) throw new RangeError(`a level is between 0 and 1, not ${level}`);
  if (!(Number.isInteger(degrees) && degrees >= 1)) throw new RangeError(`no ${degrees} degrees of freedom`);
  let high = 1;
  while (withinStudent(high, degrees) < level) high *= 2;
  return bisect((t) => withinStudent(t, degrees) - level, 0, high, 100, 1e-12 * high);
}

/** More degrees than these are as good as a normal distribution. */
const NORMAL_FROM = 1000;

/** The same, without much computing for many degrees, or no end of them. */
export const reachOf = (level: number, degrees: number): number =>
  degrees < NORMAL_FROM ? studentReach(level, degrees) : normalReach(level);

/** Rounding must not cost a degree. */
const NEARLY = 1e-9;

/**
 * Degrees of freedom of a sum of independent variances (Welch 1947, Satterthwaite 1946), rounded down to a whole number, so
 * that an interval is rather too wide; Infinity where no variance is above 0.
 */
export function degreesOfSum(
  terms: readonly { readonly variance: number; readonly degrees: number }[],
): number {
  const all = terms.reduce((sum, { variance }) => sum + variance, 0);
  const spent = terms.reduce((sum, { variance, degrees }) => sum + variance ** 2 / degrees, 0);
  return spent > 0 ? Math.max(1, Math.floor(all ** 2 / spent + NEARLY)) : Number.POSITIVE_INFINITY;
}
