/** Where a score was measured, as far as a prescription can ask for it: one that cannot would be for every machine. Pure. */
import { isGpu, ordinalOf } from '../devices/device.js';
import type { MachineDescription } from '../machine/types.js';
import type { PiBenchRecord } from '../record/schema.js';
import type { StackScore } from './score.js';

/** Of a record. */
export type Where = Pick<PiBenchRecord, 'labels' | 'machine'>;

export interface Hardware {
  readonly cpu_families: readonly number[];
  readonly cpu_models: readonly number[];
  readonly gpu_models?: readonly string[];
}

function cpuOf({ labels }: Where): Hardware | null {
  const [family = '', model = ''] = String(labels.cpu_family_model_stepping ?? '').split('-');
  if (!/^\d+$/.test(family) || !/^\d+$/.test(model)) return null;
  return { cpu_families: [Number(family)], cpu_models: [Number(model)] };
}

/** null: the record does not say. */
function gpuNameOf({ machine }: Where, device: string): string | null {
  const { gpus } = machine as unknown as MachineDescription;
  return gpus?.devices.find(({ ordinal }) => ordinal === ordinalOf(device))?.name ?? null;
}

/**
 * The CPU of the machine, and, where the cases ran on a GPU, which it was.
 * @returns in words why it cannot be asked for
 */
export function prescribedHardware({ cases }: StackScore, where: Where): Hardware | string {
  const cpu = cpuOf(where);
  if (cpu === null) {
    const architecture = where.labels.architecture ?? 'its architecture is not known';
    return `a resolver knows a CPU by its family and model, and this one tells none (${architecture}): the step would be for every machine`;
  }
  const devices = [...new Set(cases.map(({ device }) => device))].sort();
  const onGpus = devices.filter(isGpu);
  if (onGpus.length === 0) return cpu;
  if (onGpus.length < devices.length) {
    return `its score is of a CPU and a GPU together (${devices.join(', ')}): score a record of each alone`;
  }
  const unnamed = onGpus.find((device) => gpuNameOf(where, device) === null);
  if (unnamed !== undefined) return `the record does not say which GPU ${unnamed} is`;
  const models = [...new Set(onGpus.flatMap((device) => gpuNameOf(where, device) ?? []))];
  return models.length > 1
    ? `its score is of different GPUs together (${models.join(', ')}): score a record of each alone`
    : { ...cpu, gpu_models: models };
}
