/** Which engine launches which inspection: that of MPI its own cases, the local one all others. */
import type { HostCpus } from '../mpi/choice.js';
import type { Campaign } from '../record/schema.js';
import type { OpenEngine } from './engine.js';
import { makeLocalEngine } from './local.js';
import { type MpiEngine, makeMpiEngine } from './mpi.js';
import { type MpiCase, mpiCaseOf } from './mpi-ranks.js';
import { type Cores, coreCount } from './placement.js';
import { makeStandby, type Standby } from './standby.js';

const casesOf = ({ batches }: Pick<Campaign, 'batches'>): readonly MpiCase[] =>
  batches.flatMap((batch) => mpiCaseOf(batch.case.parameters) ?? []);

const withMpi = (mpi: MpiEngine): OpenEngine => {
  const local = makeLocalEngine(null);
  return {
    name: mpi.name,
    launch: (job, hooks) => (mpiCaseOf(job.case.parameters) === null ? local : mpi).launch(job, hooks),
    close: mpi.close,
  };
};

const hostOf = (cores: Cores): HostCpus => ({ cpus: cores.allowed.length, cores: coreCount(cores) });

/**
 * What the campaign's inspections need. Nothing is tried: of ranks that do not find each other each launch says so.
 * @param standby for launches in a process of this host; null: each is started when its job is there
 */
export const makeEngine = (
  campaign: Pick<Campaign, 'batches'>,
  cores: Cores,
  standby: Standby | null,
): OpenEngine =>
  casesOf(campaign).length === 0 ? makeLocalEngine(standby) : withMpi(makeMpiEngine(hostOf(cores)));

/**
 * The same, tried where trying is cheap beside measuring.
 * @param signal aborted: the ranks that are tried are ended
 * @throws UserError for ranks that do not find each other
 */
export async function openEngine(
  campaign: Pick<Campaign, 'batches'>,
  cores: Cores,
  signal: AbortSignal,
  standby: Standby = makeStandby(),
): Promise<OpenEngine> {
  const cases = casesOf(campaign);
  if (cases.length === 0) return makeLocalEngine(standby);
  const mpi = makeMpiEngine(hostOf(cores));
  const different = new Map(cases.map((one) => [JSON.stringify(one), one]));
  for (const one of different.values()) await mpi.check(one, signal);
  return withMpi(mpi);
}
