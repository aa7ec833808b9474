/** Which engine launches which inspection: that of MPI its own cases, the local one all others. */
import type { Campaign } from '../record/schema.js';
import type { OpenEngine } from './engine.js';
import { makeLocalEngine } from './local.js';
import { makeMpiEngine } from './mpi.js';
import { type MpiCase, mpiCaseOf } from './mpi-ranks.js';
import { makeStandby, type Standby } from './standby.js';

const casesOf = ({ batches }: Pick<Campaign, 'batches'>): readonly MpiCase[] =>
  batches.flatMap((batch) => mpiCaseOf(batch.case.parameters) ?? []);

/**
 * What the campaign's inspections need, tried where trying is cheap beside measuring.
 * @param cpus that ranks may use on this host
 * @param standby for launches in a process of this host
 * @throws UserError for ranks that do not find each other
 */
export async function openEngine(
  campaign: Pick<Campaign, 'batches'>,
  cpus: number,
  standby: Standby = makeStandby(),
): Promise<OpenEngine> {
  const cases = casesOf(campaign);
  if (cases.length === 0) return makeLocalEngine(standby);
  const mpi = makeMpiEngine(cpus);
  const local = makeLocalEngine(null);
  const different = new Map(cases.map((one) => [JSON.stringify(one), one]));
  for (const one of different.values()) await mpi.check(one);
  return {
    name: mpi.name,
    launch: (job, hooks) => (mpiCaseOf(job.case.parameters) === null ? local : mpi).launch(job, hooks),
    close: mpi.close,
  };
}
