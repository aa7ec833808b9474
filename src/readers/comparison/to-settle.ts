/** What it would take for the comparisons to tell that cannot. Pure. */
import { plural } from '../../quantities/format.js';
import { leastLaunches } from '../../statistics/compare.js';
import type { ComparedPair, ComparisonDocument } from './document.js';

/** More launches than these are no advice. */
const MOST_ADVISED = 10_000;

/** Launches that could tell, had they any spread. */
const ties = ({ interval, launches = [0, 0] }: ComparedPair): boolean =>
  interval === null && Math.min(...launches) > 1;

const TIES =
  'the launches of both sides, or in rounds their ratios, do not differ, but for a few, as where they tie at the step of the clock, so that their number tells nothing: give a repetition more work';

export interface NeededToSettle {
  readonly text: string;
  /** Of each side; null: their number is no advice, or the text has it. */
  readonly launches: number | null;
  /** So few were measured that nobody knows how many it would take. */
  readonly tooFew: boolean;
}

/** null: all that was compared is told. */
export function neededToSettle({ cases }: ComparisonDocument): NeededToSettle | null {
  const open = cases.flatMap(({ comparisons }) =>
    comparisons.filter(({ outcome }) => outcome === 'cannot tell'),
  );
  if (open.length === 0) return null;
  const telling = open.filter((pair) => !ties(pair));
  const [first] = telling;
  if (first === undefined) return { text: TIES, launches: null, tooFew: false };
  if (open.every(({ launchesToSettle }) => launchesToSettle == null)) {
    const among = Math.max(...telling.map((pair) => pair.among ?? 1));
    const text = `${first.method ?? ''}: measure at least ${leastLaunches(among)} launches of each`;
    return { text, launches: null, tooFew: true };
  }
  const least = Math.max(...open.map(({ launchesToSettle }) => launchesToSettle ?? 0));
  if (least > MOST_ADVISED) {
    const text = `more than ${plural(MOST_ADVISED, 'launch', 'launches')} of each would be needed: the ratio lies at the margin; take another --margin`;
    return { text, launches: null, tooFew: false };
  }
  const text = `about ${plural(least, 'launch', 'launches')} of each would tell in 9 of 10 comparisons, were the ${open.length === 1 ? 'ratio' : 'ratios'} as now`;
  return { text, launches: least, tooFew: false };
}
