/** What a person can do about a refusal of Slurm's, by its words (`slurm_errno.c`, alike in all versions). Pure. */

const REMEDIES: readonly (readonly [RegExp, string])[] = [
  [
    /configuration (source|file)|unable to contact slurm controller|can't find address/i,
    'run it on a login node, or set SLURM_CONF to the cluster’s slurm.conf',
  ],
  [
    /memory required/i,
    'see MaxMemPerNode and MaxMemPerCPU in `scontrol show partition`, and give --mem what the partition allows',
  ],
  [
    /reservation/i,
    'see `scontrol show reservation` for those that there are and their users, and give --reservation one of yours, or none',
  ],
  [
    /accounting\/QOS policy/i,
    'see `sacctmgr show qos` and `sacctmgr show associations user=$USER` for the limits, and ask for fewer nodes or a shorter --time',
  ],
  [
    /account/i,
    'see `sacctmgr show associations user=$USER` and `scontrol show partition` for what goes together, and give --account, --partition',
  ],
  [/qos/i, 'see `sacctmgr show associations user=$USER` for yours, and give --qos one of them'],
  [/time limit/i, 'see `sinfo` for the limits of partitions, and give a shorter --time'],
  [
    /group not permitted|permission denied/i,
    'see AllowGroups in `scontrol show partition`, and give another --partition or ask who runs this Slurm',
  ],
  [/partition/i, 'see `scontrol show partition`, and give another --partition or other requests'],
  [
    /node configuration is not available|required node not available/i,
    'see `sinfo --long --Node` for what the node has and whether it is reserved, and ask for less or for other nodes',
  ],
];

/** null: nothing that is known here. */
export const remedyOf = (said: string): string | null =>
  REMEDIES.find(([words]) => words.test(said))?.[1] ?? null;
