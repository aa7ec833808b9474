/** The samples of one inspection, in the order in which they were taken. */

export interface Samples {
  /** Of one call. */
  readonly seconds: Float64Array;
  /** Start of each sample after the start of the first. */
  readonly entries: Float64Array;
  /** Indices of repetitions in which a measuring thread lost its CPU; null: the system cannot tell. */
  readonly disturbed: readonly number[] | null;
}

export const NO_SAMPLES: Samples = {
  seconds: new Float64Array(),
  entries: new Float64Array(),
  disturbed: null,
};
