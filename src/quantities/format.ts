/** Writes quantities for people: four significant digits and an SI or binary prefix. */
import type { Bytes, Ratio, Seconds } from '../units.js';

const SI = [
  [1e15, 'P'],
  [1e12, 'T'],
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
  [1, ''],
  [1e-3, 'm'],
  [1e-6, 'µ'],
  [1e-9, 'n'],
  [1e-12, 'p'],
] as const;

/** `digits` significant digits without an exponent. */
export function significant(value: number, digits = 4): string {
  if (value === 0 || !Number.isFinite(value)) return String(value);
  // Rounded first: 999.96 has three digits before the point, and four once it is rounded.
  const rounded = Number(value.toPrecision(digits));
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(Math.abs(rounded))));
  return rounded.toFixed(Math.min(decimals, 12));
}

/** The SI prefix with which a value is written, and its factor. */
export function prefixOf(value: number): readonly [factor: number, prefix: string] {
  return SI.find(([least]) => Math.abs(value) >= least * 0.9995) ?? [1, ''];
}

/** `192.3 GFLOP/s`. */
export function withPrefix(value: number, unit: string, digits = 4): string {
  const [factor, prefix] = prefixOf(value);
  return `${significant(value / factor, digits)} ${prefix}${unit}`;
}

/** `1.396 ms`; from a minute on `1 min 15.4 s`: of the seconds as many decimals as `digits` leaves, and none that are nought. */
export function formatSeconds(value: Seconds, digits = 4): string {
  if (!(value >= 60)) return withPrefix(value, 's', digits);
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(value)));
  // Rounded first: 119.96 is two minutes and no second, not one and sixty.
  const rounded = Number(value.toFixed(decimals));
  return `${Math.floor(rounded / 60)} min ${Number((rounded % 60).toFixed(decimals))} s`;
}

/** Three significant digits, and four from 1000 on, which would else be rounded to tens. */
export function formatBytes(value: Bytes): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  // What would be written as 1024 has the next unit.
  const fitting = units.findIndex((_, step) => value < 1023.5 * 1024 ** step);
  const step = fitting === -1 ? units.length - 1 : fitting;
  const shown = value / 1024 ** step;
  return `${significant(shown, shown >= 1000 ? 4 : 3)} ${units[step]}`;
}

/** `16 KiB`, `1.5 MiB`: without the noughts that only say how exact it is. */
export const briefBytes = (value: Bytes): string =>
  formatBytes(value).replace(/\.0+ |(\.\d*[1-9])0+ /, '$1 ');

/** `1.24 %`. */
export function formatShare(value: Ratio, digits = 2): string {
  const percent = value * 100;
  return `${Math.abs(percent) >= 10 ** digits ? percent.toFixed(0) : significant(percent, digits)} %`;
}

/** `12,345`, of whole numbers: `toLocaleString` loads the tables of all languages for it, a tenth of what a short command takes. */
export const grouped = (count: number): string => String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');

/** `1 launch`, `6 launches`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}
