/** What of a suite is measured on this machine, how long that may take, and what is left out because the machine has nothing for it. */
import {
  asksForNode,
  cpuParts,
  farAmong,
  farText,
  leftOutText,
  nodeNamed,
  wholeNodes,
} from '../../devices/cpu-parts.js';
import { asksForGpu, CPU, gpuNamed, isGpu, ordinalOf } from '../../devices/device.js';
import { GPU_DATA_TYPES } from '../../indicators/data-types.js';
import { findIndicator } from '../../indicators/index.js';
import { typesOf } from '../../indicators/peak-gpu.js';
import { distinct } from '../../machine/linux/reader.js';
import type { MachineDescription } from '../../machine/types.js';
import type { Suite, SuiteEntry } from '../../qualify/suite.js';
import { expandValues } from '../../quantities/expand.js';
import { groupsOf } from '../../record/at-once.js';
import type { BatchSpec } from '../../record/schema.js';
import { findStack } from '../../stacks/index.js';
import type { Seconds } from '../../units.js';
import { devicesOf } from '../common-options.js';
import { batchesOfEntry } from '../entry-batches.js';
import { NO_OWN } from '../own-stack-names.js';

const deviceOf = ({ flags }: SuiteEntry): string => String(flags.device ?? CPU);
const toPeers = ({ flags }: SuiteEntry): boolean =>
  String(flags.operation ?? '')
    .split(',')
    .includes('peer');

const NO_GPU = 'none is here; --expect gpu=N makes a missing one a failure';

/** Whether its size is a share of the memory that is free. */
const ofFreeMemory = ({ flags }: SuiteEntry): boolean => String(flags.bytes ?? '').includes('%');

const devicesNamedBy = (entry: SuiteEntry, machine: MachineDescription): readonly string[] =>
  distinct(expandValues(deviceOf(entry), '--device').flatMap((device) => devicesOf({ device }, machine)));

/** Of the GPUs that an entry names those that do not tell how much of their memory is free, where its size is a share of that. */
function silentGpus(entry: SuiteEntry, machine: MachineDescription): readonly string[] {
  if (!ofFreeMemory(entry) || !asksForGpu(deviceOf(entry))) return [];
  const silent = (machine.gpus?.devices ?? [])
    .filter(({ freeBytes }) => freeBytes == null)
    .map(({ ordinal }) => gpuNamed(ordinal));
  return silent.length === 0
    ? []
    : devicesNamedBy(entry, machine).filter((device) => silent.includes(device));
}

/** An entry without those; none where no other is left. */
function withoutSilent(entry: SuiteEntry, machine: MachineDescription): readonly SuiteEntry[] {
  const silent = silentGpus(entry, machine);
  if (silent.length === 0) return [entry];
  const others = devicesNamedBy(entry, machine).filter((device) => !silent.includes(device));
  return others.length === 0 ? [] : [{ ...entry, flags: { ...entry.flags, device: others.join(',') } }];
}

/** Whether its ranks are GPUs, which takes two of them. */
const betweenGpus = ({ indicator }: SuiteEntry): boolean => findIndicator(indicator).spansDevices === true;

/** The library that would execute it unless another is named, where that one is not here. */
function lackedLibrary({ indicator, flags }: SuiteEntry): string | null {
  const usual = flags.stack === undefined ? (findIndicator(indicator).usualStack?.(flags) ?? null) : null;
  const spec = usual === null ? null : findStack(usual);
  if (spec?.library == null || spec.variants().here.length > 0) return null;
  return `${spec.library.sonames[0]} was not found, so nothing is known of it here. ${spec.library.needed}`;
}

/** Why the machine has nothing for an entry; null: it can be measured. */
function whyNot(entry: SuiteEntry, machine: MachineDescription): string | null {
  const gpus = machine.gpus?.devices.length ?? 0;
  const device = deviceOf(entry);
  if (asksForGpu(device)) {
    if (gpus === 0) return NO_GPU;
    if (gpus === 1 && toPeers(entry)) return 'there is one GPU, and copies between GPUs take two';
    if (gpus === 1 && betweenGpus(entry))
      return 'there is one GPU, and an exchange takes two: what one copies to itself says nothing of a link';
    return lackedLibrary(entry);
  }
  return asksForNode(device) ? whyNoNode(machine) : null;
}

function whyNoNode(machine: MachineDescription): string | null {
  const parts = cpuParts(machine);
  if (parts.nodes.length === 0) return 'the kernel tells of no NUMA nodes';
  if (wholeNodes(parts).length > 0) return null;
  const whys = distinct(parts.nodes.flatMap(({ farMemory }) => farMemory ?? []));
  return `of no NUMA node the threads would have its own memory: ${whys.join('; ')}`;
}

/** Nodes that an entry names one by one, as if they had memory of their own. Those that `numa:all` leaves out are none of them. */
const farNodes = (entry: SuiteEntry, machine: MachineDescription) =>
  farAmong(expandValues(deviceOf(entry), '--device'), cpuParts(machine));

/** An entry without those; none where no other is left. */
function withoutFar(entry: SuiteEntry, machine: MachineDescription): readonly SuiteEntry[] {
  const far = farNodes(entry, machine).map(nodeNamed);
  if (far.length === 0) return [entry];
  const others = expandValues(deviceOf(entry), '--device').filter((device) => !far.includes(device));
  return others.length === 0 ? [] : [{ ...entry, flags: { ...entry.flags, device: others.join(',') } }];
}

/** A node is qualified with all its CPUs, whatever a quota leaves of them: that one is there is to be seen. */
function withAllCpus({ flags, indicator }: SuiteEntry, machine: MachineDescription): MachineDescription {
  const { options } = findIndicator(indicator);
  // Of ranks, threads are those of each.
  const free = 'threads' in options && !('ranks' in options) && flags.threads === undefined;
  return free ? { ...machine, limits: { ...machine.limits, cpuQuota: null } } : machine;
}

/** What is measured here; a node without GPUs is not asked for any. */
export function batchesHere(suite: Suite, machine: MachineDescription): readonly BatchSpec[] {
  return suite.entries
    .filter((entry) => whyNot(entry, machine) === null)
    .flatMap((entry) => withoutSilent(entry, machine))
    .flatMap((entry) => withoutFar(entry, machine))
    .flatMap((entry) =>
      batchesOfEntry(entry, entry.file, withAllCpus(entry, machine), NO_OWN.names, 'alone').map((batch) =>
        isJudgedByPeak(entry, suite) && hasPeakOfItsOwn(batch) ? { ...batch, inTurns: true } : batch,
      ),
    )
    .filter(({ device, case: one }) => !lacksType(device, one, machine));
}

/** Whether a check judges which share of its peak a part reaches. */
const isJudgedByPeak = ({ part }: SuiteEntry, { checks }: Suite): boolean =>
  checks.some((one) => one.check === 'efficiency' && one.parts?.includes(part) !== false);

/** Whether its launches measure the peak in registers of the CPUs that execute it, and may look at it beside their calls. */
const hasPeakOfItsOwn = ({ device, case: { indicator } }: BatchSpec): boolean =>
  !isGpu(device) && findIndicator(indicator).rateCounts === 'flop';

/** A suite is for GPUs of all ages: a type that one does not have is no fault of it. */
function lacksType(
  device: string,
  { indicator, parameters }: BatchSpec['case'],
  { gpus }: MachineDescription,
): boolean {
  const gpu = isGpu(device) ? gpus?.devices.find(({ ordinal }) => ordinal === ordinalOf(device)) : undefined;
  if (gpu === undefined) return false;
  const dtype = findIndicator(indicator).dtype(parameters);
  return (
    GPU_DATA_TYPES.some((one) => one === dtype) &&
    !typesOf(gpu.computeCapability).some((one) => one === dtype)
  );
}

/** Of all GPUs, those that lack a type that the suite measures: `float8_e4m3 on cuda:0`. */
function typesMissing({ entries }: Suite, { gpus }: MachineDescription): readonly string[] {
  const asked = entries
    .filter((entry) => asksForGpu(deviceOf(entry)))
    .flatMap(({ flags }) => String(flags.dtype ?? '').split(','));
  return (gpus?.devices ?? []).flatMap(({ ordinal, computeCapability }) =>
    GPU_DATA_TYPES.filter(
      (dtype) => asked.includes(dtype) && !typesOf(computeCapability).includes(dtype),
    ).map(
      (dtype) =>
        `${dtype} on ${gpuNamed(ordinal)}: GPUs of compute capability ${computeCapability} have none`,
    ),
  );
}

/** What is not measured on GPUs that do not tell what its size goes by: `gpu-memory-pattern on cuda:1`. */
const memoryUntold = ({ entries }: Suite, machine: MachineDescription): readonly string[] =>
  distinct(
    entries
      .filter((entry) => whyNot(entry, machine) === null)
      .flatMap((entry) =>
        silentGpus(entry, machine).map(
          (device) =>
            `${entry.part} on ${device}: it does not tell how much of its memory is free, and the size is a share of that`,
        ),
      ),
  );

function farNodesText(entry: SuiteEntry, machine: MachineDescription): string | null {
  const far = farNodes(entry, machine);
  return far.length === 0
    ? null
    : `${entry.part} leaves out ${far.map(nodeNamed).join(', ')}: ${farText(far)}`;
}

/** Which NUMA nodes are left out of what is measured on all, or on each that an entry names. */
const nodesLeftOut = ({ entries }: Suite, machine: MachineDescription): readonly string[] =>
  distinct(
    entries
      .filter((entry) => whyNot(entry, machine) === null)
      .flatMap((entry) => [leftOutText(deviceOf(entry), cpuParts(machine)), farNodesText(entry, machine)])
      .filter((text) => text !== null),
  );

/** Parts by why the machine has nothing for them: `gpu-peers: there is one GPU ...`. Where there is no GPU at all, one line for all. */
function partsMissing({ entries }: Suite, machine: MachineDescription): readonly string[] {
  const parts = new Map<string, Set<string>>();
  for (const entry of entries) {
    const why = whyNot(entry, machine);
    if (why === null) continue;
    const of = parts.get(why) ?? new Set<string>();
    parts.set(why, of.add(why === NO_GPU ? 'GPUs' : entry.part));
  }
  return [...parts].map(([why, of]) => `${[...of].join(', ')}: ${why}`);
}

/** What of a suite is not measured here, and why, in words. */
export function notMeasured(suite: Suite, machine: MachineDescription): readonly string[] {
  const batches = batchesHere(suite, machine);
  return [
    ...partsMissing(suite, machine),
    ...memoryUntold(suite, machine),
    ...nodesLeftOut(suite, machine),
    ...typesMissing(suite, machine),
    ...(batches.some(({ device, atOnce }) => isGpu(device) && atOnce === true)
      ? ['measuring GPUs at once has been tried on a fake driver only, not yet on several GPUs']
      : []),
    ...(batches.some(({ device, case: one }) => isGpu(device) && 'ranks' in one.parameters)
      ? ['exchanges between GPUs have been tried on a fake driver and a fake NCCL only, not yet on GPUs']
      : []),
  ];
}

/**
 * A suite's budget is that of a node without GPUs. What all of them are measured in at once takes as long again; what is measured on
 * each by itself as long again for each.
 */
export function budgetHere({ budget, ...suite }: Suite, machine: MachineDescription): Seconds | null {
  const first = machine.gpus?.devices[0];
  if (budget === null || first === undefined) return budget;
  const batches = batchesHere({ budget, ...suite }, machine);
  const groups = groupsOf(batches);
  const onGpus = batches.flatMap(({ device }, i) => (isGpu(device) ? [i] : []));
  const turns = onGpus.filter((i) => groups[i]?.[0] === i).length;
  const ofOne = onGpus.filter((i) => batches[i]?.device === gpuNamed(first.ordinal)).length;
  return budget * (1 + turns / Math.max(1, ofOne));
}
