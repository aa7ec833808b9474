/** Energy over the window from RAPL counters, which start again from 0 at the end of their range. */
import { wholeNumber } from '../machine/linux/reader.js';
import type { Joules, Seconds } from '../units.js';
import type { Snapshot, Telemetry } from './types.js';

const MICROJOULES_A_JOULE = 1e6;
/** No RAPL domain takes more, in joules a second: in a longer window than range / this, the counter may wrap twice. */
const MOST_POWER = 1000;

export interface EnergyReading {
  readonly domains: Telemetry['energy'];
  readonly missing: Telemetry['missing'];
}

/** Energy between two counts that may have passed the end of the range once; null when it cannot be told. */
export function energyBetween(
  before: number,
  after: number,
  range: number | null,
  window: Seconds,
): Joules | null {
  if (range !== null && window > range / MICROJOULES_A_JOULE / MOST_POWER) return null;
  if (after >= before) return (after - before) / MICROJOULES_A_JOULE;
  return range === null || before > range ? null : (after - before + range) / MICROJOULES_A_JOULE;
}

export function energy(before: Snapshot, after: Snapshot): EnergyReading {
  const domains: { domain: string; joules: Joules }[] = [];
  const missing: { what: string; why: string }[] = [];
  for (const path of Object.keys(after.files)) {
    const directory = /^(.*\/intel-rapl:[\d:]+)\/name$/.exec(path)?.[1];
    if (directory === undefined) continue;
    const domain = domainName(after, directory);
    const from = wholeNumber(before.files[`${directory}/energy_uj`]);
    const to = wholeNumber(after.files[`${directory}/energy_uj`]);
    if (from === null || to === null) {
      missing.push({ what: `energy of ${domain}`, why: 'the counter may be read by root only' });
      continue;
    }
    const range = wholeNumber(after.files[`${directory}/max_energy_range_uj`]);
    const joules = energyBetween(from, to, range, after.at - before.at);
    if (joules === null) {
      missing.push({
        what: `energy of ${domain}`,
        why: 'in so long a launch the counter may have started again, and how often cannot be told',
      });
    } else domains.push({ domain, joules });
  }
  if (domains.length === 0 && missing.length === 0) {
    missing.push({ what: 'energy', why: 'no RAPL domain under /sys/class/powercap' });
  }
  return { domains, missing };
}

/** `package-0`, and for a part of it `package-0/dram`. */
function domainName({ files }: Snapshot, directory: string): string {
  const parent = directory.slice(0, directory.lastIndexOf('/'));
  const name = files[`${directory}/name`]?.trim() ?? directory;
  const parentName = files[`${parent}/name`]?.trim();
  return parentName === undefined ? name : `${parentName}/${name}`;
}
