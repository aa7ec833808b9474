/** When a launch that should have ended by itself is ended: not while it shows that it works. The edge is a timer. */
import { MEASURED, monotonic } from '../inspection/job.js';
import { timerMs } from '../timer.js';
import type { Seconds } from '../units.js';

/** A launch ends by itself at its limit; this much later it is taken to hang. */
export const GRACE: Seconds = 3;
/** Where it shows that it works, it gets this much more at most. */
export const MOST_PATIENCE: Seconds = 60;
/** What comes after the repetitions ends by itself, and without it they are lost. */
const AFTER_MEASURING: readonly string[] = ['cool-down', 'verify', 'done', MEASURED];

/** What a launch was last seen at. */
export interface Seen {
  readonly phase: string;
  readonly taken: number;
  /** CLOCK_MONOTONIC; null: its repetitions have not begun. */
  readonly measuringSince: Seconds | null;
}

/**
 * How much longer a launch may take that should have ended by now: until the running repetition ends, by the mean of those before it,
 * or until what was measured is verified and written.
 * @param measuring since its repetitions began
 */
export function patienceFor(phase: string, taken: number, measuring: Seconds): Seconds {
  if (AFTER_MEASURING.includes(phase)) return MOST_PATIENCE;
  return phase === 'measure' && taken > 0 ? Math.min(MOST_PATIENCE, (2 * measuring) / taken) : 0;
}

export interface Limit {
  /**
   * In place of what was set before.
   * @param time until then nothing happens to it
   * @param most how much longer it may take where it shows that it works
   */
  readonly after: (time: Seconds, most: Seconds) => void;
  readonly clear: () => void;
}

/** @param kill called once, when patience is over */
export function makeLimit(seen: () => Seen, kill: () => void): Limit {
  let timer: NodeJS.Timeout | undefined;
  /** @param before what it was at when it was last looked at: where that has not changed, it hangs */
  const expire = (before: string, until: Seconds): void => {
    const { phase, taken, measuringSince } = seen();
    const at = `${phase} ${taken}`;
    const now = monotonic();
    const patience = patienceFor(phase, taken, now - (measuringSince ?? now));
    const more = at === before ? 0 : Math.min(patience, until - now);
    if (more > 0) timer = setTimeout(() => expire(at, until), timerMs(more));
    else kill();
  };
  return {
    after(time, most) {
      clearTimeout(timer);
      timer = setTimeout(() => expire('', monotonic() + most), timerMs(time));
    },
    clear: () => clearTimeout(timer),
  };
}
