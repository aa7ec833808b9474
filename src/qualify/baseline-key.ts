/** Which entry of a baseline judges which KPI of which batch: by device, subsystem, power limit, case, stack, and how it was measured. Pure. */

import { isGpu, ordinalOf } from '../devices/device.js';
import { limitInForce } from '../machine/gpus.js';
import type { MachineDescription } from '../machine/types.js';
import { plural } from '../quantities/format.js';
import { comparableParameters } from '../record/comparable-parameters.js';
import { canonicalJson } from '../record/digest.js';
import type { PiBenchRecord, RecordBatch } from '../record/schema.js';
import type { Baseline, BaselineDevice, BaselineEntry } from './baseline-schema.js';

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
    powerLimitWatts: gpu === undefined ? null : limitInForce(gpu),
  };
}

/** The same device whatever limits its power. */
export const sameButLimit = (a: BaselineDevice, b: BaselineDevice): boolean =>
  a.kind === b.kind &&
  a.name === b.name &&
  a.cpus === b.cpus &&
  a.pciDevice === b.pciDevice &&
  a.pciSubsystem === b.pciSubsystem;

const agree = (a: string | null, b: string | null): boolean => a === null || b === null || a === b;

/** Of one kind, whatever a fault or a setting makes of it: CPUs that are offline, a lower power limit, a GPU of which NVML is silent. */
export const sameKind = (a: BaselineDevice, b: BaselineDevice): boolean =>
  a.kind === b.kind &&
  a.name === b.name &&
  agree(a.pciDevice, b.pciDevice) &&
  agree(a.pciSubsystem, b.pciSubsystem);

/** By the fields that we know: those that a newer pi-bench added would keep equal devices apart. */
export const sameDevice = (a: BaselineDevice, b: BaselineDevice): boolean =>
  sameButLimit(a, b) && a.powerLimitWatts === b.powerLimitWatts;

/** Whether a node that lost some of its GPUs can be told by it; nodes without GPUs have none to lose. */
export const areGpusCounted = ({
  entries,
  gpusPerNode,
}: Pick<Baseline, 'entries' | 'gpusPerNode'>): boolean =>
  gpusPerNode !== undefined || entries.every(({ device }) => device.kind !== 'gpu');

export type Keyed = Pick<BaselineEntry, 'device' | 'indicator' | 'parameters' | 'stack' | 'kpi'>;

/** Equal for what may be compared. */
export const baselineKey = ({ device, indicator, parameters, stack, kpi }: Keyed): string =>
  canonicalJson([
    [device.kind, device.name, device.cpus, device.pciDevice, device.pciSubsystem, device.powerLimitWatts],
    indicator,
    parameters,
    // As it was before there were stacks of a stack file, where it is none.
    stack.own === undefined ? [stack.provider, stack.variant] : [stack.provider, stack.variant, stack.own],
    kpi,
  ]);

type Asked = Pick<RecordBatch['asked'], 'sampling' | 'warmup' | 'atOnce'>;
type Sampling = NonNullable<Asked['sampling']>;
type Warmup = NonNullable<Asked['warmup']>;

function warmupWord(warmup: Warmup): number | string {
  switch (warmup.kind) {
    case 'auto':
      return 'auto';
    case 'count':
      return warmup.count;
    case 'time':
      return `${warmup.seconds}s`;
  }
}

const samplingWords = (sampling: Sampling): Readonly<Record<string, number | string>> =>
  sampling.kind === 'fixed' ? { repetitions: sampling.repetitions } : { duration: `${sampling.seconds}s` };

/**
 * How it was measured, in the words of a campaign file. For a minute, or cold, or beside others a device reaches less than in a
 * moment, warm and alone.
 */
const mannerOf = ({ sampling, warmup, atOnce }: Asked): Readonly<Record<string, Parameter>> => ({
  ...(sampling === null ? {} : samplingWords(sampling)),
  ...(warmup === null ? {} : { warmup: warmupWord(warmup) }),
  ...(atOnce === true ? { atOnce: true } : {}),
});

type Parameters = BaselineEntry['parameters'];
type Parameter = Parameters[string];

/** What `mannerOf` adds to the parameters of a case. */
const MANNER: readonly string[] = ['repetitions', 'duration', 'warmup', 'atOnce'];

/** @returns the case's own parameters, and how it was measured in words: `for 60s after 0.5s, at once`; '' where nothing tells */
export function apartFromManner(parameters: Parameters): {
  readonly own: Parameters;
  readonly manner: string;
} {
  const own = Object.fromEntries(Object.entries(parameters).filter(([name]) => !MANNER.includes(name)));
  const { repetitions, duration, warmup, atOnce } = parameters;
  const how = [
    ...(repetitions === undefined ? [] : [`${repetitions} repetitions`]),
    ...(duration === undefined ? [] : [`for ${duration}`]),
    ...(warmup === undefined || warmup === 'auto'
      ? []
      : [`after ${typeof warmup === 'number' ? plural(warmup, 'call') : warmup}`]),
  ].join(' ');
  return { own, manner: [how, atOnce === true ? 'at once' : ''].filter((part) => part !== '').join(', ') };
}

/**
 * As it was asked for: what `null` chose is the machine's doing, and a wrong choice is a slow node. Stacks of a stack file have the same
 * provider and run other versions of it.
 */
const askedStack = ({ provider, variant, own }: RecordBatch['asked']['stack']): Keyed['stack'] => ({
  provider,
  variant,
  ...(own === undefined ? {} : { own }),
});

/** What a KPI of a batch is kept under. */
export const keyedBatch = (
  machine: MachineDescription,
  batch: Pick<RecordBatch, 'case' | 'device' | 'asked'>,
  kpi: string,
): Keyed => ({
  device: baselineDevice(machine, batch.device),
  indicator: batch.case.indicator,
  parameters: { ...comparableParameters(batch.case), ...mannerOf(batch.asked) },
  stack: askedStack(batch.asked.stack),
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
