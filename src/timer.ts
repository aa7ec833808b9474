/** How long a timer may be. Pure. */
import type { Seconds } from './units.js';

/** Node keeps milliseconds in 31 bits, and ends a longer timer at once. */
const LONGEST_MS = 2 ** 31 - 1;

/** Milliseconds for `setTimeout`; a limit beyond 24 days is one of 24 days, and not one of a millisecond. */
export const timerMs = (seconds: Seconds): number => Math.min(LONGEST_MS, Math.max(0, seconds * 1000));
