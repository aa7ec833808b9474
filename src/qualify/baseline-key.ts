/** Which entry of a baseline judges which KPI of which batch: by device, subsystem, power limit, case, stack. Pure. */
import { isGpu, ordinalOf } from '../devices/device.js';
import type { MachineDescription } from '../machine/types.js';
import { canonicalJson } from '../record/digest.js';
import type { PiBenchRecord, RecordBatch } from '../record/schema.js';
import type { BaselineDevice, BaselineEntry } from './baseline-schema.js';

/** Machine descriptions stand in the record as plain JSON of this very shape. */
export const machineOf = ({ machine }: Pick<PiBenchRecord, 'machine'>): MachineDescription =>
  machine as unknown as MachineDescription;

/** A virtual machine may not tell what its CPU is. */
const NOT_KNOWN = 'not known';

/**
 * What a device is, as a baseline has it.
 * @param device `cpu`, `cuda:0`
 */
export function baselineDevice({ cpu, gpus }: MachineDescription, device: string): BaselineDevice {
  const none = { cpus: null, pciDevice: null, pciSubsystem: null, powerLimitWatts: null };
  if (!isGpu(device)) return { ...none, kind: 'cpu', name: cpu.modelName ?? NOT_KNOWN, cpus: cpu.threads };
  const gpu = gpus?.devices.find(({ ordinal }) => ordinal === ordinalOf(device));
  return {
    ...none,
    kind: 'gpu',
    name: gpu?.name ?? NOT_KNOWN,
    pciDevice: gpu?.pciDevice ?? null,
    pciSubsystem: gpu?.pciSubsystem ?? null,
    powerLimitWatts: gpu?.powerLimitWatts ?? null,
  };
}

/** The same device whatever limits its power. */
export const sameButLimit = (a: BaselineDevice, b: BaselineDevice): boolean =>
  a.kind === b.kind &&
  a.name === b.name &&
  a.cpus === b.cpus &&
  a.pciDevice === b.pciDevice &&
  a.pciSubsystem === b.pciSubsystem;

/** By the fields that we know: those that a newer pi-bench added would keep equal devices apart. */
export const sameDevice = (a: BaselineDevice, b: BaselineDevice): boolean =>
  sameButLimit(a, b) && a.powerLimitWatts === b.powerLimitWatts;

type Keyed = Pick<BaselineEntry, 'device' | 'indicator' | 'parameters' | 'stack' | 'kpi'>;

/** Equal for what may be compared. */
export const baselineKey = ({ device, indicator, parameters, stack, kpi }: Keyed): string =>
  canonicalJson([
    [device.kind, device.name, device.cpus, device.pciDevice, device.pciSubsystem, device.powerLimitWatts],
    indicator,
    parameters,
    [stack.provider, stack.variant],
    kpi,
  ]);

/**
 * What makes a case another one: of a share of the memory that share, and not what it came to, which is a little different on each
 * node and each day.
 */
export function comparableParameters({ parameters }: Pick<RecordBatch['case'], 'parameters'>) {
  if (parameters.share === undefined) return parameters;
  const { bytes: _, ...others } = parameters;
  return others;
}

/** What a KPI of a batch is kept under. */
export const keyedBatch = (
  machine: MachineDescription,
  batch: Pick<RecordBatch, 'case' | 'device' | 'asked'>,
  kpi: string,
): Keyed => ({
  device: baselineDevice(machine, batch.device),
  indicator: batch.case.indicator,
  // What is measured beside others is another thing than what is measured alone.
  parameters: {
    ...comparableParameters(batch.case),
    ...(batch.asked.atOnce === true ? { atOnce: true } : {}),
  },
  // As it was asked for: what `null` chose is the machine's doing, and a wrong choice is a slow node.
  stack: { provider: batch.asked.stack.provider, variant: batch.asked.stack.variant },
  kpi,
});

/** A device in words, for messages. */
export function deviceText({ kind, name, cpus, pciSubsystem, powerLimitWatts }: BaselineDevice): string {
  if (kind === 'cpu') return `${name} (${cpus ?? 'unknown number of'} CPUs)`;
  const parts = [
    ...(pciSubsystem === null ? [] : [`subsystem ${pciSubsystem}`]),
    ...(powerLimitWatts === null ? [] : [`power limit ${powerLimitWatts} W`]),
  ];
  return parts.length === 0 ? name : `${name} (${parts.join(', ')})`;
}
