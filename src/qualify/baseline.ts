/** Makes a baseline of its text, and refuses what no node can be judged by: of other hardware, or beyond what physics allows. Pure. */
import { z } from 'zod';
import { gpuNamed } from '../devices/device.js';
import { UserError } from '../errors.js';
import type { MachineDescription } from '../machine/types.js';
import { withPrefix } from '../quantities/format.js';
import { MOST_OF_CEILING } from '../statistics/roofline.js';
import { COUNTS, type DeviceHere, hardwareDifference, hardwareOf } from './baseline-hardware.js';
import {
  baselineDevice,
  baselineKey,
  deviceText,
  sameButLimit,
  sameDevice,
  sameKind,
} from './baseline-key.js';
import {
  BASELINE_KIND,
  BASELINE_VERSION,
  type Baseline,
  type BaselineDevice,
  type BaselineEntry,
  readableBaseline,
} from './baseline-schema.js';

/** Of the theoretical peak: less, or more, is a mistake in the baseline and no property of nodes. */
const LEAST_OF_PEAK = 0.2;
const MOST_OF_PEAK = 1;
/** Nodes of which no p05 is known are in the one median and not in the other. */
const MOST_OF_MEDIAN = 1.1;

/** Why its distribution cannot be one; null: it can, or there is none. */
function distributionProblem(distribution: BaselineEntry['distribution']): string | null {
  if (distribution === null) return null;
  const { probabilities, seconds } = distribution;
  if (probabilities.length !== seconds.length)
    return `its distribution has ${probabilities.length} probabilities and ${seconds.length} times`;
  const ascending = (values: readonly number[]): boolean =>
    values.every((value, i) => value >= (values[i - 1] ?? 0));
  return ascending(probabilities) &&
    ascending(seconds) &&
    (seconds[0] ?? 0) > 0 &&
    seconds.every(Number.isFinite)
    ? null
    : 'its distribution is not ascending times above 0';
}

type Judged = Pick<BaselineEntry, 'median' | 'unit' | 'peak'> &
  Partial<Pick<BaselineEntry, 'p05' | 'spread' | 'distribution' | 'apart'>>;

/** Why an entry cannot be right; null: nothing speaks against it. */
export function entryProblem({
  median,
  unit,
  peak,
  p05,
  spread,
  distribution,
  apart,
}: Judged): string | null {
  if (!(median > 0)) return `its median is ${median}`;
  const beyond = peak === null ? null : peakProblem(median, peak, unit);
  if (beyond !== null) return beyond;
  // A limit of nothing would hold for any node.
  if (p05 != null && !(p05 > 0 && p05 <= median * MOST_OF_MEDIAN))
    return `its p05 is ${p05}, and its median ${median}`;
  if (spread !== undefined && !(spread.mad >= 0)) return `its spread is ${spread.mad}`;
  const low = apart?.p05?.centre;
  if (low !== undefined && !(low > 0 && low <= median * MOST_OF_MEDIAN))
    return `its nodes’ p05 is ${low}, and its median ${median}`;
  return distributionProblem(distribution ?? null);
}

function peakProblem(median: number, peak: NonNullable<BaselineEntry['peak']>, unit: string): string | null {
  const share = median / peak.value;
  const most = peak.measured ? MOST_OF_CEILING : MOST_OF_PEAK;
  if (share >= LEAST_OF_PEAK && share <= most) return null;
  return `${withPrefix(median, unit)} is ${(share * 100).toFixed(1)} % of the peak of ${withPrefix(peak.value, unit)} (${peak.source}), and only ${LEAST_OF_PEAK * 100} % to ${most * 100} % can be`;
}

const head = z.looseObject({ kind: z.literal(BASELINE_KIND), schemaVersion: z.int() });

/**
 * @param text of the file
 * @param name of the file, for messages
 * @throws UserError
 */
export function parseBaseline(text: string, name: string): Baseline {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new UserError(`${name} is not JSON: --baseline takes what pi-bench fleet baseline wrote`);
  }
  const version = head.safeParse(json);
  if (!version.success)
    throw new UserError(`${name} is no baseline: --baseline takes what pi-bench fleet baseline wrote`);
  if (version.data.schemaVersion > BASELINE_VERSION) {
    throw new UserError(
      `${name} has version ${version.data.schemaVersion}; this pi-bench reads up to ${BASELINE_VERSION}: use a newer pi-bench`,
    );
  }
  const parsed = readableBaseline.safeParse(json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new UserError(
      `${name}: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'does not fit its schema'}`,
    );
  }
  parsed.data.entries.forEach((entry, i) => {
    const problem = entryProblem(entry);
    if (problem !== null) throw new UserError(`${name}: entries.${i} (${entry.kpi}) is refused: ${problem}`);
  });
  const places = new Map<string, number>();
  parsed.data.entries.forEach((entry, i) => {
    const before = places.get(baselineKey(entry));
    if (before !== undefined)
      throw new UserError(
        `${name}: entries.${before} and entries.${i} are of the same case on the same device: which of them holds nobody can tell`,
      );
    places.set(baselineKey(entry), i);
  });
  return parsed.data;
}

interface Held {
  /** Of the baseline. */
  readonly theirs: readonly BaselineDevice[];
  readonly here: readonly BaselineDevice[];
  readonly name: string;
  readonly who: string;
}

/** What to do where power limits differ. @param device of the baseline */
export const limitAdvice = ({ powerLimitWatts }: BaselineDevice): string =>
  `${powerLimitWatts === null ? '' : `set it (nvidia-smi -pl ${powerLimitWatts}), or `}make a baseline of nodes with theirs (pi-bench fleet baseline)`;

/** @throws UserError where a device differs from one of theirs by its power limit alone: it would be held to nothing */
function requireSameLimits({ theirs, here, name, who }: Held): void {
  for (const one of here) {
    if (theirs.some((other) => sameDevice(other, one))) continue;
    const device = theirs.find((other) => sameButLimit(other, one));
    if (device === undefined) continue;
    const [limit, own] = [device, one].map(({ powerLimitWatts: watts }) =>
      watts === null ? 'an unknown power limit' : `a power limit of ${watts} W`,
    );
    throw new UserError(
      `${name} is a baseline of ${one.name} with ${limit}, and ${who} ${one.name} with ${own}: ${limitAdvice(device)}`,
    );
  }
}

/** @throws UserError where no device is one of theirs */
function requireSameDevice({ theirs, here, name, who }: Held, same: typeof sameDevice): void {
  if (theirs.some((device) => here.some((one) => same(device, one)))) return;
  const texts = (devices: readonly BaselineDevice[]): string =>
    [...new Set(devices.map(deviceText))].join(', ');
  throw new UserError(
    `${name} is a baseline of other hardware: it is of ${texts(theirs)}, and ${who} ${texts(here)}; make one of nodes of their kind (pi-bench fleet baseline)`,
  );
}

/** @throws UserError where the machine of a CPU that both have differs in what its name does not tell */
function requireSameMachine(
  { entries, hardware }: Baseline,
  here: readonly DeviceHere[],
  name: string,
  across: readonly string[],
): void {
  if (hardware === undefined || !entries.some(({ device }) => device.kind === 'cpu')) return;
  for (const one of here) {
    if (one.kind !== 'cpu' || one.hardware === undefined) continue;
    const difference = hardwareDifference(hardware, one.hardware, across);
    if (difference === null) continue;
    throw new UserError(
      `${name} is a baseline of other hardware: ${difference}; make one of nodes of this kind (pi-bench fleet baseline)`,
    );
  }
}

/**
 * Each kind of device by itself: that the CPUs are the same must not answer for GPUs with another power limit. A kind of which the
 * baseline has nothing is not judged by it, and one that is not here is missing: beside a kind that both have, neither is other
 * hardware.
 */
function eachKind(held: Held): readonly Held[] {
  const kinds = [...new Set(held.here.map(({ kind }) => kind))];
  const each = kinds.map((one): Held => {
    const ofKind = ({ kind }: BaselineDevice): boolean => kind === one;
    return { ...held, theirs: held.theirs.filter(ofKind), here: held.here.filter(ofKind) };
  });
  const shared = each.filter(({ theirs }) => theirs.length > 0);
  return shared.length > 0 ? shared : [held];
}

const devicesOf = ({ entries }: Baseline): readonly BaselineDevice[] => entries.map(({ device }) => device);

/**
 * @throws UserError where entries are of other devices: one line that names the difference and says what to do
 * @param here devices that are to be judged
 * @param who whose they are: `here is`, `these nodes are`
 * @param across facts of the hardware that may differ all the same
 */
export function requireSameHardware(
  baseline: Baseline,
  here: readonly DeviceHere[],
  name: string,
  who: string,
  across: readonly string[] = [],
): void {
  if (here.length === 0) return;
  for (const kind of eachKind({ theirs: devicesOf(baseline), here, name, who })) {
    requireSameLimits(kind);
    requireSameDevice(kind, sameDevice);
  }
  requireSameMachine(baseline, here, name, across);
}

/**
 * As above, of one node that is to be judged: what a fault or a setting may have made of it is a matter of its verdict, for without one
 * that of yesterday would stand.
 * @throws UserError where entries are of devices of other kinds
 */
export function requireSameKind(baseline: Baseline, here: readonly DeviceHere[], name: string): void {
  for (const kind of eachKind({ theirs: devicesOf(baseline), here, name, who: 'here is' }))
    requireSameDevice(kind, sameKind);
  requireSameMachine(baseline, here, name, COUNTS);
}

/** What a machine can be judged by: its CPU and its GPUs. */
export const devicesOfMachine = (machine: MachineDescription): readonly DeviceHere[] =>
  ['cpu', ...(machine.gpus?.devices ?? []).map(({ ordinal }) => gpuNamed(ordinal))].map((device) => ({
    ...baselineDevice(machine, device),
    hardware: hardwareOf(machine),
  }));
