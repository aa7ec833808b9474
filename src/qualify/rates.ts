/** The rate of a batch as a baseline, the peers and a node's own history know it. Pure. */
import { isGpu, ordinalOf } from '../devices/device.js';
import { indicators } from '../indicators/index.js';
import { hasIdOfImage } from '../machine/same-machine.js';
import type { MachineDescription } from '../machine/types.js';
import { comparableParameters } from '../record/comparable-parameters.js';
import { canonicalJson } from '../record/digest.js';
import type { RecordBatch } from '../record/schema.js';
import { PART } from './suite-file.js';

/** The KPI that is the median rate of an indicator, as it declares it; null: what others published has no indicator of ours. */
export function rateKpi(indicator: string): string | null {
  const declared = indicators
    .find(({ name }) => name === indicator)
    ?.kpis.find(({ name, statistic }) => statistic === 'median' && /_rate_\w+_per_second$/.test(name));
  return declared?.name ?? null;
}

export interface Serial {
  readonly serial: string | null;
  readonly serialIs: string;
}

/** By what a device is known from one run to the next. */
export function serialOf(machine: MachineDescription, device: string): Serial {
  const { os, gpus } = machine;
  if (isGpu(device)) {
    const uuid = gpus?.devices.find(({ ordinal }) => ordinal === ordinalOf(device))?.uuid;
    return { serial: uuid ?? null, serialIs: 'UUID of the GPU' };
  }
  // Nor is a container's host name the machine's; the boot is its kernel's, until the next one.
  if (hasIdOfImage(machine)) {
    return {
      serial: os.bootIdHash ?? null,
      serialIs: 'boot of the host (in a container no id is the machine’s own)',
    };
  }
  if (os.machineIdHash !== null)
    return { serial: os.machineIdHash, serialIs: 'machine id (CPUs tell no serial number)' };
  return { serial: os.hostname, serialIs: 'host name, as there is no machine id' };
}

/** Of the machine itself and of each of its GPUs. */
export function serialsOf(machine: MachineDescription): readonly string[] {
  const gpus = (machine.gpus?.devices ?? []).map(({ ordinal }) => `cuda:${ordinal}`);
  return ['cpu', ...gpus].flatMap((device) => serialOf(machine, device).serial ?? []);
}

/** What for and how a case is measured: for a minute, or cold, it reaches less than in a moment. */
export function purposeOf({ asked }: Pick<RecordBatch, 'asked'>): readonly unknown[] {
  const { stack, labels, atOnce = false, sampling, warmup } = asked;
  const own = stack.own === undefined ? [] : [stack.own];
  return [labels?.[PART] ?? null, stack.provider, stack.variant, ...own, atOnce, sampling, warmup];
}

/**
 * What a rate is remembered under: the same case on the same stack on the very same device, measured for the same purpose. A CPU is
 * known by its machine's serial, and machines that share one may have other CPUs. null: a device without a serial has no history, as
 * it could be any other's.
 */
export function historyKey(
  machine: MachineDescription,
  { case: one, device, asked }: Pick<RecordBatch, 'case' | 'device' | 'asked'>,
): string | null {
  const { serial } = serialOf(machine, device);
  if (!serial) return null;
  const where = isGpu(device) ? ['gpu'] : [device, machine.cpu.modelName];
  const same = { ...one, parameters: comparableParameters(one) };
  return canonicalJson([serial, ...where, same, ...purposeOf({ asked })]);
}
