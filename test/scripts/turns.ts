/** Turns as candidates of benchmarks tell them. */

export const turn = (median: number, disturbed = 0) => ({ median, min: median, count: 4, disturbed });

export type Turns = ReturnType<typeof turn>[];
/** Turns alike, as many as a verdict needs, in as many launches. */
const LAUNCHES = 2;
const ROUNDS = 4;
export const steady = (median: number, disturbed = 0) =>
  Array.from({ length: LAUNCHES }, () => Array.from({ length: ROUNDS }, () => turn(median, disturbed)));
