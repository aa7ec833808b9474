/** The overlap of several launches as one. Apart from overlap.ts, which a worker loads, and which needs no intervals. Pure. */
import type { Ratio } from '../units.js';
import { LEVEL, launchInterval } from './interval.js';
import { medianAbout, NOTHING_GAINED, NOTHING_HIDDEN, type OverlapSummary } from './overlap.js';
import { median } from './quantile.js';

export interface OverlapOfLaunches extends OverlapSummary {
  /** Of the hidden share, which may be below 0; null where there are too few launches. */
  readonly interval: { readonly level: number; readonly low: Ratio; readonly high: Ratio } | null;
}

/** The median over launches; nothing where one of them, of an older document, does not tell. */
function middleOf<K extends keyof OverlapSummary>(
  key: K,
  launches: readonly OverlapSummary[],
  middle: (values: readonly number[]) => number = median,
): Partial<Record<K, number>> {
  const values = launches.flatMap((launch) => launch[key] ?? []);
  return values.length < launches.length ? {} : ({ [key]: middle(values) } as Record<K, number>);
}

/**
 * Several launches as one: medians, and the interval of the hidden share; null where there are none.
 * @param launches in the order of time
 * @param intervalOf that of the launches' values, of which some may be below 0; another one where their number was decided by looking
 */
export function mergeOverlap(
  launches: readonly OverlapSummary[],
  intervalOf: typeof launchInterval = launchInterval,
): OverlapOfLaunches | null {
  if (launches.length === 0) return null;
  const middle = (of: (launch: OverlapSummary) => number): number => median(launches.map(of));
  const hidden = launches.map((launch) => launch.hidden);
  const { ci, level } = intervalOf(hidden, LEVEL, 'linear');
  return {
    compute: middle((launch) => launch.compute),
    communicate: middle((launch) => launch.communicate),
    computeBeside: middle((launch) => launch.computeBeside),
    communicateBeside: middle((launch) => launch.communicateBeside),
    hidden: medianAbout(NOTHING_HIDDEN, hidden),
    ...middleOf('mostHidden', launches),
    ...middleOf('gain', launches, (values) => medianAbout(NOTHING_GAINED, values)),
    ...middleOf('computeSlowed', launches),
    ...middleOf('communicateSlowed', launches),
    interval: ci === null ? null : { level, ...ci },
  };
}
