/** What holds in every record beyond its schema. Pure. */
import { brokenIntervals } from './intervals.js';
import type { PiBenchRecord } from './schema.js';
import { countedWork } from './work.js';

/** Rates are made from elapsed by division: only rounding may stand between them. */
const TOLERANCE = 1e-12;

function disagree(a: number, b: number): boolean {
  return Math.abs(a - b) > TOLERANCE * Math.abs(b);
}

/** One line for each rule that the record breaks; empty when it is sound. */
export function brokenRules(record: PiBenchRecord): readonly string[] {
  const broken: string[] = [];
  record.batches.forEach((recorded, i) => {
    const { rate, elapsed, title, measured, inspections } = recorded;
    const batch = `batch ${i} (${title})`;
    const work = countedWork(recorded);
    if (rate !== null && work === null) broken.push(`${batch}: has a rate although its work is not known`);
    if (rate !== null && elapsed !== null && work !== null && disagree(rate.median * elapsed.median, work)) {
      broken.push(
        `${batch}: rate x elapsed is ${rate.median * elapsed.median}, the work of one repetition is ${work}`,
      );
    }
    broken.push(...brokenIntervals(recorded).map((what) => `${batch}: ${what}`));
    const counted = inspections.filter(({ status }) => status === 'measured').length;
    // A published table tells how many launches there were, and nothing of each.
    if (counted !== measured && recorded.imported?.values !== 'table')
      broken.push(`${batch}: says ${measured} launches measured and lists ${counted}`);
    if (rate !== null && inspections.some(({ status }) => status === 'wrong')) {
      broken.push(`${batch}: has a rate although an output was wrong`);
    }
  });
  return broken;
}
