/** What a framework's adapter does for an inspection. One file beside this for each framework; only a launch's own process opens one. */
import type { CpuDataType } from '../indicators/data-types.js';

/** One product, or several of one shape: C = A B, dense and row-major; transposed operands lie by columns. */
export interface Product {
  readonly m: number;
  readonly n: number;
  readonly k: number;
  readonly transposeA: boolean;
  readonly transposeB: boolean;
  readonly batch: number;
  readonly dtype: CpuDataType;
}

/** The addon's own memory: A and B are filled, and C is where a result is checked. */
export interface Operands {
  readonly a: ArrayBuffer;
  readonly b: ArrayBuffer;
  readonly c: ArrayBuffer;
}

/** npm packages as they are installed. */
export interface Packages {
  /** What `require` gives for one of them. */
  load(name: string): unknown;
  /** The folder of one of them. */
  folder(name: string): string;
}

export interface PreparedProduct {
  /** One repetition, with the wait for its result; a promise where the framework gives one. */
  run(): undefined | Promise<unknown>;
  /** Overwrites the memory that the next result will take, as far as the framework lets one reach it. */
  poison(): void;
  /** Takes A and B as they stand in their memory now; null: they are a part of its model. */
  readonly renew: (() => void) | null;
  /**
   * Brings the last repetition's result into the operands' C.
   * @throws Error where another backend than the one asked for has computed it
   */
  deliver(): void;
  /** What executes it, in short: `wasm simd`. */
  readonly implementation: string;
  /** What a repetition holds beside the product. */
  readonly timed: string;
}

/** A framework that is loaded, with its backend ready. */
export interface OpenedFramework {
  /** As it says itself. */
  readonly version: string;
  /** The build or instruction set that it chose; null: it does not tell. */
  readonly chose: string | null;
  /** The file whose code computes. */
  readonly binary: string;
  /** Threads that it says it computes with; null: it does not tell, and what it was told is no answer. */
  readonly threads: number | null;
  /** @throws Error where it has no such product */
  prepare(product: Product, operands: Operands): Promise<PreparedProduct>;
}

/**
 * @param backend as it is typed after the framework's name
 * @throws Error where it cannot be loaded, or another backend answers
 */
export type OpenFramework = (
  packages: Packages,
  backend: string,
  threads: number,
) => Promise<OpenedFramework>;

/** The operands of a data type as frameworks take them. */
export const ARRAYS = {
  float32: { operand: Float32Array, result: Float32Array },
  float64: { operand: Float64Array, result: Float64Array },
  int8: { operand: Int8Array, result: Int32Array },
} as const;

/** Rows and columns as an operand lies in memory, with the number of products in front where there are several. */
export const shapeOf = (batch: number, rows: number, columns: number, transposed: boolean): number[] => [
  ...(batch === 1 ? [] : [batch]),
  ...(transposed ? [columns, rows] : [rows, columns]),
];
