/** The rank of a collective that works longer than the others, in words. */
import { areAlike, type Collective, readCollective } from '../../indicators/collective-cases.js';
import { formatShare } from '../../quantities/format.js';
import type { RecordBatch } from '../../record/schema.js';
import { LEAST_LAUNCHES, type Straggler, stragglerOf } from '../../statistics/rank-times.js';

const LIBRARIES: Readonly<Record<Collective['transport'], string | null>> = {
  shm: null,
  mpi: 'MPI',
  nccl: 'NCCL',
  gloo: 'Gloo',
};

/** The slow rank, null where there is none; or why that is not known. */
export function slowRankOf(batch: RecordBatch): Straggler | null | { readonly why: string } {
  const asked = readCollective(batch.case.parameters);
  const library = LIBRARIES[asked.transport];
  if (library !== null) return { why: `${library} does not tell who waits for whom` };
  if (!areAlike(asked)) return { why: 'the ranks of this case have not the same to do' };
  if (batch.flags.some(({ name }) => name === 'crowded'))
    return { why: 'ranks that share CPUs take turns on them' };
  const watched = batch.inspections.flatMap(({ status, ranks }) =>
    status === 'measured' && ranks?.useful != null ? [ranks.useful] : [],
  );
  if (watched.length < LEAST_LAUNCHES) return { why: `it takes ${LEAST_LAUNCHES} launches to tell` };
  const found = stragglerOf(watched);
  return found === undefined
    ? { why: 'the ranks have so little to do that reading the clock counts' }
    : found;
}

export const longerText = ({ excess }: Straggler): string =>
  `${formatShare(excess, 2)} longer without waiting than the middle one of the others`;

export function stragglerText(batches: readonly RecordBatch[]): string | null {
  const found = batches.flatMap((batch) => {
    const slow = batch.ranks === undefined ? null : slowRankOf(batch);
    return slow === null || 'why' in slow ? [] : [{ title: batch.title, ...slow }];
  });
  const [worst] = found.toSorted((a, b) => b.excess - a.excess);
  if (worst === undefined) return null;
  return `stragglers in ${found.length} of ${batches.length} cases; most of all rank ${worst.rank} of ${worst.title}, which works ${longerText(worst)}`;
}
