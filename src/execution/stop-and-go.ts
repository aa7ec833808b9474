/**
 * Stops a process for a share of each tenth of a second and lets it go on, as a CPU quota does that nobody sees: the fault by
 * which a self-test shows that a burst is not taken for what lasts.
 */
import type { ChildProcess } from 'node:child_process';
import type { Ratio } from '../units.js';

/** The period of Linux's CPU bandwidth control, unless somebody sets another. */
const PERIOD_MS = 100;

/** @returns ends it, the process going on */
export function stopAndGo(child: ChildProcess, share: Ratio): () => void {
  let again: NodeJS.Timeout | undefined;
  const period = setInterval(() => {
    child.kill('SIGSTOP');
    again = setTimeout(() => child.kill('SIGCONT'), share * PERIOD_MS);
  }, PERIOD_MS);
  return () => {
    clearInterval(period);
    clearTimeout(again);
    child.kill('SIGCONT');
  };
}
