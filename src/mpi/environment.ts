/** The environment in which a launcher starts ranks where this process is itself the task of a step. Pure. */
import { mpiPlace } from './place.js';

/**
 * What a step of Slurm says of itself. By these launchers would start their ranks within it, where there is place for no more than its tasks:
 * Open MPI's knows the job by its old name, MPICH's by its nodes. (srun reads SLURM_JOB_ID.) PMIX_MCA_ is its user's tuning.
 */
export const OF_STEP = /^(PMIX_(?!MCA_)|PMI_|SLURM_(JOBID$|NODELIST$|PROCID|LOCALID|NTASKS|NPROCS|STEP|PMI))/;

/** In a step of one task, as a shell in a job is. Of a job on several hosts launchers find the others by what Slurm says. */
export function launcherEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const place = mpiPlace(environment);
  const isAlone = place?.launcher === 'slurm' && place.size === 1 && environment.SLURM_JOB_NUM_NODES === '1';
  return isAlone
    ? Object.fromEntries(Object.entries(environment).filter(([name]) => !OF_STEP.test(name)))
    : environment;
}
