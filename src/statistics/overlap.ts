/**
 * How much of a communication hides behind a computation, from three times: each alone, and both at once. Pure.
 *
 * hidden = (compute + communicate - both) / communicate. It is what OSU's benchmarks of non-blocking collectives call
 * overlap, but for their ends: there it is held above 0, here it is below 0 where both at once take longer than one after
 * the other, because then somebody should know. The three are those of one repetition: times of the same moments, where medians
 * of each by itself may come from different ones, and then contradict each other.
 */
import type { Ratio, Seconds } from '../units.js';
import { median } from './quantile.js';

export interface OverlapTimes {
  /** Alone, of the slowest rank. */
  readonly compute: Seconds;
  readonly communicate: Seconds;
  /** At once, until the later of them has ended. */
  readonly both: Seconds;
}

/** 1: all of the communication hides. */
export const hiddenShare = ({ compute, communicate, both }: OverlapTimes): Ratio =>
  (compute + communicate - both) / communicate;

/** Behind a computation that is shorter than it a communication cannot hide whole. */
export const mostHidden = ({ compute, communicate }: Pick<OverlapTimes, 'compute' | 'communicate'>): Ratio =>
  Math.min(1, compute / communicate);

/** How many times faster at once than one after the other; at most 2. */
export const overlapGain = ({ compute, communicate, both }: OverlapTimes): Ratio =>
  (compute + communicate) / both;

/** What the repetitions of a launch tell, or launches together. */
export interface OverlapSummary {
  /** Medians, of the slowest rank of each. */
  readonly compute: Seconds;
  readonly communicate: Seconds;
  /** While the other was under way. */
  readonly computeBeside: Seconds;
  readonly communicateBeside: Seconds;
  /** The median of what each repetition says by its own times, as are those below. */
  readonly hidden: Ratio;
  /** These are absent in documents from before repetitions were asked; `hidden` is there of the medians above. */
  readonly mostHidden?: Ratio | undefined;
  readonly gain?: Ratio | undefined;
  /** Time beside the other / alone. */
  readonly computeSlowed?: Ratio | undefined;
  readonly communicateSlowed?: Ratio | undefined;
}

/**
 * The median, but for as many values below `even` as above it, which is then as good a median as any between the two in the
 * middle. The hidden share and the gain of one repetition are on the same side of theirs, and so are their medians; the mean
 * of the two in the middle would be on either.
 */
export function medianAbout(even: Ratio, values: ArrayLike<number>): Ratio {
  let balance = 0;
  for (let i = 0; i < values.length; i++) balance += Math.sign((values[i] ?? even) - even);
  return balance === 0 ? even : median(values);
}

/** Neither better nor worse at once than one after the other. */
export const NOTHING_HIDDEN = 0;
export const NOTHING_GAINED = 1;

/** The addon's names of the times that are kept beside the samples, which are those of both at once. */
const PARTS = {
  compute: 'matmul_alone',
  communicate: 'collective_alone',
  computeBeside: 'matmul_beside',
  communicateBeside: 'collective_beside',
} as const;

type PartName = keyof typeof PARTS;

const IN_WORDS: Readonly<Record<PartName, string>> = {
  compute: 'the product alone',
  communicate: 'the collective alone',
  computeBeside: 'the product beside the collective',
  communicateBeside: 'the collective beside the product',
};

/** The product is timed by the host, also where a device times the collective. */
const OF_COLLECTIVE: readonly PartName[] = ['communicate', 'communicateBeside'];

/**
 * Of the times that the shares are of, each of one call, and that the clock of the document has timed: the shortest, and what it is of.
 * @param isHostClock whether that clock is the host's, which times all of them; of a device's clock how good the host's is nobody has said
 */
export const shortestPart = (
  times: Readonly<Record<PartName, Seconds>>,
  isHostClock: boolean,
): { readonly what: string; readonly seconds: Seconds } =>
  (isHostClock ? (Object.keys(IN_WORDS) as PartName[]) : OF_COLLECTIVE)
    .map((part) => ({ what: IN_WORDS[part], seconds: times[part] }))
    .reduce((least, part) => (part.seconds < least.seconds ? part : least));

type Parts = Readonly<Record<PartName, Float64Array>>;

function partsOf(named: Readonly<Record<string, Float64Array>>): Parts | null {
  const of = (part: PartName): Float64Array => named[PARTS[part]] ?? new Float64Array();
  const parts = {
    compute: of('compute'),
    communicate: of('communicate'),
    computeBeside: of('computeBeside'),
    communicateBeside: of('communicateBeside'),
  };
  return Object.values(parts).some(({ length }) => length === 0) ? null : parts;
}

/** Of one repetition. */
interface Repetition extends OverlapTimes {
  readonly computeBeside: Seconds;
  readonly communicateBeside: Seconds;
}

/** Those whose shares are numbers: of a part that is shorter than a tick of the clock there is none. */
function repetitionsOf(parts: Parts, both: Float64Array): readonly Repetition[] {
  const of = (times: Float64Array, i: number): Seconds => times[i] ?? 0;
  return Array.from(parts.compute, (compute, i) => ({
    compute,
    communicate: of(parts.communicate, i),
    computeBeside: of(parts.computeBeside, i),
    communicateBeside: of(parts.communicateBeside, i),
    both: of(both, i),
  })).filter((times) => Math.min(times.compute, times.communicate, times.both) > 0);
}

/** null where these are no times of an overlap. @param both of the same repetitions, and maybe of more after them */
export function summariseOverlap(
  named: Readonly<Record<string, Float64Array>>,
  both: Float64Array,
): OverlapSummary | null {
  const parts = partsOf(named);
  const repetitions = parts === null ? [] : repetitionsOf(parts, both);
  if (parts === null || repetitions.length === 0) return null;
  const each = (share: (times: Repetition) => Ratio): readonly Ratio[] => repetitions.map(share);
  return {
    compute: median(parts.compute),
    communicate: median(parts.communicate),
    computeBeside: median(parts.computeBeside),
    communicateBeside: median(parts.communicateBeside),
    hidden: medianAbout(NOTHING_HIDDEN, each(hiddenShare)),
    mostHidden: median(each(mostHidden)),
    gain: medianAbout(NOTHING_GAINED, each(overlapGain)),
    computeSlowed: median(each(({ compute, computeBeside }) => computeBeside / compute)),
    communicateSlowed: median(each(({ communicate, communicateBeside }) => communicateBeside / communicate)),
  };
}
