/** Says for whom a campaign waits, and for how long it has: waiting has no limit, and is no part of a budget. */
import { formatSeconds } from '../quantities/format.js';
import type { Seconds } from '../units.js';

/** Between two lines of one waiting. */
const EVERY: Seconds = 60;

export interface Waiting {
  /** It goes on for another holder, as for the first. */
  begin(holder: string): void;
  /** @param got whether the machine is this campaign's now: else a signal or a deadline ended it */
  end(got: boolean): void;
}

/** @param now seconds on a clock that is never set */
export function tellWaiting(say: (line: string) => void, now: () => Seconds): Waiting {
  let since: Seconds | null = null;
  let timer: NodeJS.Timeout | undefined;
  const waited = (): string => formatSeconds(now() - (since ?? now()), 2);
  return {
    begin(holder) {
      since ??= now();
      clearInterval(timer);
      say(`waiting: ${holder} is measuring on this machine (--no-wait measures beside it)`);
      timer = setInterval(() => say(`waiting for ${waited()}: ${holder} is still measuring`), EVERY * 1000);
    },
    end(got) {
      clearInterval(timer);
      if (since !== null && got) say(`waited for ${waited()}, which is no part of a budget`);
      since = null;
    },
  };
}
