// What any limit on the level of a KPI can do, whatever the rule: where it has to lie for a share of the healthy nodes to pass it at one
// KPI or more, and how many of those that are slower at one KPI it then finds. Computed from the distribution of the nodes' levels, as if
// its middle and its scale were known.
import { withinNormal } from '../../dist/statistics/normal.js';
import { withinStudent } from '../../dist/statistics/student.js';

/** Of a symmetric distribution, from the probability to lie within a distance of its middle. */
const above = (within) => (x) => (x > 0 ? (1 - within(x)) / 2 : (1 + within(-x)) / 2);

/** The probability to lie further than `x` on one side. @param deviation standard deviation */
export const aboveNormal = (deviation) => above((x) => withinNormal(x / deviation));

/** @param scale of Student's t */
export const aboveStudent = (scale, degrees) => above((x) => withinStudent(x / scale, degrees));

/**
 * @param aboveLevel probability that a healthy node's level lies further than so many logarithms below the middle
 * @param slower share by which a defect lowers a level
 * @returns {{ limit: number, found: number }} as shares
 */
export function bestLimit(aboveLevel, kpis, falseAlarms, slower) {
  let [low, high] = [0, 1];
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (1 - (1 - aboveLevel(middle)) ** kpis > falseAlarms) low = middle;
    else high = middle;
  }
  return { limit: 1 - Math.exp(-high), found: aboveLevel(high + Math.log(1 - slower)) };
}
