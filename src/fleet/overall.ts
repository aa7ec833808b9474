/** A node that is a little slow at everything: its typical deviation over all KPIs, which is known better than any one of them. Pure. */
import { median } from '../statistics/quantile.js';
import { pick, type SeriesJudgement } from './judge-series.js';
import { centreOf, levelOf, limitOf, reachesOf } from './limits.js';
import { marginOf, shareOf, worseness } from './rules.js';
import type { Fleet } from './table.js';

/** Fewer KPIs than this are judged one by one and no more. */
const LEAST_KPIS = 4;
const LEAST_PLACES = 3;

export interface OverallFinding {
  readonly place: number;
  readonly worse: number;
  readonly limit: number;
}

/**
 * @param judgements of the fleet's series, in their order
 * @param centres of the baseline, as deviations in logarithms by series; null: those of the fleet
 */
export function judgeOverall(
  { places, series }: Fleet,
  judgements: readonly SeriesJudgement[],
  centres: readonly (number | null)[] | null,
  scale: number,
): readonly OverallFinding[] {
  const deviations: number[][] = places.map(() => []);
  series.forEach((one, i) => {
    const values = worseness(one, 'median');
    const { kept } = judgements[i] as SeriesJudgement;
    const middle = centres === null ? (centreOf(pick(values, kept))?.centre ?? null) : (centres[i] ?? null);
    if (middle === null || (centres === null && kept.length < LEAST_PLACES)) return;
    for (let row = 0; row < values.length; row++) {
      const value = values[row] as number;
      if (!Number.isNaN(value)) deviations[one.places[row] as number]?.push(value - middle);
    }
  });
  const typical = Float64Array.from(deviations, (all) =>
    all.length < LEAST_KPIS ? Number.NaN : median(all),
  );
  const known = centreOf(typical);
  if (known === null || (centres === null && known.nodes < LEAST_PLACES)) return [];
  const centre = centres === null ? known.centre : 0;
  const limit = limitOf(
    marginOf('overall', scale, 1),
    known.deviation,
    reachesOf(levelOf('overall', 1), known),
  );
  const findings: OverallFinding[] = [];
  typical.forEach((value, place) => {
    if (value - centre > limit) {
      findings.push({
        place,
        worse: shareOf('overall', value - centre),
        limit: shareOf('overall', limit),
      });
    }
  });
  return findings;
}
