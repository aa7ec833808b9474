/**
 * A model of ONNX with one node: ONNX Runtime executes nothing else. As onnx.proto3 of onnx 1.13 numbers its fields. A library for
 * protocol buffers would be a dependency of everybody for the two wire types that this writes and never reads. Pure.
 */
import type { Product } from './adapter.js';
import { shapeOf } from './adapter.js';

type Bytes = readonly number[];

const VARINT = 0;
const DELIMITED = 2;
const BITS = 7;

/** Seven bits a byte, the lowest first; the highest bit says that more follow. */
function varint(value: number): Bytes {
  const low = value % 2 ** BITS;
  const rest = Math.floor(value / 2 ** BITS);
  return rest === 0 ? [low] : [low + 2 ** BITS, ...varint(rest)];
}

const integer = (field: number, value: number): Bytes => [...varint(field * 8 + VARINT), ...varint(value)];
const message = (field: number, ...parts: readonly Bytes[]): Bytes => {
  const body = parts.flat();
  return [...varint(field * 8 + DELIMITED), ...varint(body.length), ...body];
};
const text = (field: number, value: string): Bytes => message(field, [...Buffer.from(value, 'utf8')]);

/** TensorProto.DataType. */
const ELEMENTS = { float32: 1, int8: 3, int32: 6, float64: 11 } as const;
type Element = keyof typeof ELEMENTS;

/** A ValueInfoProto: a tensor of a fixed shape. */
const tensor = (field: number, name: string, element: Element, shape: readonly number[]): Bytes =>
  message(
    field,
    text(1, name),
    message(
      2,
      message(
        1,
        integer(1, ELEMENTS[element]),
        message(2, ...shape.map((length) => message(1, integer(1, length)))),
      ),
    ),
  );

const ATTRIBUTE_INT = 2;
const flag = (name: string): Bytes => message(5, text(1, name), integer(3, 1), integer(20, ATTRIBUTE_INT));

const ELEMENT_BYTES: Readonly<Record<Element, number>> = { float32: 4, int8: 1, int32: 4, float64: 8 };

/** TensorProto.DataLocation. */
const EXTERNAL = 1;

/** A StringStringEntryProto of a TensorProto's external data. */
const entry = (key: string, value: string): Bytes => message(13, text(1, key), text(2, value));

/** A TensorProto whose elements lie in external data of the same name. */
const constant = (name: string, element: Element, shape: readonly number[]): Bytes =>
  message(
    5,
    ...shape.map((length) => integer(1, length)),
    integer(2, ELEMENTS[element]),
    text(8, name),
    entry('location', name),
    entry('length', String(shape.reduce((elements, length) => elements * length, ELEMENT_BYTES[element]))),
    integer(14, EXTERNAL),
  );

/** ai.onnx, the newest that all of these nodes are stable in, and the file format of its time. */
const OPERATORS = 13;
const FORMAT = 8;

/** The operator that is this product; null: ONNX has none that takes its operands as they lie. */
export function operatorOf({
  transposeA,
  transposeB,
  batch,
  dtype,
}: Product): 'MatMul' | 'MatMulInteger' | 'Gemm' | null {
  const transposed = transposeA || transposeB;
  if (dtype === 'int8') return transposed ? null : 'MatMulInteger';
  if (dtype === 'bfloat16') return null;
  if (!transposed) return 'MatMul';
  return batch === 1 ? 'Gemm' : null;
}

/**
 * C = A B as a ModelProto: inputs A and B, output C, all of fixed shapes.
 * @param operands `constants`: A and B are no inputs but part of the model, and lie in external data of these names
 * @throws Error where `operatorOf` has none
 */
export function matmulModel(product: Product, operands: 'inputs' | 'constants' = 'inputs'): Uint8Array {
  const { m, n, k, transposeA, transposeB, batch, dtype } = product;
  const operator = operatorOf(product);
  if (operator === null || dtype === 'bfloat16') throw new Error('ONNX has no operator for this product');
  const result: Element = dtype === 'int8' ? 'int32' : dtype;
  const flags = [...(transposeA ? [flag('transA')] : []), ...(transposeB ? [flag('transB')] : [])];
  const node = message(1, text(1, 'A'), text(1, 'B'), text(2, 'C'), text(4, operator), ...flags);
  const operand = (name: string, shape: readonly number[]): Bytes =>
    operands === 'inputs' ? tensor(11, name, dtype, shape) : constant(name, dtype, shape);
  const graph = message(
    7,
    node,
    text(2, 'product'),
    operand('A', shapeOf(batch, m, k, transposeA)),
    operand('B', shapeOf(batch, k, n, transposeB)),
    tensor(12, 'C', result, shapeOf(batch, m, n, false)),
  );
  return Uint8Array.from([
    ...integer(1, FORMAT),
    ...text(2, 'pi-bench'),
    ...graph,
    ...message(8, integer(2, OPERATORS)),
  ]);
}
