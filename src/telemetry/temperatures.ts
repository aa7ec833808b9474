/** Temperatures before and after, from thermal zones and hwmon chips. */
import { decimalNumber } from '../machine/linux/reader.js';
import type { Celsius } from '../units.js';
import type { Snapshot, Telemetry } from './types.js';

const SENSOR = /^(.*\/thermal_zone\d+)\/temp$|^(.*\/hwmon\d+)\/temp(\d+)_input$/;

/** The kernel's thousandths of a degree; null for what is no temperature. */
export function parseTemperature(text: string): Celsius | null {
  const millidegrees = decimalNumber(text);
  return millidegrees === null || millidegrees < -273_150 ? null : millidegrees / 1000;
}

/** Sensors that could be read at both ends, by name; a name that occurs again gets a number. */
export function temperatures(before: Snapshot, after: Snapshot): Telemetry['temperatures'] {
  const seen = new Map<string, number>();
  return Object.keys(after.files).flatMap((path) => {
    const match = SENSOR.exec(path);
    const [from, to] = [before.files[path], after.files[path]];
    if (match === null || from == null || to == null) return [];
    const [start, end] = [parseTemperature(from), parseTemperature(to)];
    if (start === null || end === null) return [];
    const name = sensorName(after, match[1], match[2], match[3]);
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return [{ name: count === 1 ? name : `${name} #${count}`, before: start, after: end }];
  });
}

function sensorName(
  { files }: Snapshot,
  zone: string | undefined,
  chip: string | undefined,
  input: string | undefined,
): string {
  if (zone !== undefined) return files[`${zone}/type`]?.trim() ?? 'thermal zone';
  const label = files[`${chip}/temp${input}_label`]?.trim() ?? `temp${input}`;
  return `${files[`${chip}/name`]?.trim() ?? 'hwmon'} ${label}`;
}
