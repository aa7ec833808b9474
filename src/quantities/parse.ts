/** Reads quantities as people type them: counts (`2k`), bytes (`64MiB`), durations (`2s`, `500ms`, `10m`). */
import type { Bytes, Seconds } from '../units.js';

/** A value that cannot be read; the message says what would be. */
export class QuantityError extends Error {}

const COUNT_UNITS: Readonly<Record<string, number>> = { '': 1, k: 1e3, M: 1e6, Ki: 1024, Mi: 1024 ** 2 };
const BYTE_UNITS: Readonly<Record<string, number>> = {
  B: 1,
  kB: 1e3,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
  TiB: 1024 ** 4,
};
/** `m` as the tools around us write minutes (Go's durations, systemd); millions are a capital `M`, and no time. */
const TIME_UNITS: Readonly<Record<string, number>> = {
  us: 1e-6,
  // The micro sign, which keyboards have, and the Greek letter, by which Unicode would rather have it written.
  '\u00b5s': 1e-6,
  '\u03bcs': 1e-6,
  ms: 1e-3,
  s: 1,
  m: 60,
  min: 60,
  h: 3600,
};

interface Parts {
  readonly value: number;
  readonly unit: string;
}

function split(text: string): Parts | null {
  const match = /^\s*([0-9][0-9_]*(?:\.[0-9]+)?(?:e[0-9]+)?)\s*([A-Za-z\u00b5\u03bc]*)\s*$/.exec(text);
  if (match === null) return null;
  return { value: Number((match[1] ?? '').replaceAll('_', '')), unit: match[2] ?? '' };
}

function scaled(text: string, units: Readonly<Record<string, number>>): number | null {
  const parts = split(text);
  const factor = parts === null || !Object.hasOwn(units, parts.unit) ? undefined : units[parts.unit];
  const value = parts === null || factor === undefined ? Number.NaN : parts.value * factor;
  return Number.isFinite(value) ? value : null;
}

/** What a decimal and its product with a unit lose when both are rounded to binary: 4.1 * 1e6 is 4099999.9999999995. */
const ROUNDING = 2 * Number.EPSILON;

/** The whole number that was typed, where binary has none but the next to it. */
function unrounded(value: number | null): number | null {
  const whole = Math.round(value ?? Number.NaN);
  return value !== null && Math.abs(value - whole) <= ROUNDING * whole ? whole : value;
}

/** A number, which may have a unit of counts: `512`, `1.5`, `2k`; null when the text is none. */
export const parseQuantity = (text: string): number | null => unrounded(scaled(text, COUNT_UNITS));

/**
 * A share between 0 and 1: `1%`, `0.01`.
 * @throws QuantityError naming the option and what it takes.
 */
export function parseShare(text: string, option: string): number {
  const [, digits, percent] = /^\s*(\d+(?:\.\d+)?|\.\d+)\s*(%?)\s*$/.exec(text) ?? [];
  const share = Number(digits) / (percent === '%' ? 100 : 1);
  if (!(share > 0 && share < 1)) {
    throw new QuantityError(`${option} takes a share such as 1% or 0.01; got "${text}"`);
  }
  return share;
}

/**
 * A whole number of at least 1: `512`, `2k`, `4Ki`.
 * @param also what else the option takes, for the message: `, or memory such as 64MiB`
 * @throws QuantityError naming the option and what it takes.
 */
export function parseCount(
  text: string,
  option: string,
  most: number = Number.MAX_SAFE_INTEGER,
  also = '',
): number {
  const value = parseQuantity(text);
  if (value === null || !Number.isInteger(value) || value < 1) {
    throw new QuantityError(
      `${option} takes a whole number of at least 1, such as 512, 2k or 4Ki${also}; got "${text}"`,
    );
  }
  if (value > most) throw new QuantityError(`${option} takes at most ${most}; got ${text}`);
  return value;
}

/** Bytes with their unit, `64MiB`; null when the text has no unit of bytes. */
export function parseBytes(text: string): Bytes | null {
  const value = unrounded(scaled(text, BYTE_UNITS));
  return value === null || value < 1 ? null : Math.floor(value);
}

/** A duration with its unit, `2s`, `500ms`; null when the text has no unit of time. */
export function parseDuration(text: string): Seconds | null {
  const value = scaled(text, TIME_UNITS);
  return value === null || value <= 0 ? null : value;
}

/** @throws QuantityError naming the option and what it takes. */
export function requireDuration(text: string, option: string): Seconds {
  const value = parseDuration(text);
  if (value === null)
    throw new QuantityError(`${option} takes a time such as 500ms, 2s or 5min; got "${text}"`);
  return value;
}
