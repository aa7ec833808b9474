/** How an indicator declares a KPI: once, with a pure function that computes it from a batch of the record. */
import type { Parameters } from '../indicators/indicator.js';
import type { Seconds } from '../units.js';
import type { RecordBatch } from './schema.js';

export interface KpiDeclaration {
  /** An OpenMetrics name that ends in its base unit. */
  readonly name: string;
  readonly unit: (batch: RecordBatch) => string;
  readonly direction: 'higher' | 'lower';
  readonly help: string;
  readonly statistic: string;
  /** How to show it: value / divisor, in this unit, with so many digits. */
  readonly display: (batch: RecordBatch) => {
    readonly divisor: number;
    readonly unit: string;
    readonly digits: number;
  };
  /** Whether a regression test counts it. */
  readonly regression: boolean;
  /** null where the batch does not have it. */
  readonly value: (batch: RecordBatch, context: { readonly timeToResult: Seconds }) => KpiValue | null;
}

/** A KPI over a sweep: batches that differ in nothing but what x is made of are the points of one curve. */
export interface CurveDeclaration
  extends Pick<KpiDeclaration, 'name' | 'direction' | 'help' | 'statistic' | 'display' | 'regression'> {
  /** The parameters that x is made of. */
  readonly along: readonly string[];
  /** null where the case is no point of such a curve. */
  readonly x: (parameters: Parameters) => number | null;
  readonly xUnit: string;
  readonly yUnit: (batch: RecordBatch) => string;
  /** null where the batch has no point. */
  readonly point: (batch: RecordBatch) => KpiValue | null;
}

export interface KpiValue {
  readonly value: number;
  /** On which it rests; left out: on all that ran to their end. */
  readonly launches?: number | undefined;
  readonly ci: {
    readonly level: number;
    readonly low: number;
    readonly high: number;
    /** What it rests on, as the batch's interval has it; absent: not told. */
    readonly basis?: string;
  } | null;
}
