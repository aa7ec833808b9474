/** What travels with every KPI beside its value: when it was measured, whether its outputs were verified, what spoiled it. Pure. */
import type { Kpi, RecordBatch } from './schema.js';

type Basis = Pick<Kpi, 'timestamp' | 'verified' | 'flags' | 'notChecked'>;

const once = (names: readonly string[]): string[] => [...new Set(names)];

/** Launches on which the numbers of a batch rest. */
const counting = ({ inspections }: RecordBatch) => inspections.filter(({ status }) => status === 'measured');

function verifiedOf(batches: readonly RecordBatch[]): RecordBatch['verified'] {
  const all = batches.map(({ verified }) => verified);
  if (all.includes('failed')) return 'failed';
  return all.includes('not-run') ? 'not-run' : 'passed';
}

/**
 * @param batches of which it is: those of a curve's points
 * @param otherwise ISO, where no launch tells when it ended
 */
export function basisOf(batches: readonly RecordBatch[], otherwise: string): Basis {
  const launches = batches.flatMap(counting);
  // Of a curve's points together too many to be arguments of one call.
  const last = launches.reduce(
    (latest, { endedAt }) => (endedAt === undefined ? latest : Math.max(latest, Date.parse(endedAt))),
    Number.NEGATIVE_INFINITY,
  );
  const unseen = [
    ...batches.flatMap(({ imported }) => imported?.notChecked ?? []),
    ...launches.flatMap(({ notChecked }) => notChecked),
  ];
  return {
    timestamp: last === Number.NEGATIVE_INFINITY ? otherwise : new Date(last).toISOString(),
    verified: verifiedOf(batches),
    flags: once(batches.flatMap(({ flags }) => flags.map(({ name }) => name))),
    notChecked: once(unseen.map(({ flag }) => flag)),
  };
}
