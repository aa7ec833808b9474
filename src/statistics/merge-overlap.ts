/** The overlap of several launches as one. Apart from overlap.ts, which a worker loads, and which needs no intervals. Pure. */
import type { Ratio } from '../units.js';
import { launchInterval } from './interval.js';
import type { OverlapSummary } from './overlap.js';
import { median } from './quantile.js';

export interface OverlapOfLaunches extends OverlapSummary {
  /** Of the hidden share, which may be below 0; null where there are too few launches. */
  readonly interval: { readonly level: number; readonly low: Ratio; readonly high: Ratio } | null;
}

/** Several launches as one: medians, and the interval of the hidden share; null where there are none. */
export function mergeOverlap(launches: readonly OverlapSummary[]): OverlapOfLaunches | null {
  if (launches.length === 0) return null;
  const middle = (of: (launch: OverlapSummary) => number): number => median(launches.map(of));
  const { ci, level } = launchInterval(
    launches.map(({ hidden }) => hidden),
    undefined,
    'linear',
  );
  return {
    compute: middle((launch) => launch.compute),
    communicate: middle((launch) => launch.communicate),
    computeBeside: middle((launch) => launch.computeBeside),
    communicateBeside: middle((launch) => launch.communicateBeside),
    hidden: middle((launch) => launch.hidden),
    interval: ci === null ? null : { level, ...ci },
  };
}
