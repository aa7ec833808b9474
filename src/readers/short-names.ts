/** Names that are too long for their column, shortened so that those which differ stay different. Pure. */

/** Of fewer characters the end alone is kept: it tells files of one folder apart, and the beginning is theirs in common. */
const BOTH_ENDS = 18;

/** Without its middle, of which `head` characters are kept in front. */
function cut(name: string, most: number, head: number): string {
  if (name.length <= most) return name;
  const tail = most - 1 - head;
  return `${name.slice(0, head)}…${tail === 0 ? '' : name.slice(-tail)}`;
}

/** How much of the front to keep, the best to read first: some, nothing but the front, and whatever else tells names apart. */
const heads = (most: number): readonly number[] => [
  most < BOTH_ENDS ? 0 : Math.floor(most / 3),
  most - 1,
  ...Array.from({ length: most - 1 }, (_, head) => head),
];

/** Less of a word says nothing. */
const LEAST_WORD = 6;

/**
 * Names of several words that differ at both ends, as by a size in front and a library behind it: their long words are
 * shortened, each the same way wherever it stands. null: they would still be too long.
 */
function byWords(names: readonly string[], most: number): readonly string[] | null {
  const words = [...new Set(names.flatMap((name) => name.split(' ')))];
  const longest = Math.max(...words.map(({ length }) => length));
  for (let limit = longest - 1; limit >= LEAST_WORD; limit--) {
    const long = words.filter(({ length }) => length > limit);
    const short = shortNames(long, limit);
    const shortOf = new Map(long.map((word, i) => [word, short[i] ?? word]));
    const all = names.map((name) =>
      name
        .split(' ')
        .map((word) => shortOf.get(word) ?? word)
        .join(' '),
    );
    if (all.every(({ length }) => length <= most)) return all;
  }
  return null;
}

/**
 * @param most characters of each, enough for a number and some of the name
 * @returns in their order; names that are alike stay alike
 */
export function shortNames(names: readonly string[], most: number): readonly string[] {
  const all = [...new Set(names)];
  const shortened = (): readonly string[] => {
    for (const head of heads(most)) {
      const short = all.map((name) => cut(name, most, head));
      if (new Set(short).size === all.length) return short;
    }
    const words = all.every((name) => name.includes(' ')) ? byWords(all, most) : null;
    if (words !== null && new Set(words).size === all.length) return words;
    // They differ in their middles only.
    return all.map((name, i) => {
      const number = ` #${i + 1}`;
      return `${cut(name, Math.max(1, most - number.length), 0)}${number}`;
    });
  };
  const short = shortened();
  const byName = new Map(all.map((name, i) => [name, short[i] ?? name]));
  return names.map((name) => byName.get(name) ?? name);
}
