/** What has to be known of a framework so that its backends become stacks: without loading anything. */
import type { CpuDataType } from '../indicators/data-types.js';
import type { Parameters } from '../indicators/indicator.js';

export interface Backend {
  /** After the framework's name and a colon. */
  readonly name: string;
  readonly summary: string;
  /** npm packages that it consists of: the first one's version is the stack's. */
  readonly packages: readonly string[];
  /** The command that installs them. */
  readonly install: string;
  readonly dtypes: readonly CpuDataType[];
  /** null: no limit. */
  readonly mostThreads: number | null;
  readonly device: 'cpu' | 'gpu';
  /**
   * The file whose code computes, for people and for its checksum; null: it is not there, although the packages are.
   * @param folder of each package, in the order of `packages`
   */
  binary(folder: readonly string[]): string | null;
  /** What somebody does where that file is missing. */
  readonly binaryNeeded: string;
}

export interface FrameworkSpec {
  readonly provider: 'tfjs' | 'onnxruntime';
  readonly summary: string;
  readonly backends: readonly Backend[];
  /** The backend that the framework's name alone means, by what it computes on; null: one has to be named. */
  readonly usual: Readonly<Record<Backend['device'], string | null>>;
  /** Why it cannot execute a case, beside its data types; null: it can. */
  cannot(parameters: Parameters, dtype: string): string | null;
  /** Beside what every library gets. */
  environment(threads: number): Readonly<Record<string, string>>;
}
