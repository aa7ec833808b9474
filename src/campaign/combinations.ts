/** Every combination of several values of each of several names. Pure. */

/**
 * The first name varies slowest, as one would write the loops.
 * @param values at least one for each name
 */
export function combinations(
  values: Readonly<Record<string, readonly string[]>>,
): readonly Readonly<Record<string, string>>[] {
  return Object.entries(values).reduce<Readonly<Record<string, string>>[]>(
    (all, [name, some]) => all.flatMap((one) => some.map((value) => ({ ...one, [name]: value }))),
    [{}],
  );
}
