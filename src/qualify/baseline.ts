/** Reads a baseline, and refuses what no node can be judged by: of other hardware, or beyond what physics allows. Pure but for the text. */
import { z } from 'zod';
import { gpuNamed } from '../devices/device.js';
import { UserError } from '../errors.js';
import type { MachineDescription } from '../machine/types.js';
import { withPrefix } from '../quantities/format.js';
import { canonicalJson } from '../record/digest.js';
import { MOST_OF_CEILING } from '../statistics/roofline.js';
import { baselineDevice, baselineKey, deviceText } from './baseline-key.js';
import {
  BASELINE_KIND,
  BASELINE_VERSION,
  type Baseline,
  type BaselineEntry,
  readableBaseline,
} from './baseline-schema.js';

/** Of the theoretical peak: less, or more, is a mistake in the baseline and no property of nodes. */
export const LEAST_OF_PEAK = 0.2;
export const MOST_OF_PEAK = 1;
/** Nodes of which no p05 is known are in the one median and not in the other. */
const MOST_OF_MEDIAN = 1.1;

/** Why an entry cannot be right; null: nothing speaks against it. */
export function entryProblem({
  median,
  p05,
  unit,
  peak,
}: Pick<BaselineEntry, 'median' | 'p05' | 'unit' | 'peak'>): string | null {
  if (!(median > 0)) return `its median is ${median}`;
  const beyond = peak === null ? null : peakProblem(median, peak, unit);
  if (beyond !== null) return beyond;
  // A limit of nothing would hold for any node.
  if (p05 !== null && !(p05 > 0 && p05 <= median * MOST_OF_MEDIAN))
    return `its p05 is ${p05}, and its median ${median}`;
  return null;
}

function peakProblem(median: number, peak: NonNullable<BaselineEntry['peak']>, unit: string): string | null {
  const share = median / peak.value;
  const most = peak.measured ? MOST_OF_CEILING : MOST_OF_PEAK;
  if (share >= LEAST_OF_PEAK && share <= most) return null;
  return `${withPrefix(median, unit)} is ${(share * 100).toFixed(1)} % of the peak of ${withPrefix(peak.value, unit)} (${peak.source}), and only ${LEAST_OF_PEAK * 100} % to 100 % can be`;
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
  const keys = parsed.data.entries.map(baselineKey);
  const twice = keys.findIndex((key, i) => keys.indexOf(key) !== i);
  if (twice >= 0)
    throw new UserError(
      `${name}: entries.${keys.indexOf(keys[twice] ?? '')} and entries.${twice} are of the same case on the same device: which of them holds nobody can tell`,
    );
  return parsed.data;
}

const distinct = (texts: readonly string[]): readonly string[] => [...new Set(texts)];

/**
 * @throws UserError where no entry is of any device here
 */
export function requireSameHardware(baseline: Baseline, machine: MachineDescription, name: string): void {
  const here = ['cpu', ...(machine.gpus?.devices ?? []).map(({ ordinal }) => gpuNamed(ordinal))].map(
    (device) => baselineDevice(machine, device),
  );
  const keys = new Set(here.map((device) => canonicalJson(device)));
  // Fields that a newer pi-bench added would keep equal devices apart.
  const known = ({
    kind,
    name: model,
    cpus,
    pciDevice,
    pciSubsystem,
    powerLimitWatts,
  }: BaselineEntry['device']) =>
    canonicalJson({ kind, name: model, cpus, pciDevice, pciSubsystem, powerLimitWatts });
  if (baseline.entries.some(({ device }) => keys.has(known(device)))) return;
  const of = distinct(baseline.entries.map(({ device }) => deviceText(device))).join(', ');
  throw new UserError(
    `${name} is a baseline of other hardware: it is of ${of}, and here is ${here.map(deviceText).join(', ')}`,
  );
}
