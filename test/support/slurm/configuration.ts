/** The files that a Slurm of a few nodes on one machine reads. Pure. */

export interface ClusterNode {
  readonly name: string;
  readonly hostname: string;
  readonly address: string;
  readonly port: number;
}

export interface Cluster {
  readonly folder: string;
  readonly user: string;
  readonly controller: { readonly hostname: string; readonly address: string; readonly port: number };
  readonly nodes: readonly ClusterNode[];
  /** Seconds after which a node that does not answer is down. */
  readonly patience: number;
  /** Lines of a test's own. */
  readonly more: readonly string[];
}

/** CPUs of a node: what it has itself does not count. */
export const CPUS = 2;
export const PARTITION = 'bench';

/** slurm.conf: decides at once, refuses what can never run, and knows nothing of accounts. */
export function slurmConf({ folder, user, controller, nodes, patience, more }: Cluster): string {
  return [
    'ClusterName=pibench',
    `SlurmctldHost=${controller.hostname}(${controller.address})`,
    `SlurmctldPort=${controller.port}`,
    `SlurmUser=${user}`,
    `SlurmdUser=${user}`,
    'AuthType=auth/munge',
    `AuthInfo=socket=${folder}/munge.sock`,
    'CredType=cred/munge',
    `StateSaveLocation=${folder}/state`,
    `SlurmdSpoolDir=${folder}/spool.%n`,
    `SlurmctldPidFile=${folder}/slurmctld.pid`,
    `SlurmdPidFile=${folder}/slurmd.%n.pid`,
    'ProctrackType=proctrack/pgid',
    'TaskPlugin=task/none',
    'JobAcctGatherType=jobacct_gather/none',
    'SelectType=select/cons_tres',
    'SelectTypeParameters=CR_Core',
    'SchedulerType=sched/backfill',
    'SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0,sched_min_interval=0',
    'SlurmdParameters=config_overrides',
    'MpiDefault=none',
    'EnforcePartLimits=ALL',
    'GresTypes=gpu',
    'ReturnToService=2',
    'SlurmctldTimeout=30',
    `SlurmdTimeout=${patience}`,
    'KillWait=2',
    ...more,
    ...nodes.map(
      ({ name, hostname, address, port }) =>
        `NodeName=${name} NodeHostname=${hostname} NodeAddr=${address} Port=${port} CPUs=${CPUS} RealMemory=1000 Gres=gpu:1 State=UNKNOWN`,
    ),
    `PartitionName=${PARTITION} Nodes=ALL Default=YES MaxTime=01:00:00 State=UP`,
    '',
  ].join('\n');
}

/** gres.conf: a GPU that is no GPU, so that jobs can ask for one. */
export const GRES_CONF = 'Name=gpu Count=1 File=/dev/null\n';
