/** What has to be known of a library that multiplies matrices, or moves data between ranks, so that it becomes a stack. */
import type { DataType } from '../indicators/data-types.js';
import type { Environment } from './stack.js';

export interface LibrarySpec {
  readonly provider: string;
  readonly summary: string;
  /** How the addon speaks to it (native/stacks); products with the interface of CBLAS have to be what they are called. */
  readonly interface:
    | 'cblas'
    | 'openblas'
    | 'blis'
    | 'mkl'
    | 'onednn'
    | 'libxsmm'
    | 'cublas'
    | 'cublaslt'
    | 'nccl'
    | 'gloo';
  /** Absent: matrix products. Of a collective's library data types are the case's own. */
  readonly executes?: readonly ('collective' | 'overlap')[];
  /** Where it computes; absent: on the CPU. */
  readonly device?: 'gpu';
  /** File names, the one to be preferred first. */
  readonly sonames: readonly string[];
  /** Folders below the usual ones, in which distributions keep several builds side by side. */
  readonly subfolders: readonly string[];
  /** Folders beside the usual ones, where the vendor's installer puts it. */
  readonly folders: readonly string[];
  /** What some build of it computes with. */
  readonly dtypes: readonly DataType[];
  /** Whether it can bring B into a layout of its own beforehand. */
  readonly prepacks: boolean;
  /** null: no limit. */
  readonly mostThreads: number | null;
  /** Beside what every library gets. */
  environment(threads: number): Environment;
  /** The file of ours that calls it, which is built where its headers are; absent: the addon calls it. */
  readonly plugin?: { readonly path: string; isBuilt(): boolean };
  /** What somebody does to have it. */
  readonly needed: string;
  /** Instruction sets that it may name as its choice, the widest first; for those of the CPU, see choice.ts. */
  readonly choices: LibraryChoices | null;
}

/** The widest vectors of a CPU, as far as they matter for what a library chooses. */
export type VectorLevel = 'avx512' | 'avx2';

/** How well a library's word for what it chose fits a CPU. */
export interface LibraryChoices {
  /** Words for code with AVX-512. */
  readonly avx512: RegExp;
  /** Words for code with AVX2 and FMA, or more. */
  readonly avx2: RegExp;
  /** That decide on it. */
  readonly variables: readonly string[];
  /** What makes it choose otherwise on a CPU with such vectors. */
  readonly remedy: (level: VectorLevel) => string;
}
