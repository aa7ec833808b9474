/** Do values cluster at multiples of a period? */

export interface Clustering {
  readonly period: number;
  /** Share of the values within the tolerance of a multiple; by chance it would be 2 x tolerance / period. */
  readonly share: number;
  readonly byChance: number;
  /** Length of the mean vector of the phases (Rayleigh), 0 to 1. */
  readonly resultant: number;
  /** The V test (Greenwood & Durand 1955) for phases about zero: a standard normal deviate when they are uniform. */
  readonly u: number;
  /** How many different multiples hold at least a fiftieth of the values each. */
  readonly multiples: number;
}

/** Of the period, to either side of a multiple. */
export const TOLERANCE = 0.06;
const OCCUPIED = 0.02;

/** @param period in the unit of the values */
export function clustering(values: ArrayLike<number>, period: number): Clustering {
  const n = values.length;
  const occupied = new Map<number, number>();
  let [cos, sin, near] = [0, 0, 0];
  for (let i = 0; i < n; i++) {
    const turns = (values[i] ?? 0) / period;
    cos += Math.cos(2 * Math.PI * turns);
    sin += Math.sin(2 * Math.PI * turns);
    const multiple = Math.round(turns);
    if (multiple > 0 && Math.abs(turns - multiple) <= TOLERANCE) {
      near++;
      occupied.set(multiple, (occupied.get(multiple) ?? 0) + 1);
    }
  }
  return {
    period,
    share: near / n,
    byChance: 2 * TOLERANCE,
    resultant: Math.hypot(cos, sin) / n,
    u: cos * Math.sqrt(2 / n),
    multiples: [...occupied.values()].filter((count) => count >= OCCUPIED * n).length,
  };
}
