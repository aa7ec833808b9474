/** What holds in every record beyond its schema. Pure. */
import type { PiBenchRecord } from './schema.js';

/** Rates are made from elapsed by division: only rounding may stand between them. */
const TOLERANCE = 1e-12;

function disagree(a: number, b: number): boolean {
  return Math.abs(a - b) > TOLERANCE * Math.abs(b);
}

/** One line for each rule that the record breaks; empty when it is sound. */
export function brokenRules(record: PiBenchRecord): readonly string[] {
  const broken: string[] = [];
  record.batches.forEach(({ rate, elapsed, work, title, measured, inspections }, i) => {
    const batch = `batch ${i} (${title})`;
    if (rate !== null && elapsed !== null && disagree(rate.median * elapsed.median, work.flop)) {
      broken.push(
        `${batch}: rate x elapsed is ${rate.median * elapsed.median}, the work of one repetition is ${work.flop}`,
      );
    }
    const counted = inspections.filter(({ status }) => status === 'measured').length;
    if (counted !== measured)
      broken.push(`${batch}: says ${measured} launches measured and lists ${counted}`);
    if (rate !== null && inspections.some(({ status }) => status === 'wrong')) {
      broken.push(`${batch}: has a rate although an output was wrong`);
    }
  });
  return broken;
}
