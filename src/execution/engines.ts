/** Which engine launches which inspection: that of MPI its own cases, the local one all others. */
import type { Campaign } from '../record/schema.js';
import type { Engine } from './engine.js';
import { localEngine } from './local.js';
import { makeMpiEngine } from './mpi.js';
import { type MpiCase, mpiCaseOf } from './mpi-ranks.js';

export interface OpenEngine extends Engine {
  close(): Promise<void>;
}

const casesOf = ({ batches }: Pick<Campaign, 'batches'>): readonly MpiCase[] =>
  batches.flatMap((batch) => mpiCaseOf(batch.case.parameters) ?? []);

/**
 * What the campaign's inspections need, tried where trying is cheap beside measuring.
 * @param cpus that ranks may use on this host
 * @throws UserError for ranks that do not find each other
 */
export async function openEngine(campaign: Pick<Campaign, 'batches'>, cpus: number): Promise<OpenEngine> {
  const cases = casesOf(campaign);
  if (cases.length === 0) return { ...localEngine, close: () => Promise.resolve() };
  const mpi = makeMpiEngine(cpus);
  const different = new Map(cases.map((one) => [JSON.stringify(one), one]));
  for (const one of different.values()) await mpi.check(one);
  return {
    name: mpi.name,
    launch: (job, hooks) => (mpiCaseOf(job.case.parameters) === null ? localEngine : mpi).launch(job, hooks),
    close: mpi.close,
  };
}
