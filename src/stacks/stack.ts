/** What a stack is: the software that executes a case, with its identity. */
import type { FrameworkSpec } from '../frameworks/spec.js';
import type { Parameters } from '../indicators/indicator.js';
import type { FrameworkJob } from '../inspection/job.js';
import type { StackIdentity } from '../record/schema.js';
import type { LibrarySpec } from './library-spec.js';

/** How the addon is asked for a stack. */
export interface Executor {
  /** Of our own kernels; null: the best that runs, or a library does it. */
  readonly isa: string | null;
  /** Beside the indicator's own parameters. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** Variables of a launch's environment; null: not set there, whatever pi-bench's own environment has. */
export type Environment = Readonly<Record<string, string | null>>;

/** How a worker is asked for a framework, and what is known of it without loading it. */
export interface FrameworkStack extends FrameworkSpec {
  job(variant: string | null, threads: number, device: string): FrameworkJob;
  /** Of its packages, with all links followed; none where some are missing. */
  folders(variant: string | null, device: string): readonly string[];
  /** Backends of which something is missing, and what. */
  missing(): readonly {
    readonly variant: string | null;
    readonly summary: string;
    readonly needed: string;
  }[];
}

export interface Stack {
  readonly provider: string;
  readonly summary: string;
  variants(): { readonly here: readonly string[]; readonly elsewhere: readonly string[] };
  /**
   * Before its files are there.
   * @param parameters of the case
   * @throws UserError when the variant cannot execute the indicator with the data type on that device.
   */
  checkCase(
    variant: string | null,
    indicator: string,
    dtype: string,
    parameters: Parameters,
    device: string,
  ): void;
  /** As `checkCase`. @throws UserError when what it needs is not there, too */
  check: Stack['checkCase'];
  /** Never fails: what cannot be told of a library without loading it is null. */
  identify(variant: string | null, device: string): Omit<StackIdentity, 'implementation'>;
  executor(variant: string | null): Executor;
  environment(threads: number): Environment;
  /** null: it is no library. */
  readonly library: LibrarySpec | null;
  /** null: it is no framework in JavaScript. */
  readonly framework: FrameworkStack | null;
}
