/** The question of a comparison, and its answer as `--json` prints it. */
import type { RecordBatch } from '../../record/schema.js';
import type { Verdict } from '../../statistics/compare.js';
import type { Range } from '../../statistics/shift.js';
import type { Difference } from './comparable.js';
import type { LaunchComparison } from './launches.js';

export interface Question {
  /** `record`, `stack`, a label; null: what there is to compare by. */
  readonly by: string | null;
  /** Name of a side; null: the first. */
  readonly reference: string | null;
  /** null: of each case that for which its launches were measured, or the default. */
  readonly margin: number | null;
  /** Labels that may differ. */
  readonly across: readonly string[];
  /** Compare what is not comparable, and say so. */
  readonly force: boolean;
}

/** What became of a case on one side: a verdict of its launches, or why there is none. */
export type Outcome = Verdict | 'wrong output' | 'not measured';

/** One side of a case. */
export interface ComparedBatch {
  readonly side: string;
  readonly campaign: string;
  readonly stack: RecordBatch['stack'];
  /** null where nothing was measured to its end, the output was wrong, or it does no work. */
  readonly rate: number | null;
  readonly rateUnit: string;
  readonly elapsedSeconds: number | null;
  readonly launches: number;
  readonly flags: readonly string[];
  /** That its library chose code below what the CPU has, and what to do; null: it did not, or nothing is known of it. */
  readonly choice: string | null;
  /** Flags that could not be looked for in some launch. */
  readonly notChecked: readonly string[];
  /** How many launches failed and how the first did, in words; null: none. */
  readonly launchesLost: string | null;
  /** How many were planned and did not come to their end; null: none. */
  readonly launchesMissing: string | null;
  readonly verified: RecordBatch['verified'];
}

export interface ComparedPair extends Partial<LaunchComparison> {
  readonly candidate: string;
  readonly outcome: Outcome;
  /** By which it was judged. */
  readonly margin: number;
  /** Corrected for the number of comparisons; null where there was none. */
  readonly pAdjusted: number | null;
  /** That number: those that a campaign was to settle are corrected among themselves, and so are the others. null likewise. */
  readonly among: number | null;
  /** Its campaign was to settle it: which of the two it is corrected with. null likewise. */
  readonly looked: boolean | null;
}

export interface ComparedCase {
  readonly title: string;
  /** By what it differs from the other cases; the title where there is one only. */
  readonly name: string;
  /** The reference first. */
  readonly batches: readonly ComparedBatch[];
  /** Each candidate with the reference. */
  readonly comparisons: readonly ComparedPair[];
  /** From the fastest: sides that share a group cannot be told apart. Empty with fewer than three sides. */
  readonly groups: readonly (readonly string[])[];
}

export interface Overall {
  readonly candidate: string;
  readonly cases: number;
  /** Geometric mean of the cases' ratios. */
  readonly mean: number;
  /** null where one of the ratios has none. */
  readonly interval: Range | null;
}

export interface ComparisonDocument {
  readonly kind: 'pi-bench comparison';
  readonly schemaVersion: 1;
  readonly by: string;
  readonly reference: string;
  readonly sides: readonly { readonly name: string; readonly campaigns: readonly string[] }[];
  /** The largest by which a pair was judged: of launches that were to settle something each case has its own. */
  readonly margin: number;
  readonly level: number;
  readonly risk: number;
  readonly cases: readonly ComparedCase[];
  /** Of candidates with two cases or more. */
  readonly overall: readonly Overall[];
  readonly notCompared: readonly { readonly title: string; readonly side: string; readonly why: string }[];
  /** Differ although the user said that they may, or because of --force. */
  readonly acrossLabels: readonly Difference[];
  readonly forced: boolean;
  readonly notes: readonly string[];
  readonly answer: Outcome;
}
