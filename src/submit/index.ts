/** The schedulers that there are. A new one is its file and its line here. */
import { UserError } from '../errors.js';
import { thereIs } from '../nearest.js';
import { kubernetes } from './kubernetes.js';
import { mpi } from './mpi.js';
import type { Scheduler } from './scheduler.js';
import { slurm } from './slurm.js';

export const schedulers: readonly Scheduler[] = [slurm, mpi, kubernetes];

/** @throws UserError */
export function findScheduler(name: string): Scheduler {
  const found = schedulers.find((scheduler) => scheduler.name === name);
  if (found !== undefined) return found;
  const names = schedulers.map((scheduler) => scheduler.name);
  throw new UserError(`there is no scheduler ${name}; ${thereIs(name, names)}`);
}
