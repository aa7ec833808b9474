/** Parts that several figures share: sizes, scales, axes, units, tooltips. Pure. */
import type { Axis, Mark, Scale, Spec } from 'vega';
import { briefBytes, prefixOf, significant } from '../../quantities/format.js';
import { shortNames } from '../../readers/short-names.js';
import { median } from '../../statistics/quantile.js';
import type { BatchModel } from '../model.js';
import { configOf, type Theme } from './theme.js';

/** Why a figure of samples is missing of what others measured. */
export const NOT_PUBLISHED = 'the times of the repetitions were not published';

/** Continues a sentence. */
export const whyNoRate = (batches: readonly BatchModel[]): string =>
  batches.some(({ idle }) => idle)
    ? 'it is of rates, and what does no work, as a barrier, has none'
    : 'no batch has a rate';

/** Of the still picture; in the page the script fits it to what room there is. */
const WIDTH = 720;
const LOG_FROM = 20;
/** A name at a row takes no more than this, so that a telephone has room for the picture. */
const NAME_LIMIT = 150;
/** Of most names, the characters that this is enough for. */
const NAME_CHARACTERS = 22;

export interface Unit {
  /** What a value is divided by to be drawn. */
  readonly factor: number;
  /** `µs`, `GFLOP/s`. */
  readonly name: string;
}

/** The unit in which the middle of some values has one to three digits before its point. */
export function unitFor(values: readonly number[], unit: string): Unit {
  const positive = values.filter((value) => value > 0);
  const [factor, prefix] = prefixOf(positive.length === 0 ? 1 : median(positive));
  return { factor, name: `${prefix}${unit}` };
}

/** Digits beyond the sixth cannot be seen and make the page heavy. */
export const brief = (value: number): number => Number(value.toPrecision(6));

export type Extent = readonly [low: number, high: number];

/** The values' own range with a little air; of one value a tenth around it. */
export function extentOf(values: readonly number[], air = 0.04): Extent {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  const span = high - low || Math.abs(high) * 0.1 || 1;
  return [low - air * span, high + air * span];
}

/** Logarithmic where the largest is many times the smallest and nothing is 0 or less. */
function scaleType([low, high]: Extent, logFrom: number): 'log' | 'linear' {
  return low > 0 && high / low >= logFrom ? 'log' : 'linear';
}

/** The extent with air that suits the scale. */
export function domainOf(
  values: readonly number[],
  fromZero = false,
  logFrom = LOG_FROM,
): { type: 'log' | 'linear'; domain: Extent } {
  const [low, high] = extentOf(values, 0);
  if (scaleType([low, high], logFrom) === 'log') {
    const air = (high / low) ** 0.04;
    return { type: 'log', domain: [low / air, high * air] };
  }
  if (fromZero) {
    const top = Math.max(0, high) * 1.06;
    return { type: 'linear', domain: low < 0 ? [low * 1.06, top] : [0, top || 1] };
  }
  return { type: 'linear', domain: extentOf(values) };
}

/** Ticks of a logarithmic axis: 1, 2 and 5 of each power of ten, or fewer where there are many. */
function logTicks([low, high]: Extent): readonly number[] {
  const decades = Math.log10(high / low);
  const steps = decades > 4 ? [1] : decades > 2 ? [1, 3] : [1, 2, 5];
  const ticks: number[] = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++) {
    for (const step of steps) {
      const tick = Number(`${step}e${power}`);
      if (tick >= low && tick <= high) ticks.push(tick);
    }
  }
  return ticks;
}

export interface AxisChoice {
  readonly type: 'log' | 'linear';
  readonly domain: Extent;
}

/** @param range where it is drawn; it is not rounded, so that nothing is drawn beyond its ends */
export function numberScale(
  name: string,
  { type, domain }: AxisChoice,
  range: 'width' | 'height' | [number, number],
): Scale {
  const rest = { name, domain: [...domain], range, nice: false };
  return type === 'log' ? { ...rest, type } : { ...rest, type, zero: false };
}

/** Labels nearer to an end of their axis, in pixels, stay inside it: half of one would hang over the figure's edge. */
const LABEL_FLUSH = 16;

/** Ticks, grid and title for a scale of numbers. */
export function numberAxis(
  scale: string,
  orient: 'bottom' | 'left',
  title: string,
  { type, domain }: AxisChoice,
): Axis {
  return {
    scale,
    orient,
    title,
    grid: true,
    domain: false,
    ...(type === 'log'
      ? { values: [...logTicks(domain)], format: '~g' }
      : { tickCount: orient === 'left' ? 5 : 6 }),
    ...(orient === 'left'
      ? { titleAlign: 'left', titleAnchor: 'start', titleAngle: 0, titleX: 0, titleY: -14 }
      : { labelFlush: LABEL_FLUSH }),
  };
}

export const ordinalScale = (
  name: string,
  domain: readonly (string | number)[],
  range: readonly unknown[],
): Scale => ({
  name,
  type: 'ordinal',
  domain: [...domain],
  range: [...range] as string[],
});

/** What `nameAxis` writes at each value of its scale: names that are cut at their ends would no longer differ. */
export const nameScale = (values: readonly (string | number)[], names: readonly string[]): Scale =>
  ordinalScale('names', values, shortNames(names, NAME_CHARACTERS));

/** Names of rows at the left; needs the scale `nameScale`. */
export const nameAxis = (scale: string): Axis => ({
  scale,
  orient: 'left',
  domain: false,
  ticks: false,
  labelLimit: NAME_LIMIT,
  labelPadding: 6,
  labelOverlap: false,
  encode: { labels: { update: { text: { signal: 'scale("names", datum.value)' } } } },
});

/** `512`, `2k`, `16384`, `16 KiB`, as a value of a swept axis is written: a count is never rounded. */
export function axisLabel(value: number, unit: 'count' | 'bytes'): string {
  if (unit === 'bytes') return briefBytes(value);
  if (!Number.isInteger(value)) return String(Number(significant(value, 4)));
  const [factor, prefix] = prefixOf(value);
  const shown = Number(significant(value / factor, 4));
  const exact = value % 100 === 0 && shown >= 1 && Math.round(shown * factor) === value;
  return exact ? `${shown}${prefix}` : String(value);
}

/** An expression that turns a swept value into its label; the values are numbers, so nothing of a record is in it. */
export function labelExpression(values: readonly number[], unit: 'count' | 'bytes'): string {
  const pairs = values.map(
    (value) => `${JSON.stringify(String(value))}:${JSON.stringify(axisLabel(value, unit))}`,
  );
  return `{${pairs.join(',')}}[toString(datum.value)]`;
}

/** What every figure has in common. @param height of the plot without its axes, in pixels */
export function frame(theme: Theme, height: number, rest: Omit<Spec, 'height' | 'width'>): Spec {
  return {
    width: WIDTH,
    height,
    padding: 4,
    autosize: { type: 'fit-x', contains: 'padding' },
    background: theme.surface,
    config: configOf(theme),
    ...rest,
  };
}

/** A dashed line across the plot at a value of the scale `y`. */
export const acrossAt = (name: string, value: number, colour: string): Mark => ({
  type: 'rule',
  name,
  encode: {
    update: {
      x: { value: 0 },
      x2: { signal: 'width' },
      y: { scale: 'y', value },
      stroke: { value: colour },
      strokeDash: { value: [5, 4] },
    },
  },
});
