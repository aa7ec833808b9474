/** The signals that reach workers and ranks with the campaign, by which nothing of what they did is told. */
import { constants } from 'node:os';

/** What a terminal, or a scheduler, sends to the whole group. */
const PASSED_ON: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

export const isPassedOn = (signal: NodeJS.Signals | null): boolean =>
  signal !== null && PASSED_ON.includes(signal);

/** The same by its number. */
export const isPassedOnNumber = (signal: number): boolean =>
  PASSED_ON.some((name) => constants.signals[name] === signal);
