/**
 * The work of the published scripts' indicators, by their own formulas, and which of their eras a figure is from: the
 * documents carry no version, but rate x elapsed is the work that the script counted. Pure.
 */

import { significant } from '../../quantities/format.js';
import type { Case } from '../../record/schema.js';
import { flop2mnkLessMn, type Work } from '../../record/work.js';
import type { Flop, Seconds } from '../../units.js';

export type Parameters = Case['parameters'];

export interface Indicator {
  readonly name: string;
  /** Of one operation; null: a size is missing. */
  readonly work: (parameters: Parameters) => Work | null;
  readonly title: (parameters: Parameters) => string;
}

const ELEMENT_BYTES: Readonly<Record<string, number>> = { float16: 2, float32: 4, float64: 8, int32: 4 };

/** The parameters as numbers above 0; null where one is missing. */
function sizes<K extends string>(parameters: Parameters, names: readonly K[]): Record<K, number> | null {
  const found = names.map((name) => [name, parameters[name]] as const);
  if (found.some(([, value]) => typeof value !== 'number' || !(value > 0))) return null;
  return Object.fromEntries(found) as Record<K, number>;
}

/** Of a type that was not published, or is not known here: no rate counts bytes. */
const ASSUMED_BYTES = 4;

const elementBytes = ({ dtype }: Parameters): number => ELEMENT_BYTES[String(dtype)] ?? ASSUMED_BYTES;

/** In the record's words, where bytes are an assumption; null: they are not. */
export function bytesRemark({ dtype }: Parameters): string | null {
  if (ELEMENT_BYTES[String(dtype)] !== undefined) return null;
  const why = dtype === undefined ? 'no data type was published' : `of ${dtype} no size is known here`;
  return `bytes are those of elements of ${ASSUMED_BYTES} bytes, as of float32: ${why}`;
}

function matmulWork(parameters: Parameters): Work | null {
  const size = sizes(parameters, ['matrix_size']);
  if (size === null) return null;
  const n = size.matrix_size;
  return { flop: flop2mnkLessMn(n, n, n), bytes: 3 * n * n * elementBytes(parameters) };
}

function conv2dWork(parameters: Parameters): Work | null {
  const names = ['batch', 'input_height', 'input_width', 'input_channels'] as const;
  const filters = ['filter_height', 'filter_width', 'output_channels', 'strides'] as const;
  const size = sizes(parameters, [...names, ...filters]);
  if (size === null) return null;
  const { batch, input_channels, filter_height, filter_width, output_channels, strides } = size;
  const pixels = batch * size.input_height * size.input_width;
  const filter = filter_height * filter_width * input_channels * output_channels;
  const outputs = (pixels / strides ** 2) * output_channels;
  return {
    flop: (pixels * filter * 2) / strides ** 2,
    bytes: (pixels * input_channels + filter + outputs) * elementBytes(parameters),
  };
}

function conv1dWork(parameters: Parameters): Work | null {
  const names = [
    'batch',
    'input_width',
    'input_channels',
    'filter_width',
    'output_channels',
    'strides',
  ] as const;
  const size = sizes(parameters, names);
  if (size === null) return null;
  const { batch, input_width, input_channels, filter_width, output_channels, strides } = size;
  const filter = filter_width * input_channels * output_channels;
  const outputs = ((batch * input_width) / strides) * output_channels;
  return {
    flop: (batch * input_width * filter * 2) / strides,
    bytes: (batch * input_width * input_channels + filter + outputs) * elementBytes(parameters),
  };
}

const of = (parameters: Parameters, ...names: readonly string[]): string =>
  names.map((name) => parameters[name] ?? '?').join(' x ');
const typed = ({ dtype }: Parameters): string => (dtype === undefined ? '' : ` ${dtype}`);
const filtersOf = (parameters: Parameters, ...names: readonly string[]): string =>
  `${parameters.output_channels ?? '?'} filters of ${of(parameters, ...names)}, stride ${parameters.strides ?? '?'},`;

const INDICATORS: readonly Indicator[] = [
  {
    name: 'PiMatmul',
    work: matmulWork,
    title: (parameters) => `PiMatmul ${of(parameters, 'matrix_size', 'matrix_size')}${typed(parameters)}`,
  },
  {
    name: 'PiConv2D',
    work: conv2dWork,
    title: (parameters) =>
      `PiConv2D ${of(parameters, 'batch', 'input_height', 'input_width', 'input_channels')}, ${filtersOf(parameters, 'filter_height', 'filter_width')}${typed(parameters)}`,
  },
  {
    name: 'PiConv1D',
    work: conv1dWork,
    title: (parameters) =>
      `PiConv1D ${of(parameters, 'batch', 'input_width', 'input_channels')}, ${filtersOf(parameters, 'filter_width')}${typed(parameters)}`,
  },
];

export const findThothIndicator = (name: string): Indicator | undefined =>
  INDICATORS.find((indicator) => indicator.name === name);
export const thothIndicatorNames = INDICATORS.map(({ name }) => name);

/** What one repetition was, as the figures show. */
export interface Repetition {
  readonly work: Work | null;
  /** In the record's words; null: nothing to say. */
  readonly remark: string | null;
  /** False: the published rate contradicts the published time, and is left out. */
  readonly rateHolds: boolean;
}

/** Figures are published with six digits at least. */
const TOLERANCE = 1e-5;
const near = (a: number, b: number): boolean => Math.abs(a - b) <= TOLERANCE * Math.abs(b);
const times = (work: Work, count: number): Work => ({ flop: work.flop * count, bytes: work.bytes * count });

/**
 * @param one the work of one operation
 * @param elapsed of what was timed; `flopPerSecond` its rate, null where none was published
 */
export function repetitionOf(
  indicator: Indicator,
  parameters: Parameters,
  elapsed: Seconds,
  flopPerSecond: number | null,
): Repetition {
  const one = indicator.work(parameters);
  const { mini_batch, matrix_size: n } = parameters;
  const batch = typeof mini_batch === 'number' ? mini_batch : 1;
  if (flopPerSecond === null || one === null) return { work: one, remark: null, rateHolds: true };
  const counted: Flop = flopPerSecond * elapsed;
  if (near(counted, one.flop)) {
    const remark =
      batch === 1
        ? null
        : `mini_batch ${batch} was published and rate x elapsed is the work of one operation: taken for a repetition of one`;
    return { work: one, remark, rateHolds: true };
  }
  const all = times(one, batch);
  if (near(counted, all.flop)) {
    return { work: all, remark: `a repetition is ${batch} operations (mini_batch)`, rateHolds: true };
  }
  if (typeof n === 'number' && near(counted, n ** 3 + (n - 1) * n ** 2 * batch)) {
    return {
      work: all,
      remark: `the published rates count the multiplications of one operation and the additions of ${batch} (a fault of the script): they are ${significant(all.flop / counted, 3)} times too low, and are left out; the rate here is the work of ${batch} operations over elapsed`,
      rateHolds: false,
    };
  }
  return {
    work: one,
    remark: `the published rates are not the work of a repetition over elapsed (${significant(counted, 4)} operations, not ${significant(one.flop, 4)}) and are left out`,
    rateHolds: false,
  };
}
