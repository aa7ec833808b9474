/** The live progress line on stderr: a bar in a terminal, a line for each launch elsewhere, nothing with --quiet. */
import type { Progress } from '../campaign/conduct.js';
import { formatSeconds } from '../quantities/format.js';
import type { InspectionEnd } from '../record/inspection-end.js';
import type { Seconds } from '../units.js';
import { say } from './say.js';

export interface ProgressDisplay {
  update(progress: Progress): void;
  /** @param secondsLeft of the launches to come; null: nothing tells */
  ended(end: InspectionEnd, secondsLeft: Seconds | null): void;
  stop(): void;
}

const SILENT: ProgressDisplay = { update() {}, ended() {}, stop() {} };

/** Share of a launch that is behind it; without a fixed count a launch counts when it has ended. */
function share({ taken, repetitions }: Progress): number {
  return repetitions === null ? 0 : Math.min(1, taken / repetitions);
}

function detail({ phase, taken, repetitions }: Progress): string {
  if (phase !== 'measure') return phase;
  return repetitions === null ? `repetition ${taken}` : `repetition ${taken} of ${repetitions}`;
}

const BAR = 10;

/** What may be cut off stands last: the title, which whoever typed it knows. */
export function liveLine(progress: Progress, width: number): string {
  const { planned, ended, title, secondsLeft } = progress;
  const done = Math.min(1, (ended + share(progress)) / Math.max(1, planned));
  const filled = Math.round(done * BAR);
  const left = secondsLeft === null ? '' : `, ${formatSeconds(Math.max(0, secondsLeft), 2)} left`;
  const line = [
    `${String(Math.floor(done * 100)).padStart(3)}%`,
    `launch ${Math.min(ended + 1, planned)} of ${planned}${left}`,
    '█'.repeat(filled) + '░'.repeat(BAR - filled),
    detail(progress),
    title,
  ].join('  ');
  return line.length <= width ? line : `${line.slice(0, width - 1)}…`;
}

/** After a launch; nothing after the last, and where nothing tells. */
const timeLeft = ({ planned, ended }: Progress, secondsLeft: Seconds | null): string =>
  planned - ended - 1 <= 0 || secondsLeft === null
    ? ''
    : `, ${formatSeconds(Math.max(0, secondsLeft), 2)} left`;

function plainProgress(): ProgressDisplay {
  let last: Progress | null = null;
  return {
    ...SILENT,
    update(progress) {
      last = progress;
    },
    ended({ index, status, reason, wall }, secondsLeft) {
      const why = reason === null ? '' : `: ${reason}`;
      const left = last === null ? '' : timeLeft(last, secondsLeft);
      say(
        `launch ${index + 1} of ${last?.planned ?? '?'} ${status} in ${formatSeconds(wall, 3)}${left}${why}`,
      );
    },
  };
}

async function liveProgress(): Promise<ProgressDisplay> {
  const { default: cliProgress } = await import('cli-progress');
  const bar = new cliProgress.SingleBar({
    stream: process.stderr,
    format: (_, { maxWidth }, { progress }) => liveLine(progress, maxWidth),
    hideCursor: true,
    clearOnComplete: true,
    // Drawing competes with what is measured: the line is drawn when the worker reports, and by no timer of its own.
    fps: 0.1,
    synchronousUpdate: false,
    linewrap: false,
  });
  let drawn = false;
  return {
    update(progress) {
      const { planned, ended } = progress;
      if (!drawn) bar.start(planned, 0, { progress });
      drawn = true;
      bar.update(ended + share(progress), { progress });
      bar.render();
    },
    ended({ index, status, reason }) {
      if (reason === null) return;
      bar.stop();
      drawn = false;
      say(`launch ${index + 1} ${status}: ${reason}`);
    },
    stop() {
      bar.stop();
    },
  };
}

/** What draws the bar is loaded where there is one. */
export async function makeProgress(quiet: boolean): Promise<ProgressDisplay> {
  if (quiet) return SILENT;
  // A dumb terminal has no line that could be drawn anew.
  return process.stderr.isTTY && process.env.TERM !== 'dumb' ? liveProgress() : plainProgress();
}
