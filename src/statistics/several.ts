/** Several comparisons at once: chance has more occasions, and "cannot be told apart" is no equality. */

/**
 * Holm's correction (1979): what each p becomes so that the risk of one false difference among all stays that of a single one.
 * @param ps between 0 and 1
 */
export function holm(ps: readonly number[]): readonly number[] {
  const order = ps.map((_, i) => i).sort((a, b) => (ps[a] ?? 0) - (ps[b] ?? 0));
  const adjusted = new Array<number>(ps.length).fill(1);
  let largest = 0;
  order.forEach((at, rank) => {
    largest = Math.max(largest, Math.min(1, (ps[at] ?? 1) * (ps.length - rank)));
    adjusted[at] = largest;
  });
  return adjusted;
}

const contains = (one: ReadonlySet<number>, other: ReadonlySet<number>): boolean =>
  [...other].every((item) => one.has(item));

/** Without those that another holds; of equal ones the first stays. */
const absorbed = (groups: readonly ReadonlySet<number>[]): readonly ReadonlySet<number>[] =>
  groups.filter(
    (group, i) =>
      !groups.some((other, j) => i !== j && contains(other, group) && (other.size > group.size || j < i)),
  );

/**
 * The largest groups whose members cannot be told apart, as a compact letter display has them (Piepho 2004: insert and
 * absorb). One can be in several: A like B and B like C does not make A like C.
 * @param apart whether i and j differ, i < j
 * @returns groups of indices, ascending, by their first
 */
export function groupsOf(
  count: number,
  apart: (i: number, j: number) => boolean,
): readonly (readonly number[])[] {
  let groups: readonly ReadonlySet<number>[] = [new Set(Array.from({ length: count }, (_, i) => i))];
  for (let i = 0; i < count; i++) {
    for (let j = i + 1; j < count; j++) {
      if (!apart(i, j)) continue;
      const without = (group: ReadonlySet<number>, left: number) =>
        new Set([...group].filter((item) => item !== left));
      groups = absorbed(
        groups.flatMap((group) =>
          group.has(i) && group.has(j) ? [without(group, i), without(group, j)] : [group],
        ),
      );
    }
  }
  return groups
    .map((group) => [...group].sort((a, b) => a - b))
    .filter((group) => group.length > 0)
    .sort(([a = 0, ...restA], [b = 0, ...restB]) => a - b || restA.length - restB.length);
}
