/** What somebody is likely to have meant by a name that there is not. Pure. */

/**
 * Letters that have to be put in, left out, changed, or swapped with their neighbour for the one to be the other (Levenshtein's
 * distance with swaps, of optimal string alignment).
 */
export function distance(a: string, b: string): number {
  const [from, to] = [[...a], [...b]];
  let before: readonly number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, j) => j);
  for (const [i, letter] of from.entries()) {
    const next = [i + 1];
    for (const [j, other] of to.entries()) {
      const changed = (row[j] ?? 0) + (letter === other ? 0 : 1);
      const swaps = i > 0 && j > 0 && letter === to[j - 1] && from[i - 1] === other;
      const swapped = swaps ? (before[j - 1] ?? 0) + 1 : changed;
      next.push(Math.min(changed, swapped, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    [before, row] = [row, next];
  }
  return row[to.length] ?? 0;
}

const MOST_CHANGES = 2;
/** As `reps` and `repetitions`. */
const SAME_BEGINNING = 3;

const inSmall = (name: string): string => name.toLowerCase();

/** In how many letters they differ, whatever their case; null: too many for a slip. */
function changesOf(given: string, known: string): number | null {
  const changes = distance(inSmall(given), inSmall(known));
  return changes === 0 || (changes <= MOST_CHANGES && changes < given.length / 2) ? changes : null;
}

const beginsAs = (given: string, known: string): boolean =>
  given.length >= SAME_BEGINNING && inSmall(known).startsWith(inSmall(given).slice(0, SAME_BEGINNING));

/** Those that may be meant, the likeliest first. */
export function likely(given: string, known: readonly string[]): readonly string[] {
  const slips = known.flatMap((name) => {
    const changes = changesOf(given, name);
    return changes === null ? [] : { name, changes };
  });
  const alike = known.filter((name) => beginsAs(given, name) && !slips.some((slip) => slip.name === name));
  return [...slips.toSorted((a, b) => a.changes - b.changes).map(({ name }) => name), ...alike];
}

/** The one that is meant; null: none, or any of several that only begin alike. */
export function nearest(given: string, known: readonly string[]): string | null {
  const [first = null, ...others] = likely(given, known);
  return first === null || others.length === 0 || changesOf(given, first) !== null ? first : null;
}

/** `; did you mean matmul?`, for the end of a message; nothing where none is meant. */
export const meantText = (meant: string | null): string => (meant === null ? '' : `; did you mean ${meant}?`);

/**
 * `there is float32, float64; did you mean float32?`, for a message that says what is unknown.
 * @param meant what is known to be meant by it
 */
export const thereIs = (
  given: string,
  known: readonly string[],
  meant: string | null = nearest(given, known),
): string => `there is ${known.join(', ')}${meantText(meant)}`;
