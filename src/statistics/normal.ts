/** The normal distribution's quantiles. simple-statistics' probit is off in the third digit (1.957 for 1.960). */
import { bisect, errorFunction } from 'simple-statistics';

/** P(|Z| <= z), to 7 digits. */
export const withinNormal = (z: number): number => errorFunction(z / Math.SQRT2);

/** The z that |Z| stays below with a probability of `level`: 1.95996 at 0.95, to 5 digits up to level 0.9999. */
export function normalReach(level: number): number {
  return bisect((z) => withinNormal(z) - level, 0, 8, 60, 1e-12);
}
