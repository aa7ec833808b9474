/** How much time a qualification has left, and for what. */
import { monotonic } from '../../inspection/job.js';
import type { Seconds } from '../../units.js';
import { RESERVE } from './least-deadline.js';

export interface Times {
  /** CLOCK_MONOTONIC at which the command began. */
  readonly began: Seconds;
  /** From then on nothing is launched that would end later; null: none. */
  readonly budget: Seconds | null;
  /** After which even a running launch is ended; null: none. */
  readonly deadline: Seconds | null;
}

/** Of a deadline, to write the record. */
const TO_WRITE: Seconds = 2;

export const elapsed = ({ began }: Pick<Times, 'began'>): Seconds => monotonic() - began;

/**
 * Seconds in which launches may begin.
 * @param waited for other campaigns, which a deadline counts and a budget does not
 */
export function timeLeft(times: Times, waited: Seconds): Seconds {
  const budget = (times.budget ?? Number.POSITIVE_INFINITY) + waited;
  const deadline = (times.deadline ?? Number.POSITIVE_INFINITY) - RESERVE;
  return Math.min(budget, deadline) - elapsed(times);
}

/** For the GPUs to be asked once more. */
export const timeToAsk = (times: Times): Seconds =>
  (times.deadline ?? Number.POSITIVE_INFINITY) - elapsed(times) - TO_WRITE;
