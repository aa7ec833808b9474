/** Says for whom a campaign waits, and for how long it has: waiting has no limit, and is no part of a budget. */
import { formatSeconds } from '../quantities/format.js';
import type { Seconds } from '../units.js';

/** Between two lines of one waiting. */
const EVERY: Seconds = 60;

export interface Waiting {
  /** It goes on for another holder, as for the first. */
  begin(holder: string): void;
  /**
   * @param got whether the machine is this campaign's now: else a signal or a deadline ended it
   * @returns how long it was; 0 where nobody had to be waited for
   */
  end(got: boolean): Seconds;
}

/** @param now seconds on a clock that is never set */
export function tellWaiting(say: (line: string) => void, now: () => Seconds): Waiting {
  let since: Seconds | null = null;
  let timer: NodeJS.Timeout | undefined;
  const waited = (): Seconds => (since === null ? 0 : now() - since);
  const waitedText = (): string => formatSeconds(waited(), 2);
  return {
    begin(holder) {
      since ??= now();
      clearInterval(timer);
      say(`waiting: ${holder} is measuring on this machine (--no-wait measures beside it)`);
      timer = setInterval(
        () => say(`waiting for ${waitedText()}: ${holder} is still measuring`),
        EVERY * 1000,
      );
    },
    end(got) {
      clearInterval(timer);
      if (since !== null && got) say(`waited for ${waitedText()}, which is no part of a budget`);
      const seconds = waited();
      since = null;
      return seconds;
    },
  };
}
