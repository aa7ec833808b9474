/** The repetitions changed their level during the launch and stayed there: a clock, a neighbour, pages that moved. */
import { formatSeconds, formatShare, grouped, plural } from '../../quantities/format.js';
import { LEAST_FOR_LEVELS, type Level, stepOf, steppedLevels } from '../change-points.js';
import type { Detector } from './detector.js';

const MOST_NAMED = 5;

function describe(levels: readonly Level[]): string {
  const steps = levels
    .slice(1)
    .map((level, i) => ({ from: levels[i]?.level ?? 0, to: level.level, at: level.from }));
  const named = steps
    .slice(0, MOST_NAMED)
    .map(
      ({ from, to, at }) =>
        `from ${formatSeconds(from, 3)} to ${formatSeconds(to, 3)} (${formatShare(Math.abs(stepOf(from, to)))} ${to > from ? 'slower' : 'faster'}) at about repetition ${grouped(at)}`,
    );
  const more = steps.length > MOST_NAMED ? `, and ${plural(steps.length - MOST_NAMED, 'time')} more` : '';
  return `${named.join(', ')}${more}`;
}

export const stepped: Detector = {
  name: 'stepped',
  detect({ samples }) {
    const levels = steppedLevels(samples);
    if (levels === null) return null;
    const heights = levels.slice(1).map(({ level }, i) => stepOf(levels[i]?.level ?? level, level));
    return {
      reason: `the repetitions changed their level ${plural(levels.length - 1, 'time')} and stayed there: ${describe(levels)}; look at the clock and at what else ran then`,
      evidence: {
        changes: levels.length - 1,
        firstAt: levels[1]?.from ?? null,
        at: levels
          .slice(1, 1 + MOST_NAMED)
          .map(({ from }) => from)
          .join(' '),
        levelsSeconds: levels
          .slice(0, 1 + MOST_NAMED)
          .map(({ level }) => level.toPrecision(4))
          .join(' '),
        largest: heights.reduce((most, height) => (Math.abs(height) > Math.abs(most) ? height : most), 0),
      },
    };
  },
  blindness: ({ samples }) =>
    samples.length < LEAST_FOR_LEVELS ? `fewer than ${LEAST_FOR_LEVELS} repetitions` : null,
};
