/**
 * Whether launches of now would be no more of what a campaign has measured since it was begun, although the machine is the same one: its
 * record describes it as it was then, so what is in the labels must be as it was. Pure.
 */
import { gpuNamed } from '../devices/device.js';
import { type GpuDescription, limitInForce } from '../machine/gpus.js';
import { memoryDiffers } from '../machine/same-machine.js';
import type { MachineDescription } from '../machine/types.js';
import { absencesOf } from './absences.js';
import { machineLabels } from './labels.js';
import type { Labels } from './schema.js';

type Value = Labels[string];
/** null: not known, or not there. */
type Condition = readonly [what: string, then: Value, now: Value];

/** Who resumes a campaign is asked for the same pi-bench by itself, and for the same machine, whose name may change. */
const FREE: ReadonlySet<string> = new Set([
  'machine',
  'hostname',
  'campaign',
  'pibench_version',
  'pibench_commit',
]);
const NOBODY = { version: '', commit: null };

/** A label that has no name here is called by its own. */
const NAMES: Readonly<Record<string, string>> = {
  allowed_cpus: 'CPUs that may be used',
  cgroup_cpu_quota: 'CPU quota',
  cgroup_memory_limit_bytes: 'memory limit in bytes',
  cpus: 'CPUs',
  gpu_driver: 'GPU driver',
  gpus: 'kinds of GPU',
  libc: 'C library',
  node: 'Node',
  numa_nodes: 'NUMA nodes',
  os: 'operating system',
  smt: 'SMT',
};

function labelsOf(machine: MachineDescription): Labels {
  const labels = machineLabels(machine, NOBODY, '');
  return {
    ...labels,
    ...absencesOf(machine),
    // Of which a part could not be read.
    cpu_family_model_stepping: String(labels.cpu_family_model_stepping).includes('?')
      ? null
      : (labels.cpu_family_model_stepping ?? null),
  };
}

const ofLabels = (there: MachineDescription, here: MachineDescription): readonly Condition[] => {
  const [then, now] = [labelsOf(there), labelsOf(here)];
  return Object.keys(now).flatMap((label): readonly Condition[] => {
    if (FREE.has(label)) return [];
    if (label === 'memory_bytes' && !memoryDiffers(there.memory.total, here.memory.total)) return [];
    return [[NAMES[label] ?? label.replaceAll('_', ' '), then[label] ?? null, now[label] ?? null]];
  });
};

/** In the order of their ordinals: in another order a device is another GPU. */
const gpusOf = ({ gpus }: MachineDescription): string =>
  (gpus?.devices ?? []).map(({ uuid }) => uuid).join(' ') || 'none';

function powerLimitOf(gpu: GpuDescription): string | null {
  const limit = limitInForce(gpu);
  return limit === null ? null : `${Math.round(limit)} W`;
}

/** As somebody has set them, of each GPU. */
const ofGpuSettings = (there: MachineDescription, here: MachineDescription): readonly Condition[] =>
  (there.gpus?.devices ?? []).flatMap((then): readonly Condition[] => {
    const now = here.gpus?.devices.find(({ uuid }) => uuid === then.uuid);
    if (now === undefined) return [];
    const name = gpuNamed(then.ordinal);
    return [
      [`ECC of ${name}`, then.ecc ?? null, now.ecc ?? null],
      [`MIG of ${name}`, then.mig ?? null, now.mig ?? null],
      [`power limit of ${name}`, powerLimitOf(then), powerLimitOf(now)],
    ];
  });

const textOf = (value: Value): string =>
  typeof value === 'boolean' ? (value ? 'on' : 'off') : String(value);

/** What could not be read at one of both times may be as it was. */
const hasChanged = ([, then, now]: Condition): boolean => then !== null && now !== null && then !== now;

/**
 * In words; null: nothing is known to have changed.
 * @param there as the campaign was begun
 */
export function changedConditions(there: MachineDescription, here: MachineDescription): string | null {
  const conditions: readonly Condition[] = [
    ['GPUs', gpusOf(there), gpusOf(here)],
    ...ofGpuSettings(there, here),
    ...ofLabels(there, here),
  ];
  const changed = conditions.filter(hasChanged);
  if (changed.length === 0) return null;
  return changed.map(([what, then, now]) => `${what}: ${textOf(then)} then, ${textOf(now)} now`).join('; ');
}
