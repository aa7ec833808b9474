/** The data types of arithmetic, and how a flag names them. */
import { UserError } from '../errors.js';
import { nearest, thereIs } from '../nearest.js';
import { parseNames } from '../quantities/parse-list.js';

/** Bytes of an operand's and of the result's element. */
export const ELEMENT = {
  float32: { operand: 4, result: 4 },
  float64: { operand: 8, result: 8 },
  bfloat16: { operand: 2, result: 4 },
  int8: { operand: 1, result: 4 },
  tf32: { operand: 4, result: 4 },
  float16: { operand: 2, result: 4 },
  float8_e4m3: { operand: 1, result: 4 },
} as const;

export type DataType = keyof typeof ELEMENT;
export const ALL_DATA_TYPES = Object.keys(ELEMENT) as [DataType, ...DataType[]];
/** What our kernels for CPUs compute with. */
export const DATA_TYPES = ['float32', 'float64', 'bfloat16', 'int8'] as const satisfies readonly DataType[];
export type CpuDataType = (typeof DATA_TYPES)[number];
/** And those for GPUs. */
export const GPU_DATA_TYPES = ALL_DATA_TYPES;
export const ONLY_ON_GPUS = ALL_DATA_TYPES.filter((dtype) => !DATA_TYPES.some((one) => one === dtype));

/** What others call them. */
const ELSEWHERE: Readonly<Record<string, DataType>> = {
  single: 'float32',
  float: 'float32',
  fp32: 'float32',
  f32: 'float32',
  double: 'float64',
  fp64: 'float64',
  f64: 'float64',
  bf16: 'bfloat16',
  half: 'float16',
  fp16: 'float16',
  f16: 'float16',
  fp8: 'float8_e4m3',
  float8: 'float8_e4m3',
  i8: 'int8',
  s8: 'int8',
};

const widthIn = (name: string): string => /\d+/.exec(name)?.[0] ?? '';

/** By a name that none of `here` has; null: who knows. */
function meantBy(text: string, here: readonly string[]): string | null {
  const name = text.toLowerCase();
  const own = Object.hasOwn(ELSEWHERE, name) ? ELSEWHERE[name] : undefined;
  const near = nearest(text, here);
  // Another width is no slip.
  const isOfWidth = near !== null && (widthIn(text) === '' || widthIn(text) === widthIn(near));
  return here.find((one) => one === own) ?? (isOfWidth ? near : null);
}

/** @throws UserError for a name that no type has, or that is for another device */
export function dataTypeNamed(text: string, gpu = false): DataType {
  const here: readonly DataType[] = gpu ? GPU_DATA_TYPES : DATA_TYPES;
  const found = here.find((name) => name === text);
  if (found !== undefined) return found;
  const elsewhere = ALL_DATA_TYPES.some((name) => name === text);
  throw new UserError(
    elsewhere
      ? `--dtype ${text} is for GPUs; on the CPU there is ${here.join(', ')}`
      : `--dtype ${text} is unknown; ${thereIs(text, here, meantBy(text, here))}`,
  );
}

/**
 * Several, with commas: each once, in the order of `DATA_TYPES`.
 * @throws UserError for one that is for GPUs
 * @throws QuantityError for a name that no type has
 */
export function cpuDataTypesNamed(text: string): readonly CpuDataType[] {
  const onGpus = text
    .split(',')
    .map((name) => name.trim())
    .find((name) => ONLY_ON_GPUS.some((one) => one === name));
  if (onGpus !== undefined) dataTypeNamed(onGpus);
  return parseNames(text, '--dtype', DATA_TYPES, (wrong) => meantBy(wrong, DATA_TYPES));
}

/** `FLOP/s`, or `OP/s` where the operations are on integers. */
export const rateUnitOf = (dtype: DataType): string => (dtype === 'int8' ? 'OP/s' : 'FLOP/s');
