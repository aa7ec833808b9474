/** Student's t distribution for whole degrees of freedom, which simple-statistics lacks. */
import { bisect } from 'simple-statistics';

/** P(|T| <= t): the finite sums of Abramowitz & Stegun (1964), 26.7.3 and 26.7.4. */
function withinStudent(t: number, degrees: number): number {
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
