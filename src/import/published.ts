/** What others published, read and brought to pi-bench's units: what a record of it is made from. */
import type { MachineDescription } from '../machine/types.js';
import type { Case, RecordBatch, RecordInspection } from '../record/schema.js';
import type { Work } from '../record/work.js';
import type { Flag } from '../statistics/validity/types.js';
import type { Seconds } from '../units.js';

/** In place of a name that was not published. */
export const NOT_KNOWN = 'not known';

/** A stack of whose identity no more than this was published. */
export const publishedStack = (
  provider: string,
  variant: string | null = null,
  version: string | null = null,
): RecordBatch['stack'] => ({ provider, variant, implementation: null, version, file: null, sha256: null });

export interface NotChecked {
  readonly flag: string;
  readonly why: string;
}

/** One launch of which one value was published. */
export interface PublishedLaunch {
  readonly status: 'measured' | 'failed';
  readonly reason: string | null;
  /** Of one repetition; null where it failed. */
  readonly elapsed: Seconds | null;
  /** As published; null where it was not, or means something else. */
  readonly flopPerSecond: number | null;
  readonly repetitions: number | null;
  readonly flags: Readonly<RecordInspection['flags']>;
  readonly notChecked: readonly NotChecked[];
}

/** Statistics over launches as somebody's table has them. */
export interface TableStatistics {
  readonly n: number;
  readonly mean: number;
  readonly std: number;
  readonly min: number;
  readonly q1: number;
  readonly median: number;
  readonly q3: number;
  readonly max: number;
}

export type PublishedValues =
  | { readonly kind: 'launches'; readonly launches: readonly PublishedLaunch[] }
  | {
      readonly kind: 'table';
      /** The table's file, relative to what was imported. */
      readonly file: string;
      /** In seconds of one repetition. */
      readonly elapsed: TableStatistics;
      readonly rates: TableStatistics | null;
    };

export interface PublishedBatch {
  readonly case: Case;
  readonly title: string;
  /** What the batch is called in its source. */
  readonly source: string;
  /** null: the case's sizes were not published. */
  readonly work: Work | null;
  readonly stack: RecordBatch['stack'];
  readonly device: string;
  readonly repetitions: number | null;
  /** Launches that were asked for. */
  readonly asked: number;
  readonly statistic: NonNullable<RecordBatch['imported']>['statistic'];
  readonly values: PublishedValues;
  /** Beside those of the launches. */
  readonly flags: readonly Flag[];
  readonly notChecked: readonly NotChecked[];
  readonly remarks: readonly string[];
}

export interface SourceFile {
  /** Relative to what was imported. */
  readonly path: string;
  readonly sha256: string;
  readonly layout: string;
}

export interface Unread {
  readonly path: string;
  readonly why: string;
  /** True for a file that should have been readable: damaged, cut off. False: something else that lies there. */
  readonly damaged: boolean;
}

export interface Published {
  readonly format: string;
  readonly batches: readonly PublishedBatch[];
  readonly files: readonly SourceFile[];
  readonly unread: readonly Unread[];
  readonly notKnown: readonly { readonly what: string; readonly why: string }[];
  readonly machine: MachineDescription;
  /** ISO. */
  readonly measured: { readonly from: string; readonly to: string } | null;
}
