/** Which batch of one attempt is which of another. Pure. */
import { canonicalJson } from '../record/digest.js';
import type { RecordBatch } from '../record/schema.js';

type Asked = Pick<RecordBatch, 'case' | 'device'> & {
  readonly asked: Omit<RecordBatch['asked'], 'case' | 'device'>;
};

/** All that was asked for but the number of launches, for what is measured again is launched once, or as often as a look at it takes. */
function sameness({ case: one, device, asked }: Asked): string {
  const { inspections: _, ...how } = asked;
  return canonicalJson([one, device, { ...how, case: null, device: null }]);
}

/** A name of each batch, the same in every attempt. Those that differ in nothing are told apart by their order. */
export function identitiesOf(batches: readonly Asked[]): readonly string[] {
  const counts = new Map<string, number>();
  return batches.map((batch) => {
    const same = sameness(batch);
    const number = (counts.get(same) ?? 0) + 1;
    counts.set(same, number);
    return `${same} ${number}`;
  });
}

/** For each batch the indices of those that differ from it in nothing, itself among them. */
export function twinsOf(batches: readonly Asked[]): readonly (readonly number[])[] {
  const all = batches.map(sameness);
  const indices = new Map<string, number[]>();
  all.forEach((same, i) => {
    indices.set(same, [...(indices.get(same) ?? []), i]);
  });
  return all.map((same) => indices.get(same) ?? []);
}
