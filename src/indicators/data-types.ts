/** The data types of arithmetic, and how a flag names them. */
import { UserError } from '../errors.js';

/** Bytes of an operand's and of the result's element. */
export const ELEMENT = {
  float32: { operand: 4, result: 4 },
  float64: { operand: 8, result: 8 },
  bfloat16: { operand: 2, result: 4 },
  int8: { operand: 1, result: 4 },
} as const;

export type DataType = keyof typeof ELEMENT;
export const DATA_TYPES = Object.keys(ELEMENT) as [DataType, ...DataType[]];

/** @throws UserError for a name that no type has */
export function dataTypeNamed(text: string): DataType {
  const found = DATA_TYPES.find((name) => name === text);
  if (found === undefined)
    throw new UserError(`--dtype ${text} is unknown; there is ${DATA_TYPES.join(', ')}`);
  return found;
}

/** `FLOP/s`, or `OP/s` where the operations are on integers. */
export const rateUnitOf = (dtype: DataType): string => (dtype === 'int8' ? 'OP/s' : 'FLOP/s');
