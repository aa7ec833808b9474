/**
 * How many repetitions are enough: the smallest count whose launches agree as well as those of the count at which they
 * agree best, as far as so many launches can tell.
 *
 * Counts are compared with the one of the smallest spread, and being the smallest of several is luck in part: of several
 * equal batches, one-sided Brown-Forsythe tests against the best, Holm-corrected, call some batch different far too often.
 * So the largest ratio to the smallest spread is compared with what it is when chance deals the same deviations out to the
 * batches, which is right in 95 of 100 (test/statistics/repetitions.test.ts). It finds a doubled spread more often than
 * tests corrected for every pair do; of 10 launches hardly any test finds it.
 */
import { normalOf, randomBits, shuffle, uniformOf } from '../random.js';
import { LEVEL } from './interval.js';
import { median, quantileSorted } from './quantile.js';
import { studentReach } from './student.js';

export interface RepetitionBatch {
  readonly repetitions: number;
  /** One for each launch, above 0, in one unit for all batches. */
  readonly launchMedians: readonly number[];
}

/** A batch of which only a table is known. */
export interface SpreadRow {
  readonly repetitions: number;
  /** Launches. */
  readonly n: number;
  readonly median: number;
  /** Of the launch values. */
  readonly std: number;
}

export interface CountEvidence {
  readonly repetitions: number;
  readonly launches: number;
  /** Relative spread of the launch values; which one `spreadIs` says. null where there are too few launches. */
  readonly spread: number | null;
  /** Of the smallest spread, with its 95 % interval (of this pair alone); null where that is 0 or unknown. */
  readonly ratio: number | null;
  readonly ratioInterval: { readonly low: number; readonly high: number } | null;
  /** How often chance makes a ratio at least so large in some batch when all have the same spread. */
  readonly p: number | null;
}

export interface Recommendation {
  /** null when nothing can be recommended. */
  readonly repetitions: number | null;
  /** The count of the smallest spread. */
  readonly best: number | null;
  /** One sentence for a person, also when there is none. */
  readonly why: string;
  readonly test: string;
  readonly spreadIs: string;
  /**
   * Ratios of spreads below this one pass for chance in a sweep of so many launches; null when there is no test, or where so
   * many launches tie that chance gives some batch no spread at all.
   */
  readonly leastRatioFound: number | null;
  /** By repetitions. */
  readonly counts: readonly CountEvidence[];
}

const LEAST_LAUNCHES = 6;
const RISK = 1 - LEVEL;
const DRAWS = 999;
const SEED = 1964;
/** Spreads of 0 have ratios too. */
const NOTHING = Number.MIN_VALUE;
/** So that the ends of its interval are finite, too. */
const MOST_RATIO = 1e100;

const PERMUTATION = {
  test: `permutation of the absolute deviations of log launch medians from their batch's median, ${DRAWS} draws: the largest ratio to the smallest mean deviation, one-sided, all counts together`,
  spreadIs: 'mean absolute deviation of the logarithms of launch medians from their median',
};
const FROM_TABLE = {
  test: `largest ratio to the smallest coefficient of variation, one-sided, all counts together, against ${DRAWS} draws from normal launch values (a one-sided Hartley test); values with longer tails than the normal are called different too often`,
  spreadIs: 'standard deviation of the launch values over their median',
};

const mean = (values: ArrayLike<number>): number => {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i] ?? 0;
  return sum / values.length;
};

/** Finite also of nothing, by which a quotient would not be. */
const logRatio = (spread: number, smallest: number): number =>
  Math.log(Math.max(spread, NOTHING)) - Math.log(Math.max(smallest, NOTHING));

interface Comparison {
  /** One for each spread. */
  readonly p: readonly number[];
  readonly leastRatioFound: number | null;
}

/**
 * How the observed ratios to the smallest spread compare with the largest ratio when all batches have one spread
 * (single-step, so that an error anywhere in the sweep has the level's risk).
 * @param draw spreads of as many batches when all are alike
 */
function compare(spreads: readonly number[], draw: () => readonly number[]): Comparison {
  let toNothing = 0;
  const largest = Float64Array.from({ length: DRAWS }, () => {
    const drawn = draw();
    const least = Math.min(...drawn);
    if (least === 0) toNothing++;
    return logRatio(Math.max(...drawn), least);
  }).sort();
  const smallest = Math.min(...spreads);
  const p = spreads.map((spread) => {
    // A draw that deals out the observed again differs from it by rounding only.
    const observed = logRatio(spread, smallest) - 1e-12;
    const atLeast = largest.reduce((count, value) => count + (value >= observed ? 1 : 0), 0);
    return (atLeast + 1) / (DRAWS + 1);
  });
  // Ratios to nothing are the largest of all: where they are more than the risk, every other passes for chance.
  const leastRatioFound = toNothing > RISK * DRAWS ? null : Math.exp(quantileSorted(largest, LEVEL));
  return { p, leastRatioFound };
}

/** Relative standard error of a spread, and its degrees of freedom. */
interface Uncertainty {
  readonly relativeError: number;
  readonly degrees: number;
}

function intervalOfRatio(
  ratio: number,
  one: Uncertainty,
  other: Uncertainty,
): CountEvidence['ratioInterval'] {
  const reach =
    studentReach(LEVEL, one.degrees + other.degrees) * Math.hypot(one.relativeError, other.relativeError);
  return { low: ratio * Math.exp(-reach), high: ratio * Math.exp(reach) };
}

/** null to a spread of nothing, or of hardly more. */
function ratioOf(spread: number, smallest: number): number | null {
  const ratio = spread / smallest;
  return ratio <= MOST_RATIO ? ratio : null;
}

interface Row {
  readonly repetitions: number;
  readonly launches: number;
  readonly spread: number;
  readonly uncertainty: Uncertainty;
}

type Method = Pick<Recommendation, 'test' | 'spreadIs'>;

function refused(
  rows: readonly Pick<Row, 'repetitions' | 'launches'>[],
  method: Method,
  why: string,
): Recommendation {
  const counts = rows.map(({ repetitions, launches }) => ({
    repetitions,
    launches,
    spread: null,
    ratio: null,
    ratioInterval: null,
    p: null,
  }));
  return { ...method, repetitions: null, best: null, why, leastRatioFound: null, counts };
}

function whyNot(rows: readonly Pick<Row, 'repetitions' | 'launches'>[]): string | null {
  if (rows.length < 2) return 'one count has nothing to be compared with: measure at least two';
  const few = rows.find(({ launches }) => launches < LEAST_LAUNCHES);
  return few === undefined
    ? null
    : `the batch of ${few.repetitions} repetitions has ${few.launches} launches, and a spread needs at least ${LEAST_LAUNCHES}`;
}

const hasLogarithm = (value: number): boolean => value > 0 && Number.isFinite(value);

/** @param wrong a batch that has such values; undefined: none has */
const noLogarithm = (wrong: { readonly repetitions: number } | undefined): string | null =>
  wrong === undefined
    ? null
    : `the batch of ${wrong.repetitions} repetitions has a time of 0 or a spread below it, and ratios need times above 0`;

function recommend(rows: readonly Row[], method: Method, draw: () => readonly number[]): Recommendation {
  const { p, leastRatioFound } = compare(
    rows.map(({ spread }) => spread),
    draw,
  );
  const best = rows.reduce((least, row) => (row.spread < least.spread ? row : least));
  const counts = rows.map((row, i): CountEvidence => {
    const { repetitions, launches, spread, uncertainty } = row;
    const ratio = ratioOf(spread, best.spread);
    const ratioInterval =
      ratio === null || row === best ? null : intervalOfRatio(ratio, uncertainty, best.uncertainty);
    return { repetitions, launches, spread, ratio, ratioInterval, p: p[i] ?? 1 };
  });
  const enough = rows.find((row, i) => row === best || (p[i] ?? 1) >= RISK) ?? best;
  const why =
    best === rows[0]
      ? `${best.repetitions} repetitions, the smallest count, have the smallest spread`
      : enough === best
        ? `${best.repetitions} repetitions have the smallest spread, and every smaller count has a larger one`
        : `the spread of ${enough.repetitions} repetitions cannot be told from the smallest, that of ${best.repetitions}; ${leastRatioFound === null ? 'so many launches do not differ, as where they tie at the step of the clock, that hardly any ratio can' : `with so many launches a ratio below ${leastRatioFound.toPrecision(2)} cannot`}`;
  return { ...method, repetitions: enough.repetitions, best: best.repetitions, why, leastRatioFound, counts };
}

/** Absolute deviations of the logarithms from their median, as large on average for few launches as for many. */
function deviationsOf({ launchMedians }: RepetitionBatch): Float64Array {
  const logarithms = Float64Array.from(launchMedians, Math.log);
  const centre = median(logarithms);
  const n = logarithms.length;
  return logarithms.map((value) => Math.abs(value - centre) * Math.sqrt(n / (n - 1)));
}

function relativeErrorOf(deviations: Float64Array, spread: number): number {
  const squares = deviations.reduce((sum, value) => sum + (value - spread) ** 2, 0);
  const n = deviations.length;
  return spread > 0 ? Math.sqrt(squares / (n - 1) / n) / spread : 0;
}

/**
 * @param batches one for each count, of one case and stack, launched independently: where a short batch is the beginning
 *   of a long one's launches, differences are found more rarely than they could be
 */
export function recommendRepetitions(batches: readonly RepetitionBatch[]): Recommendation {
  const ordered = batches.toSorted((a, b) => a.repetitions - b.repetitions);
  const sizes = ordered.map(({ repetitions, launchMedians }) => ({
    repetitions,
    launches: launchMedians.length,
  }));
  const why =
    whyNot(sizes) ?? noLogarithm(ordered.find(({ launchMedians }) => !launchMedians.every(hasLogarithm)));
  if (why !== null) return refused(sizes, PERMUTATION, why);
  const deviations = ordered.map(deviationsOf);
  const rows = sizes.map((size, i): Row => {
    const own = deviations[i] ?? new Float64Array();
    const spread = mean(own);
    const relativeError = relativeErrorOf(own, spread);
    return { ...size, spread, uncertainty: { relativeError, degrees: own.length - 1 } };
  });
  const all = Float64Array.from(deviations.flatMap((own) => Array.from(own)));
  const bits = randomBits(SEED);
  const draw = (): number[] => {
    shuffle(all, bits);
    let at = 0;
    return sizes.map(({ launches }) => {
      at += launches;
      return mean(all.subarray(at - launches, at));
    });
  };
  return recommend(rows, PERMUTATION, draw);
}

/**
 * The same where only a table is known: number, median and standard deviation of the launch values of each count. The
 * standard deviation of logarithms is taken to be std / median, and launch values for normal and independent; a table
 * cannot say whether they are.
 */
export function recommendFromSpreads(rows: readonly SpreadRow[]): Recommendation {
  const ordered = rows.toSorted((a, b) => a.repetitions - b.repetitions);
  const sizes = ordered.map(({ repetitions, n }) => ({ repetitions, launches: n }));
  const isSpread = (row: SpreadRow): boolean => row.std >= 0 && Number.isFinite(row.std / row.median);
  const why =
    whyNot(sizes) ?? noLogarithm(ordered.find((row) => !(hasLogarithm(row.median) && isSpread(row))));
  if (why !== null) return refused(sizes, FROM_TABLE, why);
  const normal = normalOf(uniformOf(randomBits(SEED)));
  /** The logarithm of a standard deviation of n normal values has an error of about 1 / sqrt(2 (n - 1)). */
  const error = (n: number): number => 1 / Math.sqrt(2 * (n - 1));
  const spreads = ordered.map(({ n, median: centre, std }, i): Row => {
    const uncertainty = { relativeError: error(n), degrees: n - 1 };
    return { ...(sizes[i] as (typeof sizes)[number]), spread: std / centre, uncertainty };
  });
  /** Chi-squared over its degrees of freedom, by its cube root (Wilson & Hilferty 1931). */
  const variance = (degrees: number): number => {
    const cubeRoot = 1 - 2 / (9 * degrees) + Math.sqrt(2 / (9 * degrees)) * normal();
    return Math.max(0, cubeRoot) ** 3;
  };
  return recommend(spreads, FROM_TABLE, () => ordered.map(({ n }) => Math.sqrt(variance(n - 1))));
}
