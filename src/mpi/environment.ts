/** The environment in which a launcher starts ranks where this process is itself the task of a step. Pure. */
import { mpiPlace } from './place.js';

/**
 * What a step of Slurm says of itself. By these launchers would start their ranks within it, where there is place for no more than its tasks:
 * Open MPI's knows the job by its old name, MPICH's by its nodes. (srun reads SLURM_JOB_ID.) PMIX_MCA_ is its user's tuning.
 */
export const OF_STEP = /^(PMIX_(?!MCA_)|PMI_|SLURM_(JOBID$|NODELIST$|PROCID|LOCALID|NTASKS|NPROCS|STEP|PMI))/;

/**
 * In a step of one task, as a shell in a job is. The shell that salloc gives has what Slurm says of the whole job, by which launchers find
 * its other hosts. Elsewhere the step's hosts and tasks stand beside the job's hosts: with place for one rank on one of them Open MPI's
 * starts none, and MPICH's crashes.
 */
export function launcherEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const place = mpiPlace(environment);
  const { SLURM_NNODES: hosts = environment.SLURM_JOB_NUM_NODES } = environment;
  const isAlone = place?.launcher === 'slurm' && place.size === 1 && hosts === '1';
  return isAlone
    ? Object.fromEntries(Object.entries(environment).filter(([name]) => !OF_STEP.test(name)))
    : environment;
}
