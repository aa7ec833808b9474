/** Makes batches from flags and a campaign of batches, checked against the machine before anything is allocated. */
import { randomBytes, randomInt } from 'node:crypto';
import { lonelyBatches } from '../campaign/comparisons.js';
import { asksForCpuPart, asksForNode, cpuParts, cpusOfPart, wholeNodes } from '../devices/cpu-parts.js';
import { CPU } from '../devices/device.js';
import { withEvenMemory } from '../devices/even-memory.js';
import { machineOn } from '../devices/machine-on-part.js';
import { UserError } from '../errors.js';
import { findIndicator } from '../indicators/index.js';
import type { Flags, Indicator } from '../indicators/indicator.js';
import { usableCpus } from '../machine/capacity.js';
import { distinct } from '../machine/linux/reader.js';
import type { MachineDescription } from '../machine/types.js';
import { expandValues, twiceIn } from '../quantities/expand.js';
import { plural } from '../quantities/format.js';
import { MOST_SEED } from '../random.js';
import { LABEL_NAMES } from '../record/labels.js';
import type { BatchSpec, Campaign, Explored, OwnStack } from '../record/schema.js';
import { distinctStacks, findStack, parseStack } from '../stacks/index.js';
import type { Seconds } from '../units.js';
import { checkAtOnce } from './at-once.js';
import {
  devicesOf,
  inspectionsOf,
  precisionOf,
  samplingOf,
  settleOf,
  timeoutOf,
  warmupOf,
  withSettling,
} from './common-options.js';
import { checkGpuMemory, checkMemory } from './enough-memory.js';
import type { OwnNames } from './own-stack-names.js';

/** `20261121T073500Z-matmul-1f2e3d`. */
export function makeCampaignId(name: string, createdAt: string): string {
  const moment = createdAt.replace(/\.\d+/, '').replaceAll(/[-:]/g, '');
  return `${moment}-${name}-${randomBytes(3).toString('hex')}`;
}

/** More nobody looks over, and what stands between two launches grows with them. */
const MOST_BATCHES = 10_000;

/** @throws UserError for more than a campaign can have */
export function checkBatchCount(batches: number): void {
  if (batches > MOST_BATCHES)
    throw new UserError(
      `flags and entries make ${batches} batches or more; a campaign has at most ${MOST_BATCHES}: ask for fewer`,
    );
}

/** Where nothing is asked for. */
const DEFAULT_STACK = 'embedded';

/** As after --stack; without it all of one's own, or pi-bench's kernels. */
export function stacksText({ stack }: Flags, own: OwnNames, usual: string | null = null): string {
  if (stack !== undefined) return String(stack);
  if (usual !== null) return usual;
  return own.size === 0 ? DEFAULT_STACK : [...own.keys()].join(',');
}

/** Two batches of one stack have to be told apart by something. */
const WITH_ITSELF =
  'to compare a stack with itself, give a campaign file two entries, each with labels of its own (docs/sweeps.md)';

/** As they are typed. @throws UserError, QuantityError for one that is named twice */
export function stackNames(flags: Flags, own: OwnNames, usual: string | null = null): readonly string[] {
  const text = stacksText(flags, own, usual);
  const twice = twiceIn(text.split(',').map((name) => name.trim()));
  if (twice !== null)
    throw new UserError(`--stack has ${twice} more than once: leave one out; ${WITH_ITSELF}`);
  return expandValues(text, '--stack');
}

/**
 * As many as on a CPU that has no more; of nodes at once as many on each as the smallest has, so that they do the same and can wait
 * for each other.
 */
function usualThreads(device: string, flags: Flags, machine: MachineDescription): number {
  const usable = usableCpus(machineOn(device, machine));
  if (flags['at-once'] === undefined || !asksForNode(device)) return usable;
  return Math.min(usable, ...wholeNodes(cpuParts(machine)).map(({ cpus }) => cpus.length));
}

/**
 * As one of the devices that are measured at once has it: parts of the CPU share its quota.
 * @throws UserError where it keeps no thread of each running, and nobody says how many there are to be
 */
function withShareOfQuota(
  flags: Flags,
  devices: readonly string[],
  machine: MachineDescription,
): MachineDescription {
  const { limits } = machine;
  const { length: parts } = distinct(devices.filter(asksForCpuPart));
  if (flags['at-once'] === undefined || limits.cpuQuota === null || parts === 0) return machine;
  const share = limits.cpuQuota / parts;
  if (parts > 1 && share < 1 && flags.threads === undefined)
    throw new UserError(
      `--at-once: the quota of ${limits.cpuQuota} CPUs keeps no thread running on each of ${parts} devices: name fewer, or say how many threads (--threads)`,
    );
  return { ...machine, limits: { ...limits, cpuQuota: share } };
}

/**
 * On a part of the CPU a case runs as on a CPU that has no more.
 * @throws UserError for an indicator without threads of its own, and for more threads than the part has CPUs
 */
function flagsOn(
  { name, options, usualThreads: own }: Indicator,
  flags: Flags,
  device: string,
  machine: MachineDescription,
): Flags {
  const cpus = cpusOfPart(device, cpuParts(machine));
  if (cpus === null) return { ...flags, device };
  if (!('threads' in options) || 'ranks' in options)
    throw new UserError(`${name} does not run on a part of the CPU: leave --device ${device} out`);
  const threads = String(flags.threads ?? own ?? usualThreads(device, flags, machine));
  if (Number(threads) > cpus.length)
    throw new UserError(
      `--threads ${threads}: ${device} has ${plural(cpus.length, 'CPU')} that may be used: ask for no more`,
    );
  if (flags.pin === false)
    throw new UserError(
      `--no-pin: threads are kept on ${device} by pinning them: leave --no-pin or --device out`,
    );
  return { ...flags, device: CPU, threads, pin: true };
}

/**
 * A batch for each case that the flags ask for, on each device and stack. Those of a stack file are not made yet, nor checked.
 * @param own the names of a stack file
 * @param beside devices that other flags name, of what is measured at the same time
 * @throws UserError, QuantityError for flags that make none, or more than this machine holds.
 */
export function batchesOf(
  indicator: Indicator,
  asked: Flags,
  machine: MachineDescription,
  own: OwnNames,
  beside: readonly string[] = [],
): readonly BatchSpec[] {
  const usual = indicator.usualStack?.(asked) ?? null;
  const names = stackNames(asked, own, usual);
  const chosen = distinctStacks(names.map((text) => own.get(text) ?? parseStack(text, [...own.keys()])));
  if (chosen.length < names.length)
    throw new UserError(`--stack ${names.join(',')} names one stack twice: leave one out; ${WITH_ITSELF}`);
  const flags = withSettling(asked, chosen.length);
  const named = devicesOf(flags, machine);
  const devices = named.slice(0, indicator.spansDevices === true ? 1 : undefined);
  const shared = withShareOfQuota(flags, [...named, ...beside], withEvenMemory(named, machine));
  const each = devices.flatMap((device) =>
    indicator
      .fromFlags(flagsOn(indicator, flags, device, shared), machineOn(device, shared))
      .flatMap((parameters) => chosen.map((stack) => ({ parameters, stack, device }))),
  );
  const batches = each.map(({ parameters, stack, device }): BatchSpec => {
    const dtype = indicator.dtype(parameters);
    if (stack.own === undefined)
      findStack(stack.provider).check(stack.variant, indicator.name, dtype, parameters, device);
    return {
      case: { indicator: indicator.name, parameters },
      stack,
      device,
      inspections: inspectionsOf(flags, indicator.measuring),
      sampling: samplingOf(flags, indicator.measuring),
      warmup: warmupOf(flags),
      timeout: timeoutOf(flags),
      ...precisionOf(flags),
      ...settleOf(flags),
    };
  });
  for (const batch of batches) {
    // A GPU has less, and is what was asked for.
    checkGpuMemory(indicator, batch, machine);
    checkMemory(indicator, batch, machine);
  }
  return batches;
}

export interface CampaignInput {
  /** Part of the id: the indicator, or what else a person called it. */
  readonly name: string;
  readonly command: readonly string[];
  readonly batches: readonly BatchSpec[];
  /** null: to be drawn. */
  readonly seed: number | null;
  /** null: none. */
  readonly budget: Seconds | null;
  readonly labels: Readonly<Record<string, string>>;
  /** Of a stack file. */
  readonly stacks?: readonly OwnStack[];
  readonly explored?: Explored;
}

/** @throws UserError for a label that would hide one of pi-bench's own. */
export function checkLabels(batches: readonly BatchSpec[], campaign: CampaignInput['labels'] = {}): void {
  const own = new Set<string>([
    ...LABEL_NAMES,
    ...batches.flatMap((batch) => Object.keys(batch.case.parameters)),
  ]);
  const given = [campaign, ...batches.map(({ labels }) => labels ?? {})].flatMap(Object.keys);
  const hiding = given.find((label) => own.has(label));
  if (hiding !== undefined)
    throw new UserError(`the label ${hiding} is pi-bench's own: give yours another name`);
}

/** @throws UserError where a comparison is to be settled and there is nothing to compare with. */
function checkSettling(batches: readonly BatchSpec[]): void {
  const [lonely] = lonelyBatches(batches);
  if (lonely === undefined) return;
  const title = findIndicator(lonely.case.indicator).title(lonely.case.parameters);
  throw new UserError(
    `--settle compares, and there is one stack only for ${title}: give several (--stack a,b), or leave --settle out`,
  );
}

/** @throws UserError */
export function createCampaign(input: CampaignInput): Campaign {
  const { name, command, batches, seed, budget, labels, stacks = [], explored } = input;
  checkBatchCount(batches.length);
  checkLabels(batches, labels);
  checkSettling(batches);
  checkAtOnce(batches);
  const createdAt = new Date().toISOString();
  return {
    id: makeCampaignId(name, createdAt),
    createdAt,
    command: [...command],
    seed: seed ?? randomInt(MOST_SEED + 1),
    batches: [...batches],
    ...(budget === null ? {} : { budget }),
    ...(Object.keys(labels).length === 0 ? {} : { labels: { ...labels } }),
    ...(stacks.length === 0 ? {} : { stacks: [...stacks] }),
    ...(explored === undefined ? {} : { explored }),
    fault: null,
  };
}
