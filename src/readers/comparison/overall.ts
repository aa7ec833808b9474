/**
 * How fast a candidate is over all its cases: the geometric mean of the ratios that the table has, with an interval that follows from
 * theirs. From the batches' own medians it would take in again the drift that pairing by rounds took out of each ratio. Pure.
 *
 * On logarithms the mean over C cases is a sum of independent terms / C, so their distances to the interval's ends add up like
 * standard errors, each end for itself (Zou & Donner 2008). An interval of few launches is wide because its own spread is badly known,
 * and that averages out over the cases: so a distance is first divided by the reach of Student's t, and the sum multiplied by that for
 * the degrees of freedom that its terms have together (Welch & Satterthwaite).
 */
import { meanOfLogs, type Term } from '../../statistics/geometric-mean.js';
import { LEVEL } from '../../statistics/interval.js';
import type { Range } from '../../statistics/shift.js';
import { reachOf } from '../../statistics/student.js';
import type { ComparedCase, ComparedPair, Overall } from './document.js';

interface Told {
  readonly ratio: number;
  readonly interval: Range | null;
  readonly launches: readonly [number, number];
  readonly paired: boolean;
}

/** A pair of launches in a round is one value. Ranks have the reach of Student's t within some per cent, on the side of wider. */
const degreesOf = ({ launches: [own, other], paired }: Told): number => (paired ? own : own + other - 1) - 1;

/** What was spent on looking stays in the distances, so that the mean is as careful as its cases. */
function termOf(told: Told): Term | null {
  const { ratio, interval } = told;
  if (interval === null) return null;
  const degrees = degreesOf(told);
  const reach = reachOf(LEVEL, degrees);
  return {
    below: Math.max(0, Math.log(ratio / interval.low)) / reach,
    above: Math.max(0, Math.log(interval.high / ratio)) / reach,
    degrees,
  };
}

/** @param all of independent cases, at least one */
export const meanRatio = (all: readonly Told[]): Pick<Overall, 'mean' | 'interval'> =>
  meanOfLogs(
    all.map(({ ratio }) => Math.log(ratio)),
    all.map(termOf),
  );

function toldOf({ ratio, interval, launches, paired }: ComparedPair): readonly Told[] {
  if (ratio === undefined || interval === undefined || launches === undefined || paired === undefined)
    return [];
  return [{ ratio, interval, launches, paired }];
}

/** What does no work, as a barrier, has no rate to be part of a mean of rates. */
const hasRates = ({ batches }: ComparedCase, candidate: string): boolean =>
  batches.every(({ side, rate }, i) => rate !== null || (i > 0 && side !== candidate));

/** Of candidates with two cases or more; the reference is the first batch of each. */
export function overallOf(cases: readonly ComparedCase[], candidates: readonly string[]): readonly Overall[] {
  return candidates.flatMap((candidate): readonly Overall[] => {
    const told = cases
      .filter((one) => hasRates(one, candidate))
      .flatMap(({ comparisons }) =>
        comparisons.filter((pair) => pair.candidate === candidate).flatMap(toldOf),
      );
    return told.length < 2 ? [] : [{ candidate, cases: told.length, ...meanRatio(told) }];
  });
}
