/**
 * What the makers' datasheets promise of a GPU, dense products (their "with sparsity" figures halved), by the name that its
 * driver gives it. A GPU that is not here has no such efficiency: none is guessed.
 */
import type { DataType } from '../indicators/data-types.js';

export interface Datasheet {
  readonly source: string;
  /** Operations per second. */
  readonly rates: Partial<Readonly<Record<DataType, number>>>;
  /** Bytes per second of its memory. */
  readonly memory: number;
}

const TERA = 1e12;

const hopperSxm = {
  float64: 67 * TERA,
  float32: 67 * TERA,
  tf32: 494.5 * TERA,
  float16: 989.5 * TERA,
  bfloat16: 989.5 * TERA,
  float8_e4m3: 1979 * TERA,
  int8: 1979 * TERA,
} as const;

const SHEETS: readonly (Datasheet & { readonly name: RegExp })[] = [
  {
    name: /^NVIDIA H200$/,
    source:
      'NVIDIA H200 Tensor Core GPU datasheet (SXM): tensor cores for float64 and below, none for float32',
    rates: hopperSxm,
    memory: 4.8 * TERA,
  },
  {
    name: /^NVIDIA H100 80GB HBM3$/,
    source:
      'NVIDIA H100 Tensor Core GPU datasheet (SXM): tensor cores for float64 and below, none for float32',
    rates: hopperSxm,
    memory: 3.35 * TERA,
  },
  {
    name: /^NVIDIA A100-SXM4-80GB$/,
    source:
      'NVIDIA A100 Tensor Core GPU datasheet (80 GB SXM): tensor cores for float64 and below, none for float32',
    rates: {
      float64: 19.5 * TERA,
      float32: 19.5 * TERA,
      tf32: 156 * TERA,
      float16: 312 * TERA,
      bfloat16: 312 * TERA,
      int8: 624 * TERA,
    },
    memory: 2.039 * TERA,
  },
];

/** null: not known of a GPU of this name. */
export const datasheetOf = (name: string): Datasheet | null =>
  SHEETS.find((sheet) => sheet.name.test(name)) ?? null;
