/** What a sweep of repetitions answers, in a sentence: for the terminal and the report. Pure. */
import { formatShare, plural } from '../quantities/format.js';
import type { Recommendation } from '../record/schema.js';

export function recommendationText({ why, launches }: Recommendation): string {
  const targets = launches.map(
    ({ target, launches: count }) => `${plural(count, 'launch', 'launches')} for ±${formatShare(target)}`,
  );
  return targets.length === 0 ? why : `${why}; with these, ${targets.join(', ')}`;
}
