/** What a sweep of repetitions answers, in sentences: for the terminal and the report. Pure. */
import { formatShare, plural } from '../quantities/format.js';
import type { PiBenchRecord, Recommendation } from '../record/schema.js';
import { MOST_OF_HALVES } from '../statistics/variance.js';
import { askedStack } from './batch-names.js';

function sentence({ why, launches }: Recommendation): string {
  const targets = launches.map(
    ({ target, launches: count }) =>
      `${plural(count, 'launch', 'launches')}${count >= MOST_OF_HALVES ? ' or more' : ''} for ±${formatShare(target)}`,
  );
  return targets.length === 0 ? why : `${why}; with these, ${targets.join(', ')}`;
}

/** Each of several says which case it is of, and on which stack where there are several. */
export function recommendationTexts({
  batches,
  recommendations = [],
}: Pick<PiBenchRecord, 'batches' | 'recommendations'>): readonly string[] {
  const stacks = new Set(batches.map(askedStack));
  return recommendations.map((one) => {
    const batch = batches[one.batches[0] ?? -1];
    if (recommendations.length === 1 || batch === undefined) return sentence(one);
    const stack = stacks.size === 1 ? '' : ` on ${askedStack(batch)}`;
    return `${batch.title}${stack}: ${sentence(one)}`;
  });
}
