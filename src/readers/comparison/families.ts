/**
 * Which comparisons of a table are corrected together for their number. Those whose launches were to settle them are so among
 * themselves, as their campaign did on the way (src/campaign/comparisons.ts): what ended one is then its verdict, whatever else
 * the table compares. Pure.
 */
import { holm } from '../../statistics/several.js';

interface Member {
  /** Looking at it decided how many launches it has; null: it was not compared, and is in no family. */
  readonly looked: boolean | null;
}

/** Those that were to be settled first. */
export const familiesOf = <T extends Member>(all: readonly T[]): readonly (readonly T[])[] =>
  [true, false].map((looked) => all.filter((one) => one.looked === looked));

/** How many are corrected together with this one, itself counted. */
export const familySize = (all: readonly Member[], { looked }: Member): number =>
  all.filter((one) => one.looked === looked).length;

/** Holm's correction within each family. */
export function adjustedPs<T extends Member & { readonly comparison: { readonly p: number } }>(
  all: readonly T[],
): ReadonlyMap<T, number> {
  return new Map(
    familiesOf(all).flatMap((family) => {
      const adjusted = holm(family.map(({ comparison }) => comparison.p));
      return family.map((one, i) => [one, adjusted[i] ?? 1] as const);
    }),
  );
}
