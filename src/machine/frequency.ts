/** Frequency control from /sys/devices/system/cpu: limits, governor, driver, turbo. A virtual machine mostly has none. */
import type { Hertz } from '../units.js';
import { formatCpuList } from './linux/cpu-list.js';
import { distinct, type FileReader, readTrimmed, readWholeNumber } from './linux/reader.js';
import type { ClockCap, FrequencyDescription, Turbo } from './types.js';

const CPU_DIRECTORY = '/sys/devices/system/cpu';
/** Of all CPUs together, whatever their policies say, which do not show it. */
const INTEL_LIMIT = `${CPU_DIRECTORY}/intel_pstate/max_perf_pct`;
const KILOHERTZ = 1e3;
const MEGAHERTZ = 1e6;

const directoryOf = (cpu: number): string => `${CPU_DIRECTORY}/cpu${cpu}`;

/** A file of a CPU. Some drivers write 0 for what they do not know. */
function readHertz(reader: FileReader, cpu: number, file: string, unit: number): Hertz | null {
  const value = readWholeNumber(reader, `${directoryOf(cpu)}/${file}`);
  return value === null || value === 0 ? null : value * unit;
}

const readBase = (reader: FileReader, cpu: number): Hertz | null =>
  readHertz(reader, cpu, 'cpufreq/base_frequency', KILOHERTZ) ??
  readHertz(reader, cpu, 'acpi_cppc/nominal_freq', MEGAHERTZ);

interface Clock {
  readonly cpu: number;
  readonly max: Hertz | null;
  readonly limit: Hertz | null;
  /** It is the driver's and no policy's. */
  readonly ofDriver: boolean;
}

/** @param percent that intel_pstate allows of the highest clock; null: another driver */
function readClock(reader: FileReader, cpu: number, percent: number | null): Clock {
  const max = readHertz(reader, cpu, 'cpufreq/cpuinfo_max_freq', KILOHERTZ);
  const ofPolicy = readHertz(reader, cpu, 'cpufreq/scaling_max_freq', KILOHERTZ);
  const all = max === null || percent === null ? null : (percent / 100) * max;
  const ofDriver = all !== null && all < (ofPolicy ?? Number.POSITIVE_INFINITY);
  return { cpu, max, limit: ofDriver ? all : ofPolicy, ofDriver };
}

/** One for all CPUs that are capped alike. */
function capsAmong(
  clocks: readonly Clock[],
  reader: FileReader,
  turbo: Turbo | null,
  percent: number | null,
): readonly ClockCap[] {
  const alike = new Map<string, { readonly cap: ClockCap; readonly cpus: number[] }>();
  for (const { cpu, max, limit, ofDriver } of clocks) {
    // Asked for the base the firmware of some machines takes its time, so not of every CPU.
    if (max === null || limit === null || !isBelow(limit, max)) continue;
    if (!isCapped({ base: readBase(reader, cpu), max, limit, turbo }, percent)) continue;
    const key = `${limit} ${max} ${ofDriver}`;
    const group = alike.get(key);
    if (group !== undefined) group.cpus.push(cpu);
    else alike.set(key, { cap: { limit, max, ...(ofDriver ? { control: INTEL_LIMIT } : {}) }, cpus: [cpu] });
  }
  return [...alike.values()].map(({ cap, cpus }) =>
    cpus.length === clocks.length ? cap : { ...cap, cpus: formatCpuList(cpus) },
  );
}

/** @param cpus those that are online */
export function readFrequency(reader: FileReader, cpus: readonly number[]): FrequencyDescription {
  const [first = 0] = cpus;
  const turbo = readTurbo(reader, directoryOf(first));
  const percent = readWholeNumber(reader, INTEL_LIMIT);
  const clocks = cpus.map((cpu) => readClock(reader, cpu, percent));
  const caps = capsAmong(clocks, reader, turbo, percent);
  const [fastest] = clocks.toSorted((a, b) => (b.max ?? 0) - (a.max ?? 0));
  const { cpu, max, limit } = fastest ?? readClock(reader, first, percent);
  const governors = cpus
    .map((one) => readTrimmed(reader, `${directoryOf(one)}/cpufreq/scaling_governor`))
    .filter((governor) => governor !== null);
  return {
    base: readBase(reader, cpu),
    max,
    limit,
    ...(caps.length === 0 ? {} : { caps }),
    governors: distinct(governors).toSorted(),
    driver: readTrimmed(reader, `${directoryOf(first)}/cpufreq/scaling_driver`),
    turbo,
  };
}

/** Below this share of what the hardware offers a limit is somebody's, and no rounding. */
const SAME_CLOCK = 0.99;

const isBelow = (limit: Hertz | null, offered: Hertz | null): boolean =>
  limit !== null && offered !== null && limit < SAME_CLOCK * offered;

type Limited = Pick<FrequencyDescription, 'base' | 'max' | 'limit' | 'turbo'>;

/**
 * Whether something keeps the clock below what the hardware offers: without turbo that is the base clock. Where this is not known, what
 * intel_pstate allows is somebody's limit if it is not all.
 */
const isCapped = ({ base, max, limit, turbo }: Limited, percent: number | null = null): boolean =>
  isBelow(limit, max) &&
  (turbo?.enabled !== false || (base === null ? percent !== null && percent < 100 : isBelow(limit, base)));

/** The limit in force where nobody can tell whether it is somebody's: turbo is off, and the base clock, which it may be, is not known. */
export function doubtfulLimit(frequency: FrequencyDescription): Hertz | null {
  const { base, max, limit, turbo } = frequency;
  const isDoubtful = turbo?.enabled === false && base === null && isBelow(limit, max);
  return isDoubtful && capsOf(frequency).length === 0 ? limit : null;
}

/** What keeps clocks low; in a record of an older version that of the one CPU that was looked at. */
export function capsOf(frequency: FrequencyDescription): readonly ClockCap[] {
  const { caps, limit, max } = frequency;
  if (caps !== undefined) return caps;
  return limit !== null && max !== null && isCapped(frequency) ? [{ limit, max }] : [];
}

function readTurbo(reader: FileReader, cpu: string): Turbo | null {
  const switches = [
    { control: `${CPU_DIRECTORY}/intel_pstate/no_turbo`, on: '0', off: '1' },
    { control: `${CPU_DIRECTORY}/cpufreq/boost`, on: '1', off: '0' },
    { control: `${cpu}/cpufreq/boost`, on: '1', off: '0' },
  ];
  for (const { control, on, off } of switches) {
    const state = readTrimmed(reader, control);
    if (state === on || state === off) return { enabled: state === on, control, off };
  }
  return null;
}
