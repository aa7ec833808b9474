/** Frequency control from /sys/devices/system/cpu: limits, governor, driver, turbo. A virtual machine mostly has none. */
import type { Hertz } from '../units.js';
import { distinct, type FileReader, readTrimmed, readWholeNumber } from './linux/reader.js';
import type { FrequencyDescription, Turbo } from './types.js';

const CPU_DIRECTORY = '/sys/devices/system/cpu';
const KILOHERTZ = 1e3;
const MEGAHERTZ = 1e6;

export function readFrequency(reader: FileReader, cpus: readonly number[]): FrequencyDescription {
  const first = `${CPU_DIRECTORY}/cpu${cpus[0] ?? 0}`;
  const hertz = (file: string, unit: number): Hertz | null => {
    const value = readWholeNumber(reader, `${first}/${file}`);
    // Some drivers write 0 for what they do not know.
    return value === null || value === 0 ? null : value * unit;
  };
  const governors = cpus
    .map((cpu) => readTrimmed(reader, `${CPU_DIRECTORY}/cpu${cpu}/cpufreq/scaling_governor`))
    .filter((governor) => governor !== null);
  return {
    base: hertz('cpufreq/base_frequency', KILOHERTZ) ?? hertz('acpi_cppc/nominal_freq', MEGAHERTZ),
    max: hertz('cpufreq/cpuinfo_max_freq', KILOHERTZ),
    limit: hertz('cpufreq/scaling_max_freq', KILOHERTZ),
    governors: distinct(governors).toSorted(),
    driver: readTrimmed(reader, `${first}/cpufreq/scaling_driver`),
    turbo: readTurbo(reader, first),
  };
}

/** Below this share of what the hardware offers a limit is somebody's, and no rounding. */
const SAME_CLOCK = 0.99;

/** Whether the policy keeps the clock below what the hardware offers: without turbo that is the base clock. */
export function isCapped({ base, max, limit, turbo }: FrequencyDescription): boolean {
  if (max === null || limit === null) return false;
  if (turbo?.enabled !== false) return limit < SAME_CLOCK * max;
  return base !== null && limit < SAME_CLOCK * Math.min(base, max);
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
